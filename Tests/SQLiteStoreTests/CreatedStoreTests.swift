import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("SQLite stores created for a model") struct CreatedStoreTests {
  /// The differences between a new store and a file of Core Data: the beginning of the line, and the reason.
  private static let differences: [(start: String, reason: String)] = [
    ("Z_PRIMARYKEY: nothing, expected 1600", "the history is on in the file, and off in a new store"),
    ("table ACHANGE: nothing", "the history is on in the file"), ("index ACHANGE_", "the history is on in the file"),
    ("table ATRANSACTION", "the history is on in the file"), ("index ATRANSACTION_", "the history is on in the file"),
    ("index Z_TRANSACTION", "the history is on in the file"),
    ("metadata: NSStoreModelVersionHashesDigest, expected nothing", "the file is older than framework 977"),
    ("metadata: NSStoreModelVersionChecksumKey, expected nothing", "the file is older than framework 1327"),
    ("metadata: nothing, expected NSPersistenceMaximumFrameworkVersion", "the file is of framework 1518 or later"),
  ]

  /// Returns the reason for a difference between a new store and a file of Core Data. Nil if there is none.
  private static func reason(_ line: String, _ original: ReadSchema, _ made: ReadSchema) -> String? {
    if let known = differences.first(where: { line.hasPrefix($0.start) }) { return known.reason }
    if line.hasPrefix("file: ") {
      return original.file.pageSize != made.file.pageSize || original.file.autoVacuum != made.file.autoVacuum
        ? "files of before 2012 have smaller pages, or keep what is free" : nil
    }
    let own = Set(made.primaryKeys.map(\.name))
    if line.hasPrefix("Z_PRIMARYKEY: "), original.primaryKeys.contains(where: { !own.contains($0.name) }) {
      return "an entity that a migration in place has renamed keeps its name there"
    }
    // `ALTER TABLE` keeps quotation marks in statements, and puts new columns last.
    let name = line.split(separator: " ").first { $0.hasPrefix("Z") }?.split(separator: ":").first ?? ""
    if let sql = original.tables[String(name)]?.sql, sql.contains("\"") || sql.contains(" , ") {
      return "the table was changed by a migration in place"
    }
    return nil
  }

  @Test(.enabled(if: StoreReader.isAvailable && !StoreSamples.stores.isEmpty))
  func `a new store has Apple's tables, indexes and rows, except for listed differences`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    var count = 0
    for original in try StoreSamples.storesWithModel() + StoreSamples.assembledStores(in: folder) {
      let name = original.lastPathComponent
      let expected = try StoreReader.schema(of: original)
      let order = try Self.names(original)
      let own = try SQLiteStore.model(inFile: original, writesNothing: true)
      // The version hashes of a model do not depend on its indexes.
      let models = StoreSamples.models.filter {
        $0.model.entityVersionHashesByName == own.entityVersionHashesByName
          && $0.model.entities.map(\.definition.fetchIndexes) == own.entities.map(\.definition.fetchIndexes)
      }
      for (source, model) in [("the model in the file", own)] + models {
        let file = folder.url.appending(path: "made \(count).sqlite")
        count += 1
        _ = try SQLiteStore(file, model: model)
        let made = try StoreReader.schema(of: file)
        let lines = made.differences(from: expected).filter { Self.reason($0, expected, made) == nil }
        #expect(lines == [], "\(name) with \(source)")
        #expect(try SQLiteFile.integrity(of: file) == "ok")
        // The tables are created in the same order, unless a migration created them.
        guard order.first != "Z_PRIMARYKEY", name != "SampleModel_V2.sqlite" else { continue }
        let names = try Self.names(file)
        #expect(names.filter { order.contains($0) } == order.filter { names.contains($0) }, "\(name) with \(source)")
      }
    }
    #expect(count > 10)
  }

  /// Returns the names of tables and indexes, in the order of their creation.
  private static func names(_ file: URL) throws -> [String] {
    let program = """
      import sqlite3, sys
      store = sqlite3.connect("file:" + sys.argv[1] + "?immutable=1", uri=True)
      print("\\n".join(row[0] for row in store.execute("SELECT name FROM sqlite_master ORDER BY rowid")))
      """
    return try SQLiteFile.run(program, [file.path]).split(separator: "\n").map(String.init)
  }

  @Test(.enabled(if: StoreReader.isAvailable))
  func `a new store has all kinds of tables, columns and indexes`() throws {
    var note = EntityDescription(
      "note",
      [
        .attribute("title", .string), .attribute("Zeta", .integer64), .attribute("alpha", .integer16),
        .attribute("when", .date), .attribute("price", .decimal), .attribute("link", .uri), .attribute("id", .uuid),
        .relationship("author", to: "Person", inverse: "notes"),
        .relationship("tags", to: "Tag", inverse: "notes", isToMany: true, isOrdered: true),
      ])
    note.fetchIndexes = [
      FetchIndexDescription("byTitle", [.init(.property("title")), .init(.property("author"), isAscending: false)])
    ]
    note.compoundIndexes = [["title", "when"]]
    note.uniquenessConstraints = [["id"]]
    let person = EntityDescription(
      "Person", [.relationship("notes", to: "note", inverse: "author", isToMany: true, isOrdered: true)])
    var boss = EntityDescription("Boss", [.attribute("title", .string)])
    boss.superentity = "Person"
    var clerk = EntityDescription("Clerk", [.attribute("title", .double)])
    clerk.superentity = "Person"
    let tag = EntityDescription(
      "Tag",
      [
        .relationship("notes", to: "note", inverse: "tags", isToMany: true),
        .relationship("people", to: "Person", isToMany: true),
      ])
    let folder = TemporaryFolder()
    let file = folder.url.appending(path: "a.sqlite")
    _ = try SQLiteStore(file, model: ManagedObjectModel(entities: [note, person, boss, clerk, tag]))
    let schema = try StoreReader.schema(of: file)
    #expect(
      try Self.names(file).filter { !$0.hasPrefix("sqlite_") } == [
        "ZNOTE", "Z_1TAGS", "ZPERSON", "ZTAG", "ZNOTE_ZAUTHOR_INDEX", "Z_1TAGS_Z_5TAGS_INDEX", "Z_note_byTitle",
        "Z_note_title_when", "Z_note_UNIQUE_id", "ZPERSON_Z5PEOPLE_INDEX", "ZPERSON_Z_ENT_INDEX", "Z_PRIMARYKEY",
        "Z_METADATA", "Z_MODELCACHE",
      ])
    #expect(
      schema.tables["ZNOTE"]?.sql == """
        CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZZETA INTEGER, ZALPHA INTEGER, \
        ZAUTHOR INTEGER, Z2_AUTHOR INTEGER, Z_FOK_AUTHOR INTEGER, ZWHEN TIMESTAMP, ZPRICE DECIMAL, ZTITLE VARCHAR, \
        ZLINK VARCHAR, ZID BLOB )
        """)
    #expect(
      schema.tables["ZPERSON"]?.sql == """
        CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, Z5PEOPLE INTEGER, \
        ZTITLE1 FLOAT, ZTITLE VARCHAR )
        """)
    #expect(
      schema.tables["Z_1TAGS"]?.sql == """
        CREATE TABLE Z_1TAGS ( Z_1NOTES INTEGER, Z_5TAGS INTEGER, Z_FOK_5TAGS INTEGER, PRIMARY KEY (Z_1NOTES, Z_5TAGS) )
        """)
    #expect(
      schema.indexes["Z_note_byTitle"]?.sql
        == "CREATE INDEX Z_note_byTitle ON ZNOTE (ZTITLE COLLATE BINARY ASC, ZAUTHOR COLLATE BINARY DESC)")
    #expect(schema.primaryKeys.map(\.name) == ["note", "Person", "Boss", "Clerk", "Tag"])
    #expect(schema.primaryKeys.map(\.parent) == [0, 0, 2, 2, 0])
    #expect(schema.file == .init(pageSize: 4096, autoVacuum: 2, encoding: "UTF-8", userVersion: 0, applicationID: 0))
  }

  @Test func `a model with many levels of entities opens in proportional time`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let last = LongForm.size(200, or: 35)
    let entities = (0...last).map { level in
      var entity = EntityDescription("Level\(level)", [.attribute("a\(level)", .string)])
      if level > 0 { entity.superentity = "Level\(level - 1)" }
      return entity
    }
    let model = try ManagedObjectModel(entities: entities)
    let file = folder.url.appending(path: "a.sqlite")
    _ = try SQLiteStore(file, model: model)
    let time = try ThreadClock.measure { _ = try SQLiteStore(file, model: model) }
    #expect(time < ThreadClock.referenceSecond * 8, "\(time)")
    // Each level has its own attribute and those of the levels above.
    let store = try SQLiteStore(file, model: model)
    let entity = try #require(model["Level\(last)"])
    var changes = StoreChanges()
    for key in try store.makeKeys([entity.index]) {
      changes.inserted = [StoreRow(key: key, version: 1, values: entity.emptyValues)]
    }
    for level in [0, 30, last] {
      let slot = try #require(entity.attribute(named: "a\(level)")?.slot)
      changes.inserted[0].values[slot] = .attribute(.string("\(level)"))
    }
    try store.save(changes)
    let plain = try PlainSQLite(file)
    #expect(try plain.run("SELECT ZA0, ZA30, ZA\(last), ZA31 FROM ZLEVEL0") == [["0", "30", "\(last)", "NULL"]])
  }

  @Test(arguments: [247, 248, 251, 255, 256])
  func `a store whose name is too long for its journal is not created`(length: Int) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let name = String(repeating: "ü", count: length / 2) + String(repeating: "a", count: length % 2)
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("text", .string)])])
    var error: ManagedObjectError?
    do throws(ManagedObjectError) { _ = try SQLiteStore(folder.url.appending(path: name), model: model) } catch let
      found
    {
      error = found
    }
    if length == 247 {
      #expect(error == nil && folder.names.contains(name))
    } else {
      #expect(error?.code == .open && error?.message.contains("the name is too long") == true && folder.names == [])
    }
  }
}
