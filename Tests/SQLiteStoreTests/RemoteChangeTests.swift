import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// Two containers on one file, like two programs.
@Suite("Remote changes of a store", .serialized) struct RemoteChangeTests {
  private let folder = TemporaryFolder(isInMemory: true)

  final class City: ManagedObject {
    @Attribute(.unique) var name: String
    @Attribute var size = 0
  }

  enum Kind: String, CaseIterable { case xml, binary, sqlite, history }

  private func container(_ kind: Kind) throws -> PersistentContainer {
    let file = folder.url.appending(path: "cities.\(kind)")
    let store: PersistentStoreDescription =
      switch kind {
      case .xml: .xml(file)
      case .binary: .binary(file)
      case .sqlite: .sqlite(file)
      case .history: .sqlite(file, tracksHistory: true)
      }
    return try PersistentContainer(model: ManagedObjectModel(City.self), stores: [store])
  }

  /// Returns a container with cities.
  private func filled(_ kind: Kind) throws -> PersistentContainer {
    let container = try container(kind)
    try container.updateAndWait { context in
      for name in ["Berlin", "Paris", "Rome"] { try context.insert(City.self).name = name }
    }
    return container
  }

  /// Saves changes in another container, like another program.
  private func change(_ kind: Kind, author: String = "other", adding name: String = "Madrid") throws {
    try container(kind).updateAndWait { context in
      context.transactionAuthor = author
      for city in try context.fetch(City.self) {
        if city.name == "Rome" { try context.delete(city) }
        if city.name == "Paris" { city.size += 1 }
      }
      try context.insert(City.self).name = name
    }
  }

  @Test(arguments: Kind.allCases)
  func `remote changes are the changes that another program saved`(_ kind: Kind) async throws {
    let container = try filled(kind)
    let context = container.newContext()
    let cities = Dictionary(uniqueKeysWithValues: try context.fetch(City.self).map { ($0.name, $0.objectID) })
    let news = container.coordinator.remoteChanges
    try change(kind)
    var iterator = news.makeAsyncIterator()
    let changes = try #require(await iterator.next(isolation: #isolation)).get()
    #expect(changes.isComplete == (kind != .sqlite))
    if changes.isComplete {
      #expect(changes.updated == [try #require(cities["Paris"])])
      #expect(changes.deleted == [try #require(cities["Rome"])])
      #expect(changes.inserted.count == 1)
    }
    #expect(changes.author == (kind == .history ? "other" : ""))
    try context.mergeChanges(from: changes)
    for id in changes.inserted { #expect(try context.existingObject(City.self, with: id).name == "Madrid") }
    let sizes = try context.fetch(City.self, sortedBy: [.init("name")]).map { "\($0.name) \($0.size)" }
    #expect(sizes == ["Berlin 0", "Madrid 0", "Paris 1"])
  }

  @Test(arguments: Kind.allCases) func `merging remote changes updates fetched results`(_ kind: Kind) async throws {
    let container = try filled(kind)
    let context = container.newContext()
    let request = try FetchRequest(City.self, sortedBy: .ascending(\.name))
    let results = try FetchedResultsController(City.self, request, in: context, sectionKeyPath: "name")
    try results.performFetch()
    var shown = results.snapshot
    let steps = results.changes
    let news = container.coordinator.remoteChanges
    try change(kind)
    var iterator = news.makeAsyncIterator()
    try context.mergeChanges(from: #require(await iterator.next(isolation: #isolation)).get())
    #expect(results.sections.map(\.name) == ["Berlin", "Madrid", "Paris"])
    #expect(results.fetchedObjects.map(\.size) == [0, 0, 1])
    var step = steps.makeAsyncIterator()
    shown.apply(try #require(await step.next(isolation: #isolation)))
    #expect(shown == results.snapshot)
  }

  @Test(arguments: Kind.allCases) func `merging remote changes keeps unsaved changes`(_ kind: Kind) async throws {
    let container = try filled(kind)
    let context = container.newContext()
    context.mergePolicy = .objectTrump
    let cities = try context.fetch(City.self, sortedBy: [.init("name")])
    cities[1].size = 7
    try context.insert(City.self).name = "Oslo"
    let news = container.coordinator.remoteChanges
    try change(kind)
    var iterator = news.makeAsyncIterator()
    try context.mergeChanges(from: #require(await iterator.next(isolation: #isolation)).get())
    #expect(cities[1].size == 7)
    try context.save()
    let sizes = try self.container(kind).performAndWait { context in
      try context.fetch(City.self, sortedBy: [.init("name")]).map { "\($0.name) \($0.size)" }
    }
    #expect(sizes == ["Berlin 0", "Madrid 0", "Oslo 0", "Paris 7"])
  }

  @Test(arguments: Kind.allCases)
  func `own saves and earlier saves are not remote changes`(_ kind: Kind) async throws {
    let container = try filled(kind)
    try change(kind, author: "before")
    let news = container.coordinator.remoteChanges
    try container.updateAndWait { context in try context.insert(City.self).name = "Oslo" }
    try await Task.sleep(for: .milliseconds(300))
    try container.updateAndWait { context in try context.insert(City.self).name = "Bern" }
    let other = try self.container(kind)
    try other.updateAndWait { context in try context.insert(City.self).name = "Last" }
    var iterator = news.makeAsyncIterator()
    let changes = try #require(await iterator.next(isolation: #isolation)).get()
    let context = container.newContext()
    let names = try changes.inserted.map { try context.existingObject(City.self, with: $0).name }
    #expect(names == (kind == .sqlite ? [] : ["Last"]))
    #expect(changes.updated.isEmpty && changes.deleted.isEmpty)
  }

  @Test func `remote changes between own saves are recognized`() throws {
    let container = try filled(.history)
    let store = try #require(container.coordinator.stores[0] as? SQLiteStore)
    let other = try self.container(.history)
    func add(_ name: String, _ container: PersistentContainer) throws {
      try container.updateAndWait { context in try context.insert(City.self).name = name }
    }
    func news() throws -> [String] {
      let changes = try store.changesByOthers()
      #expect(changes?.isComplete != false)
      let context = container.newContext()
      return try changes?.inserted.map { try context.existingObject(City.self, with: $0).name }.sorted() ?? []
    }
    #expect(try news().isEmpty)
    for name in ["A", "B"] { try add(name, container) }
    try add("C", other)
    for name in ["D", "E"] { try add(name, container) }
    try add("F", other)
    #expect(try news() == ["C", "F"])
    try add("G", container)
    #expect(try news().isEmpty)
    try add("H", other)
    #expect(try news() == ["H"])
    // A program that writes without the history, after a save of this program with it.
    try add("I", container)
    try SQLiteFile.change(store.url, "UPDATE ZCITY SET ZSIZE = 9, Z_OPT = Z_OPT + 1 WHERE ZNAME = 'Berlin'")
    #expect(try store.changesByOthers()?.isComplete == false)
  }

  @Test(arguments: Kind.allCases)
  func `a missing or damaged file is reported once`(_ kind: Kind) async throws {
    let container = try filled(kind)
    let file = folder.url.appending(path: "cities.\(kind)")
    let aside = folder.url.appending(path: "aside")
    let context = container.newContext()
    let count = try context.fetch(City.self).count
    var news = container.coordinator.remoteChanges.makeAsyncIterator()
    try FileManager.default.moveItem(at: file, to: aside)
    let failure = try #require(await news.next(isolation: #isolation))
    let error = #expect(throws: ManagedObjectError.self) { try failure.get() }
    let message = error?.description ?? ""
    #expect(message.contains("removed") && message.contains(file.path), "\(message)")
    // The file continues to be checked in the meantime.
    try await Task.sleep(for: .milliseconds(500))
    try FileManager.default.moveItem(at: aside, to: file)
    #expect(try await news.next(isolation: #isolation)?.get() == SavedChanges())
    if kind == .xml || kind == .binary {
      let data = try Data(contentsOf: file)
      try Data("garbage".utf8).write(to: file)
      let failure = try #require(await news.next(isolation: #isolation))
      #expect(throws: ManagedObjectError.self) { try failure.get() }
      try data.write(to: file)
      _ = try await news.next(isolation: #isolation)?.get()
    }
    try change(kind)
    try context.mergeChanges(from: #require(await news.next(isolation: #isolation)).get())
    #expect(try context.fetch(City.self).count == count)
  }

  @Test func `each active stream gets remote changes`() async throws {
    let container = try filled(.binary)
    var first = container.coordinator.remoteChanges.makeAsyncIterator()
    do { _ = container.coordinator.remoteChanges }
    try change(.binary)
    // The second stream begins after the change that the first one receives.
    var second = container.coordinator.remoteChanges.makeAsyncIterator()
    #expect(try await first.next(isolation: #isolation)?.get().deleted.count == 1)
    try self.container(.binary).updateAndWait { context in try context.insert(City.self).name = "Oslo" }
    #expect(try await first.next(isolation: #isolation)?.get().inserted.count == 1)
    let news = try await second.next(isolation: #isolation)?.get()
    #expect(news?.inserted.count == 1 && news?.deleted.isEmpty == true)
  }

  @Test func `remote changes are incomplete if a part of the history is missing`() async throws {
    let container = try filled(.history)
    let store = try #require(container.coordinator.stores[0] as? SQLiteStore)
    _ = try store.changesByOthers()
    let other = try self.container(.history)
    func grow() throws {
      try other.updateAndWait { context in
        for city in try context.fetch(City.self) where city.name == "Paris" { city.size += 1 }
      }
    }
    try grow()
    let last = try #require(try store.history().last).number
    try grow()
    try SQLiteStore(store.url, model: container.model).deleteHistory(through: last)
    let changes = try #require(try store.changesByOthers())
    #expect(!changes.isComplete && changes.updated.count == 1)
    #expect(try store.changesByOthers() == nil)
    // A program that does not support histories.
    try SQLiteFile.change(store.url, "UPDATE ZCITY SET ZSIZE = 9, Z_OPT = Z_OPT + 1 WHERE ZNAME = 'Berlin'")
    #expect(try store.changesByOthers()?.isComplete == false)
    #expect(try store.changesByOthers() == nil)
  }

  @Test func `the transactions of a history are merged into a context`() throws {
    let container = try filled(.history)
    let store = try #require(container.coordinator.stores[0] as? SQLiteStore)
    let last = try store.history().last?.number ?? 0
    let context = container.newContext()
    let cities = try context.fetch(City.self, sortedBy: [.init("name")])
    #expect(cities.map(\.size) == [0, 0, 0])
    for name in ["Madrid", "Lisbon"] { try change(.history, adding: name) }
    let changes = SavedChanges(try store.history(after: last))
    #expect(changes.isComplete && changes.author == "other" && changes.inserted.count == 2)
    #expect(changes.updated == [cities[1].objectID] && changes.deleted == [cities[2].objectID])
    try context.mergeChanges(from: changes)
    #expect(cities[1].size == 2 && cities[2].managedObjectContext == nil)
    try container.updateAndWait { context in
      context.transactionAuthor = "main"
      try context.insert(City.self).name = "Oslo"
    }
    #expect(SavedChanges(try store.history(after: last)).author.isEmpty, "the authors differ")
    #expect(SavedChanges([PersistentHistoryTransaction]()) == SavedChanges())
  }

  @Test func `the stream ends when the coordinator is released`() async throws {
    var container: PersistentContainer? = try filled(.sqlite)
    let news = try #require(container).coordinator.remoteChanges
    weak let coordinator = container?.coordinator
    container = nil
    let reader = Task { for await _ in news {} }
    #expect(eventually { coordinator == nil })
    await reader.value
  }
}
