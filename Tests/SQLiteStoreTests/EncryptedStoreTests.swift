import CSQLite
import Foundation
import ManagedObjects
import SQLiteAccess
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// The SQLCipher library, with which some tests run.
enum SQLCipher {
  /// True if this process uses SQLCipher instead of SQLite.
  static let isLinked: Bool = {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    sqlite3_open(":memory:", &database)
    sqlite3_prepare_v2(database, "PRAGMA cipher_version", -1, &statement, nil)
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(database)
    }
    return sqlite3_step(statement) == SQLITE_ROW
  }()

  /// The path of the library: the value of `SQLCIPHER_LIBRARY`, or an installed one with all functions that this
  /// package calls, which the version 3 of Debian 12 does not have; nil if there is none.
  static let library: String? = {
    if let path = ProcessInfo.processInfo.environment["SQLCIPHER_LIBRARY"] { return path }
    for folder in ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names.sorted().reversed() where name.hasPrefix("libsqlcipher.so.") {
        let path = "\(folder)/\(name)"
        let data = try? Data(contentsOf: URL(filePath: path))
        if data?.range(of: Data("sqlite3_error_offset".utf8)) != nil { return path }
      }
    }
    return nil
  }()
}

@Suite("Encryption keys") struct EncryptionKeyTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }

  @Test(
    .enabled(
      if: SQLCipher.isLinked || SQLCipher.library != nil,
      "encrypted stores are not tested: install SQLCipher, or set SQLCIPHER_LIBRARY to the path of libsqlcipher.so"),
    .disabled(if: SQLCipher.isLinked, "this process has SQLCipher, and runs the tests of encrypted stores itself"))
  func `the tests of encrypted stores pass with SQLCipher`() throws {
    let library = try #require(SQLCipher.library)
    // Without the slash, the filter would also match this test, because it is in a file of the same name. If the
    // library cannot be loaded, the test would then run itself without end.
    let tests = try Program.run(
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath(),
      ["--testing-library", "swift-testing", "--filter", "EncryptedStoreTests/"],
      environment: ["LD_PRELOAD": library])
    let text = tests.text + tests.errors
    try #require(tests.status == 0 && text.contains("Suite \"Encrypted stores\" passed"), "\(text)")
    // Shows in the log that the tests ran.
    let summary = text.split(separator: "\n").last { $0.contains("Test run with") }
    print("encrypted stores are tested with \(library): \(summary ?? "")")
  }

  @Test(.enabled(if: !SQLCipher.isLinked))
  func `a key without an encrypting library is an error that names the library to link`() throws {
    let key = try #require(SQLiteEncryptionKey(passphrase: "secret"))
    let error = try #require(throws: ManagedObjectError.self) {
      try SQLiteStore(file, model: EncryptedStoreTests.model(), options: SQLiteStoreOptions(encryptionKey: key))
    }
    #expect(!SQLiteEncryptionKey.isSupported)
    #expect(error.code == .encryptionUnavailable && error.message.contains("libsqlcipher"), "\(error)")
    #expect(!"\(error)".contains("secret"))
    #expect(folder.names == [])
    let failure = #expect(throws: SQLiteError.self) { try SQLiteDatabase(path: file.path, key: key) }
    #expect(failure?.code == .misuse)
  }

  @Test func `keys have a length, and a passphrase has no null character`() {
    #expect(SQLiteEncryptionKey(passphrase: "") == nil)
    #expect(SQLiteEncryptionKey(passphrase: "a\0b") == nil)
    #expect([0, 16, 31, 33, 64].allSatisfy { SQLiteEncryptionKey(bytes: Data(count: $0)) == nil })
    #expect([32, 48].allSatisfy { SQLiteEncryptionKey(bytes: Data(count: $0)) != nil })
  }

  @Test func `descriptions do not contain keys`() throws {
    let options = SQLiteStoreOptions(encryptionKey: SQLiteEncryptionKey(passphrase: "secret"))
    var text = "\(options) \(String(reflecting: options))"
    dump(options, to: &text)
    #expect(!text.contains("secret") && text.contains("SQLiteEncryptionKey"))
  }

  @Test func `an encrypted store cannot begin with a copy that is not encrypted`() throws {
    let seed = folder.url.appending(path: "seed.sqlite")
    _ = try SQLiteStore(seed, model: EncryptedStoreTests.model())
    let key = try #require(SQLiteEncryptionKey(passphrase: "secret"))
    var description = PersistentStoreDescription.sqlite(file, options: SQLiteStoreOptions(encryptionKey: key))
    description.initialContents = seed
    #expect(
      errorCode { _ = try PersistentContainer(model: EncryptedStoreTests.model(), stores: [description]) }
        == .invalidValue)
    #expect(folder.names == ["seed.sqlite"])
  }

  @Test func `a file that is not a database may be an encrypted one`() throws {
    try Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }).write(to: file)
    let error = try #require(throws: ManagedObjectError.self) {
      try SQLiteStore(file, model: EncryptedStoreTests.model())
    }
    #expect(error.code == .open && error.message.contains("is encrypted"), "\(error)")
  }
}

/// Tests that run only in a process with SQLCipher: see ``EncryptionKeyTests``.
@Suite(
  "Encrypted stores",
  .enabled(if: SQLCipher.isLinked, "this process has no SQLCipher; another test runs these tests with it"))
struct EncryptedStoreTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }
  private var other: URL { folder.url.appending(path: "other.sqlite") }
  // To derive a key from a passphrase takes SQLCipher a third of a second for each connection.
  private let key = SQLiteEncryptionKey(bytes: Data(repeating: 0xA7, count: 32))!
  private let wrongKey = SQLiteEncryptionKey(bytes: Data(repeating: 0xB9, count: 32))!
  /// Parts of the keys in the form that SQLCipher reads.
  private let secrets = ["a7a7a7a7", "b9b9b9b9"]
  private static let title = "a title that must not be in the file"

  private static let model = Result { try model() }

  static func model(_ more: PropertyDescription...) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("title", .string), .attribute("number", .integer64)] + more)
    ])
  }

  private func store(_ file: URL, _ key: SQLiteEncryptionKey?, access: StoreAccess = .readWrite) throws -> SQLiteStore {
    try SQLiteStore(
      file, model: Self.model.get(), access: access,
      options: SQLiteStoreOptions(busyTimeout: .milliseconds(1), encryptionKey: key))
  }

  private func add(_ count: Int, to store: SQLiteStore) throws {
    let context = try ManagedObjectContext(store)
    for number in 0..<count {
      try context.insert("Note").setValues(["number": .integer(Int64(number)), "title": .string(Self.title)])
    }
    try context.save()
  }

  private func titles(_ store: SQLiteStore) throws -> Int {
    try ManagedObjectContext(store).count(
      for: FetchRequest("Note", where: try ManagedPredicate(format: "title == %@", Self.title)))
  }

  /// Checks that no file of the folder has a part of the database that is not encrypted.
  private func checkIsEncrypted() throws {
    for name in folder.names where !folder.url.appending(path: name).hasDirectoryPath {
      guard let data = try? Data(contentsOf: folder.url.appending(path: name)) else { continue }
      #expect(data.range(of: Data(Self.title.utf8)) == nil, "\(name)")
      #expect(data.range(of: Data("ZNOTE".utf8)) == nil, "\(name)")
    }
  }

  @Test func `a query generation has the key of the store, also after its change`() throws {
    let store = try store(file, key)
    try add(2, to: store)
    let pinned = try ManagedObjectContext(store)
    for expected in [2, 3] {
      try pinned.setQueryGenerationFrom(.current)
      #expect(try pinned.count(for: FetchRequest("Note")) == expected)
      try pinned.setQueryGenerationFrom(nil)
      if expected == 2 {
        try store.changeEncryptionKey(to: wrongKey)
        try add(1, to: store)
      }
    }
  }

  @Test func `a new store is encrypted, and opens with its key`() throws {
    let first = try store(file, key)
    #expect(first.isEncrypted)
    try add(20, to: first)
    let second = try store(file, key)
    try add(20, to: second)
    #expect(try titles(first) == 40)
    try checkIsEncrypted()
    let reader = try store(file, key, access: .readOnly)
    #expect(try titles(reader) == 40)
  }

  @Test func `a key can be a passphrase with any characters`() throws {
    let passphrase = "it's a \"secret\"; \u{E9}\u{1F511} --"
    try add(3, to: store(file, SQLiteEncryptionKey(passphrase: passphrase)))
    #expect(try titles(store(file, SQLiteEncryptionKey(passphrase: passphrase))) == 3)
    let error = try #require(throws: ManagedObjectError.self) {
      try store(file, SQLiteEncryptionKey(passphrase: "no secret"))
    }
    #expect(error.code == .wrongEncryptionKey && !"\(error)".contains("secret"), "\(error)")
    try checkIsEncrypted()
  }

  @Test func `a wrong, missing or unnecessary key is an error, and changes nothing`() throws {
    try add(3, to: store(file, key))
    let before = try Data(contentsOf: file)
    let wrong = try #require(throws: ManagedObjectError.self) { try store(file, wrongKey) }
    #expect(wrong.code == .wrongEncryptionKey && !"\(wrong)".contains(secrets[1]), "\(wrong)")
    let missing = try #require(throws: ManagedObjectError.self) { try store(file, nil) }
    #expect(missing.code == .open && missing.message.contains("is encrypted"), "\(missing)")
    #expect(errorCode { _ = try SQLiteStore.metadata(ofFile: file) } == .open)
    #expect(try Data(contentsOf: file) == before)
    try add(1, to: store(other, nil))
    let plain = try #require(throws: ManagedObjectError.self) { try store(other, key) }
    #expect(plain.code == .wrongEncryptionKey && plain.message.contains("is not encrypted"), "\(plain)")
  }

  @Test func `an attempt without the key keeps the locks of other connections`() throws {
    let options = SQLiteStoreOptions(pragmas: ["journal_mode": "DELETE"], encryptionKey: key)
    let store = try SQLiteStore(file, model: Self.model(), options: options)
    try add(1, to: store)
    try store.beginSaving()
    #expect(errorCode { _ = try self.store(file, nil) } == .open)
    #expect(errorCode { _ = try self.store(file, wrongKey) } == .wrongEncryptionKey)
    // The byte of SQLite's lock for writing.
    let result = try Program.runPython([
      "-c",
      """
      import fcntl, sys
      file = open(sys.argv[1], "r+b")
      try: fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0x40000001)
      except OSError: print("locked")
      """, file.path,
    ])
    #expect(result.text == "locked\n")
    try store.endSaving(keepsChanges: false)
  }

  @Test func `the key can be changed when no other connection uses the file`() throws {
    let first = try store(file, key)
    try add(5, to: first)
    var second: SQLiteStore? = try store(file, key)
    #expect(try second.map(titles) == 5)
    #expect(errorCode { try first.changeEncryptionKey(to: wrongKey) } == .locked)
    second = nil
    try first.changeEncryptionKey(to: wrongKey)
    try add(2, to: first)
    #expect(try titles(first) == 7)
    #expect(errorCode { _ = try store(file, key) } == .wrongEncryptionKey)
    #expect(try titles(store(file, wrongKey)) == 7)
    #expect(errorCode { try store(other, nil).changeEncryptionKey(to: key) } == .operation)
  }

  @Test(arguments: ["NORMAL", "EXTRA"], [false, true])
  func `a change of the key waits for the disk`(_ synchronous: String, isInUse: Bool) throws {
    let lines = Mutex<[String]>([])
    let options = SQLiteStoreOptions(
      busyTimeout: .milliseconds(1), pragmas: ["synchronous": synchronous],
      trace: SQLiteTrace { event in lines.withLock { $0.append(event.sql) } }, encryptionKey: key)
    let store = try SQLiteStore(file, model: Self.model(), options: options)
    try add(2, to: store)
    let other = isInUse ? try self.store(file, key) : nil
    lines.withLock { $0 = [] }
    #expect(errorCode { try store.changeEncryptionKey(to: wrongKey) } == (other == nil ? nil : .locked))
    let pragmas = lines.withLock { $0.filter { $0.contains(" = ") } }
    let change = ["PRAGMA journal_mode = DELETE", "PRAGMA journal_mode = WAL"]
    #expect(
      pragmas == (synchronous == "EXTRA" ? change : ["PRAGMA synchronous = FULL"] + change + ["PRAGMA synchronous = 1"])
    )
    #expect(try titles(store) == 2)
  }

  @Test func `a copy keeps the key, or gets another one`() throws {
    let store = try store(file, key)
    try add(5, to: store)
    try SQLiteStore.copyStore(at: file, to: other, key: key)
    #expect(try titles(self.store(other, key)) == 5)
    let third = folder.url.appending(path: "third.sqlite")
    try SQLiteStore.copyStore(at: file, to: third, key: key, newKey: wrongKey)
    #expect(try titles(self.store(third, wrongKey)) == 5)
    #expect(errorCode { _ = try self.store(third, key) } == .wrongEncryptionKey)
    try checkIsEncrypted()
  }

  @Test func `operations on files without the key refuse an encrypted store`() throws {
    try add(5, to: store(file, key))
    #expect(errorCode { try SQLiteStore.copyStore(at: file, to: other) } == .open)
    #expect(errorCode { try SQLiteStore.moveStore(at: file, to: other) } == .open)
    #expect(errorCode { try SQLiteStore.replaceStore(at: other, withStoreAt: file) } == .open)
    #expect(errorCode { try SQLiteStore.destroyStore(at: file) } == .open)
    #expect(errorCode { try SQLiteStore.migrate(file, to: try Self.model(.attribute("more", .string))) } == .open)
    #expect(errorCode { try SQLiteStore.copyStore(at: file, to: other, key: wrongKey) } == .wrongEncryptionKey)
    #expect(folder.names == ["store.sqlite"])
    #expect(try titles(store(file, key)) == 5)
  }

  @Test func `a store is not converted into one that is not encrypted`() throws {
    let coordinator = PersistentStoreCoordinator(model: try Self.model.get())
    let store = try store(file, key)
    try coordinator.add(store)
    #expect(errorCode { try coordinator.migratePersistentStore(store, to: other, type: XMLStore.self) } == .operation)
    #expect(folder.names.allSatisfy { !$0.contains("other") })
    // Objects can be copied to a store that has a key.
    let copy = try self.store(other, wrongKey)
    try add(2, to: store)
    try copy.insertObjects(of: store)
    #expect(try titles(copy) == 2)
  }

  @Test(arguments: [false, true]) func `an automatic migration keeps the key`(hasHandler: Bool) throws {
    try add(5, to: store(file, key))
    let (old, new) = (try Self.model(), try Self.model(.attribute("more", .string, defaultValue: .string("x"))))
    let files = Mutex<[Data]>([])
    let scratch = folder.url.appending(path: ".store.sqlite-migration/store-1")
    var description = PersistentStoreDescription.sqlite(file, options: SQLiteStoreOptions(encryptionKey: key))
    if hasHandler {
      var stage = StagedMigration.Stage(new)
      stage.willMigrate = { _ in
        let data = try Data(contentsOf: scratch)
        files.withLock { $0.append(data.prefix(16)) }
      }
      description.stages = StagedMigration([.init(old), stage])
    }
    let container = try PersistentContainer(model: new, stores: [description])
    let notes = try ManagedObjectContext(coordinator: container.coordinator).fetch(FetchRequest("Note"))
    #expect(notes.count == 5 && notes.allSatisfy { $0["more"] == .attribute(.string("x")) })
    // The temporary store is encrypted too.
    let beginnings = files.withLock { $0 }
    #expect(beginnings.count == (hasHandler ? 1 : 0) && !beginnings.contains(Data("SQLite format 3\0".utf8)))
    #expect(errorCode { _ = try SQLiteStore(file, model: new) } == .open)
    try checkIsEncrypted()
  }

  @Test func `no reported statement contains a key`() async throws {
    let lines = Mutex<[String]>([])
    let trace = SQLiteTrace(includesValues: true) { event in lines.withLock { $0.append("\(event)") } }
    var statements: ExecutedStatements?
    do {
      let store = try SQLiteStore(
        file, model: Self.model(), options: SQLiteStoreOptions(trace: trace, encryptionKey: key))
      statements = store.statements(includesValues: true)
      try add(2, to: store)
      try store.changeEncryptionKey(to: wrongKey)
      try store.vacuum()
      try store.analyze()
      #expect(try titles(store) == 2)
    }
    let streamed = await statements?.reduce(into: []) { $0.append("\($1)") } ?? []
    let all = lines.withLock { $0 } + streamed
    #expect(streamed.count > 10 && streamed.contains { $0.contains("VACUUM") })
    #expect(all.count > streamed.count + 10 && all.contains { $0.contains("VACUUM") })
    #expect(all.filter { line in secrets.contains { line.lowercased().contains($0) } } == [])
    try checkIsEncrypted()
  }
}
