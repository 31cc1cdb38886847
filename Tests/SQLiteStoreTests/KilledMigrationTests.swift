import CSQLite
import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("An interrupted migration of an SQLite store", .serialized)
struct KilledMigrationTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }
  private static let counters = LongForm.size(3_000, or: 150)
  private static let journals = LongForm.isWanted ? ["WAL", "DELETE"] : ["WAL"]
  /// One in the file itself, and one with a new file.
  private static let kinds = ["inferred", "mapped"]
  private static let allKinds = kinds + (LongForm.isWanted ? ["staged"] : [])
  private static let links = 7

  init() { _ = FailingFiles.installed }

  /// The file of a store with all counters.
  private static let large: Result<Data, any Error> = Result { try make(counters: counters) }

  /// The file of a store with few counters.
  private static let small: Result<Data, any Error> = Result { try make(counters: fewCounters) }
  private static let fewCounters = 20

  private static func make(counters: Int) throws -> Data {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "store.sqlite")
    let process = try ChildProcess("sqlite-store-probe", [file.path, "make", "\(links)", "\(counters)"])
    #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
    return try Data(contentsOf: file)
  }

  /// Creates a store, and returns a copy of its file.
  private func original(counters: Int = Self.counters, _ journal: String = "WAL") throws -> Data {
    try restore((counters == Self.counters ? Self.large : Self.small).get())
    if journal != "WAL" { _ = try PlainSQLite(file).column("PRAGMA journal_mode = \(journal)") }
    return try Data(contentsOf: file)
  }

  private func restore(_ data: Data) throws {
    for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
    try data.write(to: file)
  }

  /// True if the store has the new version. In either version, all data must be there.
  private func isNew(_ kind: String, counters: Int = Self.counters) throws -> Bool {
    #expect(try PlainSQLite(file).defects() == [])
    #expect(try ChainState.read(file).lines == ChainState.expected(Self.links))
    let database = try PlainSQLite(file)
    let columns = try database.column("SELECT name FROM pragma_table_info('ZCOUNTER')")
    let sums = "COUNT(*), SUM(ZCOUNT), SUM(length(ZDATA)), MIN(Z_PK), MAX(Z_PK)"
    #expect(
      try database.run("SELECT \(sums) FROM ZCOUNTER")
        == [["\(counters)", "\(counters * (counters - 1) / 2)", "\(counters * 500)", "1", "\(counters)"]])
    let model = try SQLiteStore.model(inFile: file)
    guard columns.contains("ZLABEL") else {
      #expect(model["Counter"]?.attribute(named: "label") == nil)
      return false
    }
    #expect(model["Counter"]?.attribute(named: "label") != nil)
    let label = kind == "inferred" ? "'new'" : "'n' || ZCOUNT"
    #expect(try database.run("SELECT COUNT(*) FROM ZCOUNTER WHERE ZLABEL = \(label)") == [["\(counters)"]])
    #expect(columns.contains("ZHALF") == (kind != "inferred"))
    return true
  }

  @Test(arguments: allKinds, journals)
  func `a killed migration leaves the old or new store, and the next one works`(kind: String, journal: String) throws {
    let data = try original(journal)
    let begun = ContinuousClock.now
    let whole = try ChildProcess("sqlite-store-probe", [file.path, "migrate", kind])
    #expect(whole.waitUntilExit() == .exited(0), "\(whole.errors)")
    let time = begun.duration(to: .now)
    let microseconds = max(Int(time / .microseconds(1)), 1_000)
    #expect(try isNew(kind))
    var random = SeededGenerator(seed: 7)
    var old = 0
    let rounds = LongForm.size(35, or: 1)
    for round in 0..<rounds {
      try restore(data)
      let process = try ChildProcess("sqlite-store-probe", [file.path, "migrate", kind])
      _ = eventually { process.text.contains("begun") || process.ended != nil }
      usleep(UInt32.random(in: 0..<UInt32(min(microseconds, 5_000_000)), using: &random))
      let end = process.kill()
      let isNew = try isNew(kind)
      if process.text.contains("done") { #expect(isNew && end != .exited(1), "round \(round)") }
      if isNew { continue }
      old += 1
      let next = try ChildProcess("sqlite-store-probe", [file.path, "migrate", kind])
      #expect(next.waitUntilExit() == .exited(0), "\(next.errors)")
      #expect(try self.isNew(kind), "round \(round)")
      #expect(folder.names == ["store.sqlite"], "round \(round)")
    }
    #expect(old > 0 || !LongForm.isWanted)
  }

  @Test(arguments: allKinds)
  func `a file that cannot grow leaves the old store and no other file`(kind: String) throws {
    let data = try original()
    // Rows are stored twice if they are copied inside the file, but not if the new ones are in another file.
    let most = kind == "mapped" ? data.count : data.count + 50_000
    for room in LongForm.isWanted ? [100_000, data.count / 2, most] : [data.count / 2] {
      try restore(data)
      let process = try ChildProcess("sqlite-store-probe", [file.path, "migrate", kind, "\(room)"])
      #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
      #expect(process.text == "failed save\nbegun\ndone\n", "\(room)")
      #expect(try isNew(kind))
      #expect(folder.names == ["store.sqlite"])
    }
  }

  @Test(arguments: kinds, journals)
  func `a failing system call leaves the old store, and a later migration works`(kind: String, journal: String) throws {
    let data = try original(counters: Self.fewCounters, journal)
    let second = try SQLiteStore.model(inFile: file)
    var entities = second.entityDescriptions
    for index in entities.indices where entities[index].name == "Counter" {
      entities[index].properties.append(.attribute("label", .string, isOptional: false, defaultValue: .string("new")))
    }
    let new = try ManagedObjectModel(entities: entities)
    let mapping = kind == "inferred" ? StoreMapping() : StoreMapping(entities: ["Counter": EntityMigrationPolicy()])
    let scratch = folder.url.appending(path: ".store.sqlite-migration")
    for watched in kind == "inferred" ? [folder.url] : [folder.url, scratch] {
      try restore(data)
      let total = try FailingFiles.calls(in: watched) { _, _ in
        nil
      } during: {
        try SQLiteStore.migrate(file, to: new, by: mapping)
      }.count
      var failures = 0
      for number in stride(from: 0, to: total, by: LongForm.size(1, or: max(1, total / 4))) {
        try restore(data)
        var error: ManagedObjectError?
        let calls = FailingFiles.calls(in: watched) { index, call in
          index == number ? FailingFiles.error(call) : nil
        } during: {
          do throws(ManagedObjectError) { try SQLiteStore.migrate(file, to: new, by: mapping) } catch let failure {
            error = failure
          }
        }
        guard calls.count > number else { continue }
        let comment = Comment(
          rawValue: "call \(number) of \(calls.count), \(calls[number]): \(error?.message ?? "none")")
        #expect(try isNew("inferred", counters: Self.fewCounters) == (error == nil), comment)
        #expect(folder.names == ["store.sqlite"], comment)
        if let error {
          failures += 1
          #expect([.save, .open, .sqlite, .locked, .operation, .migration].contains(error.code), comment)
          try SQLiteStore.migrate(file, to: new, by: mapping)
          #expect(try isNew("inferred", counters: Self.fewCounters), comment)
        }
      }
      #expect(failures > 1)
    }
  }
}
