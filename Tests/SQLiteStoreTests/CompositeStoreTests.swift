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

  @Test func `a store with composite attributes cannot be saved or created`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try store(in: folder)
    let store = try SQLiteStore(file, model: Self.model(Self.leaves))
    let error = #expect(throws: ManagedObjectError.self) { try store.save(StoreChanges()) }
    #expect(error?.message.contains("Drink.author is composite") == true)
    #expect(throws: ManagedObjectError.self) {
      try SQLiteStore(folder.url.appending(path: "new.sqlite"), model: Self.model(Self.leaves))
    }
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
