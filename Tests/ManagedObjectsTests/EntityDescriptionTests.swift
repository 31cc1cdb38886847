import ManagedObjects
import Testing

@Suite("Descriptions of entities") struct EntityDescriptionTests {
  @Test func `properties of an entity are read, changed, added and removed by name`() throws {
    var note = EntityDescription(
      "Note", [.attribute("title", .string), .relationship("author", to: "Person"), .attribute("text", .string)])
    note[attribute: "title"]?.isOptional = false
    note[relationship: "author"]?.deleteRule = .deny
    #expect(note.attributes[0].isOptional == false && note[relationship: "author"]?.deleteRule == .deny)
    #expect(note[attribute: "author"] == nil && note[relationship: "title"] == nil && note[attribute: "x"] == nil)
    note[attribute: "author"]?.isOptional = false
    note[attribute: "author"] = nil
    note[attribute: "x"] = nil
    #expect(note.properties.map(\.name) == ["title", "author", "text"])
    note[fetchedProperty: "all"] = FetchedPropertyDescription("all", FetchRequest("Note"))
    note[fetchedProperty: "all"]?.request.fetchLimit = 5
    note[attribute: "title"] = nil
    note[attribute: "text"] = AttributeDescription("content", .string)
    #expect(note.properties.map(\.name) == ["author", "content", "all"])
    #expect(note[fetchedProperty: "all"]?.request.fetchLimit == 5)
    note[relationship: "author"] = nil
    note[fetchedProperty: "all"] = nil
    #expect(note.properties.map(\.name) == ["content"])
  }
}
