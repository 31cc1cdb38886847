import Foundation
import ManagedObjects
import PropertyLists
import Testing

@Suite("Localisations of models") struct ModelLocalizationTests {
  @Test func `four forms of key name entities, properties and warnings`() throws {
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
    let (person, note, author) = try (#require(model["Person"]), #require(model["Note"]), #require(model["Author"]))
    #expect(german.name(of: note) == "Notiz" && german.name(of: person) == "Person")
    #expect(german.name(ofProperty: "name", in: author) == "Name der Person")
    #expect(german.name(ofProperty: "name", in: note) == "Name")
    #expect(german.name(ofProperty: "born", in: author) == "Geburtstag")
    #expect(german.name(ofProperty: "content", in: note) == "content")
    #expect(german.text(ofWarning: "too long") == "zu lang" && german.text(ofWarning: "other") == "other")
  }

  class Person: ManagedObject {
    @Attribute(.maximumLength(5, warning: "too long")) var name: String
    @Attribute(.minimum(1)) var age = 1
    @Attribute(.predicate("SELF != 'x'", warning: "is no town")) var town: String?
  }

  final class Author: Person {
    @Attribute var motto: String
  }

  @Test func `validation errors use the localised names and texts`() throws {
    let model = try ManagedObjectModel(Person.self, Author.self)
    let context = try PersistentContainer(model: model, stores: [.inMemory]).newContext()
    let author = try context.insert(Author.self)
    (author.name, author.age, author.town) = ("Lovelace", 0, "x")
    let error = try #require(#expect(throws: ManagedObjectError.self) { try context.save() })
    let german = ModelLocalization([
      "Entity/Author": "Autorin", "Property/name/Entity/Person": "Name", "Property/age": "Alter",
      "Property/town": "Ort", "ErrorString/too long": "ist zu lang", "ErrorString/1620": "ist zu klein",
      "ErrorString/is no town": "ist kein Ort", "ErrorString/1550": "geht nicht",
    ])
    #expect(
      error.description(in: german) == """
        Autorin, Name: ist zu lang
        Autorin, Alter: ist zu klein
        Autorin, Ort: ist kein Ort
        Autorin, motto: a value is missing
        """)
    #expect(error.details.map { german.text(of: $0) }.first == "ist zu lang")
    #expect(error.details.first?.message == "too long", "programs see the key")
    #expect(error.details.first?.description(in: ModelLocalization()) == "Author, name: too long")
    #expect(ModelLocalization(["ErrorString/1550": "geht nicht"]).text(of: error.details[0]) == "geht nicht")
  }

  @Test func `an error without an object gets only a localised text`() {
    var error = ManagedObjectError(.noSuchFile, "there is none", key: "x")
    let german = ModelLocalization(["ErrorString/260": "fehlt", "Property/x": "nicht gemeint"])
    #expect(error.description(in: german) == "x: fehlt")
    error.key = nil
    #expect(error.description(in: german) == "fehlt")
    error.fileURL = URL(filePath: "/a/notes.xml")
    #expect(error.description(in: german) == "/a/notes.xml: fehlt")
  }

  @Test func `a strings file must be a dictionary of strings`() {
    #expect(throws: PropertyListError.self) { try ModelLocalization(strings: Data("(a, b)".utf8)) }
    #expect(throws: PropertyListError.self) { try ModelLocalization(strings: Data("a = (b);".utf8)) }
  }
}
