import Foundation
import KeyedArchiving
import ManagedObjectsSamples
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@testable import ManagedObjects
@testable import SQLiteStore

@Suite("SQLite stores with composite attributes") struct CompositeStoreTests {
  private static let ids = [UUID(), UUID()]
  private static let author: AttributeValue = .composite([
    "city": .string("Oslo"), "id": .uuid(ids[0]), "mass": .float(0.1), "size": .integer(7), "born": .null,
  ])

  private static func model(_ leaves: [AttributeDescription], id: AttributeType = .uuid) throws -> ManagedObjectModel {
    var author = AttributeDescription("author", .composite)
    author.elements = leaves
    return try ManagedObjectModel(entities: [
      EntityDescription("Drink", [.attribute(author), .attribute("id", id), .attribute("title", .string)])
    ])
  }

  private static let leaves = [
    AttributeDescription("city", .string), AttributeDescription("id", .uuid), AttributeDescription("size", .integer32),
    AttributeDescription("mass", .float), AttributeDescription("born", .date),
  ]

  /// Returns a store with the columns of the model: `ZID` is the author's, because both are UUIDs and "author" comes
  /// first.
  private func store(in folder: TemporaryFolder) throws -> URL {
    let file = folder.url.appending(path: "drinks.sqlite")
    let twin = try ManagedObjectModel(entities: [
      EntityDescription(
        "Drink",
        [
          .attribute("id", .uuid), .attribute("id1", .uuid), .attribute("city", .string),
          .attribute("size", .integer32),
          .attribute("mass", .float), .attribute("born", .date), .attribute("title", .string),
        ])
    ])
    let context = try ManagedObjectContext(SQLiteStore(file, model: twin))
    for (title, id) in [("whole", Self.ids[1]), ("empty", nil)] as [(String, UUID?)] {
      let drink = try context.insert("Drink")
      try drink.setValue(.string(title), forKey: "title")
      guard let id else { continue }
      try drink.setValue(.uuid(id), forKey: "id1")
      try drink.setValue(.uuid(Self.ids[0]), forKey: "id")
      try drink.setValue(.string("Oslo"), forKey: "city")
      try drink.setValue(.integer(7), forKey: "size")
      try drink.setValue(.float(0.1), forKey: "mass")
    }
    try context.save()
    try Database(path: file.path, .readWrite).execute("UPDATE Z_METADATA SET Z_PLIST = NULL; DELETE FROM Z_MODELCACHE")
    return file
  }

  private func rows(_ store: some PersistentStore, _ format: String = "TRUEPREDICATE") throws -> [[RowValue]] {
    let request = FetchRequest("Drink", where: try ManagedPredicate(format: format), sortedBy: [.init("title")])
    guard case .rows(let rows) = try store.fetch(request, of: try #require(store.model["Drink"])) else { return [] }
    return rows.map(\.values)
  }

  @Test func `a composite value has named elements, and is null if all elements are null`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try SQLiteStore(try self.store(in: folder), model: Self.model(Self.leaves), access: .readOnly)
    #expect(
      try rows(store) == [
        [.null, .null, .attribute(.string("empty"))],
        [.attribute(Self.author), .attribute(.uuid(Self.ids[1])), .attribute(.string("whole"))],
      ])
    for (format, count) in [
      ("author.city == 'Oslo'", 1), ("author.size > 6 AND title == 'whole'", 1), ("author == nil", 1),
      ("author.born == nil", 2), ("id == CAST('\(Self.ids[1])', 'NSUUID')", 1), ("author.city BEGINSWITH 'P'", 0),
    ] { #expect(try rows(store, format).count == count, "\(format)") }
    #expect("\(Self.author)" == "{born: nil, city: \"Oslo\", id: \(Self.ids[0]), mass: 0.1, size: 7}")
  }

  /// Returns the result of a query in SQL, each row as text.
  private func query(_ file: URL, _ sql: String) throws -> [String] {
    let database = try Database(path: file.path, .readWrite)
    let statement = try database.statement(sql)
    var rows: [String] = []
    try withExtendedLifetime(database) { try statement.forEachRow { rows.append(statement.text(0)) } }
    return rows
  }

  @Test func `a composite value is saved in the columns of its elements`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try store(in: folder)
    let context = try ManagedObjectContext(SQLiteStore(file, model: Self.model(Self.leaves)))
    let drink = try context.insert("Drink")
    try drink.setValue("new", forKey: "title")
    try drink.setValue(.composite(["city": "Rome", "size": 9]), forKey: "author")
    let whole = try #require(
      try context.fetch(FetchRequest("Drink", where: ManagedPredicate(format: "title == 'whole'"))).first)
    try whole.setValue("Lima", forKeyPath: "author.city")
    let empty = try #require(
      try context.fetch(FetchRequest("Drink", where: ManagedPredicate(format: "title == 'empty'"))).first)
    try empty.setValue(.uuid(Self.ids[1]), forKeyPath: "author.id")
    try context.save()
    let columns = "ZCITY, ZSIZE, round(ZMASS,3), ZBORN, hex(ZID), hex(ZID1), Z_OPT"
    let quoted = columns.split(separator: ", ").map { "quote(\($0))" }.joined(separator: " || ' ' || ")
    func hex(_ index: Int) -> String {
      "'\(Self.ids[index].uuidString.replacing("-", with: ""))'"
    }
    let rows = try query(file, "SELECT \(quoted) FROM ZDRINK ORDER BY ZTITLE")
    #expect(
      rows == [
        "NULL NULL NULL NULL \(hex(1)) '' 2", "'Rome' 9 NULL NULL '' '' 1",
        "'Lima' 7 0.1 NULL \(hex(0)) \(hex(1)) 2",
      ])
    // Clearing the attribute clears all columns.
    try whole.setValue(AttributeValue.null, forKey: "author")
    try context.save()
    #expect(
      try query(file, "SELECT \(quoted) FROM ZDRINK WHERE ZTITLE = 'whole'") == ["NULL NULL NULL NULL '' \(hex(1)) 3"])
  }

  @Test func `a row with an unknown element or one of another type is an error that names its path`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try SQLiteStore(folder.url.appending(path: "a.sqlite"), model: Self.model(Self.leaves))
    let entity = try #require(store.model["Drink"])
    func save(_ author: AttributeValue) throws -> RowKey {
      var row = StoreRow(key: try store.makeKeys([entity.index])[0], version: 1, values: entity.emptyValues)
      row.values[try #require(entity.attribute(named: "author")).slot] = .attribute(author)
      var changes = StoreChanges()
      changes.inserted = [row]
      try store.save(changes)
      return row.key
    }
    for (author, key, message) in [
      (.composite(["town": "Oslo"]), "author", "has no element \"town\""),
      (.composite(["city": 3]), "author.city", "expected String, found the integer 3"),
      (.composite(["size": .integer(1 << 40)]), "author.size", "expected Integer 32"),
      (.composite(["mass": .float(.nan)]), "author.mass", "SQLite cannot store NaN"),
      ("Oslo", "author", "expected Composite, found a string"),
    ] as [(AttributeValue, String, String)] {
      let error = #expect(throws: ManagedObjectError.self) { try save(author) }
      #expect(error?.code == .invalidValue && error?.key == key, "\(error?.key ?? "")")
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
      #expect(error?.objectID?.entity.name == "Drink")
    }
    // A row that lacks elements gets all of them.
    let key = try save(.composite(["city": "Oslo"]))
    #expect(
      try store.rows([key])[0]?.values[0]
        == .attribute(.composite(["city": "Oslo", "id": .null, "size": .null, "mass": .null, "born": .null])))
    #expect(try store.rows([save(.composite(["city": .null]))])[0]?.values[0] == .null)
  }

  @Test func `data of an element with external storage has its prefix in the column`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.sqlite")
    var photo = AttributeDescription("photo", .binary)
    photo.allowsExternalBinaryDataStorage = true
    let store = try SQLiteStore(file, model: Self.model([photo, AttributeDescription("city", .string)]))
    let context = try ManagedObjectContext(store)
    for (title, author) in [
      ("a", .composite(["photo": .data(Data([7, 8]))])), ("b", .composite(["city": "Oslo"])), ("c", .null),
    ] as [(String, AttributeValue)] {
      try context.insert("Drink").setValues(["title": .string(title), "author": author])
    }
    try context.save()
    #expect(try query(file, "SELECT IFNULL(hex(ZPHOTO), '') FROM ZDRINK ORDER BY ZTITLE") == ["010708", "", ""])
    #expect(try rows(store).map { $0[0] }[0] == .attribute(.composite(["photo": .data(Data([7, 8])), "city": .null])))
    for (format, count) in [
      ("author == nil", 1), ("author != nil", 2), ("author.photo != nil", 1), ("author.photo.length == 2", 1),
    ] { #expect(try rows(store, format).count == count, "\(format)") }
    _ = try context.execute(.update("Drink", ["author": .composite(["photo": .data(Data([9]))])]))
    _ = try context.execute(.insert("Drink", [["title": "d", "author": .composite(["photo": .data(Data([6]))])]]))
    #expect(
      try query(file, "SELECT hex(ZPHOTO) || IFNULL(ZCITY, '') FROM ZDRINK ORDER BY ZTITLE") == [
        "0109", "0109", "0109", "0106",
      ])
  }

  @Test func `elements that do not change keep the values of their columns`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.sqlite")
    var photo = AttributeDescription("photo", .binary)
    photo.allowsExternalBinaryDataStorage = true
    let leaves = [AttributeDescription("size", .integer32), photo, AttributeDescription("city", .string)]
    let context = try ManagedObjectContext(SQLiteStore(file, model: Self.model(leaves)))
    let drink = try context.insert("Drink")
    try drink.setValues(["author": .composite(["photo": .data(Data([1])), "size": 3]), "title": "a"])
    try context.save()
    // Another program moves the photo to an external file.
    let name = UUID().uuidString
    let external = folder.url.appending(path: ".a_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: external, withIntermediateDirectories: true)
    try Data([7, 8, 9]).write(to: external.appending(path: name))
    let column = "02" + Data((name + "\0").utf8).map { String(format: "%02X", $0) }.joined()
    try Database(path: file.path, .readWrite).execute("UPDATE ZDRINK SET ZPHOTO = x'\(column)'")
    context.reset()
    let again = try #require(try context.fetch(FetchRequest("Drink")).first)
    try again.setValue("Oslo", forKeyPath: "author.city")
    try again.setValue("b", forKey: "title")
    try context.save()
    #expect(
      try query(file, "SELECT hex(ZPHOTO) || ' ' || ZSIZE || ZCITY || ZTITLE FROM ZDRINK") == [column + " 3Oslob"])
    try again.setValue(.integer(4), forKeyPath: "author.size")
    try context.save()
    context.reset()
    let last = try #require(try context.fetch(FetchRequest("Drink")).first)
    #expect(
      last["author"] == .attribute(.composite(["photo": .data(Data([7, 8, 9])), "size": 4, "city": "Oslo"])))
    try last.setValue(AttributeValue.null, forKey: "author")
    try context.save()
    #expect(
      try query(file, "SELECT IFNULL(ZPHOTO, '-') || IFNULL(ZSIZE, '-') || IFNULL(ZCITY, '-') FROM ZDRINK") == ["---"])
  }

  @Test func `a history records the elements that a batch update changes`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.sqlite")
    let store = try SQLiteStore(file, model: Self.model(Self.leaves), access: .readWrite(tracksHistory: true))
    let context = try ManagedObjectContext(store)
    try context.insert("Drink").setValue(AttributeValue.composite(["city": "Oslo", "size": 7]), forKey: "author")
    try context.insert("Drink").setValue(AttributeValue.composite(["city": "Rome", "size": 7]), forKey: "author")
    try context.save()
    let update = BatchRequest.update("Drink", ["author": AttributeValue.composite(["city": "Oslo", "size": 8])])
    _ = try context.execute(update)
    // The bits are those of city, id, size, mass and born, then those of the attributes id and title.
    #expect(
      try query(file, "SELECT ZENTITYPK || ' ' || hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 ORDER BY Z_PK") == [
        "1 20", "2 A0",
      ])
    // An update that changes nothing is not recorded.
    let count = try store.history().count
    _ = try context.execute(update)
    #expect(try store.history().count == count)
  }

  @Test func `a composite attribute with one element can be unique and indexed`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.sqlite")
    var kind = AttributeDescription("kind", .composite)
    kind.elements = [AttributeDescription("kind", .string)]
    var entity = EntityDescription("Drink", [.attribute(kind), .attribute("title", .string)])
    entity.uniquenessConstraints = [["kind"]]
    entity.fetchIndexes = [FetchIndexDescription("byKind", [.init(.property("kind"))])]
    let context = try ManagedObjectContext(SQLiteStore(file, model: ManagedObjectModel(entities: [entity])))
    #expect(
      try query(file, "SELECT sql FROM sqlite_master WHERE type = 'index' ORDER BY name") == [
        "CREATE UNIQUE INDEX Z_Drink_UNIQUE_kind ON ZDRINK (ZKIND COLLATE BINARY ASC)",
        "CREATE INDEX Z_Drink_byKind ON ZDRINK (ZKIND COLLATE BINARY ASC)",
      ])
    for kind in ["tea", "milk"] { try context.insert("Drink").setValue(.string(kind), forKeyPath: "kind.kind") }
    _ = try context.insert("Drink")
    _ = try context.insert("Drink")
    try context.save()
    let drinks = try context.fetch(FetchRequest("Drink", sortedBy: [.init("kind.kind")]))
    // Two drinks exchange their kinds.
    try drinks[2].setValue("tea", forKeyPath: "kind.kind")
    try drinks[3].setValue("milk", forKeyPath: "kind.kind")
    try context.save()
    try drinks[0].setValue("tea", forKeyPath: "kind.kind")
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .constraintMerge)
    context.rollback()
    #expect(throws: ManagedObjectError.self) {
      try context.execute(.insert("Drink", [["kind": .composite(["kind": "milk"])]]))
    }
    #expect(throws: ManagedObjectError.self) {
      try context.execute(.update("Drink", ["kind": .composite(["kind": "tea"])]))
    }
  }

  @Test func `a composite attribute with several elements in a constraint or an index prevents a new store`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    var entity = try #require(Self.model(Self.leaves)["Drink"]).definition
    entity.uniquenessConstraints = [["author"]]
    entity.fetchIndexes = [FetchIndexDescription("byAuthor", [.init(.property("author"))])]
    let model = try ManagedObjectModel(entities: [entity])
    let error = #expect(throws: ManagedObjectError.self) {
      try SQLiteStore(folder.url.appending(path: "new.sqlite"), model: model)
    }
    for text in ["constraint \"author\" of Drink contains the composite", "the index Drink.byAuthor contains the"] {
      #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }
    // The same with columns that cannot be determined.
    for (leaves, id) in [([], .uuid), (Self.leaves, .binary)] as [([AttributeDescription], AttributeType)] {
      let error = #expect(throws: ManagedObjectError.self) {
        try SQLiteStore(folder.url.appending(path: "new.sqlite"), model: Self.model(leaves, id: id))
      }
      #expect(error?.message.contains("Drink.author cannot be determined: ") == true, "\(error?.message ?? "")")
    }
    #expect(folder.names == [])
  }

  @Test func `leaf columns are in the order of the model, with those of nested elements`() throws {
    var place = AttributeDescription("place", .composite)
    place.elements = [AttributeDescription("zip", .string), AttributeDescription("city", .string)]
    let leaves = [AttributeDescription("size", .integer32), place, AttributeDescription("id", .uuid)]
    let schema = StoreSchema(try Self.model(leaves), configuration: nil)
    guard case .composite(let columns) = schema.slotColumns[0][0] else {
      Issue.record("the attribute has no columns")
      return
    }
    #expect(columns.leaves.map(\.path) == ["size", "place.zip", "place.city", "id"])
    #expect(columns.leaves.map { schema.tables[0].columns[$0.column].name } == ["ZSIZE", "ZZIP", "ZCITY", "ZID"])
  }

  @Test func `ambiguous columns are an error that names the composite attribute`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try store(in: folder)
    let other = AttributeDescription("city", .integer32)
    let missing = AttributeDescription("country", .string)
    var nested = AttributeDescription("place", .composite)
    nested.elements = [AttributeDescription("city", .string), AttributeDescription("born", .date)]
    for (leaves, id, reason) in [
      ([other], .uuid, "the column ZCITY for city has the type VARCHAR, expected INTEGER"),
      ([missing], .uuid, "has no column ZCOUNTRY for country"), ([], .uuid, "does not define its elements"),
      (Self.leaves, .binary, "several values of the same type would have the column ZID"),
    ] as [([AttributeDescription], AttributeType, String)] {
      let error = #expect(throws: ManagedObjectError.self) {
        try SQLiteStore(file, model: Self.model(leaves, id: id), access: .readOnly)
      }
      #expect(error?.message.contains("the composite attribute Drink.author cannot be determined: ") == true)
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
    // The number that distinguishes `id` from the author's makes it the column of `id1`.
    var author = AttributeDescription("author", .composite)
    author.elements = Self.leaves
    let clash = try ManagedObjectModel(entities: [
      EntityDescription("Drink", [.attribute(author), .attribute("id", .uuid), .attribute("id1", .uuid)])
    ])
    let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore(file, model: clash, access: .readOnly) }
    #expect(error?.message.contains("two properties would have the column ZID1 of the table ZDRINK") == true)
    #expect(try SQLiteStore(tablesOf: file).model["Drink"]?.attributes.count == 7)
    // The leaves of a nested composite are in the same table.
    let store = try SQLiteStore(file, model: Self.model([nested, Self.leaves[1]]), access: .readOnly)
    #expect(
      try rows(store).last?.first
        == .attribute(
          .composite(["id": .uuid(Self.ids[0]), "place": .composite(["city": .string("Oslo"), "born": .null])])))
  }

  @Test func `a small archive that expands to a huge composite value is not read`() throws {
    // Each of 16 levels contains the next one ten times.
    var value: ArchivedValue = .dictionary([.string("x"): .integer(1)])
    for _ in 0..<15 {
      let inner = value
      value = .dictionary(.init(uniqueKeysWithValues: (0..<10).map { (.string("\($0)"), inner) }))
    }
    #expect(AttributeValue(composite: value, count: 5_000) == nil)
    #expect(AttributeValue(composite: .dictionary([.string("x"): .array([])])) == nil)
    #expect(AttributeValue(archivedComposite: Data([1, 2])) == nil)
    #expect(try AttributeValue(archivedComposite: Self.author.archivedComposite()) == Self.author)
  }

  @Test func `XML and binary stores keep composite values`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let model = try Self.model(Self.leaves)
    let entity = try #require(model["Drink"])
    let values: [RowValue] = [.attribute(Self.author), .null, .attribute(.string("whole"))]
    let url = folder.url.appending(path: "drinks")
    for kind in ["xml", "binary"] {
      func open() throws -> any PersistentStore {
        kind == "xml" ? try XMLStore(url, model: model) : try BinaryStore(url, model: model)
      }
      let store = try open()
      var changes = StoreChanges()
      changes.inserted = [StoreRow(key: try store.makeKeys([entity.index])[0], version: 1, values: values)]
      try store.save(changes)
      #expect(try rows(open()) == [values], "\(kind)")
      try FileManager.default.removeItem(at: url)
    }
  }

  @Test func `a compiled model and a model source keep composite attributes`() throws {
    let model = try Self.model(Self.leaves)
    #expect(try ManagedObjectModel(compiled: model.compiledData()) == model)
    #expect(model.description.contains("author: Composite (city: String, id: UUID, size: Integer 32, mass: Float"))
    // A composite attribute that is its own element, or that contains an element twice.
    for hostile in [{ [$0, $1[0]] }, { [$1[0], $1[0]] }] as [(PropertyList, [PropertyList]) -> [PropertyList]] {
      let archive = try PropertyList(model.compiledData())
      var objects = try #require(archive["$objects"]?.array)
      let index = try #require(objects.firstIndex { $0["NSCompositeElements"] != nil })
      guard case .uid(let list)? = objects[index]["NSCompositeElements"] else { continue }
      let elements = try #require(objects[Int(list.value)]["NS.objects"]?.array)
      var array = try #require(objects[Int(list.value)].dictionary)
      array["NS.objects"] = .array(hostile(.uid(PropertyList.UID(UInt32(index))), elements))
      objects[Int(list.value)] = .dictionary(array)
      var whole = try #require(archive.dictionary)
      whole["$objects"] = .array(objects)
      let data = try PropertyList.dictionary(whole).data(format: .binary)
      #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(compiled: data) }
    }
    let source = try model.sourceData()
    #expect(String(decoding: source, as: UTF8.self).contains("<composite name=\"Author\">"))
    let again = try ManagedObjectModel(source: source)
    #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(again["Drink"]?.attribute(named: "author")?.definition.elements.map(\.name) == Self.leaves.map(\.name))
  }
}
