import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Triggers of an SQLite store") struct ForeignPartTests {
  private static func model(isDerived: Bool) throws -> ManagedObjectModel {
    var count = AttributeDescription("pagesCount", .integer64)
    if isDerived { count.derivation = .init(try ManagedExpression(format: "pages.@count")) }
    let book = EntityDescription(
      "Book",
      [
        .attribute(count), .attribute("price", .integer64),
        .relationship("pages", to: "Page", inverse: "book", isToMany: true),
      ])
    let page = EntityDescription("Page", [.relationship("book", to: "Book", inverse: "pages")])
    return try ManagedObjectModel(entities: [book, page])
  }

  /// Apple's trigger for a new page. Its text comes from a store that Core Data wrote.
  private static let insertion = """
    CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_INSERT AFTER INSERT ON ZPAGE FOR EACH ROW \
    WHEN (NEW.ZBOOK NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = IFNULL(ZPAGESCOUNT, 0) + 1 \
    WHERE Z_PK = NEW.ZBOOK; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, \
    'pagesCount', ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = NEW.ZBOOK; END
    """

  private static let own = [
    insertion,
    """
    CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_UPDATE_INCREMENT AFTER UPDATE OF ZBOOK ON ZPAGE FOR EACH ROW \
    WHEN (NEW.ZBOOK NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT + 1 WHERE Z_PK = NEW.ZBOOK; \
    SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT) \
    FROM ZBOOK WHERE Z_PK = NEW.ZBOOK; END
    """,
    """
    CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_DELETE AFTER DELETE ON ZPAGE FOR EACH ROW \
    WHEN (OLD.ZBOOK NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT - 1 WHERE Z_PK = OLD.ZBOOK \
    AND 1 <= Z_ENT AND Z_ENT <= 2; SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, \
    'pagesCount', ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = OLD.ZBOOK AND 1 <= Z_ENT AND Z_ENT <= 2; END
    """,
    """
    CREATE TRIGGER Z_DA_ZBOOK_Book_pagesCount_SOURCE_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW \
    WHEN 1 <= NEW.Z_ENT AND NEW.Z_ENT <= 2 BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = \
    (SELECT IFNULL(COUNT(ZBOOK), 0) FROM ZPAGE WHERE ZBOOK = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; \
    SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT) \
    FROM ZBOOK WHERE Z_PK = NEW.Z_PK; END
    """,
    """
    CREATE VIRTUAL TABLE Z_RT_Book_place USING RTREE \
    (Z_PK INTEGER PRIMARY KEY, ZLATITUDE_MIN FLOAT, ZLATITUDE_MAX FLOAT);
    CREATE TRIGGER Z_RT_Book_place_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW BEGIN INSERT OR REPLACE INTO \
    Z_RT_Book_place (Z_PK, ZLATITUDE_MIN, ZLATITUDE_MAX) VALUES (NEW.Z_PK, NEW.ZPRICE ,NEW.ZPRICE) ; END
    """,
  ]

  /// All triggers of the derived attribute.
  private static let counting: String = {
    let name = "UPDATE_INCREMENT AFTER UPDATE OF ZBOOK"
    let decrement = own[1].replacingOccurrences(of: name, with: "UPDATE_DECREMENT AFTER UPDATE OF ZBOOK")
      .replacingOccurrences(of: "NEW.", with: "OLD.").replacingOccurrences(of: "+ 1", with: "- 1")
    return (own.prefix(4) + [decrement]).map { $0 + ";" }.joined()
  }()

  /// Creates a store without objects, and executes statements in it.
  private func open(
    _ folder: TemporaryFolder, _ statements: String, allowsTriggers: Bool = false
  ) throws -> SQLiteStore {
    let file = folder.url.appending(path: "a.sqlite")
    _ = try SQLiteStore(file, model: Self.model(isDerived: false))
    try SQLiteFile.change(file, "UPDATE Z_METADATA SET Z_PLIST = NULL; " + statements)
    return try SQLiteStore(file, model: Self.model(isDerived: true), access: .readWrite(allowsTriggers: allowsTriggers))
  }

  private func isForeign(_ statements: String) throws -> Bool {
    let folder = TemporaryFolder(isInMemory: true)
    return try open(folder, statements).writingObstacles.contains { $0.contains("is not one of Core Data's") }
  }

  @Test(arguments: own)
  func `Core Data's triggers for derived attributes and R-trees are allowed`(_ statements: String) throws {
    #expect(try !isForeign(statements))
  }

  @Test(
    arguments: [
      ("SET ZPAGESCOUNT = IFNULL(ZPAGESCOUNT, 0) + 1", "SET ZPRICE = IFNULL(ZPRICE, 0) + 1"),
      ("+ 1 ", "+ 1, ZPRICE = 0 "), ("BEGIN UPDATE", "BEGIN DELETE FROM ZPAGE; UPDATE"),
      ("; END", "; DELETE FROM ZPAGE; END"),
      ("IFNULL(ZPAGESCOUNT, 0) + 1", "(WITH c(x) AS (SELECT 1) SELECT x FROM c)"), ("AFTER INSERT", "BEFORE INSERT"),
      ("NSCoreDataDATriggerUpdatedAffectedObjectValue", "managed_form"), ("WHERE Z_PK = NEW.ZBOOK;", ";"),
      ("Z_DA_", "Y_DA_"), ("(NEW.ZBOOK NOT NULL)", "(NEW.ZBOOK NOT NULL AND randomblob(9) NOT NULL)"),
    ])
  func `an altered trigger with the name of a Core Data trigger is foreign`(_ old: String, _ new: String) throws {
    let disguised = Self.insertion.replacingOccurrences(of: old, with: new)
    try #require(disguised != Self.insertion)
    #expect(try isForeign(disguised))
  }

  @Test func `a store with a foreign trigger is saved only if the caller allows triggers`() throws {
    let trigger = "CREATE TRIGGER X AFTER INSERT ON ZPAGE BEGIN DELETE FROM ZBOOK; END;"
    for allowsTriggers in [false, true] {
      let folder = TemporaryFolder(isInMemory: true)
      let store = try open(folder, Self.counting + trigger, allowsTriggers: allowsTriggers)
      let context = try ManagedObjectContext(store)
      try context.insert("Book")
      try context.insert("Page")
      if allowsTriggers {
        try context.save()
      } else {
        let error = #expect(throws: ManagedObjectError.self) { try context.save() }
        #expect(error?.code == .save && error?.message.contains("the trigger \"X\" of the table ZPAGE") == true)
      }
      let file = folder.url.appending(path: "a.sqlite")
      #expect(try PlainSQLite(file).column("SELECT COUNT(*) FROM ZPAGE") == [allowsTriggers ? "1" : "0"])
      // Turning on the history does not run it either.
      let isTracking =
        (try? SQLiteStore(
          file, model: store.model, access: .readWrite(tracksHistory: true, allowsTriggers: allowsTriggers))) != nil
      #expect(isTracking == allowsTriggers)
    }
  }
}
