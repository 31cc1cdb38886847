import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@Suite("Store dumps and their differences") struct StoreDumpTests {
  @Test func `a dump has all values of an in-memory store`() throws {
    let dump = try StoreDump(LibraryStore.inMemory())
    #expect(dump.counts == ["Note": 3, "Person": 1, "Employee": 1, "Manager": 1, "Tag": 2, "Thing": 2])
    #expect(dump.objects.count == 10 && dump.objects.values.allSatisfy { $0.version == 1 })
    let thing = try #require(dump.objects["Thing/p1"])
    #expect(thing.attributes.count == 15 && thing.relationships.isEmpty)
    #expect(thing.attributes["float"] == "3f8ccccd" && thing.attributes["decimal"] == "-12.5")
    #expect(thing.attributes["undefined"] == nil && thing.attributes["scratch"] == nil)
    #expect(dump.objects["Thing/p2"]?.attributes["uri"] == .some(nil))
    let employee = try #require(dump.objects["Employee/p4"])
    #expect(employee.attributes == ["name": "Ben", "title": "Clerk"])
    #expect(
      employee.relationships == [
        "notes": .many([]), "friends": .many(["Person/p3"]), "shelf": .many(["Note/p8", "Note/p6"]),
        "follows": .many(["Manager/p5", "Person/p3"]), "followers": .many(["Person/p3"]), "spouse": .one(nil),
      ])
    #expect(dump.metadata["NSStoreUUID"] == .string(LibraryStore.identifier))
    let hash = try #require(LibraryStore.model["Tag"]?.versionHash)
    #expect(dump.metadata["NSStoreModelVersionHashes"]?["Tag"] == ["data": .string(hash.hexadecimal)])
  }

  @Test(arguments: [
    ("1.50", "1.5"), ("100", "100"), ("-0.0", "0"), ("0.001", "0.001"), ("3.3333333332999993", "3.3333333332999993"),
    ("1e20", "100000000000000000000"),
  ])
  func `a decimal is written in its shortest form`(_ text: String, _ expected: String) throws {
    let decimal = try #require(Decimal(string: text))
    #expect(AttributeValue.decimal(decimal).text == expected)
  }

  @Test func `a difference names the object and the property`() throws {
    let expected = try StoreDump(LibraryStore.inMemory())
    #expect(try StoreDump(LibraryStore.inMemory()).differences(from: expected) == [])
    var found = expected
    found.metadata["own"] = 1
    found.counts["Tag"] = 1
    found.objects["Tag/p10"] = nil
    found.objects["Tag/p11"] = StoreDump.Object()
    found.objects["Tag/p9"]?.version = 2
    // An equivalent string with other bytes.
    found.objects["Thing/p1"]?.attributes["string"] = "\u{E9} \"\u{1F600}\"\n"
    found.objects["Thing/p1"]?.attributes["uuid"] = .some(nil)
    found.objects["Employee/p4"]?.attributes["name"] = nil
    found.objects["Employee/p4"]?.relationships["shelf"] = .many(["Note/p6", "Note/p8"])
    found.objects["Note/p6"]?.relationships["author"] = .one(nil)
    #expect(
      found.differences(from: expected) == [
        "metadata.own: 1, expected nothing", "number of Tag: 1, expected 2",
        "Employee/p4.name: nothing, expected \"Ben\"",
        "Employee/p4.shelf: [Note/p6, Note/p8], expected [Note/p8, Note/p6]",
        "Note/p6.author: null, expected Person/p3", "Tag/p9 version: 2, expected 1",
        "Tag/p10: nothing, expected there", "Tag/p11: there, expected nothing",
        "Thing/p1.string: \"\u{E9} \"\u{1F600}\"\n\", expected \"e\u{301} \"\u{1F600}\"\n\"",
        "Thing/p1.uuid: null, expected \"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\"",
      ])
  }

  @Test func `only twenty differences are listed, and the others are counted`() throws {
    let expected = try StoreDump(LibraryStore.inMemory())
    var found = expected
    for number in 100..<135 { found.objects["Tag/p\(number)"] = StoreDump.Object() }
    let lines = found.differences(from: expected)
    #expect(lines.count == 21 && lines.first == "Tag/p100: there, expected nothing" && lines.last == "and 15 more")
    #expect(lines[19] == "Tag/p119: there, expected nothing")
  }

  @Test func `a dump reads to-many relationships that rows do not contain`() throws {
    let store = try LibraryStore.inMemory()
    let lazy = LazyStore(store)
    #expect(try StoreDump(lazy).differences(from: StoreDump(store)) == [])
    #expect(lazy.reads.contains("tags") && lazy.reads.contains("shelf") && !lazy.reads.contains("author"))
  }

  @Test(.enabled(if: StoreReader.isAvailable)) func `differences of rows list changed rows and columns`() throws {
    let (folder, other) = (TemporaryFolder(), TemporaryFolder())
    let original = try StoreReader.rows(of: LibraryStore.write(to: folder, change: Self.trigger))
    #expect(original.tables["ZTAG"]?.columns == ["Z_PK", "Z_ENT", "Z_OPT", "ZLABEL"])
    #expect(original.tables["Z_2FOLLOWS"]?.rows.keys.sorted() == ["3,4", "4,3", "4,5"])
    let change = """
      UPDATE ZTAG SET ZLABEL = 'blue', Z_OPT = 2 WHERE Z_PK = 9; DELETE FROM ZTAG WHERE Z_PK = 10;
      INSERT INTO Z_2FOLLOWS VALUES (5, 5); UPDATE ZTHING SET ZCOVER = NULL WHERE Z_PK = 2; CREATE TABLE EXTRA (A);
      """
    let changed = try StoreReader.rows(of: LibraryStore.write(to: other, change: change))
    #expect(original.differences(from: original) == [])
    #expect(
      changed.differences(from: original) == [
        "EXTRA: there, expected nothing", "ZTAG[9].ZLABEL: \"blue\", expected \"red\"", "ZTAG[9].Z_OPT: 2, expected 1",
        "ZTAG[10]: nothing, expected there",
        "ZTHING[2].ZCOVER: null, expected data \"01\"",
        "Z_2FOLLOWS[5,5]: there, expected nothing",
      ])
  }

  private static let trigger = "CREATE TRIGGER Z_TEST AFTER DELETE ON ZTAG BEGIN SELECT 1; END;"

  @Test(.enabled(if: StoreReader.isAvailable))
  func `differences of schemas list tables, indexes and other parts`() throws {
    let (folder, other) = (TemporaryFolder(), TemporaryFolder())
    let original = try StoreReader.schema(of: LibraryStore.write(to: folder, change: Self.trigger))
    #expect(original.tables["ZTAG"]?.columns.map(\.name) == ["Z_PK", "Z_ENT", "Z_OPT", "ZLABEL"])
    #expect(original.tables["ZTHING"]?.columns.first { $0.name == "ZDATE" }?.type == "TIMESTAMP")
    #expect(original.indexes["Z_Person_UNIQUE_name"]?.unique == true)
    #expect(original.indexes["ZNOTE_ZAUTHOR_INDEX"]?.columns.map(\.name) == ["ZAUTHOR"])
    #expect(original.primaryKeys.first { $0.number == 4 }?.parent == 2 && original.triggers["Z_TEST"]?.table == "ZTAG")
    #expect(original.metadataKeys.contains("NSStoreUUID"))
    #expect(original.hashes["Tag"] == LibraryStore.model["Tag"]?.versionHash.hexadecimal)
    let change = """
      ALTER TABLE ZTAG ADD COLUMN ZCOLOUR INTEGER; DROP INDEX Z_Person_UNIQUE_name;
      CREATE INDEX Z_Person_UNIQUE_name ON ZPERSON (ZNAME DESC); DROP INDEX ZNOTE_ZAUTHOR_INDEX;
      CREATE INDEX ZNOTE_ZAUTHOR_INDEX ON ZNOTE(ZAUTHOR); UPDATE Z_PRIMARYKEY SET Z_NAME = 'Manager' WHERE Z_ENT = 4;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 99; UPDATE Z_METADATA SET Z_PLIST = NULL;
      """
    let changed = try StoreReader.schema(of: LibraryStore.write(to: other, change: change))
    #expect(original.differences(from: original) == [])
    let lines = changed.differences(from: original)
    let columns = "Z_PK INTEGER KEY 1, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR"
    #expect(
      lines.prefix(6) == [
        "table ZTAG: \(columns), ZCOLOUR INTEGER, expected \(columns)",
        "statement of index ZNOTE_ZAUTHOR_INDEX: CREATE INDEX ZNOTE_ZAUTHOR_INDEX ON ZNOTE(ZAUTHOR), expected "
          + "CREATE INDEX ZNOTE_ZAUTHOR_INDEX ON ZNOTE (ZAUTHOR)",
        "index Z_Person_UNIQUE_name: c ZPERSON ZNAME BINARY DESC, expected UNIQUE c ZPERSON ZNAME BINARY",
        "trigger Z_TEST: nothing, expected there", "Z_PRIMARYKEY: 4 Manager in 2, expected nothing",
        "Z_PRIMARYKEY: nothing, expected 4 Boss in 2",
      ])
    #expect(lines.contains("metadata: nothing, expected NSStoreModelVersionHashes"))
    #expect(lines.contains { $0.hasPrefix("hash of Tag: nothing, expected ") })
  }
}
