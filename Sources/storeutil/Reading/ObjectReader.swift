internal import ArchiveViews
import FoundationEssentials
import KeyedArchiving
import ManagedObjects
import OrderedCollections
import PropertyLists

/// Reads the values of objects from a store, in batches.
///
/// Memory use: the row keys of the objects that a request finds, 16 bytes each, and a batch of rows.
struct ObjectReader {
  private let store: any PersistentStore
  private let model: ManagedObjectModel
  /// True to replace data by the archive or property list that it contains, if any.
  private let unwraps: Bool
  /// True to skip objects that cannot be read, and add them to ``defects``.
  private let skipsUnreadable: Bool
  /// The values and objects that could not be read.
  let defects: ReadingDefects

  /// The number of objects in a batch.
  static let batchSize = 1000

  init(_ opened: OpenStore, unwraps: Bool = false, skipsUnreadable: Bool = false) {
    store = opened.store
    model = opened.model
    self.unwraps = unwraps
    self.skipsUnreadable = skipsUnreadable
    defects = ReadingDefects(opened.store)
  }

  /// Returns the row keys of the objects that a request finds.
  func keys(_ request: FetchRequest) throws(ManagedObjectError) -> [RowKey] {
    var request = request
    request.resultType = .objectIDs
    switch try fetch(request) {
    case .keys(let keys): return keys
    case .rows(let rows): return rows.map(\.key)
    case .dictionaries, .count: return []
    }
  }

  /// Returns the number of objects that a request finds.
  func count(_ request: FetchRequest) throws(ManagedObjectError) -> Int {
    var request = request
    request.resultType = .count
    if case .count(let count) = try fetch(request) { return count }
    return 0
  }

  /// Returns the values of each group, for a request with dictionary results. The values of a group are in the order of
  /// the requested properties.
  func groups(_ request: FetchRequest) throws(ManagedObjectError) -> [[RowValue]] {
    if case .dictionaries(let dictionaries) = try fetch(request) { return dictionaries.map { Array($0.values) } }
    return []
  }

  /// Returns a value of a group as a property list: an attribute, or an object ID.
  func propertyList(_ value: RowValue) -> PropertyList {
    switch value {
    case .attribute(let value): PropertyList(value)
    case .toOne(let key?): .string(uri(key))
    case .toOne(nil), .toMany, .orderedToMany, .unread: .null
    }
  }

  private func fetch(_ request: FetchRequest) throws(ManagedObjectError) -> StoreFetchResult {
    try request.check(against: model)
    guard let entity = model.entity(named: request.entityName) else {
      throw ManagedObjectError(.undefinedKey, "the model has no entity \(request.entityName.quoted)")
    }
    return try store.fetch(request, of: entity)
  }

  /// Calls `body` with the row key and the values of each object. There is a value for each column; it is nil if the
  /// entity does not have the property. Deleted objects are skipped.
  ///
  /// - Throws: the error of the first object that cannot be read, after calling `body` with all objects before it. If
  ///   unreadable objects are skipped, they are added to ``defects`` instead.
  func forEach(_ keys: [RowKey], _ columns: [ObjectColumn], _ body: (RowKey, [PropertyList?]) throws -> Void) throws {
    var start = 0
    while start < keys.count {
      let batch = Array(keys[start..<min(start + Self.batchSize, keys.count)])
      start += batch.count
      guard let objects = try? objects(batch, columns) else {
        for key in batch { try readAlone(key, columns, body) }
        continue
      }
      for object in objects { try body(object.key, object.values) }
    }
  }

  /// Calls `body` with one object, after its batch could not be read.
  private func readAlone(
    _ key: RowKey, _ columns: [ObjectColumn], _ body: (RowKey, [PropertyList?]) throws -> Void
  ) throws {
    let object: (key: RowKey, values: [PropertyList?])?
    do { object = try objects([key], columns).first } catch {
      guard skipsUnreadable else { throw error }
      defects.addUnreadable(key, error)
      return
    }
    if let object { try body(object.key, object.values) }
  }

  /// Returns objects with a value for each column. Deleted objects are left out.
  private func objects(_ keys: [RowKey], _ columns: [ObjectColumn]) throws -> [(key: RowKey, values: [PropertyList?])] {
    let rows = try store.rows(keys).compactMap(\.self)
    var objects = rows.map { (key: $0.key, values: [PropertyList?]()) }
    for index in objects.indices { objects[index].values.reserveCapacity(columns.count) }
    for column in columns {
      for (index, value) in try values(rows, column.keys[...]).enumerated() { objects[index].values.append(value) }
    }
    return objects
  }

  /// Returns the values at a key path, one for each row.
  private func values(_ rows: [StoreRow], _ path: ArraySlice<String>) throws -> [PropertyList?] {
    guard let key = path.first else { return rows.map { .string(uri($0.key)) } }
    if key == ObjectColumn.id { return rows.map { .string(uri($0.key)) } }
    if key == ObjectColumn.entity { return rows.map { .string(entity(of: $0.key).name) } }
    let found = try values(rows, key)
    let rest = path.dropFirst()
    if rest == [ObjectColumn.count] { return found.map { $0.map { .integer(PropertyList.Integer($0.keys.count)) } } }
    let targets = rest.isEmpty ? [:] : try targets(of: found, rest)
    return try zip(rows, found).map { row, value in
      switch value {
      case nil: nil
      case .attribute(let value): try propertyList(value.leaf(at: rest), of: key, row.key)
      case .toOne(nil), .unread: .null
      case .toOne(let key?): rest.isEmpty ? .string(uri(key)) : targets[key] ?? .null
      case .toMany(let keys): .array(keys.sorted().map { rest.isEmpty ? .string(uri($0)) : targets[$0] ?? .null })
      case .orderedToMany(let keys): .array(keys.map { rest.isEmpty ? .string(uri($0)) : targets[$0] ?? .null })
      }
    }
  }

  /// Returns the value at a key path for each object that relationships refer to.
  private func targets(of values: [RowValue?], _ path: ArraySlice<String>) throws -> [RowKey: PropertyList] {
    let keys = Array(Set(values.lazy.compactMap(\.self).flatMap(\.keys)))
    var targets: [RowKey: PropertyList] = [:]
    var start = 0
    while start < keys.count {
      let batch = Array(keys[start..<min(start + Self.batchSize, keys.count)])
      start += batch.count
      let rows = try store.rows(batch).compactMap(\.self)
      for (row, value) in zip(rows, try self.values(rows, path)) { targets[row.key] = value }
    }
    return targets
  }

  /// Returns the values of a property; nil for objects whose entity does not have it.
  private func values(_ rows: [StoreRow], _ property: String) throws(ManagedObjectError) -> [RowValue?] {
    var slots: [Int32: Int] = [:]
    var result: [RowValue?] = []
    var unread: [Int: [Int]] = [:]
    result.reserveCapacity(rows.count)
    for (index, row) in rows.enumerated() {
      let slot: Int
      if let known = slots[row.key.entityIndex] {
        slot = known
      } else {
        slot = entity(of: row.key).property(named: property)?.slot ?? -1
        slots[row.key.entityIndex] = slot
      }
      result.append(row.values.indices.contains(slot) ? row.values[slot] : nil)
      if result[index] == .unread { unread[Int(row.key.entityIndex), default: []].append(index) }
    }
    for (entity, indices) in unread {
      guard let slot = slots[Int32(entity)] else { continue }
      let values = try store.values(ofSlot: slot, indices.map { rows[$0].key })
      for (index, value) in zip(indices, values) {
        result[index] = value ?? .null
        if value == .null { defects.addMissingFile(of: property, slot: slot, rows[index].key) }
      }
    }
    return result
  }

  private func entity(of key: RowKey) -> ManagedObjectModel.Entity {
    ManagedObjectID(key, model: model, storeIdentifier: nil).entity
  }

  /// Returns the URI of an object ID.
  func uri(_ key: RowKey) -> String {
    ManagedObjectID(key, model: model, storeIdentifier: store.identifier).uriRepresentation
  }

  /// Returns a value as a property list.
  private func propertyList(_ value: AttributeValue, of property: String, _ key: RowKey) throws -> PropertyList {
    guard unwraps else { return PropertyList(value) }
    switch value {
    case .data(let data):
      let opened = Unwrapper.opened(data)
      defects.add(opened.notes, about: property, key)
      let contents = try opened.contents.map { try PropertyList($0.root) } ?? .data(data)
      // SwiftData keeps arrays as JSON: those of a structure directly, those of a model class in an archive.
      if case .data(let inner) = contents { return Self.json(inner) ?? contents }
      return contents
    case .composite:
      return .dictionary(
        OrderedDictionary(
          uniqueKeysWithValues: try (value.leavesInOrder ?? []).map {
            ($0.name, try propertyList($0.value, of: "\(property).\($0.name)", key))
          }))
    default: return PropertyList(value)
    }
  }

  /// Returns the array or object of a JSON text; nil for other data.
  private static func json(_ data: Data) -> PropertyList? {
    let first = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return nil }
    return try? PropertyList(data, format: .json)
  }
}

extension PropertyList {
  /// Converts the value of an attribute. Decimal numbers, UUIDs and URLs become text.
  init(_ value: AttributeValue) {
    self =
      switch value {
      case .null: .null
      case .boolean(let value): .boolean(value)
      case .integer(let value): .integer(Integer(value))
      case .decimal(let value): .string(value.description)
      case .double(let value): .real(value)
      case .float(let value): .float(value)
      case .string(let value): .string(value)
      case .date(let value): .date(value)
      case .data(let value): .data(value)
      case .uuid(let value): .string(value.uuidString)
      case .url(let value): .string(value.absoluteString)
      case .composite:
        .dictionary(
          OrderedDictionary(
            uniqueKeysWithValues: (value.leavesInOrder ?? []).map { ($0.name, PropertyList($0.value)) }))
      }
  }
}
