import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("Models") struct ModelTests {
  static let person = EntityDescription(
    "Person",
    [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)])
  static let note = EntityDescription(
    "Note",
    [.attribute("content", .string, isOptional: false), .relationship("author", to: "Person", inverse: "notes")])

  static func sub(_ name: String, of superentity: String, _ properties: [PropertyDescription] = []) -> EntityDescription
  {
    var entity = EntityDescription(name, properties)
    entity.superentity = superentity
    return entity
  }

  @Test func `a model resolves superentities, inherited properties and inverses`() throws {
    let model = try ManagedObjectModel(entities: [
      Self.sub(
        "Author", of: "Person", [.attribute("born", .date), .attribute("age", .integer16, defaultValue: .integer(7))]),
      Self.note, Self.person,
    ])
    let author = try #require(model["Author"])
    let person = try #require(model["Person"])
    #expect(author.superentity == person && person.subentities == [author] && author.root == person)
    #expect(author.isKind(of: person) && author.isKind(of: author) && !person.isKind(of: author))
    #expect(author.properties.map(\.name) == ["name", "notes", "age", "born"])
    #expect(author.properties.map(\.slot) == [0, 1, 2, 3])
    #expect(person.property(named: "notes")?.slot == author.property(named: "notes")?.slot)
    let notes = try #require(author.relationship(named: "notes"))
    #expect(author.destination(of: notes).name == "Note")
    #expect(author.inverse(of: notes)?.definition.name == "author")
    #expect(author.attribute(named: "age")?.initialValue == .integer(7))
    #expect(author.property(named: "content") == nil && model["Nobody"] == nil)
  }

  @Test func `entities are ordered depth first and by case-insensitive name`() throws {
    let names = ["b", "a", "NetworkAttachment", "NWActivityFragment", "Z"].map { EntityDescription($0) }
    let model = try ManagedObjectModel(
      entities: names + [Self.sub("y", of: "b"), Self.sub("X", of: "b"), Self.sub("x", of: "X")])
    #expect(model.entities.map(\.name) == ["a", "b", "X", "x", "y", "NetworkAttachment", "NWActivityFragment", "Z"])
    #expect(model["b"]?.selfAndDescendants.map(\.name) == ["b", "X", "x", "y"])
  }

  struct Misfit: CustomTestStringConvertible {
    let testDescription: String
    let kinds: [ManagedObjectModelError.Defect.Kind]
    let entities: [EntityDescription]
    var configurations: [String] = []

    init(
      _ name: String, _ kinds: [ManagedObjectModelError.Defect.Kind], _ entities: [EntityDescription],
      configurations: [String] = []
    ) {
      testDescription = name
      self.kinds = kinds
      self.entities = entities
      self.configurations = configurations
    }
  }

  static func changed(_ entity: EntityDescription, _ change: (inout EntityDescription) -> Void) -> EntityDescription {
    var entity = entity
    change(&entity)
    return entity
  }

  static func with(_ property: PropertyDescription) -> [EntityDescription] { [EntityDescription("A", [property])] }

  static func counts(_ fewest: Int, _ most: Int, isOrdered: Bool = false) -> [EntityDescription] {
    var relationship = RelationshipDescription("r", to: "A")
    relationship.minimumCount = fewest
    relationship.maximumCount = most
    relationship.isOrdered = isOrdered
    return with(.relationship(relationship))
  }

  static let cases: [Misfit] = [
    Misfit(
      "two entities with one name", [.duplicateName], [note, note, person].map { changed($0) { $0.properties = [] } }),
    Misfit("an entity without a name", [.forbiddenName], [EntityDescription("")]),
    Misfit(
      "two properties with one name", [.duplicateName],
      [EntityDescription("A", [.attribute("a", .string), .attribute("a", .date)])]),
    Misfit("a property with a dot", [.forbiddenName], with(.attribute("a.b", .string))),
    Misfit("a property named like an NSObject method", [.forbiddenName], with(.attribute("description", .string))),
    Misfit("an unknown superentity", [.unknownSuperentity], [sub("A", of: "B")]),
    Misfit("an inheritance cycle", [.inheritanceCycle], [sub("A", of: "B"), sub("B", of: "A"), sub("C", of: "A")]),
    Misfit("an entity that inherits from itself", [.inheritanceCycle], [sub("A", of: "A")]),
    Misfit(
      "a property with the name of an inherited one", [.inheritedProperty],
      with(.attribute("a", .string)) + [sub("B", of: "A", [.attribute("a", .date)])]),
    Misfit("an unknown destination", [.unknownDestination], with(.relationship("r", to: "B"))),
    Misfit("an unknown inverse", [.unknownInverse], with(.relationship("r", to: "A", inverse: "s"))),
    Misfit(
      "an inverse that is an attribute", [.unknownInverse],
      [EntityDescription("A", [.relationship("r", to: "A", inverse: "s"), .attribute("s", .string)])]),
    Misfit(
      "an inverse with another destination", [.inverseMismatch],
      [note, changed(person) { $0.properties[1] = .relationship("notes", to: "Person", isToMany: true) }]),
    Misfit(
      "an inverse of another relationship", [.inverseMismatch],
      [
        EntityDescription(
          "A",
          [
            .relationship("r", to: "A", inverse: "s"), .relationship("s", to: "A", inverse: "t"),
            .relationship("t", to: "A", inverse: "s"),
          ])
      ].map { $0 }),
    Misfit(
      "too many inherited properties", [.tooLarge],
      (0..<800).map { index in
        let entity = EntityDescription("E\(index)", [.attribute("a\(index)", .string)])
        return index == 0 ? entity : changed(entity) { $0.superentity = "E\(index - 1)" }
      }),
    Misfit("a minimum count above the maximum count", [.impossibleCount], counts(3, 2)),
    Misfit("a negative count", [.impossibleCount], counts(-2, 0)),
    Misfit("a count too large for a hash", [.impossibleCount], counts(0, 1 << 40)),
    Misfit("an ordered to-one relationship", [.impossibleCount], counts(0, 1, isOrdered: true)),
    Misfit(
      "a default value of another type", [.defaultValue], with(.attribute("a", .integer16, defaultValue: .string("1")))),
    Misfit(
      "a default value out of range", [.defaultValue],
      with(.attribute("a", .integer16, defaultValue: .integer(40_000)))),
    Misfit(
      "a constraint on an unknown property", [.unknownName],
      [changed(EntityDescription("A")) { $0.uniquenessConstraints = [["a"]] }]),
    Misfit(
      "a constraint on a to-many relationship", [.unknownName],
      [note, changed(person) { $0.uniquenessConstraints = [["notes"]] }]),
    Misfit(
      "an index on an unknown property", [.unknownName],
      [changed(EntityDescription("A")) { $0.fetchIndexes = [.init("i", [.init(.property("a"))])] }]),
    Misfit(
      "a request for an unknown entity", [.unknownName],
      with(.fetched(FetchedPropertyDescription("f", FetchRequest("B"))))),
    Misfit(
      "a configuration with an unknown entity", [.unknownName], [EntityDescription("A")], configurations: ["A", "B"]),
  ]

  @Test(arguments: cases) func `an invalid model is an error that names the defect`(_ misfit: Misfit) throws {
    let error = #expect(throws: ManagedObjectModelError.self) {
      try ManagedObjectModel(
        entities: misfit.entities,
        configurations: misfit.configurations.isEmpty ? [:] : ["c": misfit.configurations])
    }
    guard case .invalid(let defects)? = error else { throw error ?? ManagedObjectModelError.invalid([]) }
    #expect(defects.map(\.kind) == misfit.kinds, "\(defects)")
  }

  @Test func `one error lists all defects of a model`() throws {
    let entities = [
      EntityDescription("A", [.relationship("r", to: "X"), .attribute("n", .boolean, defaultValue: .string("no"))]),
      EntityDescription("B", [.relationship("s", to: "A", inverse: "nothing")]),
    ]
    let error = #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(entities: entities) }
    #expect(
      error?.description == """
        A.n: expected a default value of type Boolean, found a string
        A.r: its destination "X" is not in the model
        B.s: its destination "A" has no relationship "nothing"
        """)
  }

  @Test func `inheritance works through thousands of entities`() throws {
    let count = LongForm.size(3000, or: 1500)
    let entities = (0..<count).map { index in
      index == 0 ? EntityDescription("E0", [.attribute("a", .string)]) : Self.sub("E\(index)", of: "E\(index - 1)")
    }
    let model = try ManagedObjectModel(entities: entities.reversed())
    #expect(model["E\(count - 1)"]?.attribute(named: "a")?.slot == 0)
    #expect(model["E\(count - 1)"]?.root.name == "E0")
    let data = try model.compiledData()
    #expect(try ManagedObjectModel(compiled: data) == model)
  }

  @Test func `models merge if their common entities are equal`() throws {
    let first = try ManagedObjectModel(
      entities: [Self.person, Self.note], configurations: ["c": ["Note"]], versionIdentifiers: ["1"])
    let turned = Self.changed(Self.note) { $0.properties.reverse() }
    let second = try ManagedObjectModel(
      entities: [Self.person, turned, EntityDescription("Tag", [.relationship("note", to: "Note")])],
      configurations: ["c": ["Tag"]], versionIdentifiers: ["2"])
    let merged = try first.merging(second)
    #expect(merged.entities.map(\.name) == ["Note", "Person", "Tag"])
    #expect(merged.configurations["c"] == ["Note", "Tag"] && merged.versionIdentifiers == ["1", "2"])
    let other = try ManagedObjectModel(entities: [EntityDescription("Note"), EntityDescription("Person")])
    let error = #expect(throws: ManagedObjectModelError.self) { try first.merging(other) }
    guard case .conflicts(let conflicts)? = error else { throw error ?? .invalid([]) }
    #expect(Set(conflicts) == [.entity("Note"), .entity("Person")])
  }

  @Test(
    arguments: [
      (.integer16, .double(3), .integer(3)), (.integer16, .double(3.5), nil), (.integer64, .boolean(true), .integer(1)),
      (.boolean, .integer(0), .boolean(false)), (.boolean, .integer(2), nil), (.double, .integer(2), .double(2)),
      (.float, .double(0.1), .float(0.1)), (.decimal, .integer(-9), .decimal(-9)), (.string, .integer(1), nil),
      (.date, .null, .null), (.integer32, .integer(1 << 31), nil), (.uuid, .string("x"), nil),
    ] as [(AttributeType, AttributeValue, AttributeValue?)])
  func `numbers convert without loss`(_ type: AttributeType, _ value: AttributeValue, _ expected: AttributeValue?) {
    #expect(type.normalized(value) == expected)
  }

  @Test func `an attribute type admits only values in its range`() {
    #expect(AttributeType.integer16.admits(.integer(-32_768)) && !AttributeType.integer16.admits(.integer(-32_769)))
    #expect(!AttributeType.integer16.admits(.boolean(true)) && !AttributeType.double.admits(.integer(1)))
    #expect(AttributeType.date.admits(.null) && AttributeType.undefined.admits(.string("x")))
    for type in AttributeType.allCases { #expect(AttributeType(name: type.name) == type) }
  }
}
