import Foundation
import ManagedObjects
import SQLiteAccess
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("The options of an SQLite store") struct StoreOptionsTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }

  private static let model: ManagedObjectModel = {
    let note = EntityDescription("Note", [.attribute("title", .string), .attribute("number", .integer64)])
    do { return try ManagedObjectModel(entities: [note]) } catch { fatalError("\(error)") }
  }()

  private func store(
    _ pragmas: [String: String] = [:], access: StoreAccess = .readWrite, busyTimeout: Duration = .milliseconds(1)
  ) throws -> SQLiteStore {
    try SQLiteStore(
      file, model: Self.model, access: access,
      options: SQLiteStoreOptions(busyTimeout: busyTimeout, pragmas: pragmas))
  }

  private func value(_ pragma: String, _ store: SQLiteStore) throws -> Int64 {
    try store.withState { state throws(ManagedObjectError) in try state.database.number("PRAGMA \(pragma)") }
  }

  private func waitingTime(_ store: SQLiteStore) throws -> Int32 {
    try store.withState { state throws(ManagedObjectError) in state.database.busyTime }
  }

  private func add(_ count: Int, to store: SQLiteStore) throws {
    let context = try ManagedObjectContext(store)
    for number in 0..<count {
      try context.insert("Note").setValues([
        "number": .integer(Int64(number)), "title": .string(String(repeating: "x", count: 500)),
      ])
    }
    try context.save()
  }

  static let settings: [(name: String, value: String, result: Int64)] = [
    ("analysis_limit", "400", 400), ("cache_size", "-20000", -20000), ("cache_size", "50", 50),
    ("journal_size_limit", "-1", -1), ("journal_size_limit", "4096", 4096), ("mmap_size", "1048576", 1_048_576),
    ("secure_delete", "on", 1), ("secure_delete", "FAST", 2), ("secure_delete", "OFF", 0),
    ("synchronous", "normal", 1), ("synchronous", "FULL", 2), ("synchronous", "EXTRA", 3), ("temp_store", "MEMORY", 2),
    ("temp_store", "FILE", 1), ("threads", "2", 2), ("wal_autocheckpoint", "77", 77),
  ]

  @Test(arguments: settings)
  func `a pragma is set in the connection, and the store works`(
    _ setting: (name: String, value: String, result: Int64)
  ) throws {
    let store = try store([setting.name: setting.value])
    #expect(try value(setting.name, store) == setting.result)
    try add(20, to: store)
    #expect(try ManagedObjectContext(store).count(for: FetchRequest("Note")) == 20)
  }

  @Test func `a commit waits for the disk unless an option says otherwise`() throws {
    #expect(try value("synchronous", store()) == 2)
  }

  static let refused: [(name: String, value: String, message: String)] = [
    ("synchronous", "OFF", "expected NORMAL, FULL, EXTRA, found \"OFF\""),
    ("journal_mode", "MEMORY", "expected WAL, DELETE, TRUNCATE, PERSIST, found \"MEMORY\""),
    ("journal_mode", "OFF", "found \"OFF\""),
    ("cache_size", "1; DROP TABLE ZNOTE", "expected a number from -2147483647"),
    ("mmap_size", "-1", "found \"-1\""), ("wal_autocheckpoint", "0", "expected a number from 1"),
    ("threads", "65", "expected a number from 0 to 64"),
    ("writable_schema", "ON", "\"writable_schema\" is not allowed"),
    ("cell_size_check", "OFF", "not allowed"), ("key", "secret", "\"key\" is not allowed"),
    ("Synchronous", "FULL", "allowed are analysis_limit, cache_size, journal_mode, journal_size_limit, mmap_size, "),
  ]

  @Test(arguments: refused)
  func `another pragma or value is an error that names the allowed ones`(
    _ setting: (name: String, value: String, message: String)
  ) throws {
    let error = try #require(throws: ManagedObjectError.self) {
      try store(["threads": "1"].merging([setting.name: setting.value]) { $1 })
    }
    #expect(error.code == .invalidValue && error.message.contains(setting.message), "\(error)")
    #expect(!error.message.contains("secret"))
    #expect(folder.names == [])
  }

  @Test(arguments: ["DELETE", "truncate", "PERSIST"])
  func `a store can have a rollback journal`(_ mode: String) throws {
    try add(3, to: store())
    func isChanged() throws -> Bool { try PlainSQLite(file).run("PRAGMA journal_mode") != [["wal"]] }
    #expect(try !isChanged())
    try add(3, to: store(["journal_mode": mode]))
    #expect(try isChanged())
    #expect(!FileManager.default.fileExists(atPath: file.path + "-wal"))
    // Another connection keeps the mode of the file.
    try add(3, to: store())
    #expect(try isChanged())
    try add(3, to: store(["journal_mode": "WAL"]))
    #expect(try !isChanged())
    #expect(try ManagedObjectContext(store()).count(for: FetchRequest("Note")) == 12)
  }

  @Test func `the journal mode of a store in use is not changed`() throws {
    let other = try store()
    try add(1, to: other)
    #expect(errorCode { _ = try store(["journal_mode": "DELETE"]) } == .locked)
    #expect(try PlainSQLite(file).run("PRAGMA journal_mode") == [["wal"]])
    try add(1, to: other)
  }

  @Test func `the journal mode of a store that is read-only cannot be set`() throws {
    try add(1, to: store())
    #expect(errorCode { _ = try store(["journal_mode": "WAL"], access: .readOnly) } == .invalidValue)
    #expect(try value("cache_size", store(["cache_size": "7"], access: .readOnly)) == 7)
  }

  @Test func `saves that do not wait for the disk need a write-ahead log`() throws {
    let pragmas = ["journal_mode": "DELETE", "synchronous": "NORMAL"]
    #expect(errorCode { _ = try store(pragmas) } == .invalidValue)
    _ = try store(["journal_mode": "DELETE"])
    #expect(errorCode { _ = try store(["synchronous": "NORMAL"]) } == .invalidValue)
    try add(1, to: store(["journal_mode": "WAL", "synchronous": "NORMAL"]))
  }

  @Test func `a large cache does not make a sound store look damaged`() throws {
    // No page of the transaction is in the file when its rows are read.
    let store = try store(["cache_size": "-200000"])
    try store.beginSaving()
    try add(LongForm.size(30_000, or: 8_000), to: store)
    #expect(try ManagedObjectContext(store).fetch(FetchRequest("Note")).count == LongForm.size(30_000, or: 8_000))
    try store.endSaving(keepsChanges: true)
  }

  @Test func `a save waits no longer than the time-out, and succeeds later`() throws {
    let context = try ManagedObjectContext(store())
    try context.insert("Note").setValue(.string("a"), forKey: "title")
    let other = try PlainSQLite(file)
    try other.run("BEGIN IMMEDIATE")
    #expect(errorCode { try context.save() } == .locked)
    #expect(context.hasChanges)
    try other.run("ROLLBACK")
    try context.save()
    #expect(try other.run("SELECT ZTITLE FROM ZNOTE") == [["a"]])
  }

  @Test func `a description opens its store with its options`() throws {
    let options = SQLiteStoreOptions(busyTimeout: .milliseconds(1), pragmas: ["synchronous": "EXTRA"])
    let container = try PersistentContainer(model: Self.model, stores: [.sqlite(file, options: options)])
    let store = try #require(container.coordinator.stores.first as? SQLiteStore)
    #expect(try value("synchronous", store) == 3)
    #expect(try waitingTime(store) == 1)
    let wrong = SQLiteStoreOptions(pragmas: ["page_count": "1"])
    #expect(
      errorCode { _ = try PersistentContainer(model: Self.model, stores: [.sqlite(file, options: wrong)]) }
        == .invalidValue)
  }

  @Test func `a time-out of any length is set`() throws {
    let durations: [(Duration, Int32)] = [
      (.seconds(Int64.max), .max), (.seconds(-1), 0), (.zero, 0), (.milliseconds(Int64(Int32.max) + 1), .max),
      (.microseconds(2_500), 2),
    ]
    for (duration, milliseconds) in durations {
      #expect(try waitingTime(store(busyTimeout: duration)) == milliseconds)
    }
  }

  /// A stage whose function is called with the store in a temporary file.
  private static func stages(_ new: ManagedObjectModel) -> StagedMigration {
    var stage = StagedMigration.Stage(new)
    stage.willMigrate = { _ in }
    return StagedMigration([.init(model), stage])
  }

  @Test(arguments: [false, true], [false, true])
  func `an automatic migration uses the options`(hasStages: Bool, knowsSource: Bool) throws {
    try add(3, to: store())
    let new = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note", [.attribute("title", .string), .attribute("number", .integer64), .attribute("more", .string)])
    ])
    let events = Mutex<[SQLiteTrace.Event]>([])
    let trace = SQLiteTrace { event in events.withLock { $0.append(event) } }
    var description = PersistentStoreDescription.sqlite(
      file, through: hasStages ? Self.stages(new) : nil,
      options: SQLiteStoreOptions(
        busyTimeout: .milliseconds(1), pragmas: ["secure_delete": "ON", "wal_autocheckpoint": "77"], trace: trace))
    if knowsSource { description.sourceModels = [Self.model] }
    let other = try PlainSQLite(file)
    try other.run("BEGIN IMMEDIATE")
    // Without the option, this waits for 30 seconds.
    #expect(errorCode { _ = try PersistentContainer(model: new, stores: [description]) } == .locked)
    try other.run("ROLLBACK")
    events.withLock { $0 = [] }
    _ = try PersistentContainer(model: new, stores: [description])
    #expect(try PlainSQLite(file).run("SELECT COUNT(*), COUNT(ZMORE) FROM ZNOTE") == [["3", "0"]])
    let seen = events.withLock { $0 }
    #expect(seen.contains { $0.path == file.path && $0.sql == "BEGIN IMMEDIATE" })
    let scratch = seen.filter { $0.path.contains("-migration/") }
    #expect(scratch.isEmpty != hasStages)
    // The store is opened, migrated, and opened again. Temporary files have no pragmas.
    #expect(seen.filter { $0.sql == "PRAGMA secure_delete = ON" }.map(\.path) == [file.path, file.path, file.path])
    #expect(!scratch.contains { $0.sql.contains("wal_autocheckpoint") })
  }

  @Test func `reading the change token keeps the time-out`() throws {
    let store = try store()
    try add(1, to: store)
    #expect(store.changeToken != nil)
    #expect(try waitingTime(store) == 1)
  }
}
