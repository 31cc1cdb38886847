import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("An SQLite store that cannot be saved in Core Data's format") struct WritingObstacleTests {
  private static func note(_ change: (inout EntityDescription) throws -> Void) throws -> ManagedObjectModel {
    var note = EntityDescription("Note", [.attribute("title", .string), .attribute("latitude", .double)])
    try change(&note)
    return try ManagedObjectModel(entities: [note])
  }

  private static let plain = Result { try note { _ in } }

  enum Case: String, CaseIterable {
    case composite, undefined, objectID, derived, expression, predicate, rTree

    var model: ManagedObjectModel {
      get throws {
        try note { note in
          switch self {
          case .composite:
            var place = AttributeDescription("place", .composite)
            place.elements = [AttributeDescription("x", .double), AttributeDescription("y", .double)]
            note.properties.append(.attribute(place))
            note.uniquenessConstraints = [["place"]]
          case .undefined: note.properties.append(.attribute("place", .undefined))
          case .objectID: note.properties.append(.attribute("place", .objectID))
          case .derived:
            var place = AttributeDescription("place", .string)
            place.derivation = .init(try ManagedExpression(format: "title"))
            note.properties.append(.attribute(place))
          case .expression:
            note.fetchIndexes = [
              FetchIndexDescription("place", [.init(.expression(try ManagedExpression(format: "title")))])
            ]
          case .predicate:
            note.fetchIndexes = [
              FetchIndexDescription(
                "place", [.init(.property("title"))], partialPredicate: try ManagedPredicate(format: "title != nil"))
            ]
          case .rTree:
            note.fetchIndexes = [FetchIndexDescription("place", [.init(.property("latitude"), kind: .rTree)])]
          }
        }
      }
    }

    var message: String {
      switch self {
      case .composite: "the uniqueness constraint \"place\" of Note contains the composite attribute place"
      case .undefined, .objectID: "the attribute Note.place has a type that cannot be stored"
      case .derived: "derived"
      case .expression: "the index Note.place contains an expression"
      case .predicate: "the index Note.place has a predicate"
      case .rTree: "the index Note.place is an R-tree"
      }
    }
  }

  /// Returns a change of an object of a store.
  private static func change(_ store: SQLiteStore) throws -> StoreChanges {
    let entity = try #require(store.model["Note"])
    guard case .rows(let rows) = try store.fetch(FetchRequest(entity.name), of: entity), var row = rows.first else {
      throw StoreReader.Failure(description: "no rows")
    }
    var changes = StoreChanges()
    changes.snapshots = [row]
    let name = entity.property(named: "title") == nil ? "content" : "title"
    row.values[try #require(entity.property(named: name)).slot] = .attribute(.string("new"))
    changes.updated = [row]
    return changes
  }

  @Test(arguments: Case.allCases)
  func `creating a store reports the obstacle and leaves no file`(kind: Case) throws {
    let folder = TemporaryFolder()
    let file = folder.url.appending(path: "a.sqlite")
    let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore(file, model: kind.model) }
    #expect(error?.code == .save && error?.message.contains(kind.message) == true, "\(error?.message ?? "")")
    #expect(error?.fileURL == file && folder.names == [])
    // The same with an empty file.
    try Data().write(to: file)
    #expect(throws: ManagedObjectError.self) { try SQLiteStore(file, model: kind.model) }
    #expect(try Data(contentsOf: file).isEmpty && folder.names == ["a.sqlite"])
  }

  @Test(.enabled(if: StoreReader.isAvailable), arguments: Case.allCases)
  func `an existing store with an obstacle is read but not saved`(kind: Case) throws {
    let folder = TemporaryFolder()
    let file = folder.url.appending(path: "a.sqlite")
    let plain = try Self.plain.get()
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: plain))
      try context.insert("Note").setValue(.string("old"), forKey: "title")
      try context.save()
    }
    try SQLiteFile.change(
      file,
      """
      UPDATE Z_METADATA SET Z_PLIST = NULL; ALTER TABLE ZNOTE ADD COLUMN ZPLACE VARCHAR;
      ALTER TABLE ZNOTE ADD COLUMN ZX FLOAT; ALTER TABLE ZNOTE ADD COLUMN ZY FLOAT;
      """)
    let rows = try StoreReader.rows(of: file)
    let store = try SQLiteStore(file, model: kind.model)
    #expect(store.writingObstacles.contains { $0.contains(kind.message) }, "\(store.writingObstacles)")
    let changes = try Self.change(store)
    #expect(changes.snapshots[0].values.contains(.attribute(.string("old"))))
    let error = #expect(throws: ManagedObjectError.self) { try store.save(changes) }
    #expect(error?.code == .save && error?.message.contains(kind.message) == true)
    #expect(throws: ManagedObjectError.self) { try store.reserveKeys([0]) }
    #expect(try StoreReader.rows(of: file).differences(from: rows) == [])
    // Without the obstacle, the change is saved.
    let other = try SQLiteStore(file, model: plain)
    #expect(other.writingObstacles == [])
    try other.save(Self.change(other))
  }

  @Test(
    .enabled(if: StoreReader.isAvailable),
    arguments: [
      (
        """
        ALTER TABLE ZTAG RENAME TO OLD;
        CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR, ZX DEFAULT (1 + 1) );
        INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZLABEL) SELECT Z_PK, Z_ENT, Z_OPT, ZLABEL FROM OLD; DROP TABLE OLD
        """, "the table ZTAG has computed default values"
      ),
      (
        "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY)",
        "the history has no table ACHANGE; the table ATRANSACTION of the history has other columns than those of Core Data"
      ),
      ("ALTER TABLE ZNOTE DROP COLUMN Z2_AUTHOR", "the table ZNOTE has no column Z2_AUTHOR"),
      ("ALTER TABLE ZNOTE DROP COLUMN Z_FOK_HOLDER", "the table ZNOTE has no column Z_FOK_HOLDER"),
      ("ALTER TABLE Z_1TAGS DROP COLUMN Z_FOK_5TAGS1", "the table Z_1TAGS has no column for its order"),
      (
        "CREATE VIRTUAL TABLE Z_Thing_place USING rtree(a, b, c)",
        "Z_THING_PLACE is a virtual table; the virtual table \"Z_Thing_place\" is not one of Core Data's: allow triggers to save with it"
      ),
      ("CREATE INDEX X ON ZTAG (ZLABEL || 'a')", "the index \"X\" has an expression or a condition"),
      ("CREATE INDEX X ON ZTAG (lower(ZLABEL))", "the index \"X\" has an expression or a condition"),
      ("CREATE INDEX X ON ZTAG (ZLABEL) WHERE Z_PK > 1", "the index \"X\" has an expression or a condition"),
      ("ALTER TABLE ZTAG ADD COLUMN ZX AS (Z_PK)", "the table ZTAG has computed columns"),
      ("ALTER TABLE ZTAG ADD COLUMN ZX CHECK (ZX IS NULL)", "the table ZTAG has a CHECK constraint"),
      (
        "CREATE TRIGGER X AFTER UPDATE ON ZTAG BEGIN DELETE FROM ZNOTE; END",
        "the trigger \"X\" of the table ZTAG is not one of Core Data's: allow triggers to save with it"
      ),
      ("CREATE VIEW OTHER AS SELECT 1", "the view \"OTHER\" is not one of Core Data's: allow triggers to save with it"),
      (
        "CREATE VIRTUAL TABLE OTHER USING rtree(a, b, c)",
        "the virtual table \"OTHER\" is not one of Core Data's: allow triggers to save with it"
      ),
      ("", ""), ("ALTER TABLE Z_2FOLLOWS RENAME TO Z_2FOLLOWERS", ""),
      (
        "ALTER TABLE Z_1TAGS RENAME COLUMN Z_5TAGS1 TO Z_5TAGS; "
          + "ALTER TABLE Z_1TAGS RENAME COLUMN Z_FOK_5TAGS1 TO Z_FOK_5TAGS", ""
      ),
      (
        "ALTER TABLE Z_1TAGS RENAME COLUMN Z_5TAGS1 TO Z_5TAGS12; "
          + "ALTER TABLE Z_1TAGS RENAME COLUMN Z_FOK_5TAGS1 TO Z_FOK_5TAGS12", ""
      ),
      ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Director' WHERE Z_ENT = 4", ""),
    ])
  func `an obstacle in the file is reported, and the store is readable`(change: String, obstacle: String) throws {
    let folder = TemporaryFolder()
    let file = try LibraryStore.write(to: folder, change: change)
    let store = try SQLiteStore(file, model: LibraryStore.model)
    let own = "the attribute Thing.undefined has a type that cannot be stored"
    #expect(store.writingObstacles.joined(separator: "; ") == own + (obstacle.isEmpty ? "" : "; " + obstacle))
    var found = try StoreDump(store)
    let expected = try StoreDump(LibraryStore.inMemory())
    found.metadata = expected.metadata
    if change.contains("DROP COLUMN Z_FOK") {
      // Only the order is lost.
      #expect(found.differences(from: expected).allSatisfy { $0.contains(".shelf: ") || $0.contains(".tags: ") })
    } else {
      #expect(found.differences(from: expected) == [])
    }
    let error = #expect(throws: ManagedObjectError.self) { try store.save(Self.change(store)) }
    #expect(error?.message.hasSuffix(store.writingObstacles.joined(separator: "; ")) == true)
  }

  @Test(arguments: [
    ("name", false, "it is not the @count of a to-many relationship"),
    ("canonical:(name)", false, "it is not the @count of a to-many relationship"),
    ("now()", false, "it is not the @count of a to-many relationship"),
    ("items.@sum.weight", false, "it is not the @count of a to-many relationship"),
    ("owner.items.@count", false, "it is not the @count of a to-many relationship"),
    ("items.@count", true, "its derivation has a filter"),
    ("tags.@count", false, "it counts a many-to-many relationship"),
    ("passing.@count", false, "it counts a relationship that is not stored"),
  ])
  func `a new store needs a derivation whose triggers are known`(
    format: String, isFiltered: Bool, reason: String
  ) throws {
    func message(_ type: AttributeType, _ format: String, isInherited: Bool = false) throws -> String? {
      let folder = TemporaryFolder()
      let file = folder.url.appending(path: "a.sqlite")
      do throws(ManagedObjectError) {
        _ = try SQLiteStore(file, model: try Self.derivedModel(type, format, isFiltered, isInherited: isInherited))
        return nil
      } catch {
        #expect(error.code == .save && folder.names == [])
        return error.message
      }
    }
    let start = "the attribute Note.derived is derived, and Core Data's triggers for it are not known: "
    #expect(try message(.integer32, format)?.hasSuffix(start + reason) == true)
    #expect(try message(.double, "loose.@count")?.hasSuffix(isFiltered ? reason : "but is not an integer") == true)
    if isFiltered { return }
    #expect(try message(.integer16, "items.@count") == nil)
    #expect(try message(.integer64, "count(loose)") == nil)
    // Core Data's text for a subentity is known only without an inverse.
    #expect(try message(.integer16, "items.@count", isInherited: true)?.hasSuffix("and is in a subentity") == true)
    #expect(try message(.integer16, "loose.@count", isInherited: true) == nil)
  }

  private static func derivedModel(
    _ type: AttributeType, _ format: String, _ isFiltered: Bool, isInherited: Bool
  ) throws(ManagedObjectError) -> ManagedObjectModel {
    do {
      var derived = AttributeDescription("derived", type)
      derived.derivation = .init(
        try ManagedExpression(format: format), filter: isFiltered ? try ManagedPredicate(format: "weight > 1") : nil)
      var passing = RelationshipDescription("passing", to: "Item", isToMany: true)
      passing.isTransient = true
      var note = EntityDescription(
        "Note",
        [
          .attribute("name", .string), .attribute(derived), .relationship("owner", to: "Note"), .relationship(passing),
          .relationship("items", to: "Item", inverse: "note", isToMany: true),
          .relationship("loose", to: "Item", isToMany: true),
          .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
        ])
      if isInherited { note.superentity = "Base" }
      return try ManagedObjectModel(entities: [
        EntityDescription("Base"), note,
        EntityDescription(
          "Item", [.attribute("weight", .integer16), .relationship("note", to: "Note", inverse: "items")]),
        EntityDescription("Tag", [.relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
      ])
    } catch {
      throw error as? ManagedObjectError ?? ManagedObjectError(.open, "\(error)")
    }
  }

  @Test func `duplicate tables or columns and NUL in a name are errors`() throws {
    var indexed = EntityDescription("A", [.attribute("a", .string)])
    indexed.fetchIndexes = [FetchIndexDescription("a\u{0}b", [.init(.property("a"))])]
    let pairs: [([EntityDescription], String)] = [
      ([EntityDescription("note"), EntityDescription("NOTE")], "two tables would have the name"),
      ([EntityDescription("_primarykey")], "two tables would have the name"),
      ([EntityDescription("A", [.attribute("_pk", .string)])], "two columns of the table ZA would have the name"),
      (
        [EntityDescription("A", [.attribute("a", .string), .attribute("A", .string), .attribute("a1", .string)])],
        "two columns of the table ZA would have the name"
      ),
      ([EntityDescription("A\u{0}B")], "the name of the entity \"A"),
      ([indexed], "the name of the index \"A.a"),
    ]
    for (entities, message) in pairs {
      let folder = TemporaryFolder()
      let file = folder.url.appending(path: "a.sqlite")
      let error = #expect(throws: ManagedObjectError.self) {
        try SQLiteStore(file, model: ManagedObjectModel(entities: entities))
      }
      #expect(error?.message.contains(message) == true && folder.names == [], "\(error?.message ?? "")")
    }
  }
}
