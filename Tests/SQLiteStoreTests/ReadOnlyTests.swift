import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("A read-only SQLite store") struct ReadOnlyTests {
  let folder = TemporaryFolder(isInMemory: true)
  var file: URL { folder.url.appending(path: "store 100%?#.sqlite") }

  private static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("text", .string)])])
    } catch { fatalError("\(error)") }
  }()

  private func context(_ access: StoreAccess = .readWrite) throws -> ManagedObjectContext {
    try ManagedObjectContext(SQLiteStore(file, model: Self.model, access: access))
  }

  private func insert(_ texts: [String], _ context: ManagedObjectContext) throws {
    for text in texts { try context.insert("Note").setValue(.string(text), forKey: "text") }
    try context.save()
  }

  private func texts(_ context: ManagedObjectContext) throws -> [String] {
    try context.fetch(FetchRequest("Note", sortedBy: [.init("text")])).map {
      if case .attribute(.string(let text))? = $0["text"] { text } else { "?" }
    }
  }

  /// Returns the properties of each file that change when it is written.
  private func files() throws -> [String: [String]] {
    var files: [String: [String]] = [:]
    for name in folder.names {
      var status = stat()
      try #require(stat(folder.path(name), &status) == 0)
      #if os(Linux)
        let time = "\(status.st_mtim)"
      #else
        let time = "\(status.st_mtimespec)"
      #endif
      files[name] = [
        time, "\(status.st_ino)", "\(status.st_size)",
        "\(try Data(contentsOf: URL(filePath: folder.path(name))).hashValue)",
      ]
    }
    var status = stat()
    try #require(stat(folder.url.path, &status) == 0)
    #if os(Linux)
      // The creation and removal of a file has changed the folder.
      files[""] = ["\(status.st_mtim)"]
    #endif
    return files
  }

  private func checkReading(_ expected: [String]) throws {
    let before = try files()
    do {
      let context = try context(.readOnly(writesNothing: true))
      #expect(try texts(context) == expected)
      #expect(try files() == before)
      #expect(errorCode { try insert(["new"], context) } != nil)
      context.rollback()
      #expect(try texts(context) == expected)
    }
    #expect(try files() == before)
  }

  @Test(arguments: ["WAL", "DELETE"])
  func `reading writes nothing, not even in the folder of the store`(journal: String) throws {
    try insert(["a", "b"], context())
    #expect(try PlainSQLite(file).column("PRAGMA journal_mode = \(journal)") == [journal.lowercased()])
    #expect(folder.names == ["store 100%?#.sqlite"])
    try checkReading(["a", "b"])
  }

  @Test func `reading includes the WAL and writes nothing`() throws {
    let writer = try context()
    try insert(["a", "b"], writer)
    // The files as after the process was killed.
    let kept = folder.url.deletingLastPathComponent().appending(path: folder.url.lastPathComponent + "-kept")
    try FileManager.default.copyItem(at: folder.url, to: kept)
    defer { try? FileManager.default.removeItem(at: kept) }
    #expect(folder.names.contains { $0.hasSuffix("-wal") })
    // Another connection has the file open.
    try checkReading(["a", "b"])
    withExtendedLifetime(writer) {}
    for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
    for name in try FileManager.default.contentsOfDirectory(atPath: kept.path) where !name.hasSuffix("-shm") {
      try FileManager.default.copyItem(at: kept.appending(path: name), to: folder.url.appending(path: name))
    }
    #expect(folder.names.count == 2)
    try checkReading(["a", "b"])
  }

  @Test func `an unfinished transaction is not visible`() throws {
    try insert(["a", "b"], context())
    let database = try PlainSQLite(file)
    try database.run("PRAGMA journal_mode = DELETE")
    // The small cache makes SQLite write pages to the file before the transaction ends.
    try database.run("PRAGMA cache_size = 1")
    try database.run("BEGIN IMMEDIATE")
    try database.run("UPDATE ZNOTE SET ZTEXT = 'half'")
    for number in 0..<200 {
      try database.run("INSERT INTO ZNOTE (Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, '\(number)' || HEX(ZEROBLOB(2000)))")
    }
    let kept = TemporaryFolder(isInMemory: true)
    for name in folder.names {
      try FileManager.default.copyItem(at: folder.url.appending(path: name), to: kept.url.appending(path: name))
    }
    try database.run("ROLLBACK")
    for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
    for name in kept.names {
      try FileManager.default.copyItem(at: kept.url.appending(path: name), to: folder.url.appending(path: name))
    }
    #expect(folder.names.count == 2)
    try checkReading(["a", "b"])
  }

  @Test func `a missing store is an error and is not created`() throws {
    #expect(errorCode { _ = try context(.readOnly) } == .noSuchFile)
    #expect(errorCode { _ = try context(.readOnly(writesNothing: true)) } == .noSuchFile)
    #expect(folder.names == [])
  }

  @Test func `a reader sees the saves of other contexts`() throws {
    let writer = try context()
    try insert(["a"], writer)
    let reader = try context(.readOnly)
    #expect(try texts(reader) == ["a"])
    try insert(["b"], writer)
    #expect(try texts(reader) == ["a", "b"])
    #expect(errorCode { try insert(["c"], reader) } != nil)
    #expect(try texts(try context()) == ["a", "b"])
  }
}
