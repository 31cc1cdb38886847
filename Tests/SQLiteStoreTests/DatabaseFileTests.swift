import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

/// The paths of SQLite stores, and other files next to them.
@Suite("The file of an SQLite store") struct DatabaseFileTests {
  let folder = TemporaryFolder(isInMemory: true)
  var file: URL { folder.url.appending(path: "store.sqlite") }

  init() { _ = FailingFiles.installed }

  private static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("text", .string)])])
    } catch { fatalError("\(error)") }
  }()

  private static let ways: [StoreAccess] = [.readWrite, .readOnly, .readOnly(writesNothing: true)]

  private func store(_ file: URL, _ access: StoreAccess) throws -> SQLiteStore {
    try SQLiteStore(file, model: Self.model, access: access)
  }

  private func texts(_ store: SQLiteStore) throws -> [AttributeValue] {
    let entity = try #require(Self.model["Note"])
    guard case .rows(let rows) = try store.fetch(FetchRequest("Note"), of: entity) else { return [] }
    return rows.compactMap { if case .attribute(let value) = $0.values[0] { value } else { nil } }
  }

  private func insert(_ texts: [String], _ store: SQLiteStore) throws {
    let entity = try #require(Self.model["Note"])
    var changes = StoreChanges()
    for (text, key) in zip(texts, try store.makeKeys(texts.map { _ in entity.index })) {
      changes.inserted.append(StoreRow(key: key, version: 1, values: [.attribute(.string(text))]))
    }
    try store.save(changes)
  }

  /// Creates a store with a leftover WAL, as after the process was killed.
  private func leaveLog() throws {
    let other = TemporaryFolder(isInMemory: true)
    let store = try store(other.url.appending(path: "store.sqlite"), .readWrite)
    try insert(["a", "b"], store)
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        at: other.url.appending(path: "store.sqlite" + suffix), to: URL(filePath: file.path + suffix))
    }
    withExtendedLifetime(store) {}
  }

  @Test(arguments: Self.ways)
  func `a store is read with its WAL, also through a symbolic link`(access: StoreAccess) throws {
    try leaveLog()
    let links = TemporaryFolder(isInMemory: true)
    let first = links.url.appending(path: "first.sqlite")
    let second = links.url.appending(path: "second.sqlite")
    try FileManager.default.createSymbolicLink(at: first, withDestinationURL: file)
    try FileManager.default.createSymbolicLink(atPath: second.path, withDestinationPath: "first.sqlite")
    let before = try folder.names.map { try Data(contentsOf: folder.url.appending(path: $0)) }
    #expect(try texts(store(second, access)) == [.string("a"), .string("b")])
    if access == .readOnly(writesNothing: true) {
      #expect(folder.names == ["store.sqlite", "store.sqlite-wal"])
      #expect(try folder.names.map { try Data(contentsOf: folder.url.appending(path: $0)) } == before)
    }
    #expect(links.names == ["first.sqlite", "second.sqlite"])
    if access == .readWrite {
      try insert(["c"], store(second, access))
      #expect(try texts(store(file, .readOnly)).count == 3)
    }
  }

  @Test(arguments: ["", "-wal", "-journal", "-shm"], Self.ways)
  func `a store, WAL or journal that is not a regular file is an error`(suffix: String, access: StoreAccess) throws {
    let path = file.path + suffix
    let target = folder.url.appending(path: "target")
    for kind in ["pipe", "folder", "link", "dangling link"] where !suffix.isEmpty || !kind.hasSuffix("link") {
      if !suffix.isEmpty { try insert(["a"], store(file, .readWrite)) }
      switch kind {
      case "pipe": #expect(mkfifo(path, 0o600) == 0)
      case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      case "link":
        try Data("important".utf8).write(to: target)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "target")
      default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "gone")
      }
      let error = #expect(throws: ManagedObjectError.self) { try store(file, access) }
      #expect(error?.code == .open, "\(kind)")
      #expect(error?.message.contains("is not a regular file") == true, "\(kind): \(error?.message ?? "")")
      #expect(!folder.names.contains("gone"))
      if kind == "link" { #expect(try Data(contentsOf: target) == Data("important".utf8)) }
      for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
    }
  }

  /// The journal of an unfinished transaction that names another file as a part of the transaction. With `hasEnded`,
  /// the journal of a finished transaction that is kept (`PRAGMA journal_mode = PERSIST`): its first bytes are 0.
  @Test(arguments: Self.ways, [false, true])
  func `a journal that names another file is an error and not applied`(access: StoreAccess, hasEnded: Bool) throws {
    try insert(["a"], store(file, .readWrite))
    let victim = folder.url.appending(path: "important")
    try Data("important".utf8).write(to: victim)
    let program = """
      import os, sqlite3, struct, sys
      path, victim = sys.argv[1], sys.argv[2].encode()
      store = sqlite3.connect(path, isolation_level=None)
      store.execute("PRAGMA journal_mode = DELETE")
      store.execute("PRAGMA cache_size = 1")
      store.execute("BEGIN IMMEDIATE")
      store.execute("UPDATE ZNOTE SET ZTEXT = 'half'")
      for number in range(200):
          store.execute("INSERT INTO ZNOTE (Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, ?)", ("x" * 4000,))
      data, journal = open(path, "rb").read(), open(path + "-journal", "rb").read()
      store.execute("ROLLBACK")
      store.close()
      journal += struct.pack(">I", 0x40000000 // 4096 + 1) + victim + struct.pack(">II", len(victim), sum(victim))
      journal += bytes([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
      if sys.argv[3] == "true":
          journal = bytes(28) + journal[28:]
      else:
          open(path, "wb").write(data)
      open(path + "-journal", "wb").write(journal)
      """
    try SQLiteFile.run(program, [file.path, victim.path, "\(hasEnded)"])
    if hasEnded {
      #expect(try texts(store(file, access)) == [.string("a")])
      #expect(try Data(contentsOf: victim) == Data("important".utf8))
      return
    }
    let error = #expect(throws: ManagedObjectError.self) { _ = try texts(store(file, access)) }
    #expect(error?.code == .open && error?.message.contains("transaction in several files") == true)
    #expect(try Data(contentsOf: victim) == Data("important".utf8))
  }

  @Test(.enabled(if: geteuid() != 0)) func `a store without write permission is read with its WAL`() throws {
    try leaveLog()
    for name in folder.names {
      try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: folder.path(name))
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path) }
    #expect(try texts(store(file, .readOnly(writesNothing: true))) == [.string("a"), .string("b")])
    let error = #expect(throws: ManagedObjectError.self) { try store(file, .readOnly) }
    #expect(error?.code == .open && error?.remedy == .openingWithoutWriting)
  }

  @Test func `reading without writing keeps the locks of other connections`() throws {
    let first = try store(file, .readWrite)
    try insert(["a"], first)
    #expect(try texts(store(file, .readOnly(writesNothing: true))) == [.string("a")])
    // Another process that is not the last one to close the file keeps the WAL.
    let program = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1])
      print(store.execute("SELECT COUNT(*) FROM ZNOTE").fetchone()[0])
      store.close()
      """
    #expect(try SQLiteFile.run(program, [file.path]) == "1\n")
    #expect(folder.names.contains("store.sqlite-wal"))
    try insert(["b"], first)
    #expect(try texts(store(file, .readOnly)) == [.string("a"), .string("b")])
  }

  @Test func `an unfinished transaction is an error whose remedy is reading without writing`() throws {
    try insert(["a"], store(file, .readWrite))
    let program = """
      import sqlite3, sys
      path = sys.argv[1]
      store = sqlite3.connect(path, isolation_level=None)
      store.execute("PRAGMA journal_mode = DELETE")
      store.execute("PRAGMA cache_size = 1")
      store.execute("BEGIN IMMEDIATE")
      for number in range(200):
          store.execute("INSERT INTO ZNOTE (Z_ENT, Z_OPT, ZTEXT) VALUES (1, 1, ?)", ("x" * 4000,))
      data, journal = open(path, "rb").read(), open(path + "-journal", "rb").read()
      store.execute("ROLLBACK")
      store.close()
      open(path, "wb").write(data)
      open(path + "-journal", "wb").write(journal)
      """
    try SQLiteFile.run(program, [file.path])
    let error = #expect(throws: ManagedObjectError.self) { try store(file, .readOnly) }
    #expect(error?.code == .open && error?.remedy == .openingWithoutWriting, "\(error?.message ?? "")")
    #expect(try texts(store(file, .readOnly(writesNothing: true))) == [.string("a")])
    #expect(try texts(store(file, .readWrite)) == [.string("a")])
  }

  @Test func `a failed read is never reported as a failed save`() throws {
    try insert((0..<200).map { "\($0) " + String(repeating: "x", count: 4000) }, store(file, .readWrite))
    var codes: Set<ManagedObjectError.Code> = []
    for number in 0..<40 {
      _ = FailingFiles.calls(in: folder.url) { index, call in
        call == .read && index >= number ? FailingFiles.error(.read) : nil
      } during: {
        if let code = errorCode({ _ = try texts(store(file, .readOnly)) }) { codes.insert(code) }
      }
    }
    #expect(codes.isSubset(of: [.sqlite, .open]) && !codes.isEmpty, "\(codes)")
  }
}
