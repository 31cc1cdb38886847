import CSQLite
import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Failing system calls while an SQLite store is saved or opened") struct FailingSaveTests {
  let folder = TemporaryFolder(isInMemory: true)
  var file: URL { folder.url.appending(path: "store.sqlite") }

  init() { _ = FailingFiles.installed }

  private static let model: ManagedObjectModel = {
    let group = EntityDescription(
      "Group",
      [
        .attribute("name", .string), .attribute("data", .binary),
        .relationship("members", to: "Member", inverse: "groups", isToMany: true, isOrdered: true),
        .relationship("leader", to: "Member", inverse: "leads"),
      ])
    let member = EntityDescription(
      "Member",
      [
        .attribute("name", .string), .relationship("groups", to: "Group", inverse: "members", isToMany: true),
        .relationship("leads", to: "Group", inverse: "leader", isToMany: true),
      ])
    do { return try ManagedObjectModel(entities: [group, member]) } catch { fatalError("\(error)") }
  }()

  /// - Parameter journal: The journal mode. With a write-ahead log, the store also records its history.
  private func open(journal: String = "DELETE") throws -> ManagedObjectContext {
    try ManagedObjectContext(
      SQLiteStore(file, model: Self.model, access: .readWrite(tracksHistory: journal == "WAL" ? true : nil)))
  }

  /// Returns the contents of the file in a short notation. Checks that both sides of relationships agree, and that the
  /// history agrees with the rows.
  private func state() throws -> String {
    let context = try open()
    var parts: [String] = []
    func name(_ object: ManagedObject) -> String {
      if case .attribute(.string(let name))? = object["name"] { name } else { "?" }
    }
    for group in try context.fetch(FetchRequest("Group", sortedBy: [.init("name")])) {
      guard case .array(let members)? = group["members"] else { continue }
      let names = members.map { member in
        guard case .object(let member) = member, case .set(let groups)? = member["groups"] else { return "?" }
        let isThere = groups.contains(.object(group))
        #expect(isThere)
        return name(member)
      }
      var leader = "-"
      if case .object(let object)? = group["leader"] { leader = name(object) }
      parts.append("\(name(group)): \(names.joined(separator: " ")), \(leader)")
    }
    parts.append("\(try context.count(for: FetchRequest("Member")))")
    let database = try PlainSQLite(file)
    #expect(try database.defects() == [])
    if try database.column("SELECT 1 FROM sqlite_master WHERE name = 'ACHANGE'") == ["1"] {
      #expect(try database.historyDefects() == [])
    }
    return parts.joined(separator: "; ")
  }

  private static let before = "a: x y, x; 3"
  private static let after = "a: z y, y; b: n y, n; 3"

  private func fill(_ context: ManagedObjectContext) throws {
    let group = try context.insert("Group")
    try group.setValue(.string("a"), forKey: "name")
    let members = try ["x", "y", "z"].map { name in
      let member = try context.insert("Member")
      try member.setValue(.string(name), forKey: "name")
      return member
    }
    try group.setValue(.array([.object(members[0]), .object(members[1])]), forKey: "members")
    try group.setValue(.object(members[0]), forKey: "leader")
    try context.save()
  }

  /// Changes rows and relationships, deletes one row and inserts two, with several pages of data.
  private func change(_ context: ManagedObjectContext) throws {
    let group = try #require(try context.fetch(FetchRequest("Group")).first)
    let members = try context.fetch(FetchRequest("Member", sortedBy: [.init("name")]))
    try #require(members.count == 3)
    try context.delete(members[0])
    try group.setValue(.array([.object(members[2]), .object(members[1])]), forKey: "members")
    try group.setValue(.object(members[1]), forKey: "leader")
    let new = try context.insert("Group")
    let member = try context.insert("Member")
    try new.setValues(["name": .string("b"), "data": .data(Data(repeating: 7, count: 20_000))])
    try member.setValue(.string("n"), forKey: "name")
    try new.setValue(.array([.object(member), .object(members[1])]), forKey: "members")
    try new.setValue(.object(member), forKey: "leader")
  }

  private func clean() throws {
    for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
  }

  enum Failure: String, CaseIterable, CustomTestStringConvertible {
    /// One call fails, or it and all later ones.
    case once, always

    var testDescription: String { rawValue }
  }

  /// Returns the calls that fail, one at a time: all of them, or in the short form one of each kind and three writes
  /// and syncs.
  private static func numbers(of calls: [FailingFiles.Call]) -> [Int] {
    if LongForm.isWanted { return Array(calls.indices) }
    var numbers: Set<Int> = []
    for (call, all) in Dictionary(grouping: calls.indices, by: { calls[$0] }) {
      numbers.insert(all[all.count / 2])
      if call == .write || call == .sync { numbers.formUnion([all[0], all[all.count - 1]]) }
    }
    return numbers.sorted()
  }

  /// Creates the file again, and returns a context with changes that are not saved.
  private func changedContext(journal: String) throws -> ManagedObjectContext {
    try clean()
    try fill(open(journal: journal))
    #expect(try PlainSQLite(file).column("PRAGMA journal_mode = \(journal)") == [journal.lowercased()])
    let context = try open()
    try change(context)
    return context
  }

  private func callsOfSave(journal: String) throws -> [FailingFiles.Call] {
    let context = try changedContext(journal: journal)
    return try FailingFiles.calls(in: folder.url) { _, _ in
      nil
    } during: {
      try context.save()
    }
  }

  @Test(arguments: Failure.allCases, ["WAL", "DELETE"])
  func `a failing call saves everything or nothing, and the next save works`(failure: Failure, journal: String) throws {
    var failed: [FailingFiles.Call: Int] = [:]
    for first in Self.numbers(of: try callsOfSave(journal: journal)) {
      let context = try changedContext(journal: journal)
      var error: ManagedObjectError?
      let calls = FailingFiles.calls(in: folder.url) { number, call in
        number == first || failure == .always && number > first ? FailingFiles.error(call) : nil
      } during: {
        do throws(ManagedObjectError) { try context.save() } catch let failure { error = failure }
      }
      guard calls.count > first else { continue }
      let comment = Comment(rawValue: "call \(first) of \(calls.count), \(calls[first]): \(error?.message ?? "none")")
      if let error {
        failed[calls[first], default: 0] += 1
        #expect([.save, .open, .sqlite, .locked, .operation].contains(error.code), comment)
        #expect(error.sqliteCode != nil || error.code == .save, comment)
        #expect(context.hasChanges, comment)
        #expect(try state() == Self.before, comment)
        try context.save()
      }
      #expect(!context.hasChanges, comment)
      #expect(try state() == Self.after, comment)
    }
    #expect((failed[.write] ?? 0) > LongForm.size(3, or: 0) && (failed[.sync] ?? 0) > 0)
  }

  @Test
  func `a failing call while a store is created, opened or read loses no data`() throws {
    for isThere in [false, true] {
      func read() throws {
        let context = try open()
        for member in try context.fetch(FetchRequest("Member")) { _ = member["groups"] }
      }
      try clean()
      if isThere { try fill(open()) }
      let all = try FailingFiles.calls(in: folder.url) { _, _ in
        nil
      } during: {
        try read()
      }
      var failures = 0
      for first in Self.numbers(of: all) {
        try clean()
        if isThere { try fill(open()) }
        var failed = false
        let calls = FailingFiles.calls(in: folder.url) { number, call in
          number == first ? FailingFiles.error(call) : nil
        } during: {
          let code = errorCode { try read() }
          guard let code else { return }
          failed = true
          #expect([.save, .open, .sqlite, .locked, .operation].contains(code), "call \(first)")
        }
        guard calls.count > first else { continue }
        if failed { failures += 1 }
        if !isThere { try fill(open()) }
        #expect(try state() == Self.before, "call \(first), \(calls[first])")
      }
      #expect(failures > LongForm.size(5, or: 1))
    }
  }

  @Test func `a save returns after its data is synchronized to the disk`() throws {
    try fill(open())
    let context = try open()
    for member in try context.fetch(FetchRequest("Member")) { _ = member["groups"] }
    try change(context)
    let calls = try FailingFiles.calls(in: folder.url) { _, _ in
      nil
    } during: {
      try context.save()
    }
    let lastWrite = try #require(calls.lastIndex(of: .write))
    #expect(calls[lastWrite...].contains(.sync))
  }

  @Test(arguments: [
    // In the WAL, and after the WAL was checkpointed into the file.
    300_000, 6_000_000,
  ])
  func `a file that cannot grow is an error, and a later save keeps the changes`(room: Int) throws {
    let process = try ChildProcess("sqlite-store-probe", [file.path, "fill", "\(room)"])
    #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
    let lines = process.text.split(separator: "\n").map(String.init)
    let failure = try #require(lines.firstIndex { $0.hasPrefix("failed") })
    #expect(failure > 5)
    #expect(lines[failure] == "failed \(failure + 1) save 1")
    #expect(lines[failure + 1] == "has \(failure)")
    #expect(lines.last == "saved \(failure + 4)")
    let database = try PlainSQLite(file)
    #expect(try database.defects() == [])
    let counts = try database.run("SELECT COUNT(*), MAX(ZCOUNT), SUM(LENGTH(ZDATA)) FROM ZCOUNTER")
    #expect(counts == [["\(failure + 4)", "\(failure + 4)", "\((failure + 4) * 10_000)"]])
  }
}
