import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import SQLiteStore
import StoreTests
import TestSupport
import Testing

@Suite("Conformance of each store type to the shared tests") struct StoreConformanceTests {
  @Test(arguments: StoreTest.all.filter { !$0.reopensStore }) func `an in-memory store passes`(test: StoreTest) throws {
    try test.run { _, model in try InMemoryStore(model: model) }
  }

  /// Returns the tests of a store that is read as a whole. Its other functions are those of the in-memory store, so the
  /// short form has every second test that does not open the store again.
  private static func testsOfWholeFiles(from start: Int) -> [StoreTest] {
    StoreTest.all.enumerated().filter { LongForm.isWanted || $1.reopensStore || $0 % 2 == start }.map(\.element)
  }

  @Test(arguments: testsOfWholeFiles(from: 0)) func `an XML store passes`(test: StoreTest) throws {
    try test.run { folder, model in try XMLStore(folder.appending(path: "store.xml"), model: model) }
  }

  @Test(arguments: testsOfWholeFiles(from: 1)) func `a binary store passes`(test: StoreTest) throws {
    try test.run { folder, model in try BinaryStore(folder.appending(path: "store"), model: model) }
  }

  @Test(arguments: StoreTest.all) func `an SQLite store passes`(test: StoreTest) throws {
    try test.run { folder, model in try SQLiteStore(folder.appending(path: "store.sqlite"), model: model) }
  }

  @Test func `a store that saves nothing fails`() throws {
    let failed = StoreTest.all.filter { test in
      do {
        try test.run { _, model in try ForgetfulStore(model: model) }
        return false
      } catch {
        return true
      }
    }
    #expect(failed.map(\.description).contains { $0.hasPrefix("A row is read as it was saved") })
    #expect(failed.map(\.description).contains { $0.hasPrefix("A store that is opened again has the metadata") })
    #expect(failed.count > StoreTest.all.count / 2)
  }
}

/// A store that saves nothing, and has no snapshots.
final class ForgetfulStore: PersistentStore {
  let store: InMemoryStore

  init(model: ManagedObjectModel) throws(ManagedObjectError) { store = try InMemoryStore(model: model) }

  var number: StoreNumber { store.number }
  var identifier: String { store.identifier }
  var model: ManagedObjectModel { store.model }
  var configuration: String? { nil }
  var isReadOnly: Bool { false }
  var metadata: OrderedDictionary<String, PropertyList> { store.metadata }

  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) {}

  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] { try store.makeKeys(entityIndices) }

  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] { try store.rows(keys) }

  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult { try store.fetch(request, of: entity) }

  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { [] }
}
