import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("An inferred migration of an SQLite store") struct MigrationTests {
  private let folder = TemporaryFolder(isInMemory: true)

  /// Returns the objects of a store as text: the entity, the number, the attributes, and relationships by number.
  private func contents(_ file: URL, _ model: ManagedObjectModel) throws -> [String] {
    let store = try SQLiteStore(file, model: model)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(store)
    let context = ManagedObjectContext(coordinator: coordinator)
    var lines: [String] = []
    for entity in model.entities where !entity.isAbstract {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      for object in try context.fetch(request) {
        var line = object.objectID.uriRepresentation.split(separator: "/").suffix(2).joined(separator: "/")
        for property in entity.properties.sorted(by: { $0.name < $1.name }) {
          switch object[property.name] {
          case .attribute(.null), nil: continue
          case .attribute(let value): line += " \(property.name)=\(value)"
          case .object(let other): line += " \(property.name)=\(number(other))"
          case .array(let others): line += " \(property.name)=[\(list(others).joined(separator: " "))]"
          case .set(let others): line += " \(property.name)={\(list(others).sorted().joined(separator: " "))}"
          }
        }
        lines.append(line)
      }
    }
    return lines
  }

  private func number(_ object: ManagedObject) -> String {
    String(object.objectID.uriRepresentation.split(separator: "/").suffix(2).joined(separator: "/"))
  }

  private func list(_ values: [ManagedObject.Value]) -> [String] {
    values.map { if case .object(let object) = $0 { number(object) } else { "?" } }
  }

  typealias Change = (inout EntityDescription) -> Void

  /// Returns the entities, each with a change applied.
  static func entities(
    note changeNote: Change = { _ in }, person changePerson: Change = { _ in },
    employee changeEmployee: Change = { _ in }, tag changeTag: Change = { _ in }
  ) -> [EntityDescription] {
    var note = EntityDescription(
      "Note",
      [
        .attribute("title", .string), .attribute("count", .integer32),
        .relationship("author", to: "Person", inverse: "notes"),
        .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
      ])
    var person = EntityDescription(
      "Person",
      [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)])
    var employee = EntityDescription("Employee", [.attribute("salary", .double)])
    employee.superentity = "Person"
    var tag = EntityDescription(
      "Tag", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true)])
    changeNote(&note)
    changePerson(&person)
    changeEmployee(&employee)
    changeTag(&tag)
    return [note, person, employee, tag]
  }

  private func makeStore(_ file: URL, _ model: ManagedObjectModel) throws {
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(SQLiteStore(file, model: model))
    let context = ManagedObjectContext(coordinator: coordinator)
    var notes: [ManagedObject] = []
    for index in 0..<3 {
      let note = try context.insert("Note")
      try note.setValue(.attribute(index == 1 ? .null : .string("n\(index)")), forKey: "title")
      try note.setValue(.attribute(.integer(Int64(index))), forKey: "count")
      notes.append(note)
    }
    let ada = try context.insert("Employee")
    try ada.setValues(["name": .string("Ada"), "salary": .double(2)])
    let bob = try context.insert("Person")
    try bob.setValue(.attribute(.string("Bob")), forKey: "name")
    try ada.setValue(.set([.object(notes[2]), .object(notes[0])]), forKey: "notes")
    try bob.setValue(.set([.object(notes[1])]), forKey: "notes")
    let tags = [try context.insert("Tag"), try context.insert("Tag")]
    try tags[0].setValue(.set([.object(notes[0]), .object(notes[1])]), forKey: "notes")
    try tags[1].setValue(.set([.object(notes[1])]), forKey: "notes")
    // The objects are numbered in the order of insertion, so that the numbers are known.
    try context.save()
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let after: [EntityDescription]
    /// Replacements in the lines.
    var replacing: [(String, String)] = []
    /// Prefixes of lines that are removed.
    var without: [String] = []
  }

  static let rows = [
    Row(
      testDescription: "a new attribute",
      after: entities(note: { $0.properties.append(.attribute("isRead", .boolean)) })),
    Row(
      testDescription: "a new attribute with a default",
      after: entities(note: {
        $0.properties.append(.attribute("color", .string, isOptional: false, defaultValue: .string("red")))
      }),
      replacing: [
        (" author=Employee/p1 count=0", " author=Employee/p1 color=\"red\" count=0"),
        (" author=Person/p2 count=1", " author=Person/p2 color=\"red\" count=1"),
        (" author=Employee/p1 count=2", " author=Employee/p1 color=\"red\" count=2"),
      ]),
    Row(
      testDescription: "a removed attribute",
      after: entities(note: { $0.properties.removeAll { $0.name == "count" } }),
      replacing: [(" count=0", ""), (" count=1", ""), (" count=2", "")]),
    Row(
      testDescription: "an attribute that becomes required",
      after: entities(note: {
        $0.properties[0] = .attribute("title", .string, isOptional: false, defaultValue: .string("none"))
      }), replacing: [("tags={Tag/p1 Tag/p2}", "tags={Tag/p1 Tag/p2} title=\"none\"")]),
    Row(
      testDescription: "a renamed attribute",
      after: entities(note: {
        var title = AttributeDescription("heading", .string)
        title.renamingIdentifier = "title"
        $0.properties[0] = .attribute(title)
      }),
      replacing: [
        (" tags={Tag/p1} title=\"n0\"", " heading=\"n0\" tags={Tag/p1}"),
        (" tags={} title=\"n2\"", " heading=\"n2\" tags={}"),
      ]),
    Row(
      testDescription: "a renamed entity",
      after: entities(
        note: { $0.properties[2] = .relationship("author", to: "Human", inverse: "notes") },
        person: {
          $0.name = "Human"
          $0.renamingIdentifier = "Person"
        }, employee: { $0.superentity = "Human" }), replacing: [("Person/", "Human/")]),
    Row(
      testDescription: "a removed entity",
      after: entities(note: { $0.properties.removeLast() }).dropLast(),
      replacing: [(" tags={Tag/p1}", ""), (" tags={Tag/p1 Tag/p2}", ""), (" tags={}", "")], without: ["Tag/"]),
    Row(
      testDescription: "a new entity before others",
      after: [EntityDescription("Account", [.attribute("name", .string)])] + entities()),
    Row(
      testDescription: "a new parent of a hierarchy",
      after: {
        var being = EntityDescription("Being", [.attribute("age", .integer16)])
        being.isAbstract = true
        var all = entities(person: { $0.superentity = "Being" })
        all.insert(being, at: 1)
        return all
      }()),
    Row(
      testDescription: "an attribute that moves to the parent entity",
      after: entities(
        person: { $0.properties.append(.attribute("salary", .double)) }, employee: { $0.properties = [] })),
    Row(
      testDescription: "a relationship that becomes to-many",
      after: entities(note: {
        $0.properties[2] = .relationship("author", to: "Person", inverse: "notes", isToMany: true)
      }), replacing: [("author=Employee/p1", "author={Employee/p1}"), ("author=Person/p2", "author={Person/p2}")]),
    Row(
      testDescription: "a relationship that becomes ordered",
      after: entities(
        person: {
          $0.properties[1] = .relationship("notes", to: "Note", inverse: "author", isToMany: true, isOrdered: true)
        },
        tag: {
          $0.properties[1] = .relationship("notes", to: "Note", inverse: "tags", isToMany: true, isOrdered: true)
        }),
      replacing: [
        ("notes={Note/p1 Note/p3}", "notes=[Note/p1 Note/p3]"), ("notes={Note/p2}", "notes=[Note/p2]"),
        ("notes={Note/p1 Note/p2}", "notes=[Note/p1 Note/p2]"),
      ]),
    Row(
      testDescription: "a renamed relationship",
      after: entities(
        note: {
          var author = RelationshipDescription("writer", to: "Person", inverse: "notes")
          author.renamingIdentifier = "author"
          $0.properties[2] = .relationship(author)
        },
        person: { $0.properties[1] = .relationship("notes", to: "Note", inverse: "writer", isToMany: true) }),
      replacing: [
        (
          " author=Employee/p1 count=0 tags={Tag/p1} title=\"n0\"",
          " count=0 tags={Tag/p1} title=\"n0\" writer=Employee/p1"
        ),
        (" author=Person/p2 count=1 tags={Tag/p1 Tag/p2}", " count=1 tags={Tag/p1 Tag/p2} writer=Person/p2"),
        (" author=Employee/p1 count=2 tags={} title=\"n2\"", " count=2 tags={} title=\"n2\" writer=Employee/p1"),
      ]),
  ]

  @Test(arguments: rows) func `a store is migrated if the models determine the changes`(row: Row) throws {
    let old = try ManagedObjectModel(entities: Self.entities())
    let new = try ManagedObjectModel(entities: row.after)
    let file = folder.url.appending(path: "a.sqlite")
    try makeStore(file, old)
    let before = try contents(file, old)
    try SQLiteStore.migrate(file, to: new, droppedValues: .drop)
    var expected = before.filter { line in !row.without.contains { line.hasPrefix($0) } }
    for (was, becomes) in row.replacing { expected = expected.map { $0.replacing(was, with: becomes) } }
    #expect(try contents(file, new).sorted() == expected.sorted())
    // A store of the new model, made anew, has the same tables.
    #expect(try SQLiteStore.model(inFile: file).entityVersionHashesByName == new.entityVersionHashesByName)
  }

  static let refusals: [(String, [EntityDescription], String)] = [
    (
      "another type", entities(note: { $0.properties[1] = .attribute("count", .string) }),
      "the attribute \"Note.count\" changes from Integer 32 to String"
    ),
    (
      "required without a default",
      entities(note: { $0.properties[0] = .attribute("title", .string, isOptional: false) }),
      "the attribute \"Note.title\" becomes required, but has no default value"
    ),
    (
      "to-many becomes to-one",
      entities(person: { $0.properties[1] = .relationship("notes", to: "Note", inverse: "author") }),
      "the relationship \"Person.notes\" changes from to-many to to-one"
    ),
    (
      "two hierarchies become one",
      entities(note: {
        $0.superentity = "Person"
        $0.properties.removeAll { $0.name == "tags" }
      }).dropLast(),
      "\"Person\" and the entities that inherit from it come from several root entities: \"Note\", \"Person\""
    ),
  ]

  @Test(arguments: refusals.indices)
  func `a store is unchanged if the models do not determine the changes`(index: Int) throws {
    let (_, after, reason) = Self.refusals[index]
    let old = try ManagedObjectModel(entities: Self.entities())
    let new = try ManagedObjectModel(entities: after)
    let file = folder.url.appending(path: "a.sqlite")
    try makeStore(file, old)
    let before = try contents(file, old)
    let error = try #require(throws: ManagedObjectError.self) { try SQLiteStore.migrate(file, to: new) }
    let all = error.details.isEmpty ? [error] : error.details
    #expect(all.map(\.message) == [reason] && all[0].code == .inferredMapping)
    #expect(try contents(file, old) == before)
  }
}
