import Foundation
import ManagedObjects
import ManagedObjectsSamples
import PropertyLists
import SQLiteStore
import TestSupport
import Testing

@Suite("Hostile SQLite stores", .enabled(if: StoreReader.isAvailable)) struct HostileStoreTests {
  private let folder = TemporaryFolder(isInMemory: true)

  @Test(arguments: StoreLie.all)
  func `a store with false declarations is an error with the reason`(lie: StoreLie) throws {
    let file = try LibraryStore.write(to: folder, change: StoreUse.setup + lie.change)
    let result = try StoreUse.defect(file, StoreUse.model.get())
    #expect(result.defect == nil)
    #expect(result.message?.contains(lie.message) == true, "\(result.message ?? "no error")")
  }

  @Test(arguments: [
    "UPDATE Z_PRIMARYKEY SET Z_NAME = 'x\"; DROP TABLE ZTAG; --' WHERE Z_ENT < 10",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = 0", "UPDATE Z_PRIMARYKEY SET Z_MAX = -9223372036854775808",
    "UPDATE Z_PRIMARYKEY SET Z_MAX = NULL", "UPDATE ZTAG SET Z_OPT = -9223372036854775808",
    "UPDATE ZTAG SET Z_OPT = NULL", "UPDATE ZTAG SET Z_OPT = 'x'", "UPDATE ZTAG SET Z_OPT = 1.5",
    "UPDATE ZTAG SET Z_OPT = x'33'", "UPDATE ZPERSON SET Z_OPT = 9e999",
    "UPDATE ZNOTE SET ZAUTHOR = 9223372036854775807",
    "UPDATE ZNOTE SET ZAUTHOR = -1, Z2_AUTHOR = 99", "UPDATE ZNOTE SET Z_FOK_HOLDER = 9223372036854775807",
    "UPDATE Z_1TAGS SET Z_FOK_5TAGS1 = 'x'", "INSERT INTO Z_2FOLLOWS VALUES (99, 98), (-1, 3), (3, NULL)",
    "CREATE TABLE \"Z\"\"; DROP TABLE ZTAG; --\" (a)",
    "CREATE TRIGGER X AFTER UPDATE ON ZTAG BEGIN UPDATE ZTAG SET ZLABEL = 'again' WHERE Z_PK = NEW.Z_PK; END",
    "CREATE VIEW OTHER AS \(StoreLie.endless) SELECT x FROM c", "CREATE VIRTUAL TABLE OTHER USING rtree(a, b, c)",
    "ALTER TABLE ZNOTE ADD COLUMN ZNEW", "INSERT INTO Z_PRIMARYKEY VALUES (17001, 'ANSCKEVENT', 0, 3)",
    "UPDATE ZTHING SET ZBOOL = 77", "INSERT INTO Z_METADATA VALUES (2, 'x', NULL)",
  ])
  func `an unusual but valid store is read and written`(change: String) throws {
    let file = try LibraryStore.write(to: folder, change: StoreUse.setup + change)
    try StoreUse.all(file, StoreUse.model.get())
    #expect(try SQLiteFile.integrity(of: file) == "ok")
  }

  @Test func `a damaged or oversized model in a store is an error`() throws {
    let deflated = """
      import zlib
      def zeros(count):
          stream = zlib.compressobj(9, zlib.DEFLATED, -15)
          return b"".join(stream.compress(bytes(1 << 20)) for _ in range(count)) + stream.flush()
      store.create_function("zeros", 1, zeros)
      """
    let file = try LibraryStore.write(to: folder)
    for (content, message) in [
      ("zeros(\(LongForm.size(4096, or: 80)))", "larger than 64 MB"), ("zeros(1)", "cannot be read"),
      ("X'00'", "damaged"), ("X''", "damaged"), ("'text'", "damaged"), ("NULL", "does not contain its model"),
      ("12", "damaged"),
    ] {
      try SQLiteFile.change(file, "UPDATE Z_MODELCACHE SET Z_CONTENT = \(content)", setup: deflated)
      let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore.model(inFile: file) }
      #expect(error?.code == .open && error?.fileURL == file)
      #expect(error?.message.contains(message) == true, "\(content): \(error?.message ?? "")")
    }
    try SQLiteFile.change(
      file, "DROP TABLE Z_MODELCACHE; CREATE VIEW Z_MODELCACHE AS \(StoreLie.endless) SELECT NULL AS Z_CONTENT FROM c")
    let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore.model(inFile: file) }
    #expect(error?.message.contains("Z_MODELCACHE is a view") == true)
  }

  @Test func `the model in a store may be deflate, zlib, gzip or uncompressed data`() throws {
    let file = try LibraryStore.write(to: folder)
    let functions = """
      import gzip, zlib
      store.create_function("plain", 1, lambda data: zlib.decompress(data, -15))
      store.create_function("zlib", 1, lambda data: zlib.compress(data))
      store.create_function("gzip", 1, lambda data: gzip.compress(data))
      """
    for content in ["Z_CONTENT", "plain(Z_CONTENT)", "zlib(plain(Z_CONTENT))", "gzip(plain(Z_CONTENT))"] {
      let other = folder.url.appending(path: "other")
      try? FileManager.default.removeItem(at: other)
      try FileManager.default.copyItem(at: file, to: other)
      try SQLiteFile.change(other, "UPDATE Z_MODELCACHE SET Z_CONTENT = \(content)", setup: functions)
      let model = try SQLiteStore.model(inFile: other)
      #expect(model.entityVersionHashesByName == LibraryStore.model.entityVersionHashesByName, "\(content)")
    }
  }

  @Test func `many large values in one fetch are an error before memory runs out`() throws {
    let file = folder.url.appending(path: "a.sqlite")
    let model = try ManagedObjectModel(entities: [EntityDescription("Tag", [.attribute("label", .string)])])
    // All cell offsets in the table's only page are those of its only row.
    let program = """
      import sqlite3, struct, sys
      store = sqlite3.connect(sys.argv[1])
      store.executescript(sys.stdin.read())
      store.execute("INSERT INTO ZTAG VALUES (1, 1, 1, ?)", ("x" * (1 << 20),))
      store.commit()
      root = store.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'ZTAG'").fetchone()[0]
      store.close()
      data = bytearray(open(sys.argv[1], "rb").read())
      start = (root - 1) * 4096
      cell = struct.unpack_from(">H", data, start + 8)[0]
      count = min((cell - 8) // 2, 600)
      struct.pack_into(">H", data, start + 3, count)
      for index in range(count):
          struct.pack_into(">H", data, start + 8 + 2 * index, cell)
      open(sys.argv[1], "wb").write(data)
      print(count)
      """
    let tables = """
      PRAGMA page_size = 4096;
      CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR );
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Tag', 0, 1); INSERT INTO Z_METADATA VALUES (1, 'A', NULL);
      """
    #expect(try SQLiteFile.run(program, [file.path], input: Data(tables.utf8)) == "600\n")
    let store = try SQLiteStore(file, model: model, access: .readOnly)
    let entity = try #require(model["Tag"])
    let error = #expect(throws: ManagedObjectError.self) { try store.fetch(FetchRequest("Tag"), of: entity) }
    #expect(error?.code == .sqlite && error?.message.contains("more data than the file has room for") == true)
    // Nor are they processed one by one for long. The limit counts all bytes of the values, so the condition of the
    // short form compares only the last one.
    let condition = LongForm.isWanted ? "label CONTAINS 'y'" : "label ENDSWITH 'y'"
    let request = FetchRequest("Tag", where: try ManagedPredicate(format: condition))
    #expect(errorCode { _ = try store.fetch(request, of: entity) } == .timeout)
  }

  @Test func `a cycle of pages ends, with memory in proportion to the file`() throws {
    let file = folder.url.appending(path: "a.sqlite")
    let model = try ManagedObjectModel(entities: [EntityDescription("Tag", [.attribute("label", .string)])])
    // All children of a page are the next page of the tree: about 40^17 rows.
    let program = """
      import sqlite3, struct, sys
      store = sqlite3.connect(sys.argv[1])
      store.executescript(sys.stdin.read())
      root = store.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'ZTAG'").fetchone()[0]
      store.close()
      data = bytearray(open(sys.argv[1], "rb").read())
      pages = [n for n in range(2, len(data) // 512 + 1) if data[(n - 1) * 512] == 5 and n != root]
      first = (pages[0] - 1) * 512
      leaf = struct.unpack_from(">I", data, first + struct.unpack_from(">H", data, first + 12)[0])[0]
      chain = [root] + pages[:17]
      for page, child in zip(chain, chain[1:] + [leaf]):
          start = (page - 1) * 512
          struct.pack_into(">I", data, start + 8, child)
          for cell in range(struct.unpack_from(">H", data, start + 3)[0]):
              struct.pack_into(">I", data, start + struct.unpack_from(">H", data, start + 12 + 2 * cell)[0], child)
      open(sys.argv[1], "wb").write(data)
      print(len(chain))
      """
    let tables = """
      PRAGMA page_size = 512;
      CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR );
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      INSERT INTO Z_PRIMARYKEY VALUES (1, 'Tag', 0, 50000); INSERT INTO Z_METADATA VALUES (1, 'A', NULL);
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 50000)
        INSERT INTO ZTAG SELECT x, 1, 1, 'a' FROM c;
      """
    #expect(try SQLiteFile.run(program, [file.path], input: Data(tables.utf8)) == "18\n")
    let result = StoreUse.defect(file, model)
    #expect(result.defect == nil)
    #expect(result.message?.contains("more rows than the file has room for") == true, "\(result.message ?? "")")
    // None of the rows is returned.
    let store = try SQLiteStore(file, model: model, access: .readOnly)
    let request = FetchRequest("Tag", where: try ManagedPredicate(format: "label == 'b'"))
    let entity = try #require(model["Tag"])
    // The limit of work ends the fetch, which would not end in any time.
    #expect(errorCode { _ = try store.fetch(request, of: entity) } == .timeout)
  }

  @Test func `names with SQL, quotes or other characters change no other table`() throws {
    let file = folder.url.appending(path: "a.sqlite")
    let evil = "x\"); DROP TABLE ZA; --'\n`]["
    var entity = EntityDescription(
      evil,
      [
        .attribute("a\"b'c);--", .string), .attribute("ß", .integer64),
        .relationship("r\"]", to: "A", inverse: "s'`", isToMany: true), .relationship("one\"", to: "A"),
      ])
    entity.uniquenessConstraints = [["a\"b'c);--"]]
    entity.fetchIndexes = [FetchIndexDescription("i\"'", [.init(.property("ß"))])]
    let other = EntityDescription(
      "A", [.attribute("name", .string), .relationship("s'`", to: evil, inverse: "r\"]", isToMany: true)])
    let model = try ManagedObjectModel(entities: [entity, other])
    for round in 1...2 {
      let context = try ManagedObjectContext(SQLiteStore(file, model: model))
      let (one, two) = (try context.insert(evil), try context.insert("A"))
      try one.setValue(.string("\(round)'\";\u{0}end"), forKey: "a\"b'c);--")
      try one.setValue(.integer(7), forKey: "ß")
      try one.setValue(.set([.object(two)]), forKey: "r\"]")
      try one.setValue(.object(two), forKey: "one\"")
      try context.save()
      #expect(try context.count(for: FetchRequest("A")) == round)
    }
    let own = try SQLiteStore.model(inFile: file)
    #expect(own.entityVersionHashesByName == model.entityVersionHashesByName)
    let dump = try StoreDump(SQLiteStore(file, model: own))
    #expect(dump.objects["\(evil)/p2"]?.attributes["a\"b'c);--"] == "2'\";\u{0}end")
    #expect(dump.objects["\(evil)/p2"]?.relationships == ["r\"]": .many(["A/p2"]), "one\"": .one("A/p2")])
    #expect(try SQLiteFile.integrity(of: file) == "ok")
  }

  @Test(arguments: [
    "a?mode=memory", "a%20b#c", "%00", "é\u{1F600}.sqlite", " a ", "a;b'\"", "file:a", ":memory:",
    "a?vfs=unix-none&x",
  ])
  func `a file name is used literally, even if SQLite gives it a meaning`(name: String) throws {
    let file = folder.url.appending(path: name)
    let model = try StoreUse.model.get()
    do {
      let store = try SQLiteStore(file, model: model)
      #expect(folder.names.contains(name) && store.url == file)
    }
    #expect(try SQLiteStore.metadata(ofFile: file)["NSStoreType"] == "SQLite")
    #expect(try SQLiteStore(file, model: model, access: .readOnly(writesNothing: true)).identifier != "")
    #expect(folder.names.allSatisfy { $0.hasPrefix(name) }, "\(folder.names)")
  }

  @Test func `a relative URL is the path of a file, even if SQLite gives it a meaning`() throws {
    let file = try #require(URL(string: "file::memory:"))
    let model = try StoreUse.model.get()
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: model))
      try context.insert("Tag")
      try context.save()
    }
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(try ManagedObjectContext(SQLiteStore(file, model: model)).count(for: FetchRequest("Tag")) == 1)
  }

  @Test func `a URL without a valid path is an error`() throws {
    let model = try StoreUse.model.get()
    for text in ["file:", "file:///%FF%FE.sqlite"] {
      let file = try #require(URL(string: text))
      for body in [
        { _ = try SQLiteStore(file, model: model) }, { _ = try XMLStore(file, model: model) },
        { try BinaryStore.destroyStore(at: file) }, { try SQLiteStore.destroyStore(at: file, force: true) },
      ] as [() throws -> Void] {
        let error = #expect(throws: ManagedObjectError.self, performing: body)
        #expect(error?.code == .open && error?.message.contains("no path that is valid UTF-8") == true, "\(text)")
      }
    }
  }

  @Test func `an index with a NUL in its name is reported before the file is created`() throws {
    var entity = EntityDescription("Note", [.attribute("text", .string)])
    entity.fetchIndexes = [FetchIndexDescription("a\u{0}b", [.init(.property("text"))])]
    let model = try ManagedObjectModel(entities: [entity])
    let error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore(folder.url.appending(path: "a.sqlite"), model: model)
    }
    #expect(error?.code == .save && error?.message.contains(#"the index "Note.a\u{0}b" contains a NUL"#) == true)
    #expect(folder.names.isEmpty)
  }

  @Test func `folders, empty files and other files are not opened as stores`() throws {
    let model = try StoreUse.model.get()
    try (Data("text, and more than a hundred bytes of it".utf8) + Data(count: 200))
      .write(to: folder.url.appending(path: "text"))
    try Data().write(to: folder.url.appending(path: "empty"))
    try FileManager.default.createDirectory(at: folder.url.appending(path: "folder"), withIntermediateDirectories: true)
    try SQLiteFile.change(folder.url.appending(path: "database"), "CREATE TABLE a (b)")
    for (name, message) in [
      ("folder", ""), ("text", "not a database"), ("empty", "no table Z_PRIMARYKEY"), ("gone", "there is no file"),
      ("database", "no table Z_PRIMARYKEY"), ("text/a", "Not a directory"),
    ] {
      let file = folder.url.appending(path: name)
      for writesNothing in [false, true] {
        let error = #expect(throws: ManagedObjectError.self) {
          try SQLiteStore(file, model: model, access: .readOnly(writesNothing: writesNothing))
        }
        let code: ManagedObjectError.Code = message == "there is no file" ? .noSuchFile : .open
        #expect(error?.code == code && error?.fileURL == file, "\(name): \(String(describing: error))")
        #expect(error?.message.contains(message) == true || message.isEmpty, "\(name): \(error?.message ?? "")")
      }
    }
    try Data("1".utf8).write(to: folder.url.appending(path: "byte"))
    for name in ["text", "database", "byte"] {
      let file = folder.url.appending(path: name)
      let bytes = try Data(contentsOf: file)
      #expect(throws: ManagedObjectError.self) { try SQLiteStore(file, model: model) }
      #expect(try Data(contentsOf: file) == bytes)
    }
    let nul = try #require(URL(string: "file://\(folder.url.path)/a%00b"))
    _ = try? SQLiteStore(nul, model: model)
    #expect(!folder.names.contains("a"))
  }

  @Test func `a store with damaged bytes is read or throws an error`() throws {
    let model = try StoreUse.model.get()
    let file = try LibraryStore.write(to: folder, change: StoreUse.setup + "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL;")
    try SQLiteFile.change(file, "VACUUM")
    let bytes = [UInt8](try Data(contentsOf: file))
    var random = SeededGenerator(seed: 15)
    let count = LongForm.size(all: 1_000_000, 5_000, or: 40)
    var accepted = 0
    for number in 0..<count {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) { Self.damage(&damaged, &random) }
      for name in folder.names where name.hasPrefix("Library.sqlite") {
        try FileManager.default.removeItem(at: folder.url.appending(path: name))
      }
      try Data(damaged).write(to: file)
      let result = StoreUse.defect(file, model)
      if let defect = result.defect { Issue.record("\(number): \(defect)") }
      if result.message == nil { accepted += 1 }
    }
    #expect(accepted > 0 && accepted < count)
    if LongForm.isWanted { print("SQLite: \(count) files, \(accepted) of them read and written") }
  }

  /// Damages a page. The rest of the file stays valid, so that more than its header is read.
  private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    let size = 4096
    guard bytes.count >= size else { return }
    let start = Int.random(in: 0..<bytes.count / size, using: &random) * size
    // Often in the header of a page, which contains the offsets of its cells.
    let isHead = Int.random(in: 0..<3, using: &random) == 0
    let offset = start + Int.random(in: 0..<(isHead ? 64 : size), using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes[offset] = UInt8.random(in: .min ... .max, using: &random)
    case 1: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: bytes[offset] = [0x00, 0x01, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
    case 3:
      let other = Int.random(in: 0..<bytes.count / size, using: &random) * size
      bytes.replaceSubrange(start..<start + size, with: Array(bytes[other..<other + size]))
    case 4:
      let length = min(Int.random(in: 1...32, using: &random), bytes.count - offset)
      let source = Int.random(in: 0...bytes.count - length, using: &random)
      bytes.replaceSubrange(offset..<offset + length, with: Array(bytes[source..<source + length]))
    default: if Int.random(in: 0..<20, using: &random) == 0 { bytes.removeLast(bytes.count - offset) }
    }
  }
}
