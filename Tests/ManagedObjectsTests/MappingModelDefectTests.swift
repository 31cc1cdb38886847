import Foundation
import ManagedObjects
import Testing

@Suite("Defects of mapping models") struct MappingModelDefectTests {
  private static func model(_ entities: [EntityDescription]) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: entities)
  }

  private static func old() throws -> ManagedObjectModel {
    try model([
      EntityDescription("Book", [.attribute("title", .string), .relationship("author", to: "Person")]),
      EntityDescription("Person", [.attribute("name", .string)]),
    ])
  }

  private static func new() throws -> ManagedObjectModel {
    try model([
      EntityDescription(
        "Book",
        [.attribute("title", .string), .attribute("pages", .integer16), .relationship("author", to: "Author")]),
      EntityDescription("Author", [.attribute("name", .string)]),
    ])
  }

  private static func mapping() throws -> MappingModel {
    var books = EntityMapping("BookToBook", .transform, from: "Book", to: "Book")
    books.sourceEntityVersionHash = try old().entityVersionHashesByName["Book"]
    books.destinationEntityVersionHash = try new().entityVersionHashesByName["Book"]
    books.attributeMappings = [PropertyMapping("title"), PropertyMapping("pages")]
    books.relationshipMappings = [PropertyMapping("author")]
    var people = EntityMapping("PersonToAuthor", .transform, from: "Person", to: "Author")
    people.attributeMappings = [PropertyMapping("name")]
    return MappingModel([books, people, EntityMapping("Gone", .remove, from: "Person")])
  }

  @Test func `a mapping model fits the models it was made for`() throws {
    #expect(try Self.mapping().defects(from: Self.old(), to: Self.new()) == [])
  }

  @Test func `entities that are missing or have another version are defects`() throws {
    let defects = try Self.mapping().defects(from: Self.new(), to: Self.old())
    #expect(
      defects.map(\.description) == [
        "Book: the mapping \"BookToBook\" was made for another version of the entity in the source model",
        "Book: the mapping \"BookToBook\" was made for another version of the entity in the destination model",
        "Book.pages: the destination model has no such attribute (mapping \"BookToBook\")",
        "Person: the source model has no such entity (mapping \"PersonToAuthor\")",
        "Author: the destination model has no such entity (mapping \"PersonToAuthor\")",
        "Person: the source model has no such entity (mapping \"Gone\")",
      ])
    #expect(
      defects.map(\.kind) == [
        .versionMismatch, .versionMismatch, .unknownName, .unknownName, .unknownName, .unknownName,
      ])
  }

  @Test func `properties that the destination lacks are defects`() throws {
    var mapping = try Self.mapping()
    mapping.entityMappings[0].attributeMappings.append(PropertyMapping("author"))
    mapping.entityMappings[0].relationshipMappings.append(PropertyMapping("title"))
    let defects = try mapping.defects(from: Self.old(), to: Self.new())
    #expect(defects.map(\.property) == ["author", "title"] && defects.allSatisfy { $0.kind == .unknownName })
  }

  @Test func `only known version hashes are compared`() throws {
    var attribute = AttributeDescription("count", .integer64)
    attribute.derivation = .init(try ManagedExpression(format: "now()"))
    let derived = try Self.model([EntityDescription("Book", [.attribute(attribute)])])
    var mapping = EntityMapping("BookToBook", .copy, from: "Book", to: "Book")
    #expect(MappingModel([mapping]).defects(from: derived, to: derived) == [])
    mapping.sourceEntityVersionHash = Data([1])
    #expect(MappingModel([mapping]).defects(from: derived, to: derived) == [])
    let known = try Self.old()
    #expect(MappingModel([mapping]).defects(from: known, to: known).map(\.kind) == [.versionMismatch])
  }
}
