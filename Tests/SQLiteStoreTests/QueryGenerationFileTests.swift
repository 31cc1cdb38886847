import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteAccess
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import SQLiteStore

/// The connections of query generations, the log, and changes by other processes.
@Suite("Query generations of SQLite files") struct QueryGenerationFileTests {
  typealias City = Atlas.City

  private func logSize(_ atlas: Atlas) -> Int { FileSystem.sizeOfRegularFile(atlas.file.path + "-wal") ?? 0 }

  /// The number of connections of this process that have used the log. 0 on systems without `/proc`.
  private func connectionCount(_ atlas: Atlas) -> Int {
    FileSystem.names(in: "/proc/self/fd").filter { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == atlas.file.path + "-wal"
    }.count
  }

  @Test func `a pinned context does not see what another process writes`() throws {
    let atlas = try Atlas(.sqlite)
    let pinned = try atlas.pinnedContext()
    #expect(try pinned.count(for: FetchRequest("City")) == 8)
    try SQLiteFile.change(
      atlas.file, "UPDATE ZCITY SET ZAREA = 77, Z_OPT = Z_OPT + 1; DELETE FROM ZCITY WHERE ZNAME = 'city 3';", setup: ""
    )
    #expect(try pinned.fetch(City.self, sortedBy: [.init("name")]).map(\.area) == Array(0..<8))
    try pinned.setQueryGenerationFrom(.current)
    #expect(try pinned.count(for: FetchRequest("City")) == 7)
    try pinned.refreshAllObjects()
    #expect(try Set(pinned.fetch(City.self).map(\.area)) == [77])
  }

  @Test func `the connection of a generation has the options of the store`() throws {
    let atlas = try Atlas(.sqlite)
    let statements = Mutex<[String]>([])
    let options = SQLiteStoreOptions(
      busyTimeout: .milliseconds(7), pragmas: ["cache_size": "-321"],
      trace: SQLiteTrace { event in statements.withLock { $0.append(event.sql) } })
    let store = try SQLiteStore(atlas.file, model: atlas.container.model, options: options)
    let snapshot = try #require(try store.snapshot() as? SQLiteStore)
    statements.withLock { $0 = [] }
    try snapshot.withState { state throws(ManagedObjectError) in
      #expect(state.database.options.busyTime == 7)
      let statement = try state.database.statement("PRAGMA cache_size")
      #expect(try statement.step() && statement.integer(0) == -321)
      statement.reset()
    }
    #expect(statements.withLock { $0 } == ["PRAGMA cache_size"])
  }

  @Test func `releasing the last token closes the connection`() throws {
    let atlas = try Atlas(.sqlite)
    let plain = try PlainSQLite(atlas.file)
    try plain.run("PRAGMA busy_timeout = 1")
    /// Returns true if the log could be emptied.
    func emptiesLog() throws -> Bool { try plain.run("PRAGMA wal_checkpoint(TRUNCATE)")[0][0] == "0" }
    #expect(try emptiesLog())
    let before = connectionCount(atlas)
    var pinned: ManagedObjectContext? = try atlas.pinnedContext()
    _ = try pinned?.fetch(City.self)
    let pinnedCount = connectionCount(atlas)
    #if os(Linux)
      #expect(before > 0 && pinnedCount == before + 1)
    #endif
    var token = pinned?.queryGenerationToken
    // A second context with the token shares the connection.
    var second: ManagedObjectContext? = try atlas.pinnedContext(token)
    _ = try second?.fetch(City.self)
    #expect(connectionCount(atlas) == pinnedCount)
    try atlas.change(atlas.container.newContext())
    #expect(try !emptiesLog() && logSize(atlas) > 0)
    pinned = nil
    second = nil
    #expect(try !emptiesLog())
    #expect(token != nil)
    token = nil
    #expect(try emptiesLog() && logSize(atlas) == 0)
    #expect(connectionCount(atlas) == before)
    withExtendedLifetime((pinned, second, token)) {}
  }

  @Test func `each advance closes the connection of the old generation`() throws {
    let atlas = try Atlas(.sqlite)
    let pinned = try atlas.pinnedContext()
    let city = try #require(try Atlas.city("city 0", pinned))
    let count = connectionCount(atlas)
    for area in 10..<20 {
      city.area = area
      try pinned.save()
      #expect(try Atlas.city("city 0", pinned)?.area == area)
    }
    #expect(connectionCount(atlas) == count)
  }

  @Test func `a released store leaves no log after its generation`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.sqlite")
    var store: SQLiteStore? = try SQLiteStore(file, model: ManagedObjectModel(City.self, Atlas.Country.self))
    var snapshot = try store?.snapshot()
    #expect(snapshot?.isReadOnly == true && snapshot?.changeToken == nil)
    store = nil
    #expect(folder.names.contains("a.sqlite-wal"))
    snapshot = nil
    #expect(folder.names == ["a.sqlite"])
    withExtendedLifetime((store, snapshot)) {}
  }

  @Test(arguments: Atlas.Kind.allCases)
  func `a snapshot cannot be saved`(kind: Atlas.Kind) throws {
    let atlas = try Atlas(kind)
    let snapshot = try #require(atlas.container.coordinator.stores.first).snapshot()
    #expect(snapshot.isReadOnly)
    var changes = StoreChanges()
    let entity = try #require(snapshot.model["City"])
    changes.inserted = [
      StoreRow(key: try snapshot.makeKeys([entity.index])[0], version: 1, values: entity.emptyValues)
    ]
    #expect(errorCode { try snapshot.save(changes) } == .save)
    for request in [
      BatchRequest.delete("City", where: nil), .delete("City", where: try ManagedPredicate(format: "area > 99")),
    ] {
      #expect(errorCode { _ = try snapshot.execute(request, of: entity, mergePolicy: .error) } == .save)
    }
    #expect(try atlas.container.newContext().count(for: FetchRequest("City")) == 8)
    // It is its own snapshot.
    #expect(try snapshot.snapshot() === snapshot)
  }

  @Test func `a file without a write-ahead log is an error`() throws {
    let atlas = try Atlas(.sqlite)
    try copy(atlas, "DELETE") { copy in
      let context = try ManagedObjectContext(SQLiteStore(copy, model: atlas.container.model))
      var failure: ManagedObjectError?
      do throws(ManagedObjectError) { try context.setQueryGenerationFrom(.current) } catch { failure = error }
      #expect(failure?.code == .unsupportedRequest)
      #expect(failure?.description.contains("its journal mode is \"delete\"") == true)
      #expect(context.queryGenerationToken == nil)
      // The context reads as before, and the file can be saved.
      #expect(try context.count(for: FetchRequest("City")) == 8)
      try atlas.change(context)
    }
  }

  private func copy(_ atlas: Atlas, _ journal: String, _ body: (URL) throws -> Void) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "copy.sqlite")
    try SQLiteStore.copyStore(at: atlas.file, to: file)
    #expect(try PlainSQLite(file).column("PRAGMA journal_mode = \(journal)") == [journal.lowercased()])
    try body(file)
  }

  @Test func `an immutable file is its own snapshot`() throws {
    let atlas = try Atlas(.sqlite)
    try copy(atlas, "DELETE") { file in
      let store = try SQLiteStore(file, model: atlas.container.model, access: .readOnly(writesNothing: true))
      #expect(try store.snapshot() === store)
      let context = try ManagedObjectContext(store)
      try context.setQueryGenerationFrom(.current)
      #expect(try context.count(for: FetchRequest("City")) == 8)
    }
  }

  @Test func `a read-only store can be pinned`() throws {
    let atlas = try Atlas(.sqlite)
    let context = try ManagedObjectContext(SQLiteStore(atlas.file, model: atlas.container.model, access: .readOnly))
    try context.setQueryGenerationFrom(.current)
    #expect(try context.count(for: FetchRequest("City")) == 8)
    try SQLiteFile.change(atlas.file, "DELETE FROM ZCITY WHERE ZAREA > 1;")
    #expect(try context.count(for: FetchRequest("City")) == 8)
    context.reset()
    #expect(try context.count(for: FetchRequest("City")) == 2)
  }

  @Test func `a replaced file is an error`() throws {
    let atlas = try Atlas(.sqlite)
    let store = try #require(atlas.container.coordinator.stores.first)
    try copy(atlas, "WAL") { copy in
      try FileManager.default.removeItem(at: atlas.file)
      try FileManager.default.copyItem(at: copy, to: atlas.file)
    }
    #expect(throws: ManagedObjectError.self) { try store.snapshot() }
  }

  @Test func `a model that another process has changed is an error`() throws {
    let atlas = try Atlas(.sqlite)
    let store = try #require(atlas.container.coordinator.stores.first)
    try SQLiteFile.change(atlas.file, "UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 10; CREATE TABLE other (a);")
    #expect(throws: ManagedObjectError.self) { try store.snapshot() }
  }

  @Test func `a generation whose transaction has ended is an error instead of newer objects`() throws {
    let atlas = try Atlas(.sqlite)
    let store = try #require(atlas.container.coordinator.stores.first)
    let snapshot = try #require(store.snapshot() as? SQLiteStore)
    let entity = try #require(store.model["City"])
    try atlas.change(atlas.container.newContext())
    let result = try snapshot.fetch(FetchRequest("City"), of: entity)
    guard case .rows(let rows) = result else {
      Issue.record("expected rows, found \(result)")
      return
    }
    #expect(rows.count == 8)
    try snapshot.endReading()
    #expect(errorCode { _ = try snapshot.fetch(FetchRequest("City"), of: entity) } == .invalidState)
    #expect(errorCode { _ = try snapshot.rows(rows.map(\.key)) } == .invalidState)
  }

  @Test func `a cancelled fetch keeps the generation`() async throws {
    let atlas = try Atlas(.sqlite, cities: 600)
    let pinned = try atlas.pinnedContext()
    _ = try pinned.count(for: FetchRequest("City"))
    try atlas.change(atlas.container.newContext())
    let slow = FetchRequest(
      "City", where: try ManagedPredicate(format: "SUBQUERY(country.cities, $a, $a.area > area).@count > 700"))
    let token = pinned.queryGenerationToken
    let isEnded = try await Task {
      withUnsafeCurrentTask { unsafe $0?.cancel() }
      let context = try atlas.pinnedContext(token)
      await #expect(throws: CancellationError.self) { _ = try await context.fetch(slow) { _ in } }
      do {
        _ = try CancellableReading.$isOn.withValue(true) { try context.fetch(slow) }
        return false
      } catch let error as ManagedObjectError { return error.code == .timeout }
    }.value
    #expect(isEnded)
    #expect(try pinned.count(for: FetchRequest("City")) == 600)
    #expect(try Atlas.city("city 1", pinned)?.area == 1)
  }

  @Test func `a snapshot of all types of values stays as it was`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let model = SampleStores.model
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = try SQLiteStore(folder.url.appending(path: "a.sqlite"), model: model)
    try coordinator.add(store)
    for seed in 0..<UInt64(LongForm.size(40, or: 1)) {
      var changes = RandomChanges(ManagedObjectContext(coordinator: coordinator), model, seed: seed)
      try changes.run(count: 4)
      let snapshot = try store.snapshot()
      let before = try StoreDump(snapshot)
      try changes.run(count: LongForm.size(30, or: 8))
      #expect(try StoreDump(snapshot).differences(from: before) == [])
      #expect(try StoreDump(store).differences(from: before) != [])
    }
  }

  @Test func `random requests find in a generation what they found before random changes`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let model = SampleStores.model
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = try SQLiteStore(folder.url.appending(path: "a.sqlite"), model: model)
    try coordinator.add(store)
    let rows = RandomObjects(seed: 3, count: 16).rows
    let keys = try SampleStores.save(rows, store.makeKeys(rows.map { Int($0.key.entityIndex) }), store)
    let person = try #require(model["Person"])
    let people = keys.values.sorted().filter { model.entities[Int($0.entityIndex)].isKind(of: person) }
    let pinned = ManagedObjectContext(coordinator: coordinator)
    try pinned.setQueryGenerationFrom(.current)
    let newest = ManagedObjectContext(coordinator: coordinator)
    func results(_ context: ManagedObjectContext, _ seed: Int) -> String {
      var maker = RandomRequests(seed: seed, objects: people)
      let request = maker.request()
      let dictionaries = maker.dictionaries()
      let ids = try? context.fetchObjectIDs(request).map { $0.uriRepresentation }
      let count = try? context.count(for: request)
      let values = try? context.fetchDictionaries(dictionaries)
      return "\(ids ?? ["error"]) \(count ?? -1) \(values.map { "\($0)" } ?? "error")"
    }
    let seeds = 0..<LongForm.size(2_000, or: 60)
    let before = seeds.map { results(newest, $0) }
    #expect(seeds.map { results(pinned, $0) } == before)
    try newest.execute(.delete("Person", where: ManagedPredicate(format: "age > 20")))
    try newest.execute(.update("Person", ["name": .string("K"), "visits": .integer(3)]))
    #expect(seeds.map { results(pinned, $0) } == before)
    #expect(seeds.map { results(newest, $0) } != before)
  }
}
