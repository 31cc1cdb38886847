import Foundation
import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Several saves of an SQLite store in one transaction") struct SeveralSavesTests {
  let folder = TemporaryFolder(isInMemory: true)
  var file: URL { folder.url.appending(path: "store.sqlite") }

  private static let model: ManagedObjectModel = {
    var account = EntityDescription("Account", [.attribute("name", .string)])
    account.uniquenessConstraints = [["name"]]
    do { return try ManagedObjectModel(entities: [account]) } catch { fatalError("\(error)") }
  }()

  private func store(tracksHistory: Bool? = nil) throws -> SQLiteStore {
    try SQLiteStore(file, model: Self.model, access: .readWrite(tracksHistory: tracksHistory))
  }

  /// Saves an account in a new context.
  @discardableResult
  private func add(_ name: String, to store: SQLiteStore) throws -> ManagedObjectID {
    let context = try ManagedObjectContext(store)
    let account = try context.insert("Account")
    try account.setValue(.string(name), forKey: "name")
    try context.save()
    return account.objectID
  }

  private func count(_ store: SQLiteStore) throws -> Int {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(store)
    return try ManagedObjectContext(coordinator: coordinator).count(for: FetchRequest("Account"))
  }

  @Test func `other connections see the saves when the transaction ends`() throws {
    let store = try store()
    let other = try SQLiteStore(file, model: Self.model, options: SQLiteStoreOptions(busyTimeout: .zero))
    try store.beginSaving()
    try add("a", to: store)
    try add("b", to: store)
    #expect(try count(store) == 2)
    #expect(try count(other) == 0)
    #expect(throws: ManagedObjectError.self) { try add("c", to: other) }
    try store.endSaving(keepsChanges: true)
    #expect(try count(other) == 2)
    try add("c", to: other)
    #expect(try count(store) == 3)
  }

  @Test(arguments: [false, true])
  func `all saves are rolled back together, also after a failed save`(fails: Bool) throws {
    let store = try store(tracksHistory: true)
    let first = try add("a", to: store)
    try store.beginSaving()
    let second = try add("b", to: store)
    if fails {
      #expect(throws: ManagedObjectError.self) { try add("a", to: store) }
    }
    try store.endSaving(keepsChanges: false)
    #expect(try count(store) == 1)
    #expect(try store.history().count == 1)
    // The keys can be used again.
    let third = try add("c", to: store)
    #expect(third.key.number == second.key.number && second.key.number == first.key.number + 1)
    #expect(try self.store().history().count == 2)
  }

  @Test func `a nested, missing or read-only transaction is an error`() throws {
    let store = try store()
    #expect(throws: ManagedObjectError.self) { try store.endSaving(keepsChanges: true) }
    try store.beginSaving()
    #expect(throws: ManagedObjectError.self) { try store.beginSaving() }
    try store.endSaving(keepsChanges: true)
    let reader = try SQLiteStore(file, model: Self.model, access: .readOnly)
    #expect(throws: ManagedObjectError.self) { try reader.beginSaving() }
  }
}
