import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("Views of models") struct ModelViewTests {
  let notes = Result { try ManagedObjectModel(contentsOf: Fixtures.url("models/Notes.mom")) }

  @Test func `a model prints as an outline`() throws {
    let expected = """
      version "one"
      entity Note, was Memo
        author -> Author, inverse notes, on deletion nullify, optional
        content: String, default "a & "b""
        cursor: Integer 64, default "0", optional, transient
        identifier: UUID
        picture: Binary, external, optional
        price: Decimal, default "12.5", optional
        rank: Integer 16, default "3", was order
        related ->> Note, inverse related, on deletion deny, at least 1, at most 5, optional
        starred: Boolean, default "YES"
        unique (identifier)
        index byContent (content, rank descending)
      abstract entity Person
        name: String
      entity Author < Person
        born: Date, default "-31536000", optional
        notes ->> ordered Note, inverse author, on deletion cascade, optional
      configuration Local: Author, Note
      fetch request all: Note
      """
    #expect(try notes.get().description.split(separator: "\n") == expected.split(separator: "\n"))
  }

  @Test func `a model prints as JSON`() throws {
    let data = try notes.get().jsonData()
    let model = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let entities = try #require(model["entities"] as? [String: [String: Any]])
    #expect(Set(entities.keys) == ["Author", "Note", "Person"])
    let note = try #require(entities["Note"]?["properties"] as? [String: [String: Any]])
    #expect(note["rank"]?["type"] as? String == "Integer 16" && note["rank"]?["default"] as? Int == 3)
    #expect(note["price"]?["default"] as? String == "12.5")
    #expect(note["author"]?["inverse"] as? String == "notes" && note["author"]?["toMany"] == nil)
    #expect(entities["Person"]?["abstract"] as? Bool == true)
    #expect(entities["Note"]?["versionHash"] as? String == (try notes.get()["Note"]?.versionHash.base64EncodedString()))
  }

  @Test func `a graph has one edge for each pair of inverse relationships`() throws {
    let count = 2_000
    let root = EntityDescription(
      "Root",
      (0..<count).flatMap { number -> [PropertyDescription] in
        [
          .relationship("next\(number)", to: "Root", inverse: "former\(number)"),
          .relationship("former\(number)", to: "Root", inverse: "next\(number)", isToMany: true),
        ]
      })
    var heir = EntityDescription("Heir", [.relationship("own", to: "Heir", inverse: "other")])
    heir.properties.append(.relationship("other", to: "Heir", inverse: "own"))
    heir.superentity = "Root"
    let edges = try ManagedObjectModel(entities: [root, heir]).graph().split(separator: "\n")
      .filter { $0.contains("dir=both") }
    #expect(edges.count == count + 1)
    #expect(edges.count { $0.contains("former") && $0.contains("next") } == count)
  }

  @Test func `a graph has lines for relationships and arrows to superentities`() throws {
    let text = try notes.get().graph()
    #expect(
      text.split(separator: "\n").filter { $0.contains("->") } == [
        "  e0 -> e2 [label=\"author / notes\", dir=both, arrowhead=vee, arrowtail=crow];",
        "  e0 -> e0 [label=\"related / related\", dir=both, arrowhead=crow, arrowtail=crow];",
        "  e2 -> e1 [arrowhead=empty];",
      ])
    #expect(text.contains("e1 [label=\"Person (abstract)\\lname: String\\l\", style=dashed];"))
    let strange = try ManagedObjectModel(entities: [EntityDescription("a\"b\\\n")]).graph()
    #expect(strange.contains(#"[label="a\"b\\\\u{a}\l"]"#), "\(strange)")
  }
}
