import Foundation
import Testing

@testable import ManagedObjects

@Suite("Joining classes with an existing model") struct ClassJoiningTests {
  final class Note: ManagedObject {
    @Attribute var title: String
    @Attribute var pages: Int32
    @Relationship(inverse: \Person.notes) var author: Person?
    @FetchedProperty("TRUEPREDICATE") var others: [Note]
    var extra = 3
  }

  class Person: ManagedObject {
    @Attribute var name: String?
    @Relationship var notes: Set<Note>
  }

  final class Employee: Person { @Attribute var salary: Decimal? }

  static func model(_ change: (inout [EntityDescription]) -> Void = { _ in }) throws -> ManagedObjectModel {
    var employee = EntityDescription("Employee", [.attribute("salary", .decimal)])
    employee.superentity = "Person"
    var note = EntityDescription(
      "Note",
      [
        .attribute("title", .string, isOptional: false), .attribute("pages", .integer32),
        .attribute("unwrapped", .date), .relationship("author", to: "Person", inverse: "notes"),
        .fetched(FetchedPropertyDescription("others", FetchRequest("Note"))),
      ])
    note.className = "Other.Name"
    let person = EntityDescription(
      "Person",
      [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)])
    var entities = [note, person, employee]
    change(&entities)
    return try ManagedObjectModel(entities: entities)
  }

  @Test func `joining classes does not change the model`() throws {
    let model = try Self.model()
    let joined = try model.joined(with: [Note.self, Person.self, Employee.self])
    #expect(joined == model && joined.entityVersionHashesByName == model.entityVersionHashesByName)
    #expect(joined.entity(of: Employee.self)?.name == "Employee")
    #expect(joined.entity(of: Note.self)?.name == "Note")
    #expect(model.entity(of: Note.self) == nil)
  }

  @Test func `a subentity without a class uses the class of its superentity`() throws {
    let joined = try Self.model().joined(with: [Note.self, Person.self])
    let employee = try #require(joined["Employee"])
    #expect(joined.objectClass(of: employee.index) == Person.self)
  }

  @Test(arguments: ["ManagedObjectsTests.ClassJoiningTests.Person", "Person", ".Person"])
  func `a class is matched by the class name of the entity`(_ name: String) throws {
    let model = try Self.model { entities in
      entities[1].name = "CDPerson"
      entities[1].className = name
      entities[2].superentity = "CDPerson"
      entities[0].properties[3] = .relationship("author", to: "CDPerson", inverse: "notes")
    }
    #expect(try model.joined(with: [Note.self, Person.self]).entity(of: Person.self)?.name == "CDPerson")
  }

  struct Difference: CustomTestStringConvertible {
    let text: String
    var classes: [ManagedObject.Type] = [Note.self, Person.self, Employee.self]
    var kinds: [ManagedObjectModelError.Defect.Kind] = [.classMismatch]
    let change: @Sendable (inout [EntityDescription]) -> Void
    var testDescription: String { text }

    init(
      _ text: String, _ classes: [ManagedObject.Type] = [Note.self, Person.self, Employee.self],
      _ kinds: [ManagedObjectModelError.Defect.Kind] = [.classMismatch],
      _ change: @escaping @Sendable (inout [EntityDescription]) -> Void = { _ in }
    ) {
      (self.text, self.classes, self.kinds, self.change) = (text, classes, kinds, change)
    }
  }

  final class Salary: ManagedObject { @Attribute var salary: Decimal? }

  final class Person2: ManagedObject {
    override class var entityName: String { "Person" }
  }

  final class Stranger: ManagedObject {}

  final class Transformed: ManagedObject {
    @Attribute var value: [String]?
    override class var entityName: String { "Note" }
  }

  static let differences: [Difference] = [
    Difference("Note.pages: the model has no such property") { $0[0].properties.remove(at: 1) },
    Difference("Note.pages: its type is Integer 32 in the class, and Integer 64 in the model") {
      $0[0].properties[1] = .attribute("pages", .integer64)
    },
    Difference("Note.title: it is optional in the model, but the class cannot represent a missing value") {
      $0[0].properties[0].isOptional = true
    },
    Difference("Note.pages: it is an attribute in the class, and a relationship in the model") {
      $0[0].properties[1] = .relationship("pages", to: "Note")
    },
    Difference(
      "Person.notes: it is a to-many relationship in the class, and an ordered to-many relationship in the model"
    ) {
      $0[1].properties[1] = .relationship("notes", to: "Note", inverse: "author", isToMany: true, isOrdered: true)
    },
    Difference("Note.author: it is a to-one relationship in the class, and a to-many relationship in the model") {
      $0[0].properties[3] = .relationship("author", to: "Person", inverse: "notes", isToMany: true)
    },
    Difference(
      """
      Note.author: its destination is Person in the class, and "Note" in the model
      Note.author: its inverse is "notes" in the class, and not set in the model
      """, [Note.self, Person.self], [.classMismatch, .classMismatch]
    ) {
      $0[0].properties[3] = .relationship("author", to: "Note")
      $0[1].properties[1] = .relationship("notes", to: "Note", isToMany: true)
    },
    Difference(#"Note.others: its destination is Note in the class, and "Person" in the model"#) {
      $0[0].properties[4] = .fetched(FetchedPropertyDescription("others", FetchRequest("Person")))
    },
    Difference("Note.author: its destination class Person is not in the list of classes", [Note.self]),
    Difference(
      "Stranger: the model has no entity with this name or with the class "
        + #""ManagedObjectsTests.ClassJoiningTests.Stranger""#, [Stranger.self], [.unknownEntity]),
    Difference(
      "Person: the entity has two classes: ManagedObjectsTests.ClassJoiningTests.Person and "
        + "ManagedObjectsTests.ClassJoiningTests.Person2", [Note.self, Person.self, Person2.self],
      [.duplicateName, .classMismatch]),
    Difference(
      "Employee: the class Salary does not inherit from Person, the class of its superentity",
      [Note.self, Person.self, Salary.self]
    ) { $0[2].className = "Salary" },
    Difference(
      #"Note.value: the value transformer "MyTransformer" is not registered with the model"#,
      [Transformed.self]
    ) {
      var attribute = AttributeDescription("value", .transformable)
      attribute.valueTransformerName = "MyTransformer"
      $0[0].properties.append(.attribute(attribute))
    },
  ]

  @Test(arguments: differences)
  func `the error lists every difference between the class and the model`(_ difference: Difference) throws {
    let model = try Self.model(difference.change)
    let error = #expect(throws: ManagedObjectModelError.self) { try model.joined(with: difference.classes) }
    guard case .invalid(let defects)? = error else { return }
    #expect(error?.description.hasPrefix(difference.text) == true, "\(error?.description ?? "")")
    #expect(defects.map(\.kind) == difference.kinds)
  }

  @Test func `a nonoptional number in a class matches an optional number in the model`() throws {
    // pages is Int32 in the class, and optional in the model.
    #expect(throws: Never.self) { try Self.model().joined(with: [Note.self, Person.self]) }
    // A class may accept nil for a property that is mandatory in the model.
    #expect(throws: Never.self) {
      try Self.model { $0[1].properties[0].isOptional = false }.joined(with: [Note.self, Person.self])
    }
  }
}
