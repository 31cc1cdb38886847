import Foundation
import KeyedArchiving
import Testing

@testable import ManagedObjects

@Suite("Models from classes") struct ClassModelTests {
  typealias S = ClassSamples

  @Test func `a model from classes equals the model from entity descriptions`() throws {
    let model = try ManagedObjectModel(classes: S.classes)
    let expected = try ManagedObjectModel(entities: S.entities())
    for entity in expected.entities {
      let found = try #require(model[entity.name])
      #expect(found.definition == entity.definition)
    }
    #expect(model == expected)
    #expect(model.entityVersionHashesByName == expected.entityVersionHashesByName)
    #expect(model.versionHashesDigest == expected.versionHashesDigest)
    #expect(model["Employee"]?.isAbstract == false)
  }

  final class Quoted: ManagedObject {
    @Attribute(.unique) var `first-name`: String
    @Attribute var `default`: Int?
    @Relationship(inverse: \Quoted.`all-of-them`) var `the-one`: Quoted?
    @Relationship var `all-of-them`: Set<Quoted>
  }

  @Test func `the names of properties in backticks have no backticks in the model`() throws {
    let entity = try #require(try ManagedObjectModel(Quoted.self)["Quoted"])
    #expect(entity.properties.map(\.name) == ["all-of-them", "default", "first-name", "the-one"])
    #expect(entity.relationship(named: "all-of-them")?.inverse == "the-one")
    #expect(entity.definition.uniquenessConstraints == [["first-name"]])
  }

  class Shelf: ManagedObject {
    @Attribute var title: String
    @Attribute var number: Int
    @Relationship var room: Shelf?
    @Relationship(inverse: \Shelf.room) var shelves: Set<Shelf>
    var label: String { "\(title) \(number)" }

    override class func describe(_ entity: inout EntityDescription) {
      entity.addUniquenessConstraint(\Shelf.room, \Shelf.title)
      entity.addFetchIndex(\Shelf.title, \Shelf.number)
      entity.addFetchIndex(\Shelf.number, \Shelf.title, named: "numbers")
    }
  }

  final class LowShelf: Shelf { @Attribute var height: Double }

  final class WrongShelf: ManagedObject {
    @Attribute var title: String
    @Relationship var room: WrongShelf?
    @Relationship(inverse: \WrongShelf.room) var shelves: Set<WrongShelf>
    var label: String { title.uppercased() }

    override class func describe(_ entity: inout EntityDescription) {
      entity.addUniquenessConstraint(\WrongShelf.title, \WrongShelf.label)
      entity.addUniquenessConstraint(\WrongShelf.room?.title)
      entity.addUniquenessConstraint(\WrongShelf.shelves)
      entity.addFetchIndex(\WrongShelf.label)
    }
  }

  final class Cloud: ManagedObject {
    @Attribute(.spotlight, .allowsCloudEncryption) var note: String?
    @Attribute var plain: String?
  }

  @Test func `options for Spotlight and iCloud are kept in the model`() throws {
    let entity = try #require(try ManagedObjectModel(Cloud.self)["Cloud"])
    let note = try #require(entity.attribute(named: "note")).definition
    #expect(note.traits.isIndexedBySpotlight && note.allowsCloudEncryption)
    let plain = try #require(entity.attribute(named: "plain")).definition
    #expect(!plain.traits.isIndexedBySpotlight && !plain.allowsCloudEncryption)
  }

  @Test func `key paths name the properties of constraints and indexes`() throws {
    let model = try ManagedObjectModel(Shelf.self, LowShelf.self)
    let entity = try #require(model["Shelf"]).definition
    #expect(entity.uniquenessConstraints == [["room", "title"]])
    #expect(
      entity.fetchIndexes == [
        FetchIndexDescription("byTitleAndNumberIndex", [.init(.property("title")), .init(.property("number"))]),
        FetchIndexDescription("numbers", [.init(.property("number")), .init(.property("title"))]),
      ])
    #expect(model["LowShelf"]?.definition.uniquenessConstraints == [])
  }

  @Test func `a key path of a constraint or an index that leads to no property is a defect`() throws {
    let error = #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(WrongShelf.self) }
    guard case .invalid(let defects)? = error else { return }
    #expect(defects.map(\.kind) == Array(repeating: .unknownName, count: 4))
    #expect(
      defects.first?.message
        == #"a uniqueness constraint refers to "a property of WrongShelf without a wrapper", which is not an attribute or "#
        + "a to-one relationship")
    #expect(error?.description.contains(#""room.title""#) == true)
  }

  @Test func `the order of the classes does not change the model`() throws {
    #expect(
      try ManagedObjectModel(S.Book.self, S.Note.self, S.Employee.self, S.Person.self)
        == ManagedObjectModel(classes: S.classes))
  }

  struct TypeCase: CustomTestStringConvertible {
    let name: String
    let type: AttributeType
    let isOptional: Bool
    let value: AttributeValue
    var testDescription: String { name }

    init(_ name: String, _ type: AttributeType, optional: Bool = false, _ value: AttributeValue = .null) {
      (self.name, self.type, isOptional, self.value) = (name, type, optional, value)
    }
  }

  static let typeCases: [TypeCase] = [
    TypeCase("truth", .boolean), TypeCase("integer", .integer64), TypeCase("integer16", .integer16, .integer(16)),
    TypeCase("integer32", .integer32, .integer(-32)), TypeCase("integer64", .integer64, .integer(.max)),
    TypeCase("double", .double, .double(1.5)), TypeCase("float", .float, .float(2.5)),
    TypeCase("decimal", .decimal, .decimal(10)), TypeCase("string", .string, .string("text")),
    TypeCase("date", .date, .date(Date(timeIntervalSinceReferenceDate: 100))), TypeCase("data", .binary),
    TypeCase("uuid", .uuid), TypeCase("url", .uri), TypeCase("priority", .integer16, .integer(2)),
    TypeCase("language", .string), TypeCase("flags", .integer32, .integer(0)), TypeCase("words", .transformable),
    TypeCase("optionalTruth", .boolean, optional: true),
    TypeCase("optionalInteger", .integer64, optional: true, .integer(7)),
    TypeCase("optionalInteger16", .integer16, optional: true), TypeCase("optionalDecimal", .decimal, optional: true),
    TypeCase("optionalString", .string, optional: true), TypeCase("optionalDate", .date, optional: true),
    TypeCase("optionalData", .binary, optional: true), TypeCase("optionalUUID", .uuid, optional: true),
    TypeCase("optionalURL", .uri, optional: true), TypeCase("optionalPriority", .integer16, optional: true),
    TypeCase("optionalSettings", .transformable, optional: true),
    TypeCase("optionalLocale", .transformable, optional: true),
  ]

  @Test(arguments: typeCases) func `each Swift type maps to an attribute type`(_ type: TypeCase) throws {
    let model = try ManagedObjectModel(S.Everything.self)
    let attribute = try #require(model["Everything"]?.attribute(named: type.name))
    #expect(
      attribute.definition
        == AttributeDescription(type.name, type.type, isOptional: type.isOptional, defaultValue: type.value))
  }

  @Test func `a model contains only the properties with wrappers`() throws {
    let model = try ManagedObjectModel(S.Everything.self)
    let names = try #require(model["Everything"]).attributes.map(\.definition.name)
    #expect(Set(names) == Set(Self.typeCases.map(\.name) + ["settings"]))
    guard case .data(let archive)? = model["Everything"]?.attribute(named: "settings")?.initialValue else {
      Issue.record("settings have no default")
      return
    }
    #expect(try KeyedUnarchiver.unarchivedObject(of: S.Settings.self, from: archive) == S.Settings(volume: 1))
  }

  class Base: ManagedObject {
    @Attribute var created: Date?
    override class func describe(_ entity: inout EntityDescription) { entity.userInfo["base"] = true }
  }

  final class First: Base { @Attribute var a: Int }

  final class Second: Base { @Attribute var b: Int }

  @Test
  func `entities inherit the properties of a superclass that is not in the model`() throws {
    let model = try ManagedObjectModel(First.self, Second.self)
    #expect(model["First"]?.definition.properties.map(\.name) == ["created", "a"])
    #expect(model["Second"]?.definition.properties.map(\.name) == ["created", "b"])
    #expect(model["First"]?.definition.userInfo == ["base": true] && model["First"]?.superentity == nil)
    let whole = try ManagedObjectModel(First.self, Second.self, Base.self)
    #expect(whole["First"]?.definition.properties.map(\.name) == ["a"])
    #expect(whole["First"]?.definition.userInfo == [:] && whole["First"]?.superentity?.name == "Base")
  }

  @Test func `a model returns the class of each entity after a merge`() throws {
    let model = try ManagedObjectModel(classes: S.classes)
    for type in S.classes {
      let entity = try #require(model.entity(of: type))
      #expect(entity.name == type.entityName && model.objectClass(of: entity.index) == type)
    }
    #expect(model.entity(of: S.Everything.self) == nil)
    let other = try ManagedObjectModel(S.Everything.self)
    let merged = try model.merging(other)
    #expect(merged.entity(of: S.Everything.self)?.name == "Everything")
    #expect(merged.entity(of: S.Note.self)?.name == "Note")
    let plain = try ManagedObjectModel(entities: [EntityDescription("A")])
    #expect(plain.objectClass(of: 0) == ManagedObject.self)
  }
}

@Suite("Invalid classes of models") struct ClassDefectTests {
  final class Lone: ManagedObject { @Relationship var other: Other? }

  final class Other: ManagedObject { @Attribute var a: Int }

  enum Nested { final class Other: ManagedObject { @Attribute var b: Int } }

  final class BadPredicate: ManagedObject { @Attribute(.predicate("SELF >")) var a: Int }

  final class BadDerivation: ManagedObject { @Attribute(.derived("1 +")) var a: Int? }

  final class BadFetch: ManagedObject { @FetchedProperty("a ==") var a: [Other] }

  final class Mirrored: ManagedObject, CustomReflectable {
    @Attribute var a: Int
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  final class Reserved: ManagedObject { @Attribute var observationInfo: Bool }

  final class Counted: ManagedObject { @Relationship(minimumCount: 3, maximumCount: 2) var others: Set<Other> }

  final class ToAttribute: ManagedObject { @Relationship(inverse: \Other.a) var other: Other? }

  final class Center: ManagedObject { @Relationship var spokes: Set<Spoke> }

  final class Spoke: ManagedObject {
    @Relationship(inverse: \Center.spokes) var center: Center?
    @Relationship(inverse: \Center.spokes) var second: Center?
  }

  final class Stray: ManagedObject { @Relationship(inverse: \Center.spokes) var center: Center? }

  final class Unique: ManagedObject {
    @Attribute var a: Int
    override class func describe(_ entity: inout EntityDescription) { entity.uniquenessConstraints = [["b"]] }
  }

  struct Unarchivable: SecureCoding, AttributeConvertible {
    static let missingValue = Unarchivable()
    init() {}
    func encode(with coder: KeyedArchiver) throws { throw ClassSamples.Missing() }
    init(coder: KeyedUnarchiver) throws { throw ClassSamples.Missing() }
  }

  final class BadDefault: ManagedObject { @Attribute var value = Unarchivable() }

  struct Misfit: CustomTestStringConvertible {
    let classes: [ManagedObject.Type]
    let kinds: [ManagedObjectModelError.Defect.Kind]
    let text: String
    var testDescription: String { text }
  }

  static let misfits: [Misfit] = [
    Misfit(
      classes: [Lone.self], kinds: [.unknownDestination],
      text: #"Lone.other: its destination "Other" is not in the model"#),
    Misfit(
      classes: [Other.self, Nested.Other.self], kinds: [.duplicateName],
      text: "Other: two entities have this name"),
    Misfit(classes: [Other.self, Other.self], kinds: [.duplicateName], text: "Other: two entities have this name"),
    Misfit(
      classes: [BadPredicate.self], kinds: [.classProperty],
      text: "BadPredicate.a: column 7: expected a value or a condition, found the end of the text"),
    Misfit(
      classes: [BadDerivation.self], kinds: [.classProperty],
      text: "BadDerivation.a: column 4: expected a value or a condition, found the end of the text"),
    Misfit(
      classes: [BadFetch.self, Other.self], kinds: [.classProperty],
      text: "BadFetch.a: column 5: expected a value or a condition, found the end of the text"),
    Misfit(
      classes: [Mirrored.self], kinds: [.classProperty],
      text: "Mirrored: 1 properties have wrappers, but reflection finds the names of 0; compile Mirrored with "
        + "reflection metadata and without a customMirror"),
    Misfit(
      classes: [Reserved.self], kinds: [.forbiddenName],
      text: #"Reserved.observationInfo: "observationInfo" is a method of every object; use another name"#),
    Misfit(
      classes: [Counted.self, Other.self], kinds: [.impossibleCount],
      text: "Counted.others: the minimum count 3 and the maximum count 2 are not a valid range"),
    Misfit(
      classes: [ToAttribute.self, Other.self], kinds: [.unknownInverse],
      text: "ToAttribute.other: its inverse is not a @Relationship property of Other"),
    Misfit(
      classes: [Center.self, Spoke.self], kinds: [.inverseMismatch, .inverseMismatch],
      text: """
        Spoke.second: its inverse "Center.spokes" is also the inverse of "Spoke.center"
        Spoke.center: the inverse of its inverse "Center.spokes" is "Spoke.second"
        """),
    Misfit(
      classes: [Center.self, Stray.self], kinds: [.unknownDestination],
      text: #"Center.spokes: its destination "Spoke" is not in the model"#),
    Misfit(
      classes: [Unique.self], kinds: [.unknownName],
      text: #"Unique: a uniqueness constraint refers to "b", which is not an attribute or a to-one relationship"#),
    Misfit(
      classes: [BadDefault.self], kinds: [.defaultValue],
      text: "BadDefault.value: the default value is not valid: the value cannot be archived: Missing()"),
  ]

  @Test(arguments: misfits) func `the error lists every defect with its property`(_ misfit: Misfit) throws {
    let error = #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(classes: misfit.classes) }
    #expect(error?.description == misfit.text)
    guard case .invalid(let defects)? = error else { return }
    #expect(defects.map(\.kind) == misfit.kinds)
  }

  @Test func `one error lists the defects of several classes`() throws {
    let error = #expect(throws: ManagedObjectModelError.self) {
      try ManagedObjectModel(BadPredicate.self, Lone.self, Reserved.self)
    }
    guard case .invalid(let defects)? = error else { return }
    #expect(Set(defects.map(\.kind)) == [.classProperty, .forbiddenName])
  }
}
