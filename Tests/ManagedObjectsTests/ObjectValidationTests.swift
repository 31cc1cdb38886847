import Foundation
import ManagedObjects
import ManagedObjectsSamples
import Testing

@Suite("Validation of objects") struct ObjectValidationTests {
  /// Returns an attribute with a condition and its error code.
  static func limited(
    _ name: String, _ type: AttributeType, _ format: String, _ warning: PropertyValidation.Warning?
  ) -> PropertyDescription {
    var attribute = AttributeDescription(name, type)
    do {
      attribute.traits.validations = [PropertyValidation(try ManagedPredicate(format: format), warning: warning)]
    } catch { fatalError("\(error)") }
    return .attribute(attribute)
  }

  static func counted(_ name: String, isOptional: Bool, _ fewest: Int, _ most: Int) -> PropertyDescription {
    var relationship = RelationshipDescription(name, to: "Thing", isToMany: true, isOptional: isOptional)
    relationship.minimumCount = fewest
    relationship.maximumCount = most
    return .relationship(relationship)
  }

  static let model: ManagedObjectModel = {
    let thing = EntityDescription(
      "Thing",
      [
        .attribute("name", .string, isOptional: false, defaultValue: .string("thing")),
        limited("most", .integer64, "SELF <= 10", .code(1610)), limited("least", .integer64, "SELF >= 1", .code(1620)),
        limited("late", .date, "SELF <= CAST(1000, 'NSDate')", .code(1630)),
        limited("soon", .date, "SELF >= CAST(10, 'NSDate')", .code(1640)),
        limited("day", .date, "SELF != CAST(500, 'NSDate')", .code(1650)),
        limited("long", .string, "length <= 3", .code(1660)), limited("short", .string, "length >= 3", .code(1670)),
        limited("pattern", .string, "SELF MATCHES '[a-z]+'", .code(1680)),
        limited("uri", .string, "SELF BEGINSWITH 'http'", .code(1690)),
        limited("text", .string, "SELF != 'no'", .text("say yes")), limited("plain", .string, "SELF != 'no'", nil),
        limited("strange", .string, "SELF != 'no'", .code(4711)),
        counted("pair", isOptional: true, 2, 2), counted("some", isOptional: true, 0, 3),
        .relationship("boss", to: "Thing"),
      ])
    var strict = EntityDescription(
      "Strict",
      [
        .relationship("one", to: "Thing", isOptional: false), counted("any", isOptional: false, 0, 0),
        counted("some", isOptional: false, 1, 0), .attribute("note", .string),
      ])
    var rule = AttributeDescription("mandatory", .string, isOptional: false)
    do {
      rule.traits.validations = [PropertyValidation(try ManagedPredicate(format: "length > 1"), warning: .code(1670))]
    } catch { fatalError("\(error)") }
    strict.properties.append(.attribute(rule))
    do { return try ManagedObjectModel(entities: [thing, strict]) } catch { fatalError("\(error)") }
  }()

  static func context() throws -> ManagedObjectContext { try ManagedObjectContext(InMemoryStore(model: model)) }

  struct Row: CustomTestStringConvertible, Sendable {
    let key: String
    let value: AttributeValue
    let code: ManagedObjectError.Code?
    var testDescription: String { "\(key) = \(value)" }

    init(_ key: String, _ value: AttributeValue, _ code: ManagedObjectError.Code?) {
      self.key = key
      self.value = value
      self.code = code
    }

    static func date(_ seconds: Double) -> AttributeValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
  }

  static let rows: [Row] = [
    Row("name", .null, .missingMandatoryProperty), Row("name", .string(""), nil),
    Row("most", .integer(10), nil), Row("most", .integer(11), .numberTooLarge), Row("most", .null, nil),
    Row("least", .integer(1), nil), Row("least", .integer(0), .numberTooSmall),
    Row("late", Row.date(1000), nil), Row("late", Row.date(1001), .dateTooLate),
    Row("soon", Row.date(10), nil), Row("soon", Row.date(9), .dateTooSoon),
    Row("day", Row.date(1), nil), Row("day", Row.date(500), .invalidDate),
    Row("long", .string("abc"), nil), Row("long", .string("abcd"), .stringTooLong),
    Row("short", .string("abc"), nil), Row("short", .string("ab"), .stringTooShort),
    Row("pattern", .string("abc"), nil), Row("pattern", .string("ABC"), .stringPatternMismatch),
    Row("uri", .string("http://a"), nil), Row("uri", .string("ftp://a"), .invalidURI),
    Row("text", .string("no"), .validation), Row("plain", .string("no"), .validation),
    Row("strange", .string("no"), .validation), Row("strange", .string("yes"), nil),
  ]

  @Test(arguments: rows) func `an invalid value has the error code of the rule`(row: Row) throws {
    let context = try Self.context()
    let thing = try context.insert("Thing")
    #expect(errorCode { try thing.validate(.attribute(row.value), forKey: row.key) } == row.code)
    try thing.setValue(row.value, forKey: row.key)
    do throws(ManagedObjectError) {
      try context.save()
      #expect(row.code == nil)
    } catch {
      #expect(error.code == row.code && error.key == row.key && error.value ?? .null == row.value)
      #expect(error.objectID == thing.objectID && error.details.isEmpty)
      #expect((error.predicate != nil) == (row.key != "name"))
      #expect(try ManagedObjectContext(coordinator: context.coordinator).count(for: FetchRequest("Thing")) == 0)
    }
    if row.key == "text", row.code != nil {
      do { try thing.validateForInsert() } catch { #expect(error.message == "say yes") }
    }
  }

  struct Count: CustomTestStringConvertible, Sendable {
    let key: String
    let count: Int
    let code: ManagedObjectError.Code?
    var testDescription: String { "\(key): \(count)" }
  }

  static let counts = [
    Count(key: "pair", count: 0, code: nil), Count(key: "pair", count: 1, code: .relationshipLacksMinimumCount),
    Count(key: "pair", count: 2, code: nil), Count(key: "pair", count: 3, code: .relationshipExceedsMaximumCount),
    Count(key: "some", count: 0, code: nil), Count(key: "some", count: 3, code: nil),
    Count(key: "some", count: 4, code: .relationshipExceedsMaximumCount),
  ]

  @Test(arguments: counts) func `a relationship has a minimum and a maximum count`(row: Count) throws {
    let context = try Self.context()
    let thing = try context.insert("Thing")
    let others = try (0..<row.count).map { _ in ManagedObject.Value.object(try context.insert("Thing")) }
    #expect(errorCode { try thing.validate(.array(others), forKey: row.key) } == row.code)
    try thing.setValue(.array(others), forKey: row.key)
    #expect(errorCode { try context.save() } == row.code)
  }

  @Test func `a mandatory relationship needs an object or its minimum count`() throws {
    let context = try Self.context()
    let strict = try context.insert("Strict")
    try strict.setValue(.string("text"), forKey: "mandatory")
    let error = try #require(throws: ManagedObjectError.self) { try context.save() }
    #expect(error.code == .multipleErrors && error.details.count == 2)
    let codes = Dictionary(uniqueKeysWithValues: error.details.map { ($0.key, $0.code) })
    #expect(codes == ["one": .missingMandatoryProperty, "some": .relationshipLacksMinimumCount])
    let thing = try context.insert("Thing")
    try strict.setValue(.object(thing), forKey: "one")
    try strict.setValue(.set([.object(thing)]), forKey: "some")
    // Each array in a SwiftData model is such a relationship.
    #expect(strict["any"] == .set([]))
    try context.save()
  }

  @Test func `one error lists all defects of all objects`() throws {
    let context = try Self.context()
    let first = try context.insert("Thing")
    try first.setValues(["most": .integer(11), "least": .integer(0)])
    let second = try context.insert("Thing")
    try second.setValue(AttributeValue.null, forKey: "name")
    let third = try context.insert("Strict")
    let error = try #require(throws: ManagedObjectError.self) { try context.save() }
    #expect(error.code == .multipleErrors)
    #expect(error.details.allSatisfy { $0.details.isEmpty })
    let codes = error.details.filter { $0.objectID == third.objectID && $0.key == "mandatory" }.map(\.code)
    #expect(codes == [.missingMandatoryProperty], "a missing value comes before the other rules")
    #expect(error.details.filter { $0.objectID == first.objectID }.count == 2)
    #expect(error.details.filter { $0.objectID == second.objectID }.map(\.key) == ["name"])
    #expect(error.details.filter { $0.objectID == third.objectID }.count == 3)
    #expect(context.insertedObjects == [first, second, third])
  }

  @Test func `a class validates after the rules of the model`() throws {
    try SaveOrderTests.run { context, _ in
      let diary = try context.insert(Diary.self)
      diary.title = "forbidden"
      do throws(ManagedObjectError) {
        try context.save()
        Issue.record("it was saved")
      } catch {
        #expect(error.code == .validation && error.message == "this title is forbidden")
      }
      #expect(errorCode { try diary.validate(.attribute(.string("forbidden")), forKey: "title") } == .validation)
      #expect(errorCode { try diary.validate(.attribute(.integer(1)), forKey: "title") } == .invalidValue)
      #expect(errorCode { try diary.validate(.null, forKey: "nothing") } == .undefinedKey)
      diary.title = "allowed"
      try context.save()
    }
  }

  @Test func `errors follow the property order, inherited properties first`() throws {
    func mandatory(_ name: String) -> PropertyDescription { .attribute(name, .string, isOptional: false) }
    let base = EntityDescription("Base", [mandatory("z"), mandatory("y")])
    let leaf = ModelTests.sub(
      "Leaf", of: "Base",
      [
        mandatory("c"), .relationship("b", to: "Base", isOptional: false),
        Self.limited("d", .string, "SELF == nothing.at.all", nil), mandatory("a"),
      ])
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(entities: [leaf, base]))
    try coordinator.add(InMemoryStore(model: coordinator.model))
    let context = ManagedObjectContext(coordinator: coordinator)
    try context.insert("Leaf").setValue(.string("x"), forKey: "d")
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.details.compactMap(\.key) == ["z", "y", "c", "b", "d", "a"])
  }

  final class Trip: ManagedObject {
    @Attribute(.minimum(1, warning: "somebody has to go"), .maximum(9, warning: "the bus is full")) var seats = 1
    @Attribute(
      .minimumLength(3, warning: "say more"), .maximumLength(5, warning: "say less"),
      .pattern("[a-z]*", warning: "no capitals"))
    var name = "abc"
    @Attribute(.minimum(Date(timeIntervalSinceReferenceDate: 0), warning: "this is history")) var day: Date?
    @Attribute(.maximum(5)) var stars = 1

    /// Errors thrown here also get the location of the property.
    override func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
      guard key == "seats", value == .integer(5) else { return }
      let errors = ["first", "second"].map { ManagedObjectError(.validation, $0, key: key) }
      if let error = ManagedObjectError(all: errors) { throw error }
    }
  }

  static let warnings: [(String, AttributeValue, String)] = [
    ("seats", .integer(0), "somebody has to go"), ("seats", .integer(10), "the bus is full"),
    ("name", .string("ab"), "say more"), ("name", .string("abcdef"), "say less"),
    ("name", .string("aBc"), "no capitals"),
    ("day", Row.date(-1), "this is history"),
  ]

  @Test(arguments: warnings)
  func `a limit can have its own warning`(_ warning: (key: String, value: AttributeValue, message: String)) throws {
    let model = try ManagedObjectModel(Trip.self)
    // Compiled models also contain warnings.
    for model in [model, try ManagedObjectModel(compiled: model.compiledData()).joined(with: [Trip.self])] {
      let context = try PersistentContainer(model: model, stores: [.inMemory]).newContext()
      let trip = try context.insert(Trip.self)
      try trip.setValue(warning.value, forKey: warning.key)
      let error = #expect(throws: ManagedObjectError.self) { try context.save() }
      #expect(error?.code == .validation && error?.message == warning.message && error?.key == warning.key)
      try trip.setValue(
        warning.key == "seats" ? .integer(2) : warning.key == "name" ? .string("abcd") : .null, forKey: warning.key)
      try context.save()
      trip.stars = 6
      #expect(errorCode { try context.save() } == .numberTooLarge, "a limit without one has its code")
    }
    #expect(throws: ManagedObjectModelError.self) { try model.sourceData() }
  }

  @Test func `several errors of one value are listed separately`() throws {
    let context = try PersistentContainer(model: ManagedObjectModel(Trip.self), stores: [.inMemory]).newContext()
    let trip = try context.insert(Trip.self)
    (trip.seats, trip.name, trip.stars) = (5, "", 6)
    let error = #expect(throws: ManagedObjectError.self) { try trip.validateForInsert() }
    #expect(error?.details.map(\.message).prefix(3) == ["first", "second", "say more"])
    #expect(error?.details.map(\.code) == [.validation, .validation, .validation, .numberTooLarge])
  }
}
