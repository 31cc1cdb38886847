internal import FoundationEssentials
internal import KeyedArchiving
internal import ObjectModels
internal import OrderedCollections
internal import PropertyLists

/// The file format of a ``BinaryStore``. The comment of that type describes the format.
struct BinaryStoreFormat: StoreFileFormat {
  var ignoresModelVersion = false
  var type: String { BinaryStore.type }
  var firstLastNumber: Int64 { 0 }

  private static let version = 1

  enum Key {
    static let version = "MOBinaryStoreVersion"
    static let metadata = "metadata"
    static let lastNumber = "lastNumber"
    static let entities = "entities"
  }

  static func metadata(of data: Data) throws(ManagedObjectError) -> StoreMetadata { try metadata(archive(data)) }

  /// Returns an unarchiver for the contents of a file. Throws if the file is not a binary store.
  private static func archive(_ data: Data) throws(ManagedObjectError) -> KeyedUnarchiver {
    if let kind = StoreFileKind(data), kind.name == nil || kind != .binaryPropertyList {
      throw ManagedObjectError(.storeTypeMismatch, "the file is \(kind.name ?? "XML"), not a binary store")
    }
    let archive: KeyedUnarchiver
    do { archive = try KeyedUnarchiver(forReadingFrom: data) } catch {
      if case .notAnArchive = error.kind {
        throw ManagedObjectError(.storeTypeMismatch, "the file is a property list, but not a store")
      }
      throw ManagedObjectError(error)
    }
    guard archive.topLevelKeys.contains(Key.version) else {
      throw ManagedObjectError(.storeTypeMismatch, "the file is a keyed archive, but not a store")
    }
    let version = try converting { try archive.decode(Int.self, forKey: Key.version) }
    guard version == Self.version else {
      throw ManagedObjectError(.open, "version \(version) of the binary format is not supported")
    }
    return archive
  }

  private static func metadata(_ archive: KeyedUnarchiver) throws(ManagedObjectError) -> StoreMetadata {
    let values = try converting {
      guard let values = try PropertyList(archive.decodeBytes(forKey: Key.metadata), format: .binary).dictionary else {
        throw PropertyListError(.wrongKind, "the metadata is not a dictionary")
      }
      return values
    }
    guard let identifier = values[StoreMetadataKey.identifier]?.string, !identifier.isEmpty else {
      throw ManagedObjectError(.open, "the metadata has no \(StoreMetadataKey.identifier)")
    }
    return StoreMetadata(file: values, identifier: identifier, type: BinaryStore.type)
  }

  /// Calls `body`. If it throws an error, throws a ``ManagedObjectError`` with the given code instead.
  private static func converting<Result>(
    _ code: ManagedObjectError.Code = .open, _ body: () throws -> Result
  ) throws(ManagedObjectError) -> Result {
    do { return try body() } catch let error as KeyedArchiveError {
      throw ManagedObjectError(error, code)
    } catch let error as PropertyListError {
      throw ManagedObjectError(error, code)
    } catch {
      throw ManagedObjectError(code, "\(error)")
    }
  }

  func read(
    _ data: Data, into table: RowTable, configuration: String?, defects: StoreDefects?
  ) throws(ManagedObjectError) -> StoreFileContents {
    let archive = try Self.archive(data)
    let metadata = try Self.metadata(archive)
    if !ignoresModelVersion, defects == nil { try metadata.check(table.model, configuration) }
    let (last, entities) = try Self.contents(archive)
    let names = entities.map { ($0.name, Set($0.columns.map(\.name))) }
    let fitting =
      ignoresModelVersion
      ? ModelFitting(
        table.model, metadata, isMember: table.isMember,
        names: Dictionary(names, uniquingKeysWith: { first, _ in first })) : nil
    let defects = fitting?.defects ?? defects
    guard last >= 0 else { throw ManagedObjectError(.open, "the last object number, \(last), is negative") }
    var table = table
    let rows: BinaryRowReader
    do {
      rows = try BinaryRowReader(entities, table, fitting)
      try rows.read(into: &table)
      try table.checkReferences(last, defects)
    } catch {
      throw ManagedObjectError(PropertyListError(.malformed, error.description))
    }
    do throws(RowTable.InverseDefect) {
      _ = try table.mendInverses(defects)
    } catch {
      throw ManagedObjectError(PropertyListError(.malformed, error.message))
    }
    fitting?.fill(&table, has: rows.hasColumn)
    return StoreFileContents(
      table: table, metadata: metadata, lastNumber: max(last, table.lastNumber), counter: last,
      mismatches: fitting?.mismatches ?? [])
  }

  func write(
    _ contents: StoreFileContents, old: Data?, changed: Set<Int64>
  ) throws(ManagedObjectError) -> (data: Data, layout: XMLFileLayout?) {
    let entities = try Self.converting(.save) { try BinaryRowWriter(contents.table).entities() }
    return (try Self.data(contents.metadata, contents.lastNumber, entities), nil)
  }

  /// Returns the contents of a file with changed metadata. The objects stay as they are.
  static func replacing(
    _ data: Data, _ change: (inout StoreMetadata) -> Void
  ) throws(ManagedObjectError) -> Data {
    let archive = try archive(data)
    var metadata = try metadata(archive)
    let (last, entities) = try contents(archive)
    change(&metadata)
    return try Self.data(metadata, last, entities)
  }

  private static func contents(_ archive: KeyedUnarchiver) throws(ManagedObjectError) -> (Int64, [BinaryEntity]) {
    try converting {
      (
        try archive.decode(Int64.self, forKey: Key.lastNumber),
        try archive.decode([BinaryEntity].self, forKey: Key.entities)
      )
    }
  }

  private static func data(
    _ metadata: StoreMetadata, _ lastNumber: Int64, _ entities: [BinaryEntity]
  ) throws(ManagedObjectError) -> Data {
    try converting(.save) {
      var values = metadata.values
      values.sort { $0.key.precedes($1.key) }
      let archiver = KeyedArchiver()
      try archiver.encode(version, forKey: Key.version)
      try archiver.encodeBytes(PropertyList.dictionary(values).data(format: .binary), forKey: Key.metadata)
      try archiver.encode(lastNumber, forKey: Key.lastNumber)
      try archiver.encode(entities, forKey: Key.entities)
      return try archiver.encodedData()
    }
  }
}

extension RowTable {
  /// Checks that the objects to which rows refer exist, except deleted objects to which a relationship may keep
  /// references.
  ///
  /// - Parameters:
  ///   - last: the highest primary key that an object had. A deleted object cannot have a higher one.
  ///   - defects: receives the invalid references; if nil, the first one is thrown.
  fileprivate func checkReferences(_ last: Int64, _ defects: StoreDefects?) throws(BinaryDefect) {
    for (index, record) in model.records.enumerated() where !record.relationships.isEmpty {
      let entity = ManagedObjectModel.Entity(model: model, index: index)
      for relationship in record.relationships {
        let keepsDeleted = entity.keepsDeletedObjects(relationship)
        for row in entityRows[index].rows {
          try row.values[relationship.slot].forEachKey { key throws(BinaryDefect) in
            guard self.row(key) == nil, !keepsDeleted || key.number > last else { return }
            let message = "object \(row.key.number) refers to object \(key.number), which is not in the file"
            if let defects {
              defects.report(
                StoreDefects.Defect(kind: .missing, key: row.key, slot: relationship.slot, message: message))
              return
            }
            throw BinaryDefect(message, entity: record.definition.name, property: relationship.name)
          }
        }
      }
    }
  }
}

extension ManagedObjectError {
  /// Creates the error for a defect in the archive of a file.
  fileprivate init(_ error: KeyedArchiveError, _ code: Code = .open) {
    if case .propertyList(let error) = error.kind {
      self.init(error, code)
    } else {
      self.init(PropertyListError(.malformed, error.message, keyPath: error.path), code)
    }
  }
}
