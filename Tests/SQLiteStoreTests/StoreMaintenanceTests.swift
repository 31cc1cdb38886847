import Foundation
import ManagedObjects
import SQLiteAccess
import StoreInspection
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Maintenance of an SQLite store") struct StoreMaintenanceTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }

  private static func model(_ more: PropertyDescription...) throws -> ManagedObjectModel {
    var note = EntityDescription("Note", [.attribute("title", .string), .attribute("number", .integer64)] + more)
    note.fetchIndexes = [FetchIndexDescription("byNumber", [.init(.property("number"))])]
    return try ManagedObjectModel(entities: [note])
  }

  private func store(_ access: StoreAccess = .readWrite) throws -> SQLiteStore {
    try SQLiteStore(
      file, model: Self.model(), access: access, options: SQLiteStoreOptions(busyTimeout: .milliseconds(1)))
  }

  private func add(_ count: Int, to context: ManagedObjectContext) throws {
    for number in 0..<count {
      try context.insert("Note").setValues([
        "number": .integer(Int64(number)), "title": .string(String(repeating: "x", count: 400)),
      ])
    }
    try context.save()
  }

  private var size: Int {
    (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
  }

  @Test func `a vacuum makes the file smaller, and objects stay the same`() throws {
    let context = try ManagedObjectContext(store())
    let store = try #require(context.coordinator.stores.first as? SQLiteStore)
    try add(400, to: context)
    let all = try context.fetch(FetchRequest("Note", sortedBy: [.init("number")]))
    for note in all.dropFirst(10) { try context.delete(note) }
    try context.save()
    #expect(store.changeToken != nil)
    let before = size
    let statements = store.executedStatementCount
    try store.vacuum()
    #expect(size < before / 4)
    // The objects are still in memory: no statement reads them again.
    #expect(all.prefix(10).map { $0["number"] } == (0..<10).map { .attribute(.integer($0)) })
    #expect(store.executedStatementCount == statements)
    let ids = try context.fetch(FetchRequest("Note", sortedBy: [.init("number")])).map(\.objectID)
    #expect(ids == all.prefix(10).map(\.objectID))
    try all[0].setValue(.integer(-1), forKey: "number")
    try add(1, to: context)
    #expect(try PlainSQLite(file).defects() == [])
    #expect(try PlainSQLite(file).run("PRAGMA auto_vacuum") == [["2"]])
    #expect(try PlainSQLite(file).run("SELECT COUNT(*) FROM ZNOTE") == [["11"]])
  }

  @Test func `another process that saves makes maintenance fail without changing anything`() throws {
    let store = try store()
    try add(5, to: ManagedObjectContext(store))
    let other = try PlainSQLite(file)
    try other.run("BEGIN IMMEDIATE")
    #expect(errorCode { try store.vacuum() } == .locked)
    #expect(errorCode { try store.analyze() } == .locked)
    try other.run("UPDATE ZNOTE SET ZNUMBER = 7")
    try other.run("COMMIT")
    try store.vacuum()
    try store.analyze()
    #expect(try other.run("SELECT COUNT(*) FROM ZNOTE WHERE ZNUMBER = 7") == [["5"]])
  }

  @Test func `another connection reads the old state during a vacuum`() throws {
    let store = try store()
    try add(5, to: ManagedObjectContext(store))
    let other = try PlainSQLite(file)
    try other.run("BEGIN")
    #expect(try other.run("SELECT COUNT(*) FROM ZNOTE") == [["5"]])
    try store.vacuum()
    try add(1, to: ManagedObjectContext(store))
    #expect(try other.run("SELECT COUNT(*) FROM ZNOTE") == [["5"]])
    try other.run("COMMIT")
    #expect(try other.run("SELECT COUNT(*) FROM ZNOTE") == [["6"]])
  }

  @Test func `maintenance needs a writable store outside a transaction`() throws {
    let store = try store()
    try add(1, to: ManagedObjectContext(store))
    let reader = try self.store(.readOnly)
    #expect(errorCode { try reader.vacuum() } == .save)
    #expect(errorCode { try reader.analyze() } == .save)
    try store.beginSaving()
    #expect(errorCode { try store.vacuum() } == .invalidState)
    try store.endSaving(keepsChanges: false)
    try store.vacuum()
  }

  @Test func `a store with statistics is a sound store that can be saved and migrated`() throws {
    let store = try store()
    try add(300, to: ManagedObjectContext(store))
    let request = FetchRequest("Note", where: try ManagedPredicate(format: "number == 7"))
    let found = try ManagedObjectContext(store).fetch(request).count
    try store.analyze()
    #expect(try PlainSQLite(file).run("SELECT COUNT(*) > 0 FROM sqlite_stat1 WHERE tbl = 'ZNOTE'") == [["1"]])
    #expect(try ManagedObjectContext(store).fetch(request).count == found)
    try add(3, to: ManagedObjectContext(store))
    let again = try self.store()
    #expect(again.writingObstacles == [])
    let findings = Mutex<[String]>([])
    // No log is next to the file when the check begins.
    #expect(again.changeToken != nil)
    _ = try StoreCheck(file, model: nil).run { finding in findings.withLock { $0.append("\(finding)") } }
    #expect(findings.withLock { $0 } == [])
    let model = try Self.model(.attribute("more", .string))
    try SQLiteStore.migrate(file, to: model)
    let migrated = try SQLiteStore(file, model: model)
    try migrated.analyze()
    #expect(try ManagedObjectContext(migrated).count(for: FetchRequest("Note")) == 303)
  }

  @Test func `the statement and the plan of a request are public`() throws {
    let store = try store()
    let request = FetchRequest("Note", where: try ManagedPredicate(format: "number == 7"))
    let statement = try store.statement(for: request)
    #expect(statement.isComplete && statement.sql.contains("FROM \"ZNOTE\""))
    let plan = try store.plan(of: request)
    #expect(plan.contains { $0.level == 0 && $0.text.contains("Z_Note_byNumber") }, "\(plan)")
    #expect(errorCode { _ = try store.plan(of: FetchRequest("Page")) } == .unsupportedRequest)
  }

  @Test func `a plan has the parts of its steps`() throws {
    var request = FetchRequest("Note", where: try ManagedPredicate(format: "number == 7 OR number > 20"))
    request.sortDescriptors = [.init("title")]
    let plan = try store().plan(of: request)
    #expect(plan.map(\.level).contains(1) && plan.first?.level == 0, "\(plan)")
    #expect(plan.contains { "\($0)".hasPrefix("  ") })
  }

  @Test func `a trace reports the statements of opening, saves and requests`() throws {
    let events = Mutex<[SQLiteTrace.Event]>([])
    let take = { () -> [SQLiteTrace.Event] in
      events.withLock { all in
        defer { all = [] }
        return all
      }
    }
    func run(_ trace: SQLiteTrace?) throws {
      let store = try SQLiteStore(file, model: Self.model(), options: SQLiteStoreOptions(trace: trace))
      let opening = take()
      #expect((trace == nil) == opening.isEmpty)
      try add(2, to: ManagedObjectContext(store))
      let saving = take()
      #expect((trace == nil) != saving.contains { $0.sql.hasPrefix("INSERT INTO \"ZNOTE\"") }, "\(saving)")
      store.setTrace(SQLiteTrace { event in events.withLock { $0.append(event) } })
      let count = store.executedStatementCount
      _ = try ManagedObjectContext(store).fetch(FetchRequest("Note"))
      let reading = take()
      #expect(reading.filter { $0.sql.hasPrefix("SELECT") }.count == store.executedStatementCount - count)
      #expect(reading.map(\.rowCount).max() ?? 0 >= 2 && reading.allSatisfy { $0.sqlWithValues == nil })
      store.setTrace(nil)
      _ = try ManagedObjectContext(store).fetch(FetchRequest("Note"))
      #expect(take().isEmpty)
    }
    try run(SQLiteTrace { event in events.withLock { $0.append(event) } })
    try run(nil)
  }

  @Test func `reading the change token keeps the locks of the store`() throws {
    let store = try store()
    try add(1, to: ManagedObjectContext(store))
    /// Returns true if another process cannot have the file for itself, as it would to delete the write-ahead log.
    func isLocked() throws -> Bool {
      let program = """
        import fcntl, sys
        file = open(sys.argv[1], "r+b")
        try: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
        except OSError: print("locked")
        """
      return try SQLiteFile.run(program, [file.path]) == "locked\n"
    }
    #expect(try isLocked())
    #expect(store.changeToken != nil)
    #expect(try isLocked())
    withExtendedLifetime(store) {}
  }

  /// Values of the environment variable. `prints` is true if statements are printed, `namesFile` if with
  /// the name of the file, `hasValues` if with values.
  private static let levels: [(level: String?, prints: Bool, namesFile: Bool, hasValues: Bool)] = [
    (nil, false, false, false), ("0", false, false, false), ("1", true, false, false), ("2", true, true, false),
    ("3", true, true, true),
  ]

  @Test(arguments: levels)
  func `an environment variable prints the statements of a program`(
    _ sample: (level: String?, prints: Bool, namesFile: Bool, hasValues: Bool)
  ) throws {
    // Another test that saves a note with the title "a", in a process of its own.
    let run = try Program.run(
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath(),
      ["--testing-library", "swift-testing", "--filter", "StoreOptionsTests/.*a.save.waits.no.longer"],
      environment: ["SQL_DEBUG": sample.level ?? ""])
    let insertions = run.errors.split(separator: "\n").filter { $0.hasPrefix("sql: ") && $0.contains("INTO \"ZNOTE\"") }
    #expect(run.status == 0 && insertions.isEmpty != sample.prints, "\(run.text)")
    let beginning = sample.namesFile ? "sql: store.sqlite, request " : "sql: request "
    #expect(insertions.allSatisfy { $0.hasPrefix(beginning) }, "\(insertions)")
    #expect(insertions.contains { $0.contains("'a')") } == sample.hasValues, "\(insertions)")
  }
}
