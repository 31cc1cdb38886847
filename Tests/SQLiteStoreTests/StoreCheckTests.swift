import Foundation
import ManagedObjects
import ManagedObjectsSamples
import PropertyLists
import SQLiteStore
import StoreInspection
import TestSupport
import Testing

/// A change of the hand-written store, and the exact findings of a check after it.
struct StoreDamage: CustomTestStringConvertible, Sendable {
  let change: String
  /// The code and the location of each finding, such as `dangling-reference Note/p6 author`.
  let findings: [String]

  init(_ change: String, _ findings: String...) {
    self.change = change
    self.findings = findings
  }

  var testDescription: String { change }

  static let all = references + orders + values + tables + history

  private static let references = [
    StoreDamage("UPDATE ZNOTE SET ZAUTHOR = 99 WHERE Z_PK = 6", "dangling-reference Note/p6 author"),
    StoreDamage("UPDATE ZNOTE SET ZAUTHOR = -1 WHERE Z_PK = 6", "dangling-reference Note/p6 author"),
    StoreDamage("UPDATE ZPERSON SET ZBESTNOTE = 12 WHERE Z_PK = 5", "dangling-reference Manager/p5 bestNote"),
    StoreDamage("UPDATE ZPERSON SET Z5RELATED = 11 WHERE Z_PK = 4", "dangling-reference Employee/p4 related"),
    StoreDamage(
      "DELETE FROM ZPERSON WHERE Z_PK = 4", "dangling-reference Note/p6 holder", "dangling-reference Note/p8 holder",
      "dangling-join Z_2FOLLOWS.Z_2FOLLOWERS followers", "dangling-join Z_2FOLLOWS.Z_2FOLLOWERS followers",
      "dangling-join Z_2FOLLOWS.Z_2FOLLOWS follows", "dangling-join Z_2FRIENDS.REFLEXIVE friends"),
    StoreDamage("INSERT INTO Z_1TAGS VALUES (8, 77, 2048)", "dangling-join Z_1TAGS.Z_5TAGS1 tags"),
    StoreDamage("INSERT INTO Z_1TAGS VALUES (NULL, 9, 2048)", "dangling-join Z_1TAGS.Z_1NOTES notes"),
    StoreDamage("UPDATE ZNOTE SET Z2_AUTHOR = 3 WHERE Z_PK = 6", "wrong-entity-column Note/p6 author"),
    StoreDamage("UPDATE ZNOTE SET Z2_AUTHOR = NULL WHERE Z_PK = 6", "wrong-entity-column Note/p6 author"),
    StoreDamage("UPDATE ZPERSON SET ZSPOUSE = NULL WHERE Z_PK = 3", "one-sided-relationship Manager/p5 spouse"),
    StoreDamage(
      "UPDATE ZPERSON SET ZSPOUSE = 4, Z2_SPOUSE = 3 WHERE Z_PK = 3", "one-sided-relationship Person/p3 spouse",
      "broken-inverse Manager/p5 spouse"),
  ]

  private static let orders = [
    StoreDamage("UPDATE ZNOTE SET Z_FOK_HOLDER = NULL WHERE Z_PK = 6", "missing-order Note/p6 shelf"),
    StoreDamage("UPDATE ZNOTE SET Z_FOK_HOLDER = 2048 WHERE Z_PK = 6", "duplicate-order Note/p6 shelf"),
    StoreDamage("UPDATE Z_1TAGS SET Z_FOK_5TAGS1 = 2048", "duplicate-order Z_1TAGS.Z_FOK_5TAGS1 tags"),
    StoreDamage("UPDATE Z_1TAGS SET Z_FOK_5TAGS1 = 'x' WHERE Z_1NOTES = 7", "missing-order Z_1TAGS.Z_FOK_5TAGS1 tags"),
  ]

  private static let values = [
    StoreDamage("UPDATE ZTHING SET ZINT16 = 'x' WHERE Z_PK = 1", "wrong-type Thing/p1 int16"),
    StoreDamage("UPDATE ZTHING SET ZINT16 = 32768 WHERE Z_PK = 1", "out-of-range Thing/p1 int16"),
    StoreDamage("UPDATE ZTHING SET ZINT32 = -2147483649 WHERE Z_PK = 1", "out-of-range Thing/p1 int32"),
    StoreDamage("UPDATE ZTHING SET ZINT64 = 1e300 WHERE Z_PK = 1", "wrong-type Thing/p1 int64"),
    StoreDamage("UPDATE ZTHING SET ZBOOL = 77 WHERE Z_PK = 2", "out-of-range Thing/p2 bool"),
    StoreDamage("UPDATE ZTHING SET ZDATE = X'00' WHERE Z_PK = 1", "wrong-type Thing/p1 date"),
    StoreDamage("UPDATE ZTHING SET ZSTRING = X'00' WHERE Z_PK = 1", "wrong-type Thing/p1 string"),
    StoreDamage("UPDATE ZTHING SET ZUUID = X'00' WHERE Z_PK = 1", "wrong-type Thing/p1 uuid"),
    StoreDamage("UPDATE ZTHING SET ZDECIMAL = 'many' WHERE Z_PK = 1", "wrong-type Thing/p1 decimal"),
    StoreDamage("UPDATE ZTHING SET ZDECIMAL = 9e999 WHERE Z_PK = 1", "wrong-type Thing/p1 decimal"),
    StoreDamage("UPDATE ZTHING SET ZURI = '' WHERE Z_PK = 1", "wrong-type Thing/p1 uri"),
    StoreDamage("UPDATE ZTHING SET ZCOVER = X'07' WHERE Z_PK = 1", "wrong-type Thing/p1 cover"),
    StoreDamage("UPDATE ZTHING SET ZPHOTO = NULL WHERE Z_PK = 1", "orphaned-external-file"),
    StoreDamage(
      "UPDATE ZTHING SET ZPHOTO = CAST(X'02' || '6F0A0F3C-9D55-4E1E-9C53-4B3C1A2F7E10' || X'00' AS BLOB) "
        + "WHERE Z_PK = 1",
      "missing-external-file Thing/p1 photo", "orphaned-external-file"),
    StoreDamage(
      "UPDATE ZTHING SET ZPHOTO = CAST(X'02' || '../../../../../../../../../etc/passwd' || X'00' AS BLOB) "
        + "WHERE Z_PK = 1", "wrong-type Thing/p1 photo", "orphaned-external-file"),
  ]

  private static let tables = [
    StoreDamage("UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_ENT = 2", "low-counter Person"),
    StoreDamage("UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_ENT = 5", "low-counter Tag"),
    StoreDamage("UPDATE Z_PRIMARYKEY SET Z_MAX = 1000"),
    StoreDamage("UPDATE Z_PRIMARYKEY SET Z_SUPER = 3 WHERE Z_ENT = 4", "entity-mismatch Z_PRIMARYKEY"),
    StoreDamage("UPDATE Z_PRIMARYKEY SET Z_NAME = 'x\"; --' WHERE Z_ENT = 5", "entity-name Tag"),
    StoreDamage("UPDATE ZTAG SET Z_ENT = 99 WHERE Z_PK = 10", "unknown-entity ZTAG"),
    StoreDamage("UPDATE ZTAG SET Z_OPT = NULL WHERE Z_PK = 10", "invalid-version Tag/p10"),
    StoreDamage("UPDATE ZTAG SET Z_OPT = 0 WHERE Z_PK = 10", "invalid-version Tag/p10"),
    StoreDamage("INSERT INTO ZTAG VALUES (-5, 5, 1, 'x')", "invalid-number Tag/p-5"),
    StoreDamage("ALTER TABLE ZTHING DROP COLUMN ZINT16", "missing-column ZTHING.ZINT16"),
    StoreDamage("DROP TABLE Z_1TAGS", "missing-table Z_1TAGS"),
    StoreDamage(
      "DROP TABLE Z_2FOLLOWS; CREATE VIEW Z_2FOLLOWS AS \(StoreLie.endless) "
        + "SELECT x AS Z_2FOLLOWERS, x AS Z_2FOLLOWS FROM c", "missing-table Z_2FOLLOWS"),
    StoreDamage("UPDATE Z_METADATA SET Z_PLIST = X'00'", "unreadable-metadata Z_METADATA"),
    StoreDamage("UPDATE Z_METADATA SET Z_PLIST = NULL", "missing-hashes"),
    StoreDamage("UPDATE Z_MODELCACHE SET Z_CONTENT = X'00'", "unreadable-model Z_MODELCACHE", "no-model"),
  ]

  private static let history = [
    StoreDamage(historyTables),
    StoreDamage(
      historyTables + "DELETE FROM ATRANSACTION; DELETE FROM ATRANSACTIONSTRING;",
      "dangling-history ACHANGE.ZTRANSACTIONID"),
    StoreDamage(historyTables + "DELETE FROM ATRANSACTIONSTRING;", "dangling-history ATRANSACTION.ZAUTHORTS"),
    StoreDamage(historyTables + "UPDATE ACHANGE SET ZCHANGETYPE = 7;", "invalid-history ACHANGE.ZCHANGETYPE"),
    StoreDamage(historyTables + "UPDATE ACHANGE SET ZENTITY = 77;", "invalid-history ACHANGE.ZENTITY"),
    StoreDamage(
      historyTables + "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = 16001;", "low-counter Z_PRIMARYKEY.Z_MAX"),
  ]

  private static let historyTables = """
    CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER,
      ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB );
    CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER,
      ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR,
      ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB );
    CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR );
    INSERT INTO Z_PRIMARYKEY VALUES (16002, 'TRANSACTION', 0, 1), (16003, 'TRANSACTIONSTRING', 0, 1);
    INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZTIMESTAMP) VALUES (1, 16002, 1, 700000000.5);
    INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'Ada');
    INSERT INTO ACHANGE VALUES (1, 16001, NULL, 1, 5, 9, 1, X'80');
    """
}

/// The findings of a check, and the texts that tests compare.
struct StoreFindings {
  let list: [StoreFinding]
  let summary: StoreCheckSummary

  init(_ check: StoreCheck) throws {
    var list: [StoreFinding] = []
    summary = try check.run { list.append($0) }
    self.list = list
  }

  init(_ file: URL, model: ManagedObjectModel? = nil) throws { try self.init(StoreCheck(file, model: model)) }

  var texts: [String] {
    list.map { "\($0.code.rawValue) \($0.location)".trimmingCharacters(in: .whitespaces) }.sorted()
  }
}

@Suite("A check of an SQLite store", .enabled(if: StoreReader.isAvailable)) struct StoreCheckTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private static func file(_ folder: TemporaryFolder, _ change: String = "") throws -> URL {
    // The sample has an index that is not in its model.
    try LibraryStore.write(to: folder, change: "DROP INDEX Z_Person_UNIQUE_name;" + change)
  }

  @Test(arguments: StoreDamage.all) func `a check finds exactly the damage`(damage: StoreDamage) throws {
    let file = try Self.file(folder, damage.change)
    let before = try Contents(folder)
    let found = try StoreFindings(file)
    #expect(found.texts == damage.findings.sorted(), "\(found.list.map(\.description))")
    #expect(found.summary.count == damage.findings.count && found.summary.omittedCount == 0)
    #expect(try Contents(folder) == before)
  }

  @Test func `a finding has the object's URI, table and column`() throws {
    let file = try Self.file(folder, "UPDATE ZNOTE SET ZAUTHOR = 99 WHERE Z_PK = 6")
    let finding = try #require(try StoreFindings(file).list.first)
    #expect(finding.objectURI == "x-coredata://\(LibraryStore.identifier)/Note/p6")
    #expect(finding.table == "ZNOTE" && finding.column == "ZAUTHOR" && finding.property == "author")
    #expect(finding.severity == .error)
    #expect(
      finding.description
        == "error dangling-reference Note/p6 author: it refers to row 99 of ZPERSON, which is missing")
  }

  @Test
  func `findings escape control characters in names, and names are not run as SQL`() throws {
    let file = folder.url.appending(path: "a.sqlite")
    let name = "\u{1B}[31mx\"; DROP TABLE Z_METADATA; --"
    let model = try ManagedObjectModel(entities: [
      EntityDescription(name, [.attribute("a\"]", .integer16, isOptional: false), .relationship("to\"'", to: name)])
    ])
    do {
      let store = try SQLiteStore(file, model: model)
      var changes = StoreChanges()
      let key = try store.makeKeys([0])[0]
      changes.inserted = [StoreRow(key: key, version: 1, values: model.entities[0].emptyValues)]
      try store.save(changes)
    }
    let column = "Z" + "to\"'".uppercased()
    let table = "Z" + name.uppercased()
    func quoted(_ text: String) -> String { "\"" + text.replacing("\"", with: "\"\"") + "\"" }
    try PlainSQLite(file).run("UPDATE \(quoted(table)) SET \(quoted(column)) = 7")
    let found = try StoreFindings(file)
    #expect(Set(found.list.map(\.code)).isSuperset(of: [.danglingReference, .missingValue]))
    #expect(found.summary.errorCount == 2)
    for finding in found.list {
      #expect(!finding.description.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
    }
    #expect(found.list.contains { $0.entity == name && $0.table == table && $0.column == column })
  }

  @Test func `a limit omits findings of each kind, but all are counted`() throws {
    let file = try Self.file(folder, "UPDATE ZNOTE SET ZAUTHOR = 99; UPDATE ZTAG SET Z_OPT = 0")
    var check = StoreCheck(file)
    check.limit = 1
    let found = try StoreFindings(check)
    #expect(found.texts == ["dangling-reference Note/p6 author", "invalid-version Tag/p9"])
    #expect(found.summary.counts == [.danglingReference: 3, .invalidVersion: 2])
    #expect(found.summary.errorCount == 3 && found.summary.warningCount == 2 && found.summary.omittedCount == 3)
  }

  @Test func `a check compares version hashes with the given model`() throws {
    let file = try Self.file(folder)
    let entities = LibraryStore.model.entityDescriptions.map { entity in
      var entity = entity
      if entity.name == "Tag" { entity.properties[0].isOptional = false }
      return entity
    }
    let found = try StoreFindings(file, model: ManagedObjectModel(entities: entities))
    #expect(found.texts == ["hash-mismatch Tag", "missing-value Tag/p10 label"])
    #expect(found.list.first { $0.code == .missingValue }?.column == "ZLABEL")
  }

  @Test func `a check tests validation rules and uniqueness constraints`() throws {
    let file = try Self.file(
      folder, "UPDATE Z_METADATA SET Z_PLIST = NULL; UPDATE ZPERSON SET ZNAME = 'Ada' WHERE Z_PK = 4")
    let entities = try LibraryStore.model.entityDescriptions.map { entity in
      var entity = entity
      if entity.name == "Note" {
        entity.properties[0].validations = [
          PropertyValidation(try ManagedPredicate(format: "length > 4"), warning: .code(1670))
        ]
        if case .relationship(var tags)? = entity.properties.last {
          tags.maximumCount = 3
          tags.minimumCount = 2
          entity.properties[3] = .relationship(tags)
        }
      }
      if entity.name == "Person" { entity.uniquenessConstraints = [["name"]] }
      return entity
    }
    let found = try StoreFindings(file, model: ManagedObjectModel(entities: entities))
    #expect(
      found.texts
        == [
          "duplicate-value Person/p3 name", "invalid-value Note/p6 content", "missing-hashes",
          "object-count Note/p7 tags",
        ],
      "\(found.list.map(\.description))")
  }

  @Test func `a check reads a store with a WAL, and reports the WAL`() throws {
    let file = try Self.file(folder)
    let writer = try PlainSQLite(file)
    try writer.run("PRAGMA journal_mode = WAL")
    try writer.run("PRAGMA wal_autocheckpoint = 0")
    try writer.run("UPDATE ZNOTE SET ZAUTHOR = 99 WHERE Z_PK = 6")
    let before = try Contents(folder)
    #expect(try StoreFindings(file).texts == ["dangling-reference Note/p6 author", "log-present"])
    #expect(try Contents(folder) == before)
    var check = StoreCheck(file)
    check.writesNothing = false
    #expect(try StoreFindings(check).texts == ["dangling-reference Note/p6 author", "log-present"])
    try Data("no log at all, but longer than the head of one".utf8).write(
      to: folder.url.appending(path: "Library.sqlite-wal"))
    #expect(try StoreFindings(file).texts.contains("unusable-log"))
  }

  @Test func `a check finds damaged pages and indexes`() throws {
    let file = try Self.file(
      folder,
      "CREATE INDEX ZTAG_ZLABEL_INDEX ON ZTAG (ZLABEL); PRAGMA writable_schema = ON; "
        + "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'ZNOTE_ZAUTHOR_INDEX') "
        + "WHERE name = 'ZTAG_ZLABEL_INDEX'")
    let found = try StoreFindings(file)
    #expect(found.summary.counts.keys.contains(.damagedIndex), "\(found.list.map(\.description))")
    #expect(Set(found.summary.counts.keys).isSubset(of: [.damagedIndex, .damagedPage]))
    var check = StoreCheck(file)
    check.pages = .none
    #expect(try StoreFindings(check).list.isEmpty)
  }

  @Test func `a check finds each page that is overwritten with zeros`() throws {
    let file = try Self.file(folder, "VACUUM")
    let bytes = try Data(contentsOf: file)
    let size = 4096
    // Without its first page, the file is not a database.
    for start in stride(from: size, to: bytes.count, by: size) {
      var damaged = bytes
      damaged.replaceSubrange(start..<start + size, with: Data(count: size))
      try damaged.write(to: file)
      let found = try StoreFindings(file, model: LibraryStore.model)
      #expect(found.summary.errorCount > 0, "page \(start / size + 1)")
    }
  }

  @Test func `a check of a file with random damage ends`() throws {
    let file = try Self.file(folder, "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL; VACUUM")
    let bytes = [UInt8](try Data(contentsOf: file))
    let model = LibraryStore.model
    var random = SeededGenerator(seed: 17)
    var defective = 0
    for number in 0..<LongForm.size(20_000, or: 30) {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      try Data(damaged).write(to: file)
      let time = ThreadClock.measure {
        if (try? StoreFindings(file, model: number % 2 == 0 ? model : nil).summary.errorCount) != 0 { defective += 1 }
      }
      #expect(time < ThreadClock.referenceSecond * 20, "\(number)")
    }
    #expect(defective > 0)
  }

  @Test(arguments: StoreLie.all) func `a check of a store with false declarations ends`(lie: StoreLie) throws {
    let file = try LibraryStore.write(to: folder, change: StoreUse.setup + lie.change)
    let time = ThreadClock.measure { _ = try? StoreFindings(file, model: StoreUse.model.get()) }
    #expect(time < ThreadClock.referenceSecond * 20)
  }

  @Test func `stores written by this package have no errors`() throws {
    let file = folder.url.appending(path: "a.sqlite")
    let store = try SQLiteStore(file, model: SampleStores.model, access: .readWrite(tracksHistory: true))
    let rows = SampleStores.model.entities.flatMap { entity in
      FetchSamples.shared.rows(ofEntity: entity.index).map { row in
        var row = row
        if let misc = entity.attribute(named: "misc") { row.values[misc.slot] = .null }
        return row
      }
    }.withSingleOwners("links")
    _ = try SampleStores.save(rows, store.makeKeys(rows.map { Int($0.key.entityIndex) }), store)
    let found = try StoreFindings(file)
    #expect(found.summary.errorCount == 0 && found.summary.warningCount <= 1, "\(found.list.map(\.description))")
  }

  @Test(arguments: StoreSamples.stores)
  func `stores written by Apple's frameworks have no errors`(store: URL) throws {
    let found = try StoreFindings(store)
    #expect(found.summary.errorCount == 0, "\(found.list.map(\.description))")
    if LongForm.isWanted { print(store.lastPathComponent, found.list.map(\.description)) }
  }

  @Test func `checks, summaries and comparisons take little memory for many rows`() throws {
    let folder = TemporaryFolder()
    let file = folder.url.appending(path: "a.sqlite")
    let count = LongForm.size(1_000_000, or: 20_000)
    func run(_ arguments: [String]) throws -> [Substring] {
      let process = try ChildProcess("sqlite-store-probe", [file.path] + arguments)
      #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
      if LongForm.isWanted { print(arguments, process.text) }
      return process.text.split(whereSeparator: \.isWhitespace)
    }
    _ = try run(["rows", "\(count)"])
    // A row takes about 100 bytes in the file.
    for (verb, start) in [("check", ["findings", "0"]), ("info", ["objects", "\(count + count / 100)"])] {
      let words = try run([verb])
      #expect(words.starts(with: start.map { Substring($0) }), "\(words)")
      #expect(try #require(words.last.flatMap { Int($0) }) < 80_000, "\(words)")
    }
    let words = try run(["compare", file.path])
    #expect(words.starts(with: ["changed", "0", "unchanged", "\(count + count / 100)"]), "\(words)")
  }

  @Test func `a check of another kind of file, or of no file, is an error`() throws {
    try (Data("text, and more than a hundred bytes of it".utf8) + Data(count: 200))
      .write(to: folder.url.appending(path: "text"))
    try Data("<plist version=\"1.0\"><dict/></plist>".utf8).write(to: folder.url.appending(path: "list"))
    try SQLiteFile.change(folder.url.appending(path: "database"), "CREATE TABLE a (b)")
    for (name, code) in [
      ("text", ManagedObjectError.Code.open), ("list", .storeTypeMismatch), ("database", .open), ("gone", .noSuchFile),
    ] {
      #expect(errorCode { _ = try StoreFindings(folder.url.appending(path: name)) } == code, "\(name)")
    }
  }
}

/// The names, contents and modification times of all files in a folder.
private struct Contents: Equatable {
  private let files: [String: Data]
  private let times: [String: Date]

  init(_ folder: TemporaryFolder) throws {
    var files: [String: Data] = [:]
    var times: [String: Date] = [:]
    for case let url as URL in FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)! {
      files[url.path] = (try? Data(contentsOf: url)) ?? Data()
      times[url.path] = try FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate] as? Date
    }
    (self.files, self.times) = (files, times)
  }
}
