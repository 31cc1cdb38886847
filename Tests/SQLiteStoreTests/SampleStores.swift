import Foundation
import ManagedObjects
import ManagedObjectsSamples
import OrderedCollections
import SQLiteStore

/// The same objects in a store in memory and in an SQLite store.
final class SampleStores: @unchecked Sendable {
  let memory: InMemoryStore
  let sqlite: SQLiteStore
  private let folder: URL
  /// The names of objects, by their keys in the SQLite store.
  private(set) var names: [RowKey: String] = [:]
  /// The keys in the store in memory, by the keys in the SQLite store.
  private(set) var memoryKeys: [RowKey: RowKey] = [:]

  /// - Parameters:
  ///   - rows: The rows in the order of their entities, with keys of any store.
  ///   - names: The names of the objects.
  init(_ model: ManagedObjectModel, _ rows: [StoreRow], names: [RowKey: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    memory = try InMemoryStore(model: model)
    sqlite = try SQLiteStore(folder.appending(path: "a.sqlite"), model: model)
    let indices = rows.map { Int($0.key.entityIndex) }
    let other = try Self.save(rows, try memory.makeKeys(indices), memory)
    let own = try Self.save(rows, try sqlite.makeKeys(indices), sqlite)
    for row in rows {
      guard let key = own[row.key] else { continue }
      self.names[key] = names[row.key]
      memoryKeys[key] = other[row.key]
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Saves rows with other keys.
  static func save(_ rows: [StoreRow], _ keys: [RowKey], _ store: some PersistentStore) throws -> [RowKey: RowKey] {
    let map = Dictionary(uniqueKeysWithValues: zip(rows.map(\.key), keys))
    var changes = StoreChanges()
    changes.inserted = zip(rows, keys).map { row, key in
      StoreRow(key: key, version: 1, values: row.values.map { $0.mapped(map) })
    }
    try store.save(changes)
    return map
  }

  /// The keys of the people in the SQLite store.
  var people: [RowKey] {
    let people = sqlite.model["Person"]?.selfAndDescendants.map(\.index) ?? []
    return memoryKeys.keys.sorted().filter { people.contains(Int($0.entityIndex)) }
  }

  /// Returns the names of the objects that a request finds in the SQLite store.
  func found(_ request: FetchRequest) throws -> String { try found(request, in: sqlite, names) }

  func foundInMemory(_ request: FetchRequest) throws -> String {
    let names = Dictionary(uniqueKeysWithValues: names.compactMap { key, name in memoryKeys[key].map { ($0, name) } })
    return try found(request, in: memory, names)
  }

  private func found(
    _ request: FetchRequest, in store: some PersistentStore, _ names: [RowKey: String]
  ) throws -> String {
    guard let entity = sqlite.model[request.entityName], case .rows(let rows) = try store.fetch(request, of: entity)
    else { return "no rows" }
    return rows.map { names[$0.key] ?? "?" }.joined(separator: " ")
  }
}

extension [StoreRow] {
  /// Returns the rows with each object in the ordered relationship of only one row: without an inverse, SQLite stores
  /// keep the owner in a column of the object.
  func withSingleOwners(_ name: String) -> [StoreRow] {
    var owned: Set<RowKey> = []
    return map { row in
      let entity = ManagedObjectModel.Entity(model: FetchSamples.shared.model, index: Int(row.key.entityIndex))
      guard let slot = entity.relationship(named: name)?.slot else { return row }
      var row = row
      row.values[slot] = .orderedToMany(OrderedSet(row.values[slot].keys.filter { owned.insert($0).inserted }))
      return row
    }
  }
}

extension RowValue {
  /// Returns the value with other keys of objects.
  func mapped(_ keys: [RowKey: RowKey]) -> RowValue {
    switch self {
    case .attribute, .unread: self
    case .toOne(let key): .toOne(key.flatMap { keys[$0] })
    case .toMany(let members): .toMany(Set(members.compactMap { keys[$0] }))
    case .orderedToMany(let members): .orderedToMany(OrderedSet(members.compactMap { keys[$0] }))
    }
  }
}

extension SampleStores {
  /// The model of ``FetchSamples``. The attribute without a type is transient, because SQLite stores cannot store it.
  static let model: ManagedObjectModel = {
    let entities = FetchSamples.shared.model.entityDescriptions.map { entity in
      var entity = entity
      entity.properties = entity.properties.map { property in
        guard case .attribute(var attribute) = property, attribute.type == .undefined else { return property }
        attribute.isTransient = true
        return .attribute(attribute)
      }
      return entity
    }
    do { return try ManagedObjectModel(entities: entities) } catch { fatalError("\(error)") }
  }()

  /// The objects of ``FetchSamples``, without values of this attribute.
  static let people: SampleStores = {
    let samples = FetchSamples.shared
    let rows = samples.model.entities.flatMap { entity in
      samples.rows(ofEntity: entity.index).map { row in
        var row = row
        if let misc = entity.attribute(named: "misc") { row.values[misc.slot] = .null }
        return row
      }
    }
    do {
      return try SampleStores(model, rows.withSingleOwners("links"), names: samples.names)
    } catch { fatalError("\(error)") }
  }()
}
