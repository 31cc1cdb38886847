internal import FoundationEssentials
internal import ObjectModels
internal import OrderedCollections
internal import PropertyLists

/// Apple's XML as the layout of a store's file: see ``XMLStore``.
struct XMLStoreFormat: StoreFileFormat {
  let names: XMLNames

  var type: String { XMLStore.type }

  /// The first object of Apple's files has the number 102.
  var firstLastNumber: Int64 { 101 }

  init(_ model: ManagedObjectModel) throws(ManagedObjectError) { names = try XMLNames(model) }

  func read(
    _ data: Data, into table: RowTable, configuration: String?, defects: StoreDefects?
  ) throws(ManagedObjectError) -> StoreFileContents {
    let source = try Self.source(data)
    var reader = XMLStoreReader(source.text.bytes, table, names)
    let metadata = try Self.readHead(&reader, of: source)
    if defects == nil { try metadata.check(table.model, configuration) }
    do throws(XMLPullReader.Failure) {
      try reader.readObjects(store: table.storeNumber, isMember: table.isMember)
      try reader.resolve(store: table.storeNumber, defects)
    } catch {
      throw ManagedObjectError(source.error(error))
    }
    var table = table
    var objects = reader.objects
    let tail = (objects.last?.range.upperBound ?? reader.head.end)..<source.text.count
    for (entity, rows) in reader.rows.enumerated() { table.load(rows, ofEntity: entity) }
    let mended: Set<Int64>
    do throws(RowTable.InverseDefect) {
      mended = try table.mendInverses(defects)
    } catch {
      let offset = reader.passSpace(from: objects.first { $0.number == error.key.number }?.range.lowerBound ?? 0)
      throw ManagedObjectError(source.error(XMLPullReader.Failure(error.message, at: offset)))
    }
    if !mended.isEmpty { objects.removeAll { mended.contains($0.number) } }
    if !zip(objects, objects.dropFirst()).allSatisfy({ $0.number < $1.number }) {
      objects.sort { $0.number < $1.number }
    }
    let layout = XMLFileLayout(
      head: 0..<reader.head.end, prolog: reader.head.prolog, lastNumber: reader.head.lastNumberRange,
      metadata: metadata, objects: objects, tail: tail, isOfFile: source.start == 0 && source.text == data,
      orders: reader.orders)
    return StoreFileContents(
      table: table, metadata: metadata, lastNumber: max(reader.head.lastNumber, table.lastNumber),
      counter: reader.head.lastNumberRange.isEmpty ? nil : reader.head.lastNumber, layout: layout)
  }

  static func metadata(of data: Data) throws(ManagedObjectError) -> StoreMetadata {
    let source = try source(data)
    // No objects are read, so no names are asked for.
    var reader = XMLStoreReader(source.text.bytes)
    return try readHead(&reader, of: source)
  }

  /// The text of a file.
  private static func source(_ data: Data) throws(ManagedObjectError) -> TextSource {
    if let name = StoreFileKind(data)?.name {
      throw ManagedObjectError(.storeTypeMismatch, "the file is \(name), not a store in XML")
    }
    do throws(PropertyListError) {
      var defects = DefectLog.first
      guard let source = try TextSource(data, .xml, defects: &defects) else {
        throw PropertyListError(.unknownFormat, "no XML")
      }
      if let defect = defects.defects.first { throw defect }
      return source
    } catch {
      throw ManagedObjectError(error)
    }
  }

  private static func readHead(
    _ reader: inout XMLStoreReader, of source: TextSource
  ) throws(ManagedObjectError) -> StoreMetadata {
    let isStore: Bool
    do throws(XMLPullReader.Failure) {
      isStore = try reader.readHead()
    } catch {
      throw ManagedObjectError(source.error(error))
    }
    guard isStore else { throw ManagedObjectError(.storeTypeMismatch, "the file is XML, but not a store") }
    return StoreMetadata(file: reader.head.values, identifier: reader.head.identifier, type: XMLStore.type)
  }
}
