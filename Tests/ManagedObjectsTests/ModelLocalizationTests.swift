import Foundation
import ManagedObjects
import PropertyLists
import Testing

@Suite("Localisations of models")
struct ModelLocalizationTests {
  @Test("name entities, properties and warnings by four forms of key")
  func names() throws {
    let model = try ManagedObjectModel(entities: [
      ModelTests.person, ModelTests.note, ModelTests.sub("Author", of: "Person", [.attribute("born", .date)]),
    ])
    let strings = """
      /* German */
      "Entity/Note" = "Notiz";
      "Property/name/Entity/Person" = "Name der Person";
      "Property/name" = "Name";
      "Property/born" = "Geburtstag";
      "ErrorString/too long" = "zu lang";
      """
    let german = try ModelLocalization(strings: Data(strings.utf8))
    let (person, note, author) = try (
      #require(model["Person"]), #require(model["Note"]), #require(model["Author"])
    )
    #expect(german.name(of: note) == "Notiz" && german.name(of: person) == "Person")
    #expect(german.name(ofProperty: "name", in: author) == "Name der Person")
    #expect(german.name(ofProperty: "name", in: note) == "Name")
    #expect(german.name(ofProperty: "born", in: author) == "Geburtstag")
    #expect(german.name(ofProperty: "content", in: note) == "content")
    #expect(german.text(ofWarning: "too long") == "zu lang" && german.text(ofWarning: "other") == "other")
  }

  @Test("are dictionaries of strings")
  func others() {
    #expect(throws: PropertyListError.self) { try ModelLocalization(strings: Data("(a, b)".utf8)) }
    #expect(throws: PropertyListError.self) { try ModelLocalization(strings: Data("a = (b);".utf8)) }
  }
}
