import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("Derived attributes of an SQLite store") struct DerivedColumnTests {
  private static func model(hasInverse: Bool, isDerived: Bool = true) throws -> ManagedObjectModel {
    var count = AttributeDescription("pagesCount", .integer16, isOptional: false, defaultValue: .integer(0))
    if isDerived { count.derivation = .init(try ManagedExpression(format: "pages.@count")) }
    let book = EntityDescription(
      "Book",
      [
        .attribute(count), .attribute("title", .string),
        .relationship("pages", to: "Page", inverse: hasInverse ? "book" : nil, isToMany: true),
      ])
    var novel = EntityDescription("GraphicNovel")
    novel.superentity = "Book"
    var page = EntityDescription("Page", [.attribute("number", .integer16)])
    if hasInverse { page.properties.append(.relationship("book", to: "Book", inverse: "pages")) }
    return try ManagedObjectModel(entities: [book, novel, page])
  }

  /// The triggers in a file of Core Data, for a relationship with an inverse and for one without.
  private static func triggers(hasInverse: Bool) -> [String] {
    let key = hasInverse ? "ZBOOK" : "Z1PAGES"
    let range = hasInverse ? "" : " AND 1 <= Z_ENT AND Z_ENT <= 2"
    let test = hasInverse ? "" : " WHEN 1 <= NEW.Z_ENT AND NEW.Z_ENT <= 2"
    let name = "CREATE TRIGGER Z_DA_ZPAGE_Book_pagesCount_PARAMETER_"
    let report = "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', ZPAGESCOUNT)"
    func end(_ row: String) -> String {
      "WHERE Z_PK = \(row).\(key)\(range); \(report) FROM ZBOOK WHERE Z_PK = \(row).\(key)\(range); END"
    }
    return [
      """
      \(name)INSERT AFTER INSERT ON ZPAGE FOR EACH ROW WHEN (NEW.\(key) NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = \
      IFNULL(ZPAGESCOUNT, 0) + 1 \(end("NEW"))
      """,
      """
      \(name)UPDATE_INCREMENT AFTER UPDATE OF \(key) ON ZPAGE FOR EACH ROW WHEN (NEW.\(key) NOT NULL) BEGIN UPDATE \
      ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT + 1 \(end("NEW"))
      """,
      """
      \(name)UPDATE_DECREMENT AFTER UPDATE OF \(key) ON ZPAGE FOR EACH ROW WHEN (OLD.\(key) NOT NULL) BEGIN UPDATE \
      ZBOOK SET ZPAGESCOUNT = ZPAGESCOUNT - 1 \(end("OLD"))
      """,
      """
      \(name)DELETE AFTER DELETE ON ZPAGE FOR EACH ROW WHEN (OLD.\(key) NOT NULL) BEGIN UPDATE ZBOOK SET ZPAGESCOUNT = \
      ZPAGESCOUNT - 1 \(end("OLD"))
      """,
      """
      CREATE TRIGGER Z_DA_ZBOOK_Book_pagesCount_SOURCE_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW\(test) BEGIN UPDATE \
      ZBOOK SET ZPAGESCOUNT = (SELECT IFNULL(COUNT(\(key)), 0) FROM ZPAGE WHERE \(key) = NEW.Z_PK) WHERE Z_PK = \
      NEW.Z_PK; SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'pagesCount', \
      ZPAGESCOUNT) FROM ZBOOK WHERE Z_PK = NEW.Z_PK; END
      """,
    ]
  }

  private static let storedTriggers = "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"

  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "a.sqlite") }

  @Test(arguments: [true, false])
  func `a new store has Core Data's triggers for a count`(hasInverse: Bool) throws {
    let store = try SQLiteStore(file, model: Self.model(hasInverse: hasInverse))
    #expect(try PlainSQLite(file).column(Self.storedTriggers) == Self.triggers(hasInverse: hasInverse))
    #expect(store.writingObstacles == [])
    #expect(try SQLiteStore(file, model: Self.model(hasInverse: hasInverse)).writingObstacles == [])
  }

  @Test func `a name that is quoted in SQL has triggers that are allowed`() throws {
    var count = AttributeDescription("wieviele", .integer16)
    count.derivation = .init(try ManagedExpression(format: "\u{E4}hren.@count"))
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "St\u{FC}ck O'", [.attribute(count), .relationship("\u{E4}hren", to: "\u{C4}hre", isToMany: true)]),
      EntityDescription("\u{C4}hre"),
    ])
    let context = try ManagedObjectContext(SQLiteStore(file, model: model))
    let owner = try context.insert("St\u{FC}ck O'")
    let others = [try context.insert("\u{C4}hre"), try context.insert("\u{C4}hre")]
    try owner.setValue(ManagedObject.Value.set(others.map { .object($0) }), forKey: "\u{E4}hren")
    try context.save()
    #expect(owner["wieviele"] == .attribute(.integer(2)))
    #expect(try SQLiteStore(file, model: model).writingObstacles == [])
  }

  @Test(arguments: ["PARAMETER_INSERT", "PARAMETER_UPDATE_INCREMENT", "PARAMETER_UPDATE_DECREMENT", "PARAMETER_DELETE"])
  func `a store that lacks one of the triggers is not saved`(part: String) throws {
    let model = try Self.model(hasInverse: true)
    _ = try SQLiteStore(file, model: model)
    try PlainSQLite(file).run("DROP TRIGGER Z_DA_ZPAGE_Book_pagesCount_\(part)")
    let store = try SQLiteStore(file, model: model)
    #expect(store.writingObstacles == ["no trigger keeps the derived attribute Book.pagesCount up to date"])
    let context = try ManagedObjectContext(store)
    try context.insert("Book")
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .save)
  }

  /// Saves three books with 0, 1 and 2 pages.
  private func fill(_ context: ManagedObjectContext) throws {
    for count in 0..<3 {
      let book = try context.insert(count == 1 ? "GraphicNovel" : "Book")
      let pages = try (0..<count).map { _ in ManagedObject.Value.object(try context.insert("Page")) }
      try book.setValue(ManagedObject.Value.set(pages), forKey: "pages")
    }
    try context.save()
  }

  @Test(arguments: [true, false])
  func `a copy of another kind of store has the counts`(hasInverse: Bool) throws {
    let model = try Self.model(hasInverse: hasInverse)
    let source = try InMemoryStore(model: model)
    try fill(ManagedObjectContext(source))
    try SQLiteStore.createStore(at: file, model: model, configuration: nil) { store throws(ManagedObjectError) in
      try store.insertObjects(of: source)
    }
    #expect(try PlainSQLite(file).column("SELECT ZPAGESCOUNT FROM ZBOOK ORDER BY 1") == ["0", "1", "2"])
  }

  @Test func `a new object that is related to itself is counted once`() throws {
    var count = AttributeDescription("childCount", .integer32)
    count.derivation = .init(try ManagedExpression(format: "children.@count"))
    var leaf = EntityDescription("Leaf")
    leaf.superentity = "Node"
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Node",
        [
          .attribute(count), .relationship("parent", to: "Node", inverse: "children"),
          .relationship("children", to: "Node", inverse: "parent", isToMany: true, isOrdered: true),
        ]), leaf,
    ])
    let context = try ManagedObjectContext(SQLiteStore(file, model: model))
    let (own, child) = (try context.insert("Leaf"), try context.insert("Node"))
    for object in [own, child] { try object.setValue(.object(own), forKey: "parent") }
    try context.save()
    #expect(own["childCount"] == .attribute(.integer(2)) && child["childCount"] == .attribute(.integer(0)))
    let again = ManagedObjectContext(coordinator: context.coordinator)
    let found = try again.object(with: own.objectID)
    #expect(found["parent"] == .object(found) && found["childCount"] == .attribute(.integer(2)))
    try context.delete(child)
    try own.setValue(ManagedObject.Value.null, forKey: "parent")
    try context.save()
    #expect(own["childCount"] == .attribute(.integer(0)))
  }

  @Test func `a batch request keeps the counts`() throws {
    let context = try ManagedObjectContext(SQLiteStore(file, model: Self.model(hasInverse: true)))
    try fill(context)
    let deletion = BatchRequest.delete("Page", where: try ManagedPredicate(format: "book.pagesCount == 2"))
    try context.execute(deletion, mergesChanges: true)
    try context.execute(.insert("Book", [["title": .string("new"), "pagesCount": .integer(9)]]), mergesChanges: true)
    let counts = try context.fetch(FetchRequest("Book", sortedBy: [.init("pagesCount")])).map { $0["pagesCount"] }
    #expect(counts == [0, 0, 0, 1].map { .attribute(.integer($0)) })
  }

  @Test func `a history names the relationship, and not the derived attribute`() throws {
    let store = try SQLiteStore(
      file, model: Self.model(hasInverse: true), access: .readWrite(tracksHistory: true))
    let context = try ManagedObjectContext(store)
    let book = try context.insert("Book")
    try context.save()
    try book.setValue(ManagedObject.Value.set([.object(try context.insert("Page"))]), forKey: "pages")
    try context.save()
    let changes = try store.history(HistoryRequest(after: .number(1))).flatMap(\.changes)
      .filter { $0.objectID == book.objectID }
    #expect(changes.map(\.updatedProperties) == [["pages"]])
  }

  @Test func `a migration by a mapping creates the triggers and counts`() throws {
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: Self.model(hasInverse: true, isDerived: false)))
      try fill(context)
    }
    let new = try Self.model(hasInverse: true)
    let policy = EntityMigrationPolicy { book, migration in
      _ = try migration.createDestinationInstances(forSource: book)
    }
    try SQLiteStore.migrate(file, to: new, by: StoreMapping(entities: ["Book": policy, "GraphicNovel": policy]))
    let database = try PlainSQLite(file)
    #expect(try database.column("SELECT ZPAGESCOUNT FROM ZBOOK ORDER BY 1") == ["0", "1", "2"])
    #expect(try database.column(Self.storedTriggers) == Self.triggers(hasInverse: true))
    let context = try ManagedObjectContext(SQLiteStore(file, model: new))
    for page in try context.fetch(FetchRequest("Page")) { try context.delete(page) }
    try context.save()
    #expect(try database.column("SELECT ZPAGESCOUNT FROM ZBOOK") == ["0", "0", "0"])
  }

  private static let wrongCounts =
    "SELECT COUNT(*) FROM ZBOOK b WHERE ZPAGESCOUNT IS NOT (SELECT COUNT(*) FROM ZPAGE WHERE KEY = b.Z_PK)"

  /// Returns the model without its derived attribute.
  private static func plainModel(hasInverse: Bool) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: model(hasInverse: hasInverse).entities.map { entity in
        var definition = entity.definition
        definition.properties.removeAll { $0.name == "pagesCount" }
        return definition
      })
  }

  @Test(arguments: [true, false], [true, false])
  func `an inferred migration adds a derived attribute`(hasInverse: Bool, isCopy: Bool) throws {
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: Self.plainModel(hasInverse: hasInverse)))
      for _ in 0..<3 { try fill(context) }
    }
    let new = try Self.model(hasInverse: hasInverse)
    let migrated = isCopy ? folder.url.appending(path: "b.sqlite") : file
    try SQLiteStore.migrate(file, to: new, output: isCopy ? migrated : nil)
    let plain = try PlainSQLite(migrated)
    #expect(try plain.column(Self.storedTriggers) == Self.triggers(hasInverse: hasInverse))
    let counts = "SELECT ZPAGESCOUNT FROM ZBOOK ORDER BY Z_PK"
    #expect(try plain.column(counts) == ["0", "1", "2", "0", "1", "2", "0", "1", "2"])
    let wrong = Self.wrongCounts.replacing("KEY", with: hasInverse ? "ZBOOK" : "Z1PAGES")
    #expect(try plain.column(wrong) == ["0"])

    let store = try SQLiteStore(migrated, model: new)
    #expect(store.writingObstacles == [])
    let context = try ManagedObjectContext(store)
    let request = FetchRequest("Book", where: try ManagedPredicate(format: "pagesCount == 2"))
    #expect(try context.fetch(request).count == 3)
    for page in try context.fetch(FetchRequest("Page")).prefix(4) { try context.delete(page) }
    try context.save()
    #expect(try plain.column(wrong) == ["0"] && plain.column("SELECT SUM(ZPAGESCOUNT) FROM ZBOOK") == ["5"])
    #expect(try plain.defects() == [])
  }

  @Test func `an attribute that becomes derived gets computed values, without a loss`() throws {
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: Self.model(hasInverse: true, isDerived: false)))
      try fill(context)
      for book in try context.fetch(FetchRequest("Book")) {
        try book.setValue(AttributeValue.integer(9), forKey: "pagesCount")
      }
      try context.save()
    }
    #expect(try SQLiteStore.migrate(file, to: Self.model(hasInverse: true)) == [])
    #expect(try PlainSQLite(file).column("SELECT ZPAGESCOUNT FROM ZBOOK ORDER BY 1") == ["0", "1", "2"])
  }

  @Test func `an inferred migration drops a derived attribute and its triggers, without a loss`() throws {
    try fill(ManagedObjectContext(SQLiteStore(file, model: Self.model(hasInverse: true))))
    #expect(try SQLiteStore.migrate(file, to: Self.plainModel(hasInverse: true)) == [])
    let plain = try PlainSQLite(file)
    #expect(try plain.column(Self.storedTriggers) == [])
    #expect(try !plain.column("SELECT name FROM pragma_table_info('ZBOOK')").contains("ZPAGESCOUNT"))
    let store = try SQLiteStore(file, model: Self.plainModel(hasInverse: true))
    #expect(try store.writingObstacles == [] && ManagedObjectContext(store).count(for: FetchRequest("Page")) == 3)
  }

  @Test func `an attribute that is not derived any more keeps its values`() throws {
    try fill(ManagedObjectContext(SQLiteStore(file, model: Self.model(hasInverse: true))))
    try SQLiteStore.migrate(file, to: Self.model(hasInverse: true, isDerived: false))
    let plain = try PlainSQLite(file)
    #expect(try plain.column(Self.storedTriggers) == [])
    #expect(try plain.column("SELECT ZPAGESCOUNT FROM ZBOOK ORDER BY 1") == ["0", "1", "2"])
  }

  @Test func `a count of a renamed relationship has triggers with the new names`() throws {
    try fill(ManagedObjectContext(SQLiteStore(file, model: Self.model(hasInverse: true))))
    var count = AttributeDescription("leafCount", .integer32, isOptional: false, defaultValue: .integer(0))
    count.derivation = .init(try ManagedExpression(format: "leaves.@count"))
    count.renamingIdentifier = "pagesCount"
    func relationship(
      _ name: String, _ former: String, _ entity: String, _ inverse: String, isToMany: Bool
    ) -> PropertyDescription {
      var relationship = RelationshipDescription(name, to: entity, inverse: inverse, isToMany: isToMany)
      relationship.renamingIdentifier = former
      return .relationship(relationship)
    }
    var volume = EntityDescription(
      "Volume",
      [
        .attribute(count), .attribute("title", .string),
        relationship("leaves", "pages", "Page", "volume", isToMany: true),
      ])
    volume.renamingIdentifier = "Book"
    var novel = EntityDescription("GraphicNovel")
    novel.superentity = "Volume"
    let page = EntityDescription(
      "Page", [.attribute("number", .integer16), relationship("volume", "book", "Volume", "leaves", isToMany: false)])
    let new = try ManagedObjectModel(entities: [volume, novel, page])
    try SQLiteStore.migrate(file, to: new)
    let plain = try PlainSQLite(file)
    let names = try plain.column("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY 1")
    #expect(names.count == 5 && names.allSatisfy { $0.contains("_Volume_leafCount_") })
    #expect(try plain.column("SELECT ZLEAFCOUNT FROM ZVOLUME ORDER BY 1") == ["0", "1", "2"])
    #expect(try SQLiteStore(file, model: new).writingObstacles == [])
  }

  @Test func `a count of objects of the same entity is computed`() throws {
    func model(_ more: [PropertyDescription]) throws -> ManagedObjectModel {
      try ManagedObjectModel(entities: [
        EntityDescription(
          "Node",
          [
            .relationship("children", to: "Node", inverse: "parent", isToMany: true),
            .relationship("parent", to: "Node", inverse: "children"),
          ] + more)
      ])
    }
    do {
      let context = try ManagedObjectContext(SQLiteStore(file, model: model([])))
      let nodes = try (0..<6).map { _ in try context.insert("Node") }
      for index in 1..<6 { try nodes[index].setValue(.object(nodes[(index - 1) / 2]), forKey: "parent") }
      try context.save()
    }
    var count = AttributeDescription("childCount", .integer64)
    count.derivation = .init(try ManagedExpression(format: "children.@count"))
    try SQLiteStore.migrate(file, to: model([.attribute(count)]))
    let wrong =
      "SELECT COUNT(*) FROM ZNODE n WHERE ZCHILDCOUNT IS NOT (SELECT COUNT(*) FROM ZNODE WHERE ZPARENT = n.Z_PK)"
    let plain = try PlainSQLite(file)
    #expect(try plain.column(wrong) == ["0"] && plain.column("SELECT SUM(ZCHILDCOUNT) FROM ZNODE") == ["5"])
  }

  @Test func `a migration refuses a derived attribute that a new store would refuse`() throws {
    try fill(ManagedObjectContext(SQLiteStore(file, model: Self.plainModel(hasInverse: true))))
    let before = try Data(contentsOf: file)
    var title = AttributeDescription("search", .string)
    title.derivation = .init(try ManagedExpression(format: "canonical:(title)"))
    var entities = try Self.plainModel(hasInverse: true).entities.map(\.definition)
    entities[0].properties.append(.attribute(title))
    let new = try ManagedObjectModel(entities: entities)
    let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore.migrate(file, to: new) }
    #expect(error?.code == .save && error?.message.contains("the attribute Book.search is derived") == true)
    #expect(try Data(contentsOf: file) == before)
  }

  @Test(.enabled(if: !StoreSamples.stores.isEmpty))
  func `the triggers in a file of Core Data keep the counts`() throws {
    for original in try StoreSamples.storesWithModel() {
      let model = try SQLiteStore.model(inFile: original, writesNothing: true)
      guard model["Book"]?.attribute(named: "pagesCount")?.definition.derivation != nil else { continue }
      let file = try StoreSamples.copy(original, to: folder)
      let plain = try PlainSQLite(file)
      // The history would prevent saving.
      for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] { try plain.run("DROP TABLE IF EXISTS \(table)") }
      let triggers = try plain.column(Self.storedTriggers)
      let made = folder.url.appending(path: "made.sqlite")
      _ = try SQLiteStore(made, model: model)
      #expect(try PlainSQLite(made).column(Self.storedTriggers) == triggers)

      let context = try ManagedObjectContext(SQLiteStore(file, model: model))
      let books = try context.fetch(FetchRequest("Book"))
      let pages = try context.fetch(FetchRequest("Page"))
      try #require(books.count > 1 && pages.count > 9)
      for page in pages.prefix(3) { try context.delete(page) }
      for page in pages[3..<9] { try page.setValue(.object(books[0]), forKey: "book") }
      try context.delete(books[1])
      try context.save()
      let wrong =
        "SELECT COUNT(*) FROM ZBOOK b WHERE ZPAGESCOUNT IS NOT (SELECT COUNT(*) FROM ZPAGE WHERE ZBOOK = b.Z_PK)"
      #expect(try plain.column(wrong) == ["0"])
      guard case .set(let kept)? = books[0]["pages"] else { throw CocoaError(.coderReadCorrupt) }
      #expect(kept.count > 0 && books[0]["pagesCount"] == .attribute(.integer(Int64(kept.count))))
      #expect(try plain.column(Self.storedTriggers) == triggers)
      #expect(try plain.defects() == [])
    }
  }
}
