import Foundation
import ManagedObjects
import ManagedObjectsSamples
import OrderedCollections
import PropertyLists
import Synchronization
import TestSupport
import Testing

final class Counter: ManagedObject {
  @Attribute(.unique) var name = ""
  @Attribute var value = 0
}

@Suite("Updates of containers that share a file") struct ContainerUpdateTests {
  private let folder = TemporaryFolder()
  private let model: ManagedObjectModel

  init() throws { model = try ManagedObjectModel(Counter.self) }

  private var store: PersistentStoreDescription { .xml(folder.url.appending(path: "counters.xml")) }

  private func container() throws -> PersistentContainer { try PersistentContainer(model: model, stores: [store]) }

  private func raise(_ context: ManagedObjectContext) throws {
    if let counter = try context.fetch(Counter.self).first {
      counter.value += 1
    } else {
      try context.insert(Counter.self).name = "visits"
    }
  }

  private func values() throws -> [String: Int] {
    try container().performAndWait { context in
      Dictionary(uniqueKeysWithValues: try context.fetch(Counter.self).map { ($0.name, $0.value) })
    }
  }

  @Test func `an update is retried if another container saved the same object`() throws {
    let (mine, theirs) = (try container(), try container())
    try mine.updateAndWait(raise)
    var attempts = 0
    try mine.updateAndWait { context in
      try raise(context)
      if attempts == 0 { try theirs.updateAndWait(raise) }
      attempts += 1
    }
    #expect(attempts == 2)
    #expect(try values() == ["visits": 2])
  }

  @Test func `an update is retried if another container inserted an object with the same unique value`() throws {
    let (mine, theirs) = (try container(), try container())
    var attempts = 0
    try mine.updateAndWait { context in
      try raise(context)
      if attempts == 0 { try theirs.updateAndWait(raise) }
      attempts += 1
    }
    #expect(attempts == 2)
    #expect(try values() == ["visits": 1])
  }

  @Test func `an update that can never be saved is retried once`() throws {
    var attempts = 0
    let error = #expect(throws: ManagedObjectError.self) {
      try container().updateAndWait { context in
        attempts += 1
        for _ in 0..<2 { try context.insert(Counter.self).name = "twin" }
      }
    }
    #expect(error?.code == .constraintMerge)
    #expect(attempts == 2)
    #expect(try values() == [:])
  }

  @Test func `an error thrown by an update reaches the caller, and nothing is saved`() throws {
    #expect(throws: CocoaError.self) {
      try container().updateAndWait { context in
        try raise(context)
        throw CocoaError(.userCancelled)
      }
    }
    #expect(try values() == [:])
  }

  @Test func `concurrent tasks lose no update`() async throws {
    let container = try PersistentContainer(model: model, stores: [.inMemory])
    try container.updateAndWait { try $0.insert(Counter.self).name = "visits" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await container.update { context in
            for counter in try context.fetch(Counter.self) { counter.value += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try container.performAndWait { try $0.fetch(Counter.self).map(\.value) } == [20])
  }

  @Test func `a save assigns new object IDs if another container has taken them`() throws {
    let theirs = try container()
    let inner = try XMLStore(folder.url.appending(path: "counters.xml"), model: model)
    let interrupted = InterruptedStore(inner) {
      try theirs.updateAndWait { try $0.insert(Counter.self).name = "theirs" }
    }
    let context = try ManagedObjectContext(interrupted)
    let counter = try context.insert(Counter.self)
    counter.name = "mine"
    try context.save()
    #expect(try values() == ["mine": 0, "theirs": 0])
    #expect(!counter.objectID.isTemporary)
    #expect(
      try container().performAndWait { try $0.existingObject(Counter.self, with: counter.objectID).name } == "mine")
  }

  @Test func `a save throws if another container has taken a permanent ID that was obtained before it`() throws {
    let theirs = try container()
    let context = try container().newContext()
    let counter = try context.insert(Counter.self)
    counter.name = "mine"
    try context.obtainPermanentIDs(for: [counter])
    let id = counter.objectID
    try theirs.updateAndWait { try $0.insert(Counter.self).name = "theirs" }
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .keysTaken)
    #expect(counter.objectID == id)
    #expect(try values() == ["theirs": 0])
  }
}

/// A store that calls a function between the creation of keys and the first save, so that another context can save.
private final class InterruptedStore: PersistentStore {
  private let store: XMLStore
  private let interruption: Mutex<(@Sendable () throws -> Void)?>

  init(_ store: XMLStore, _ interruption: @escaping @Sendable () throws -> Void) {
    self.store = store
    self.interruption = Mutex(interruption)
  }

  var number: StoreNumber { store.number }
  var identifier: String { store.identifier }
  var model: ManagedObjectModel { store.model }
  var configuration: String? { store.configuration }
  var isReadOnly: Bool { store.isReadOnly }
  var metadata: OrderedDictionary<String, PropertyList> { store.metadata }
  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) { store.setMetadata(metadata) }
  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] { try store.makeKeys(entityIndices) }
  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] { try store.rows(keys) }
  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult { try store.fetch(request, of: entity) }

  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    let first = interruption.withLock { interruption in
      defer { interruption = nil }
      return interruption
    }
    do { try first?() } catch { throw ManagedObjectError(.save, "\(error)") }
    return try store.save(changes)
  }
}
