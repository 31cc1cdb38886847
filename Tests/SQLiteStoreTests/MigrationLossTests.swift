import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("A migration that would drop values") struct MigrationLossTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "a.sqlite") }

  init() throws {
    let model = try Self.model()
    let context = try ManagedObjectContext(SQLiteStore(file, model: model))
    let note = try context.insert("Note")
    try note.setValue(.string("one"), forKey: "title")
    try note.setValue(.object(context.insert("Person")), forKey: "author")
    try note.setValue(.set([.object(context.insert("Tag"))]), forKey: "tags")
    try context.insert("Memo").setValue(.string("two"), forKey: "title")
    try context.insert("Note")
    try context.save()
  }

  /// Returns the model without some properties, given as `Entity.property`, or entities.
  private static func model(without names: Set<String> = []) throws -> ManagedObjectModel {
    var memo = EntityDescription("Memo", [])
    memo.superentity = "Note"
    let entities = [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string), .attribute("empty", .string),
          .relationship("author", to: "Person", inverse: names.contains("Person.notes") ? nil : "notes"),
          .relationship("tags", to: "Tag", isToMany: true),
        ]), memo,
      EntityDescription(
        "Person",
        [
          .relationship("notes", to: "Note", inverse: names.contains("Note.author") ? nil : "author", isToMany: true)
        ]), EntityDescription("Tag", [.attribute("label", .string)]),
    ]
    return try ManagedObjectModel(
      entities: entities.filter { !names.contains($0.name) }.map { entity in
        var entity = entity
        entity.properties.removeAll { names.contains("\(entity.name).\($0.name)") }
        return entity
      })
  }

  @Test(
    arguments: [
      (["Note.title"], ["\"Note.title\" is missing from the new model; 2 objects have a value"]),
      (["Note.tags"], ["\"Note.tags\" is missing from the new model; 1 object has a value"]),
      (
        ["Note.tags", "Tag"],
        [
          "\"Note.tags\" is missing from the new model; 1 object has a value",
          "the entity \"Tag\" is missing from the new model; it has 1 object",
        ]
      ),
      (
        ["Note.author", "Person.notes"],
        [
          "\"Note.author\" is missing from the new model; 1 object has a value",
          "\"Person.notes\" is missing from the new model; 1 object has a value",
        ]
      ),
      (["Memo"], ["the entity \"Memo\" is missing from the new model; it has 1 object"]),
    ] as [(Set<String>, [String])])
  func `dropped properties and entities are an error with counts`(_ names: Set<String>, _ losses: [String]) throws {
    let new = try Self.model(without: names)
    let before = try Data(contentsOf: file)
    let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore.migrate(file, to: new) }
    let errors = error.map { $0.details.isEmpty ? [$0] : $0.details } ?? []
    #expect(errors.allSatisfy { $0.code == .droppedValues })
    #expect(errors.map(\.message).sorted() == losses)
    // Opening a store does not drop values either.
    let description = PersistentStoreDescription.sqlite(file)
    #expect(throws: ManagedObjectError.self) { try PersistentContainer(model: new, stores: [description]) }
    #expect(try Data(contentsOf: file) == before)
    #expect(try SQLiteStore.migrate(file, to: new, droppedValues: .drop).map(\.description).sorted() == losses)
    #expect(try SQLiteStore.model(inFile: file).entityVersionHashesByName == new.entityVersionHashesByName)
  }

  @Test(arguments: [["Note.empty"], ["Note.author"], ["Person.notes"]] as [Set<String>])
  func `a migration drops empty properties and one side of a relationship`(_ names: Set<String>) throws {
    #expect(try SQLiteStore.migrate(file, to: Self.model(without: names)) == [])
  }

  @Test func `dropped values are an error for entities without a function`() throws {
    let new = try Self.model(without: ["Note.title", "Tag.label"])
    let policy = EntityMigrationPolicy { try $1.createDestinationInstances(forSource: $0) }
    for entities in [["Tag": policy], ["Note": policy]] {
      let mapping = StoreMapping(entities: entities)
      let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore.migrate(file, to: new, by: mapping) }
      #expect(error?.code == .droppedValues && error?.message.contains("\"Note.title\"") == true)
    }
    let mapping = StoreMapping(entities: ["Note": policy, "Memo": policy])
    #expect(try SQLiteStore.migrate(file, to: new, by: mapping) == [])
  }

  @Test func `opening a store drops values if the caller allows it`() throws {
    let new = try Self.model(without: ["Note.title"])
    _ = try PersistentContainer(model: new, stores: [.sqlite(file, droppedValues: .drop)])
    #expect(try SQLiteStore.model(inFile: file).entityVersionHashesByName == new.entityVersionHashesByName)
  }
}
