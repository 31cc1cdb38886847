import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import TestSupport

/// The same objects in a store in memory, and in an SQLite file with hand-written tables that follow the description of
/// the format.
enum LibraryStore {
  /// A model with all types of attributes, two branches of inheritance that use the same name, a renamed entity, and
  /// all stored forms of relationships.
  static let model: ManagedObjectModel = {
    var cover = AttributeDescription("cover", .binary)
    cover.allowsExternalBinaryDataStorage = true
    var photo = cover
    photo.traits.name = "photo"
    var scratch = AttributeDescription("scratch", .string)
    scratch.traits.isTransient = true
    let thing = EntityDescription(
      "Thing",
      [
        .attribute("int16", .integer16), .attribute("int32", .integer32), .attribute("int64", .integer64),
        .attribute("bool", .boolean), .attribute("decimal", .decimal), .attribute("double", .double),
        .attribute("float", .float), .attribute("string", .string), .attribute("date", .date),
        .attribute("binary", .binary), .attribute("uuid", .uuid), .attribute("uri", .uri),
        .attribute("transformable", .transformable), .attribute("undefined", .undefined), .attribute(cover),
        .attribute(photo), .attribute(scratch),
      ])
    let person = EntityDescription(
      "Person",
      [
        .attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true),
        .relationship("friends", to: "Person", inverse: "friends", isToMany: true),
        .relationship("shelf", to: "Note", inverse: "holder", isToMany: true, isOrdered: true),
        .relationship("follows", to: "Person", inverse: "followers", isToMany: true),
        .relationship("followers", to: "Person", inverse: "follows", isToMany: true),
        .relationship("spouse", to: "Person", inverse: "spouse"),
      ])
    var employee = EntityDescription("Employee", [.attribute("title", .string)])
    employee.superentity = "Person"
    var boss = EntityDescription("Manager", [.attribute("title", .integer16), .relationship("bestNote", to: "Note")])
    boss.superentity = "Person"
    boss.renamingIdentifier = "Boss"
    let note = EntityDescription(
      "Note",
      [
        .attribute("content", .string), .relationship("author", to: "Person", inverse: "notes"),
        .relationship("holder", to: "Person", inverse: "shelf"),
        .relationship("tags", to: "Tag", inverse: "notes", isToMany: true, isOrdered: true),
      ])
    let tag = EntityDescription(
      "Tag",
      [
        .attribute("label", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true),
        .relationship("related", to: "Person", isToMany: true),
      ])
    do { return try ManagedObjectModel(entities: [thing, person, employee, boss, note, tag]) } catch {
      fatalError("\(error)")
    }
  }()

  /// Returns the objects in memory, with the same numbers as in the file.
  static func inMemory() throws -> InMemoryStore {
    let store = try InMemoryStore(model: model, identifier: identifier)
    let entities = ["Thing", "Thing", "Person", "Employee", "Manager", "Note", "Note", "Note", "Tag", "Tag"]
    let keys = try store.makeKeys(entities.map { model[$0]!.index })
    var changes = StoreChanges()
    for (key, values) in zip(keys, values(keys)) {
      let entity = model.entities[Int(key.entityIndex)]
      var row = StoreRow(key: key, version: 1, values: entity.emptyValues)
      for (name, value) in values { row.values[entity.property(named: name)!.slot] = value }
      changes.inserted.append(row)
    }
    try store.save(changes)
    return store
  }

  static let identifier = "0B1F3E5A-0000-4000-8000-00000000ABCD"
  static let fileName = "5F0A0F3C-9D55-4E1E-9C53-4B3C1A2F7E10"

  private static func values(_ keys: [RowKey]) -> [[String: RowValue]] {
    [
      [
        "int16": .attribute(.integer(-32768)), "int32": .attribute(.integer(2_147_483_647)),
        "int64": .attribute(.integer(.min)), "bool": .attribute(.boolean(true)),
        "decimal": .attribute(.decimal(Decimal(string: "-12.50")!)), "double": .attribute(.double(0.1)),
        "float": .attribute(.float(1.1)), "string": .attribute(.string("e\u{301} \"\u{1F600}\"\n")),
        "date": .attribute(.date(Date(timeIntervalSinceReferenceDate: 640_000_000))),
        "binary": .attribute(.data(Data([0, 255, 1]))),
        "uuid": .attribute(.uuid(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")!)),
        "uri": .attribute(.url(URL(string: "https://example.org/a?b=c%20d")!)),
        "transformable": .attribute(.data(Data("bplist00".utf8))), "cover": .attribute(.data(Data([2, 1]))),
        "photo": .attribute(.data(Data("outside".utf8))),
      ],
      [
        "decimal": .attribute(.decimal(7)), "double": .attribute(.double(-2)),
        "date": .attribute(.date(Date(timeIntervalSinceReferenceDate: 0.25))), "bool": .attribute(.boolean(false)),
        "cover": .attribute(.data(Data())), "string": .attribute(.string("")),
      ],
      [
        "name": .attribute(.string("Ada")), "friends": .toMany([keys[3], keys[4]]), "follows": .toMany([keys[3]]),
        "spouse": .toOne(keys[4]),
      ],
      [
        "name": .attribute(.string("Ben")), "title": .attribute(.string("Clerk")),
        "follows": .toMany([keys[2], keys[4]]),
      ],
      ["title": .attribute(.integer(3)), "bestNote": .toOne(keys[6]), "spouse": .toOne(keys[2])],
      [
        "content": .attribute(.string("one")), "author": .toOne(keys[2]), "holder": .toOne(keys[3]),
        "tags": .orderedToMany([keys[9], keys[8]]),
      ],
      ["author": .toOne(keys[4]), "tags": .orderedToMany([keys[8]])],
      ["author": .toOne(keys[4]), "holder": .toOne(keys[3])],
      ["label": .attribute(.string("red")), "related": .toMany([keys[2], keys[3]])],
      [:],
    ].enumerated().map { index, values in
      // The order of the notes on a shelf is not the order of their numbers.
      index == 3 ? values.merging(["shelf": .orderedToMany([keys[7], keys[5]])]) { $1 } : values
    }
  }

  /// The tables of the objects. Entities: 1 Note, 2 Person, 3 Employee, 4 Manager (previously Boss), 5 Tag, 6 Thing.
  private static let tables = """
    CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHOR INTEGER, Z2_AUTHOR INTEGER,
      ZHOLDER INTEGER, Z2_HOLDER INTEGER, Z_FOK_HOLDER INTEGER, ZCONTENT VARCHAR );
    CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSPOUSE INTEGER, Z2_SPOUSE INTEGER,
      ZTITLE1 INTEGER, ZBESTNOTE INTEGER, Z5RELATED INTEGER, ZNAME VARCHAR, ZTITLE VARCHAR );
    CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR );
    CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBOOL INTEGER, ZINT16 INTEGER,
      ZINT32 INTEGER, ZINT64 INTEGER, ZDATE TIMESTAMP, ZDOUBLE FLOAT, ZFLOAT FLOAT, ZDECIMAL DECIMAL, ZSTRING VARCHAR,
      ZURI VARCHAR, ZUUID BLOB, ZTRANSFORMABLE BLOB, ZBINARY BLOB, ZCOVER BLOB, ZPHOTO BLOB );
    CREATE TABLE Z_1TAGS ( Z_1NOTES INTEGER, Z_5TAGS1 INTEGER, Z_FOK_5TAGS1 INTEGER, PRIMARY KEY (Z_1NOTES, Z_5TAGS1) );
    CREATE TABLE Z_2FRIENDS ( Z_2FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_2FRIENDS, REFLEXIVE) );
    CREATE TABLE Z_2FOLLOWS ( Z_2FOLLOWERS INTEGER, Z_2FOLLOWS INTEGER, PRIMARY KEY (Z_2FOLLOWERS, Z_2FOLLOWS) );
    CREATE INDEX ZNOTE_ZAUTHOR_INDEX ON ZNOTE (ZAUTHOR);
    CREATE UNIQUE INDEX Z_Person_UNIQUE_name ON ZPERSON (ZNAME COLLATE BINARY ASC);
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
    """

  private static let rows = """
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 8), (2, 'Person', 0, 5), (3, 'Employee', 2, 0), (4, 'Boss', 2, 0),
      (5, 'Tag', 0, 10), (6, 'Thing', 0, 2), (16001, 'CHANGE', 0, 9);
    INSERT INTO ZTHING VALUES (1, 6, 1, 1, -32768, 2147483647, -9223372036854775808, 640000000, 0.1,
      1.10000002384185791015625, -12.50, 'e' || char(0x301) || ' "' || char(0x1F600) || '"' || char(10),
      'https://example.org/a?b=c%20d', X'6BA7B8109DAD11D180B400C04FD430C8', X'62706C6973743030', X'00FF01', X'010201',
      CAST(X'02' || '\(fileName)' || X'00' AS BLOB));
    INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZBOOL, ZDATE, ZDOUBLE, ZDECIMAL, ZSTRING, ZCOVER)
      VALUES (2, 6, 1, 0, 0.25, -2, 7, '', X'01');
    INSERT INTO ZPERSON VALUES (3, 2, 1, 5, 4, NULL, NULL, 9, 'Ada', NULL), (4, 3, 1, NULL, NULL, NULL, NULL, 9, 'Ben',
      'Clerk'), (5, 4, 1, 3, 2, 3, 7, NULL, NULL, NULL);
    INSERT INTO ZNOTE VALUES (6, 1, 1, 3, 2, 4, 3, 3072, 'one'), (7, 1, 1, 5, 4, NULL, NULL, NULL, NULL),
      (8, 1, 1, 5, 4, 4, 3, 2048, NULL);
    INSERT INTO ZTAG VALUES (9, 5, 1, 'red'), (10, 5, 1, NULL);
    INSERT INTO Z_1TAGS VALUES (6, 10, 2048), (6, 9, 3072), (7, 9, 2048);
    INSERT INTO Z_2FRIENDS VALUES (3, 4), (5, 3);
    INSERT INTO Z_2FOLLOWS VALUES (3, 4), (4, 3), (4, 5);
    """

  /// Writes the file to a folder.
  ///
  /// - Parameters:
  ///   - hasModel: False for a store without its model.
  ///   - change: Statements to execute at the end.
  static func write(to folder: TemporaryFolder, hasModel: Bool = true, change: String = "") throws -> URL {
    let original = try original.get()
    for name in original.names {
      try FileManager.default.copyItem(at: original.url.appending(path: name), to: folder.url.appending(path: name))
    }
    let url = folder.url.appending(path: "Library.sqlite")
    let model = hasModel ? "" : "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL;"
    if !hasModel || !change.isEmpty { try SQLiteFile.change(url, model + change) }
    return url
  }

  /// The original file and its external data, which are copied, because starting a process takes most of the time.
  private static let original = Result {
    let folder = TemporaryFolder(isInMemory: true)
    try writeOriginal(to: folder)
    return folder
  }

  private static func writeOriginal(to folder: TemporaryFolder) throws {
    let url = folder.url.appending(path: "Library.sqlite")
    var metadata = try inMemory().metadata
    metadata["NSStoreUUID"] = nil
    let plist = try PropertyList.dictionary(metadata).data(format: .binary).hexadecimal
    let external = folder.url.appending(path: ".Library_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: external, withIntermediateDirectories: true)
    try Data("outside".utf8).write(to: external.appending(path: fileName))
    let statements = """
      \(tables)
      \(rows)
      INSERT INTO Z_METADATA VALUES (1, '\(identifier)', X'\(plist)');
      INSERT INTO Z_MODELCACHE VALUES (deflated(X'\(try model.compiledData().hexadecimal)'));
      """
    let deflated = """
      import zlib
      def deflated(data):
          stream = zlib.compressobj(9, zlib.DEFLATED, -15)
          return stream.compress(data) + stream.flush()
      store.create_function("deflated", 1, deflated)
      """
    try SQLiteFile.change(url, statements, setup: deflated)
  }
}
