import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@Suite("The independent reader of SQLite stores", .enabled(if: StoreReader.isAvailable)) struct StoreReaderTests {
  private let folder = TemporaryFolder(isInMemory: true)

  @Test(arguments: [true, false])
  func `the reader finds the objects of tables written by hand`(_ hasModel: Bool) throws {
    let model = URL(filePath: folder.path("Library.mom"))
    try LibraryStore.model.compiledData().write(to: model)
    let file = try LibraryStore.write(to: folder, hasModel: hasModel)
    let found = try StoreReader.objects(of: file, model: hasModel ? nil : model)
    #expect(try found.differences(from: StoreDump(LibraryStore.inMemory())) == [])
    #expect(found.notices == ["Z_PRIMARYKEY has Boss for the entity Manager"])
  }

  @Test func `the reader writes each value in its form`() throws {
    let found = try StoreReader.objects(of: LibraryStore.write(to: folder))
    let thing = try #require(found.objects["Thing/p1"])
    #expect(
      thing.attributes == [
        "int16": "-32768", "int32": "2147483647", "int64": "-9223372036854775808", "bool": "1", "decimal": "-12.5",
        "double": "3fb999999999999a", "float": "3f8ccccd", "string": "e\u{301} \"\u{1F600}\"\n",
        "date": "41c312d000000000", "binary": "00ff01", "uuid": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
        "uri": "https://example.org/a?b=c%20d", "transformable": "62706c6973743030", "cover": "0201",
        "photo": "6f757473696465",
      ])
    let other = try #require(found.objects["Thing/p2"])
    #expect(other.attributes["decimal"] == "7" && other.attributes["double"] == "c000000000000000")
    #expect(other.attributes["date"] == "3fd0000000000000" && other.attributes["cover"] == "")
    #expect(other.attributes["uuid"] == .some(nil))
    #expect(found.counts == ["Note": 3, "Person": 1, "Employee": 1, "Manager": 1, "Tag": 2, "Thing": 2])
  }

  @Test func `the reader writes the targets of each kind of relationship`() throws {
    let found = try StoreReader.objects(of: LibraryStore.write(to: folder)).objects.mapValues(\.relationships)
    #expect(
      found["Person/p3"] == [
        "notes": .many(["Note/p6"]), "friends": .many(["Employee/p4", "Manager/p5"]), "shelf": .many([]),
        "follows": .many(["Employee/p4"]), "followers": .many(["Employee/p4"]), "spouse": .one("Manager/p5"),
      ])
    #expect(
      found["Employee/p4"] == [
        "notes": .many([]), "friends": .many(["Person/p3"]), "shelf": .many(["Note/p8", "Note/p6"]),
        "follows": .many(["Manager/p5", "Person/p3"]), "followers": .many(["Person/p3"]), "spouse": .one(nil),
      ])
    #expect(found["Manager/p5"]?["bestNote"] == .one("Note/p7"))
    #expect(found["Note/p6"]?["tags"] == .many(["Tag/p10", "Tag/p9"]))
    #expect(
      found["Tag/p9"] == ["notes": .many(["Note/p6", "Note/p7"]), "related": .many(["Employee/p4", "Person/p3"])])
  }

  @Test(arguments: [
    ("ALTER TABLE ZTHING DROP COLUMN ZINT16", "the table ZTHING has no column ZINT16"),
    ("DROP TABLE ZTAG", "there is no table ZTAG"),
    ("DROP TABLE ZTAG; CREATE VIEW ZTAG AS SELECT 1 AS Z_PK", "there is no table ZTAG"),
    ("DROP TABLE Z_1TAGS", "there is no table Z_1TAGS"),
    ("DROP TABLE Z_2FOLLOWS", "Person.followers has 0 tables"),
    ("ALTER TABLE Z_1TAGS RENAME COLUMN Z_1NOTES TO Z_3NOTES", "Z_1TAGS has no column Z_1NOTES"),
    ("ALTER TABLE ZNOTE RENAME COLUMN Z_FOK_HOLDER TO X", "the table ZNOTE has no column Z_FOK_HOLDER"),
    ("UPDATE ZTAG SET Z_ENT = 6 WHERE Z_PK = 9", "row 9 of ZTAG has Z_ENT 6, which is no entity of the table"),
    ("UPDATE ZTAG SET Z_OPT = NULL", "row 9 of ZTAG has Z_OPT None"),
    ("UPDATE ZTHING SET ZINT16 = 'x'", "Thing/p1.int16 is a str in the file"),
    ("UPDATE ZTHING SET ZUUID = X'00'", "Thing/p1.uuid has 1 bytes"),
    ("UPDATE ZTHING SET ZCOVER = X'07'", "Thing/p1.cover is neither inline data nor the name of a file"),
    ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Chief' WHERE Z_ENT = 4", "which the model has not"),
    ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_ENT = 4", "Z_PRIMARYKEY has Z_SUPER 0 for Manager"),
    ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Note' WHERE Z_ENT = 5", "Z_PRIMARYKEY has the entity Note twice"),
    ("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL", "the store has no model of its own"),
    ("UPDATE Z_MODELCACHE SET Z_CONTENT = X'00'", "the model of the store is too large, cut off"),
    ("UPDATE Z_MODELCACHE SET Z_CONTENT = X'FF'", "invalid block type"),
    ("INSERT INTO Z_METADATA VALUES (2, '', NULL)", "the table Z_METADATA has not one row"),
  ])
  func `a file that breaks a rule is an error`(_ change: String, _ message: String) throws {
    let file = try LibraryStore.write(to: folder, change: change)
    let error = #expect(throws: StoreReader.Failure.self) { try StoreReader.objects(of: file) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("UPDATE ZNOTE SET ZAUTHOR = 77 WHERE Z_PK = 6", "Note/p6.author refers to row 77 of ZPERSON, which is not there"),
    ("UPDATE ZNOTE SET Z2_AUTHOR = 3 WHERE Z_PK = 6", "Note/p6.author refers to Person/p3, and Z2_AUTHOR has 3"),
    ("UPDATE ZPERSON SET ZSPOUSE = NULL WHERE Z_PK = 3", "Manager/p5.spouse refers to Person/p3, which refers to None"),
    ("UPDATE ZNOTE SET Z_FOK_HOLDER = 2048", "Employee/p4.shelf has positions that are missing or the same"),
    ("UPDATE ZTHING SET ZBOOL = 2 WHERE Z_PK = 1", "the truth value Thing/p1.bool is 2"),
    ("UPDATE ZTHING SET ZINT16 = 40000 WHERE Z_PK = 1", "Thing/p1.int16 is 40000"),
    ("UPDATE ZTHING SET ZSTRING = CAST(X'FF' AS TEXT) WHERE Z_PK = 1", "Thing/p1.string is not UTF-8"),
    ("UPDATE ZTAG SET Z_OPT = 0 WHERE Z_PK = 9", "row 9 of ZTAG has Z_OPT 0"),
    ("UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_ENT = 5", "ZTAG has the row 10, after Z_MAX"),
    ("ALTER TABLE ZTAG ADD COLUMN ZCOLOUR INTEGER", "ZTAG has the column ZCOLOUR, which no property needs"),
    ("ALTER TABLE ZNOTE DROP COLUMN Z2_AUTHOR", "ZNOTE has no column Z2_AUTHOR"),
  ])
  func `the reader notes an anomaly and continues`(_ change: String, _ message: String) throws {
    let found = try StoreReader.objects(of: LibraryStore.write(to: folder, change: change))
    #expect(found.notices.contains { $0.hasPrefix(message) }, "\(found.notices)")
  }

  @Test func `the reader notes external data with a missing file`() throws {
    let file = try LibraryStore.write(to: folder)
    try FileManager.default.removeItem(at: folder.url.appending(path: ".Library_SUPPORT"))
    let found = try StoreReader.objects(of: file)
    #expect(found.objects["Thing/p1"]?.attributes["photo"] == "missing file")
    #expect(found.notices.contains { $0.hasPrefix("Thing/p1.photo is in a file that cannot be read") })
  }

  @Test func `the reader creates no files next to the store`() throws {
    let file = try LibraryStore.write(to: folder, change: "PRAGMA journal_mode = WAL")
    let names = folder.names
    _ = try StoreReader.objects(of: file)
    _ = try StoreReader.rows(of: file)
    _ = try StoreReader.schema(of: file)
    #expect(folder.names == names)
  }
}
