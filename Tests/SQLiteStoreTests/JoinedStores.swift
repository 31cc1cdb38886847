import Foundation
import ManagedObjects
import TestSupport

@testable import SQLiteStore

/// The same objects in one store in memory, and divided between two stores of another coordinator.
///
/// No relationship connects the two stores.
final class JoinedStores: Sendable {
  /// The two stores.
  enum Kind: String, CaseIterable {
    case sqliteAndMemory, memoryAndSQLite, twoSQLite, sqliteAndXML
  }

  let single: PersistentStoreCoordinator
  let joined: PersistentStoreCoordinator
  /// The keys in the single store, by the keys in the two stores.
  let singleKeys: [RowKey: RowKey]
  private let folder: TemporaryFolder

  /// - Parameter count: The number of people in each of the two stores.
  init(_ kind: Kind, seed: Int, count: Int) throws {
    let folder = TemporaryFolder(isInMemory: true)
    self.folder = folder
    let model = SampleStores.model
    func file(_ name: String) -> URL { folder.url.appending(path: name) }
    func sqlite(_ name: String) throws -> SQLiteStore { try SQLiteStore(file(name), model: model) }
    let stores: [any PersistentStore] =
      switch kind {
      case .sqliteAndMemory: [try sqlite("a.sqlite"), try InMemoryStore(model: model)]
      case .memoryAndSQLite: [try InMemoryStore(model: model), try sqlite("a.sqlite")]
      case .twoSQLite: [try sqlite("a.sqlite"), try sqlite("b.sqlite")]
      case .sqliteAndXML: [try sqlite("a.sqlite"), try XMLStore(file("b.xml"), model: model)]
      }
    // The objects of each store, with keys that are unique across both.
    let parts = stores.indices.map { index in
      Self.rows(RandomObjects(seed: seed + index, count: count).rows, index)
    }
    joined = PersistentStoreCoordinator(model: model)
    var joinedKeys: [RowKey: RowKey] = [:]
    for (store, rows) in zip(stores, parts) {
      try joined.add(store)
      joinedKeys.merge(try Self.save(rows, store)) { $1 }
    }
    // The default order is by entity, store and number.
    let memory = try InMemoryStore(model: model)
    single = PersistentStoreCoordinator(model: model)
    try single.add(memory)
    let all = model.entities.indices.flatMap { index in
      parts.joined().filter { Int($0.key.entityIndex) == index }
    }
    var singleKeys: [RowKey: RowKey] = [:]
    for (key, single) in try Self.save(all, memory) {
      if let joined = joinedKeys[key] { singleKeys[joined] = single }
    }
    self.singleKeys = singleKeys
  }

  private static func rows(_ rows: [StoreRow], _ index: Int) -> [StoreRow] {
    let keys = Dictionary(
      uniqueKeysWithValues: rows.map {
        (
          $0.key,
          RowKey(
            store: $0.key.store, entityIndex: Int($0.key.entityIndex), number: $0.key.number + Int64(index) * 100_000)
        )
      })
    return rows.compactMap { row in
      keys[row.key].map { StoreRow(key: $0, version: 1, values: row.values.map { $0.mapped(keys) }) }
    }
  }

  private static func save(_ rows: [StoreRow], _ store: some PersistentStore) throws -> [RowKey: RowKey] {
    try SampleStores.save(rows, try store.makeKeys(rows.map { Int($0.key.entityIndex) }), store)
  }

  /// The keys of the people in the two stores.
  var people: [RowKey] {
    let people = joined.model["Person"]?.selfAndDescendants.map(\.index) ?? []
    return singleKeys.keys.sorted().filter { people.contains(Int($0.entityIndex)) }
  }
}
