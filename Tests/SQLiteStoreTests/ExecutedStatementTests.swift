import Foundation
import ManagedObjects
import SQLiteAccess
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The statements that a store executes") struct ExecutedStatementTests {
  final class Album: ManagedObject {
    @Attribute var title: String
    @Relationship(inverse: \Song.album) var songs: Set<Song>
  }

  final class Song: ManagedObject {
    @Attribute var title: String
    @Relationship var album: Album?
  }

  /// The events of a trace.
  private final class Log: Sendable {
    private let events = Mutex<[SQLiteTrace.Event]>([])

    var trace: SQLiteTrace { SQLiteTrace { event in self.events.withLock { $0.append(event) } } }

    /// Returns the events since the last call.
    func take() -> [SQLiteTrace.Event] {
      events.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }

  private let folder = TemporaryFolder(isInMemory: true)
  private let model: ManagedObjectModel

  init() throws { model = try ManagedObjectModel(Album.self, Song.self) }

  private func store(_ name: String = "store", trace: SQLiteTrace? = nil) throws -> SQLiteStore {
    try SQLiteStore(
      folder.url.appending(path: name + ".sqlite"), model: model, options: SQLiteStoreOptions(trace: trace))
  }

  private func add(_ count: Int, to store: SQLiteStore) throws {
    let context = try ManagedObjectContext(store)
    for number in 0..<count {
      let (album, song) = (try context.insert(Album.self), try context.insert(Song.self))
      (album.title, song.title, song.album) = ("album \(number)", "song \(number)", album)
    }
    try context.save()
  }

  private func all(_ statements: ExecutedStatements) async -> [SQLiteTrace.Event] {
    await statements.reduce(into: []) { $0.append($1) }
  }

  // The number of a request.

  @Test func `all statements of one operation have a number that no other operation has`() throws {
    let log = Log()
    let store = try store(trace: log.trace)
    var used: Set<Int> = []
    /// Runs an operation of the store, and checks the numbers of its statements.
    func check(_ name: String, atLeast count: Int, _ body: () throws -> Void) rethrows {
      _ = log.take()
      try body()
      let events = log.take()
      let numbers = Set(events.map(\.request))
      #expect(events.count >= count && numbers.count == 1, "\(name): \(events)")
      for case let number? in numbers { #expect(used.insert(number).inserted, "\(name)") }
    }
    let opening = log.take()
    #expect(opening.count > 5 && Set(opening.map(\.request)).count == 1)
    for case let number? in Set(opening.map(\.request)) { used.insert(number) }
    try add(3, to: store)
    let context = try ManagedObjectContext(store)
    let album = try #require(model.entity(named: "Album"))
    let albums = try context.fetch(Album.self)
    let keys = albums.map(\.objectID.key)
    try check("fetch", atLeast: 1) { _ = try store.fetch(FetchRequest("Album"), of: album) }
    try check("rows", atLeast: 1) { _ = try store.rows(keys) }
    let slot = try #require(album.properties.firstIndex { $0.name == "songs" })
    try check("values", atLeast: 1) { _ = try store.values(ofSlot: slot, keys) }
    check("metadata", atLeast: 1) { _ = store.metadata }
    albums[0].title = "new"
    try context.delete(albums[1])
    // The keys of deleted and changed objects are known, so the save is the only operation with several statements.
    _ = log.take()
    try context.save()
    let saving = Dictionary(grouping: log.take(), by: \.request).values.filter { $0.contains { $0.sql == "COMMIT" } }
    #expect(saving.count == 1 && saving[0].first?.sql.hasPrefix("BEGIN") == true, "\(saving)")
    #expect(saving[0].contains { $0.sql.hasPrefix("UPDATE") } && saving[0].contains { $0.sql.hasPrefix("DELETE") })
    // More objects than are read at a time.
    let titles = (0..<2 * SQLiteStore.chunkSize).map { ["title": AttributeValue.string("\($0)")] }
    try check("insertion", atLeast: 2 * SQLiteStore.chunkSize) {
      _ = try store.execute(.insert("Album", titles), of: album, mergePolicy: .error)
    }
    try check("plan", atLeast: 1) { _ = try store.plan(of: FetchRequest("Album")) }
  }

  @Test func `stores that are used at the same time have different numbers`() async throws {
    let logs = [Log(), Log()]
    try await withThrowingTaskGroup { group in
      for (index, log) in logs.enumerated() {
        group.addTask {
          let store = try self.store("store \(index)", trace: log.trace)
          for _ in 0..<20 { try self.add(1, to: store) }
        }
      }
      try await group.waitForAll()
    }
    let numbers = logs.map { Set($0.take().compactMap(\.request)) }
    #expect(numbers.allSatisfy { $0.count > 20 } && numbers[0].isDisjoint(with: numbers[1]))
  }

  @Test func `enumerating a history is one request`() throws {
    let log = Log()
    let store = try SQLiteStore(
      folder.url.appending(path: "store.sqlite"), model: model, access: .readWrite(tracksHistory: true))
    for _ in 0..<5 { try add(1, to: store) }
    store.setTrace(log.trace)
    var count = 0
    try store.enumerateHistory(batchSize: 2) { _ in count += 1 }
    let events = log.take()
    #expect(count == 5 && events.count > 3 && Set(events.map(\.request)).count == 1, "\(events)")
  }

  // Sequences.

  @Test func `a sequence has the statements that a trace reports`() async throws {
    let log = Log()
    var store: SQLiteStore? = try store()
    store?.setTrace(log.trace)
    let statements = try #require(store).statements()
    try add(2, to: #require(store))
    var context: ManagedObjectContext? = try ManagedObjectContext(#require(store))
    #expect(try context?.fetch(Album.self).map(\.songs.count) == [1, 1])
    let reported = log.take()
    context = nil
    store = nil
    let read = await all(statements)
    #expect(read.map(\.sql) == reported.map(\.sql) && read.map(\.request) == reported.map(\.request))
    #expect(read.map(\.rowCount) == reported.map(\.rowCount) && read.map(\.duration) == reported.map(\.duration))
    #expect(read.contains { $0.sql.hasPrefix("INSERT INTO \"ZALBUM\"") } && read.contains { $0.rowCount == 2 })
    #expect(read.allSatisfy { $0.sqlWithValues == nil && $0.request != nil } && statements.droppedCount == 0)
    #expect(!read.contains { "\($0)".contains("album 0") })
  }

  @Test func `only a sequence that includes values has them`() async throws {
    let log = Log()
    var store: SQLiteStore? = try store()
    store?.setTrace(log.trace)
    let (plain, full) = (try #require(store).statements(), try #require(store).statements(includesValues: true))
    try add(1, to: #require(store))
    store = nil
    let (texts, values) = (await all(plain), await all(full))
    #expect(texts.count == values.count && values.allSatisfy { $0.sqlWithValues != nil })
    #expect(values.contains { $0.sqlWithValues?.contains("'album 0'") == true })
    #expect(texts.allSatisfy { $0.sqlWithValues == nil } && log.take().allSatisfy { $0.sqlWithValues == nil })
  }

  @Test func `a full buffer drops the oldest statements, and counts them`() async throws {
    var store: SQLiteStore? = try store()
    let (short, long) = (try #require(store).statements(bufferingNewest: 5), try #require(store).statements())
    for _ in 0..<10 { try add(1, to: #require(store)) }
    store = nil
    let all = await all(long)
    #expect(all.count > 20 && long.droppedCount == 0)
    let read = await self.all(short)
    #expect(read.map(\.sql) == all.suffix(5).map(\.sql) && read.map(\.request) == all.suffix(5).map(\.request))
    #expect(short.droppedCount == all.count - 5)
  }

  @Test func `a buffer has room for one statement at least`() async throws {
    var store: SQLiteStore? = try store()
    let statements = try #require(store).statements(bufferingNewest: -1)
    try add(1, to: #require(store))
    store = nil
    #expect(await all(statements).count == 1 && statements.droppedCount > 0)
  }

  @Test func `SQLite calls no function unless something listens`() async throws {
    let store = try store()
    #expect(!store.isTraced)
    try add(1, to: store)
    var isTraced = false
    try store.withState { state throws(ManagedObjectError) in isTraced = state.database.isTraced }
    #expect(!isTraced)
    do {
      let statements = store.statements()
      try store.withState { state throws(ManagedObjectError) in isTraced = state.database.isTraced }
      #expect(isTraced)
      // Between requests, too, nothing is called.
      #expect(!store.isTraced)
      withExtendedLifetime(statements) {}
    }
    // The sequence has been released.
    try store.withState { state throws(ManagedObjectError) in isTraced = state.database.isTraced }
    #expect(!isTraced)
    store.setTrace(SQLiteTrace { _ in })
    #expect(store.isTraced)
    store.setTrace(nil)
    #expect(!store.isTraced)
    try ManagedObjectContext(store).withStatementLimit(9) {
      try store.withState { state throws(ManagedObjectError) in isTraced = state.database.isTraced }
    }
    #expect(isTraced && !store.isTraced)
  }

  @Test func `a task that is cancelled stops listening`() async throws {
    let store = try store()
    let statements = store.statements()
    let task = Task { await all(statements).count }
    task.cancel()
    _ = await task.value
    #expect(store.statementStreams.traces.isEmpty)
    try add(1, to: store)
    #expect(await all(statements).isEmpty)
  }

  @Test func `a statement limit counts each statement once beside a sequence and a trace`() async throws {
    let log = Log()
    var store: SQLiteStore? = try store()
    try add(2, to: #require(store))
    store?.setTrace(log.trace)
    let statements = try #require(store).statements()
    var context: ManagedObjectContext? = try ManagedObjectContext(#require(store))
    try context?.withStatementLimit(1) { _ = try context?.fetch(Album.self) }
    let error = #expect(throws: ManagedObjectError.self) {
      try context?.withStatementLimit(1) { for _ in 0..<2 { _ = try context?.fetch(FetchRequest("Song")) } }
    }
    #expect(error?.statements.count == 2)
    let reported = log.take().filter { $0.sql.hasPrefix("SELECT") }
    #expect(reported.count == 3)
    context = nil
    store = nil
    #expect(await all(statements).map(\.sql).filter { $0.hasPrefix("SELECT") } == reported.map(\.sql))
  }

  @Test func `a trace that is set inside a statement limit stays`() throws {
    let log = Log()
    let store = try store()
    let context = try ManagedObjectContext(store)
    try context.withStatementLimit(9) { store.setTrace(log.trace) }
    _ = try context.fetch(Album.self)
    #expect(log.take().contains { $0.sql.hasPrefix("SELECT") })
    try context.withStatementLimit(9) { store.setTrace(nil) }
    _ = try context.fetch(Album.self)
    #expect(log.take().isEmpty && !store.isTraced)
  }

  @Test func `statements of a query generation are counted once, and are in the sequences of the store`() async throws {
    var store: SQLiteStore? = try store()
    try add(2, to: #require(store))
    var context: ManagedObjectContext? = try ManagedObjectContext(#require(store))
    let statements = try #require(store).statements()
    var limited: Int?
    do {
      try context?.withStatementLimit(-1) {
        try context?.setQueryGenerationFrom(.current)
        _ = try context?.fetch(Album.self)
      }
    } catch let error as ManagedObjectError { limited = error.statements.count { $0.contains("\"ZALBUM\"") } }
    #expect(limited == 1)
    // The recorder of the limit has no more statements, so the snapshot may not call it.
    _ = try context?.fetch(Song.self)
    context = nil
    store = nil
    let read = await all(statements)
    for table in ["ZALBUM", "ZSONG"] { #expect(read.count { $0.sql.contains("FROM \"\(table)\"") } == 1) }
  }
}
