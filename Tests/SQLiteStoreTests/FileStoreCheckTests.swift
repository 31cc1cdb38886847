import Foundation
import ManagedObjects
import SQLiteStore
import StoreInspection
import TestSupport
import Testing

@Suite("A check of an XML or binary store") struct FileStoreCheckTests {
  private static let model = Result {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string, isOptional: false), .attribute("pages", .integer16),
          .relationship("author", to: "Person", inverse: "notes"),
        ]),
      EntityDescription(
        "Person",
        [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
    ])
  }

  /// Creates a store with a person who has two notes.
  private static func xml(_ folder: TemporaryFolder, replacing old: String = "", _ new: String = "") throws -> URL {
    let file = folder.url.appending(path: "a.xml")
    let model = try model.get()
    try save(XMLStore(file, model: model))
    if !old.isEmpty {
      let text = try String(contentsOf: file, encoding: .utf8)
      try #require(text.contains(old))
      try Data(text.replacing(old, with: new).utf8).write(to: file)
    }
    return file
  }

  private static func save(_ store: any PersistentStore) throws {
    let (note, person) = (try #require(store.model["Note"]), try #require(store.model["Person"]))
    let keys = try store.makeKeys([note.index, note.index, person.index])
    var changes = StoreChanges()
    changes.inserted = keys.map { key in
      StoreRow(key: key, version: 1, values: store.model.entities[Int(key.entityIndex)].emptyValues)
    }
    for index in 0..<2 {
      changes.inserted[index].values[try #require(note.attribute(named: "title")).slot] = .attribute(.string("Milk"))
      changes.inserted[index].values[try #require(note.relationship(named: "author")).slot] = .toOne(keys[2])
    }
    try store.save(changes)
  }

  @Test func `a model that an XML store cannot have is an error without findings`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", []), EntityDescription("NOTE", [])])
    let file = try Self.xml(folder)
    let error = #expect(throws: ManagedObjectError.self) {
      try StoreCheck(file, model: model).run { Issue.record("\($0)") }
    }
    #expect(error?.code == .incompatibleSchema)
  }

  @Test(
    arguments: [
      ("", "", []),
      (
        "idrefs=\"z104\"", "idrefs=\"z999\"",
        ["dangling-reference Note/p102 author", "dangling-reference Note/p103 author"]
      ),
      ("idrefs=\"z104\"", "idrefs=\"z102\"", ["wrong-entity Note/p102 author", "wrong-entity Note/p103 author"]),
      ("<nextObjectID>104", "<nextObjectID>12", ["low-counter"]),
      (
        "<attribute name=\"title\" type=\"string\">Milk</attribute>", "",
        ["missing-value Note/p102 title", "missing-value Note/p103 title"]
      ),
      ("</database>", "", ["unreadable-rows"]),
      ("<object type=\"NOTE\" id=\"z103\">", "<object type=\"NOTE\" id=\"z102\">", ["unreadable-rows"]),
    ] as [(String, String, [String])])
  func `a check of an XML store finds exactly its damage`(old: String, new: String, findings: [String]) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try Self.xml(folder, replacing: old, new)
    let bytes = try Data(contentsOf: file)
    let found = try StoreFindings(file, model: Self.model.get())
    // The other side of the reference still exists, so that both sides can be restored.
    #expect(found.texts == findings, "\(found.list.map(\.description))")
    #expect(try Data(contentsOf: file) == bytes && folder.names == ["a.xml"])
  }

  @Test func `findings name objects, and version hashes are compared`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try Self.xml(folder, replacing: "idrefs=\"z104\"", "idrefs=\"z999\"")
    let entities = try Self.model.get().entityDescriptions.map { entity in
      var entity = entity
      if entity.name == "Person" { entity.properties[0].isOptional = false }
      return entity
    }
    let found = try StoreFindings(file, model: ManagedObjectModel(entities: entities))
    #expect(found.texts.contains("hash-mismatch Person") && found.texts.contains("missing-value Person/p104 name"))
    let dangling = try #require(found.list.first { $0.code == .danglingReference })
    #expect(dangling.objectURI?.hasSuffix("/Note/p102") == true && dangling.property == "author")
  }

  @Test func `a check of a binary store needs a model`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.store")
    try Self.save(BinaryStore(file, model: Self.model.get()))
    #expect(try StoreFindings(file, model: Self.model.get()).list.isEmpty)
    #expect(try StoreFindings(file).texts == ["no-model"])
    var damaged = try Data(contentsOf: file)
    damaged.removeLast(40)
    try damaged.write(to: file)
    let found = try StoreFindings(file, model: Self.model.get())
    #expect(found.texts == ["unreadable-rows"], "\(found.list.map(\.description))")
  }

  @Test(arguments: StoreSamples.xmlStores)
  func `Apple's XML stores have no errors`(store: URL) throws {
    let found = try StoreFindings(store)
    #expect(found.texts == ["no-model"])
  }
}
