import Foundation
import ManagedObjects
import ManagedObjectsSamples
import OrderedCollections
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

/// Two instances of a store, and several processes, on one file.
@Suite("An SQLite store with several writers") struct SharedDatabaseTests {
  let folder = TemporaryFolder(isInMemory: true)
  var file: URL { folder.url.appending(path: "store.sqlite") }

  private static let model: ManagedObjectModel = {
    var account = EntityDescription(
      "Account",
      [
        .attribute("name", .string), .attribute("amount", .integer64, defaultValue: .integer(0)),
        .relationship("owner", to: "Owner", inverse: "accounts"),
      ])
    account.uniquenessConstraints = [["name"]]
    var special = EntityDescription("Special", [.attribute("extra", .string)])
    special.superentity = "Account"
    let owner = EntityDescription(
      "Owner",
      [
        .attribute("name", .string),
        .relationship("accounts", to: "Account", inverse: "owner", isToMany: true, isOrdered: true),
      ])
    do { return try ManagedObjectModel(entities: [account, special, owner]) } catch { fatalError("\(error)") }
  }()

  private func store() throws -> SQLiteStore { try SQLiteStore(file, model: Self.model) }

  private func context(_ store: SQLiteStore? = nil, _ policy: MergePolicy = .error) throws -> ManagedObjectContext {
    let context = try ManagedObjectContext(store ?? self.store())
    context.mergePolicy = policy
    return context
  }

  /// Saves an owner and its accounts.
  private func fill(_ names: [String]) throws {
    let context = try context()
    let owner = try context.insert("Owner")
    var accounts: [ManagedObject.Value] = []
    for name in names {
      let account = try context.insert(name.hasPrefix("s") ? "Special" : "Account")
      try account.setValue(.string(name), forKey: "name")
      accounts.append(.object(account))
    }
    try owner.setValue(.array(accounts), forKey: "accounts")
    try context.save()
  }

  private func account(_ name: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    let request = FetchRequest("Account", where: try ManagedPredicate(format: "name == %@", name))
    return try #require(try context.fetch(request).first)
  }

  private func names(_ owner: ManagedObject) -> [String] {
    guard case .array(let accounts)? = owner["accounts"] else { return [] }
    return accounts.map {
      if case .object(let account) = $0, case .attribute(.string(let name))? = account["name"] { name } else { "?" }
    }
  }

  @Test func `a conflict has the rows of both sides with relationships, and deleted rows`() throws {
    try fill(["a", "b", "c"])
    let (mine, theirs) = (try context(), try context())
    for name in ["a", "b"] { try account(name, mine).setValue(.integer(1), forKey: "amount") }
    let owner = try #require(try mine.fetch(FetchRequest("Owner")).first)
    #expect(names(owner) == ["a", "b", "c"])
    try owner.setValue(.string("me"), forKey: "name")
    try mine.delete(account("c", mine))
    try account("a", theirs).setValue(.integer(2), forKey: "amount")
    try theirs.delete(account("b", theirs))
    try theirs.save()
    let error = try #require(throws: ManagedObjectError.self) { try mine.save() }
    #expect(error.code == .merge && error.conflicts.count == 3, "\(error.conflicts)")
    let entity = try #require(Self.model["Owner"])
    let conflict = try #require(error.conflicts.first { $0.object.map { Int($0.key.entityIndex) } == entity.index })
    let slot = try #require(entity.relationship(named: "accounts")?.slot)
    #expect(conflict.stored?.values[slot].count == 2 && conflict.stored?.version == 2)
    #expect(conflict.object?.version == 1 && conflict.snapshot?.values[slot].count == 3)
    #expect(error.conflicts.filter { $0.stored == nil }.count == 1)
    #expect(mine.hasChanges)
    mine.mergePolicy = .storeTrump
    try mine.save()
    let reader = try context()
    #expect(names(try #require(try reader.fetch(FetchRequest("Owner")).first)) == ["a"])
    #expect(try account("a", reader)["amount"] == .attribute(.integer(2)))
  }

  @Test func `new objects get other keys if theirs are taken, and keep reserved keys`() throws {
    let (first, second) = (try store(), try store())
    let index = try #require(Self.model["Account"]?.index)
    let special = try #require(Self.model["Special"]?.index)
    let made = try first.makeKeys([index, special, index])
    // The entities of a table share one sequence of numbers.
    #expect(made.map(\.number) == [1, 2, 3])
    let reserved = try second.reserveKeys([special, index])
    #expect(reserved.map(\.number) == [1, 2])
    #expect(try PlainSQLite(file).column("SELECT Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") == ["2", "0", "0"])
    func row(_ key: RowKey) -> StoreRow {
      StoreRow(key: key, version: 1, values: Self.model.entities[Int(key.entityIndex)].emptyValues)
    }
    var changes = StoreChanges()
    for keys in [made, [made[0]], [made[1]]] {
      changes.inserted = keys.map(row)
      #expect(errorCode { try first.save(changes) } == .keysTaken)
    }
    changes.inserted = [row(made[2])]
    try first.save(changes)
    // Reserved numbers stay reserved while other stores save.
    changes.inserted = reserved.map(row)
    try second.save(changes)
    #expect(try first.makeKeys([index])[0].number == 4 && second.makeKeys([special])[0].number == 4)
    // A number that two stores use cannot be saved twice.
    changes.inserted = [row(made[2])]
    #expect(errorCode { try first.save(changes) } == .keysTaken)
    #expect(try PlainSQLite(file).column("SELECT Z_PK FROM ZACCOUNT ORDER BY 1") == ["1", "2", "3"])
    // Contexts do all this automatically.
    let (one, other) = (try context(first), try context(second))
    let objects = try [one, other, one].map { try $0.insert("Special") }
    try one.obtainPermanentIDs(for: [objects[0]])
    let id = objects[0].objectID
    try other.save()
    try one.save()
    #expect(objects[0].objectID == id && Set(objects.map(\.objectID.uriRepresentation)).count == 3)
    #expect(try PlainSQLite(file).column("SELECT Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT")[0] == "7")
  }

  @Test(arguments: ["0", "NULL", "-5", "'none'", "x'01'"])
  func `rows above the highest recorded key keep their keys`(highest: String) throws {
    try fill(["a", "b"])
    let context = try context()
    try context.insert("Account").setValue(.string("before"), forKey: "name")
    try context.save()
    let database = try PlainSQLite(file)
    try database.run("INSERT INTO ZACCOUNT (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (70, 1, 1, 'x')")
    try database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest)")
    try context.insert("Special").setValue(.string("new"), forKey: "name")
    try context.save()
    #expect(try database.column("SELECT Z_PK FROM ZACCOUNT ORDER BY Z_PK") == ["1", "2", "3", "70", "71"])
    #expect(try database.column("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1") == ["71"])
    // The highest number is the last possible one.
    try database.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807")
    try context.insert("Special").setValue(.string("none"), forKey: "name")
    #expect(errorCode { try context.save() } == .operation)
  }

  @Test func `objects can exchange unique values and reuse those of deleted objects`() throws {
    try fill(["a", "b", "sc", "d"])
    let context = try context()
    let accounts = try ["a", "b", "sc", "d"].map { try account($0, context) }
    for (index, account) in accounts.dropLast().enumerated() {
      try account.setValue(.string(["b", "sc", "a"][index]), forKey: "name")
    }
    try context.delete(accounts[3])
    try context.insert("Special").setValue(.string("d"), forKey: "name")
    try context.save()
    let found = try PlainSQLite(file).run("SELECT ZNAME, Z_ENT, Z_OPT FROM ZACCOUNT ORDER BY Z_PK")
    #expect(found == [["b", "1", "2"], ["sc", "1", "2"], ["a", "2", "2"], ["d", "2", "1"]])
    // A unique value that another context has saved in the meantime is a conflict with its row.
    let (mine, theirs) = (try self.context(), try self.context())
    let id = try account("b", mine).objectID
    try account("b", mine).setValue(.string("new"), forKey: "name")
    try theirs.insert("Special").setValue(.string("new"), forKey: "name")
    try theirs.save()
    let error = try #require(throws: ManagedObjectError.self) { try mine.save() }
    #expect(error.code == .constraintMerge && error.conflicts.count == 1)
    #expect(error.conflicts[0].constraint == ["name"] && error.conflicts[0].stored?.key.number == 6)
    #expect(error.conflicts[0].object?.key.number == id.uriRepresentation.last?.wholeNumberValue.map(Int64.init))
    #expect(try PlainSQLite(file).defects() == [])
  }

  @Test func `a save waits for another process that is saving`() throws {
    try fill(["a"])
    // In this mode, SQLite asks the file system again and again for the lock.
    #expect(try PlainSQLite(file).column("PRAGMA journal_mode = DELETE") == ["delete"])
    _ = FailingFiles.installed
    let options = SQLiteStoreOptions(busyTimeout: .seconds(hangLimit))
    let context = try context(SQLiteStore(file, model: Self.model, options: options))
    try account("a", context).setValue(.integer(1), forKey: "amount")
    let process = try ChildProcess("sqlite-store-probe", [file.path, "hold"])
    #expect(eventually { process.text.hasPrefix("locked\n") })
    // The other process commits when the save has asked for the lock more often than one that does not wait.
    let locks = Atomic(0)
    let release = file.path + ".release"
    _ = try FailingFiles.calls(in: folder.url) { _, call in
      if call == .lock, locks.add(1, ordering: .relaxed).newValue == 12 { _ = creat(release, 0o600) }
      return nil
    } during: {
      try context.save()
    }
    #expect(locks.load(ordering: .relaxed) >= 12)
    #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
    #expect(try account("a", self.context())["amount"] == .attribute(.integer(1)))
  }

  @Test func `a save fails after the timeout, and readers continue`() throws {
    try fill(["a"])
    let store = try SQLiteStore(file, model: Self.model, options: SQLiteStoreOptions(busyTimeout: .milliseconds(100)))
    let context = try context(store)
    try account("a", context).setValue(.integer(1), forKey: "amount")
    let process = try ChildProcess("sqlite-store-probe", [file.path, "hold"])
    #expect(eventually { process.text.hasPrefix("locked\n") })
    let start = ContinuousClock.now
    #expect(errorCode { try context.save() } == .locked)
    #expect(ContinuousClock.now - start > .milliseconds(90))
    #expect(context.hasChanges)
    #expect(try account("a", self.context())["amount"] == .attribute(.integer(0)))
    process.kill()
    try context.save()
    #expect(try account("a", self.context())["amount"] == .attribute(.integer(1)))
  }

  @Test func `a save to a removed or replaced file is an error`() throws {
    try fill(["a"])
    let context = try context()
    try account("a", context).setValue(.integer(1), forKey: "amount")
    let aside = folder.url.appending(path: "aside.sqlite")
    try FileManager.default.moveItem(at: file, to: aside)
    #expect(errorCode { try context.save() } == .save)
    try Data("another file".utf8).write(to: file)
    #expect(errorCode { try context.save() } == .save)
    #expect(try Data(contentsOf: file) == Data("another file".utf8))
    try FileManager.default.removeItem(at: file)
    try FileManager.default.moveItem(at: aside, to: file)
    try context.save()
    #expect(try account("a", self.context())["amount"] == .attribute(.integer(1)))
  }

  @Test func `two processes increment a counter without losing a save`() throws {
    let rounds = LongForm.size(500, or: 20)
    #expect(try Program.run("sqlite-store-probe", [file.path, "count", "0", "0"]).status == 0)
    let processes = try (1...2).map {
      try ChildProcess("sqlite-store-probe", [file.path, "count", "\($0)", "\(rounds)"])
    }
    for process in processes { #expect(process.waitUntilExit() == .exited(0), "\(process.errors)") }
    let lines = processes.map { $0.text.split(separator: "\n") }
    for lines in lines { #expect(lines.filter { $0 == "saved" }.count == rounds) }
    let counts = try PlainSQLite(file).run("SELECT ZNAME, ZCOUNT FROM ZCOUNTER ORDER BY ZNAME")
    #expect(counts == [["0", "0"], ["1", "\(rounds)"], ["2", "\(rounds)"], ["all", "\(2 * rounds)"]])
    #expect(try PlainSQLite(file).defects() == [])
  }

  @Test func `processes that open a new store at the same time create it once`() async throws {
    for round in 0..<LongForm.size(20, or: 1) {
      let path = folder.path("\(round).sqlite")
      let programs = try await Program.runAtTheSameTime(
        "sqlite-store-probe", Array(repeating: [path, "open"], count: 4))
      for program in programs { #expect(program.status == 0 && program.text == "open\n", "\(program.errors)") }
      let database = try PlainSQLite(URL(filePath: path))
      #expect(try database.defects() == [])
      #expect(try database.column("SELECT COUNT(*) FROM Z_METADATA") == ["1"])
      #expect(try database.column("PRAGMA journal_mode") == ["wal"])
      #expect(try database.column("PRAGMA auto_vacuum") == ["2"])
    }
  }

  @Test func `after a migration, a context of the old model can neither save nor fetch`() throws {
    let first = try context()
    try fill(["a"])
    let object = try first.insert("Account")
    try object.setValue(.string("b"), forKey: "name")
    let old = try SQLiteStore(file, model: Self.model)
    let account = try #require(Self.model.entity(named: "Account"))
    let result = try old.fetch(FetchRequest("Account"), of: account)
    guard case .rows(let rows) = result else {
      Issue.record("expected rows, found \(result)")
      return
    }
    let keys = rows.map(\.key)
    #expect(keys.count == 1)
    // After this migration all entities have other numbers.
    var entities = Self.model.entities.map(\.definition)
    entities.append(EntityDescription("AAA", [.attribute("name", .string)]))
    let other = try ManagedObjectModel(entities: entities)
    try SQLiteStore.migrate(file, to: other)
    let dump = try StoreDump(SQLiteStore(file, model: other))
    #expect(errorCode { try first.save() } == .incompatibleVersionHash)
    #expect(errorCode { try first.obtainPermanentIDs(for: [object]) } == .incompatibleVersionHash)
    let attributes = try StoreDump(SQLiteStore(file, model: other)).objects.mapValues(\.attributes)
    #expect(attributes == dump.objects.mapValues(\.attributes))
    let large = FetchRequest("Account", where: try ManagedPredicate(format: "amount > 7"))
    // It does not read the new tables with its old model either, neither in the first request nor later.
    for _ in 0..<2 {
      #expect(errorCode { _ = try old.fetch(FetchRequest("Account"), of: account) } == .incompatibleVersionHash)
      #expect(errorCode { _ = try old.rows(keys) } == .incompatibleVersionHash)
      #expect(errorCode { _ = try old.rows(keys + keys) } == .incompatibleVersionHash)
      #expect(errorCode { _ = try old.values(ofSlot: 0, keys) } == .incompatibleVersionHash)
      #expect(errorCode { _ = try old.fetch(large, of: account) } == .incompatibleVersionHash)
    }
  }

  @Test func `a store is saved after another program added an index`() throws {
    let first = try context()
    try fill(["a"])
    try PlainSQLite(file).run("CREATE INDEX OTHER ON ZACCOUNT (ZAMOUNT)")
    try first.insert("Account").setValue(.string("b"), forKey: "name")
    try first.save()
    #expect(try first.count(for: FetchRequest("Account")) == 2)
    try PlainSQLite(file).run("CREATE INDEX OTHER2 ON ZACCOUNT (ZAMOUNT) WHERE ZAMOUNT > 3")
    try first.insert("Account").setValue(.string("c"), forKey: "name")
    #expect(errorCode { try first.save() } == .save)
  }
}
