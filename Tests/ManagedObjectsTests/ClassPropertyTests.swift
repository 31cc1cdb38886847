import Foundation
import KeyedArchiving
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Properties of classes") struct ClassPropertyTests {
  typealias S = ClassSamples

  static func everything() throws -> S.Everything {
    try S.object(S.Everything.self, in: ManagedObjectModel(S.Everything.self))
  }

  @Test func `a property without a value returns the default of the model or of its type`() throws {
    let object = try Self.everything()
    #expect(!object.truth && object.integer == 0 && object.integer16 == 16 && object.integer32 == -32)
    #expect(object.integer64 == .max && object.double == 1.5 && object.float == 2.5 && object.decimal == 10)
    #expect(object.string == "text" && object.date == Date(timeIntervalSinceReferenceDate: 100))
    #expect(object.data.isEmpty && object.uuid.uuidString == "00000000-0000-0000-0000-000000000000")
    #expect(object.url.path == "/" && object.priority == .normal && object.language == .english)
    #expect(object.flags == [] && object.settings == S.Settings(volume: 1) && object.words == [])
    #expect(object.optionalInteger == nil && object.optionalPriority == nil && object.optionalLocale == nil)
    #expect(object.count == 0 && object.late == "x" && object.computed == "text!")
  }

  @Test func `a property returns the value that was set`() throws {
    let object = try Self.everything()
    func check<Value: Equatable>(
      _ path: ReferenceWritableKeyPath<S.Everything, Value>, _ values: Value...,
      at location: SourceLocation = #_sourceLocation
    ) {
      for value in values {
        object[keyPath: path] = value
        #expect(object[keyPath: path] == value, sourceLocation: location)
      }
    }
    check(\.truth, true, false)
    check(\.integer, 5, .min)
    check(\.integer16, .min)
    check(\.integer32, .max)
    check(\.integer64, .min)
    check(\.double, 0.1, -.infinity)
    check(\.float, 0.1)
    check(\.decimal, Decimal(string: "1.23456789012345678901")!)
    check(\.string, "", "ä\u{0}")
    check(\.date, .distantPast)
    check(\.data, Data([1, 2]))
    check(\.uuid, UUID())
    check(\.url, URL(string: "https://example.org/a?b#c")!)
    check(\.priority, .urgent, .low)
    check(\.language, .german)
    check(\.flags, S.Flags(rawValue: 5))
    check(\.settings, S.Settings(volume: 0.25))
    check(\.words, ["a", "b"], [])
    check(\.optionalTruth, true, nil)
    check(\.optionalInteger, 3, nil)
    check(\.optionalDate, .distantFuture, nil)
    check(\.optionalPriority, .urgent, nil)
    check(\.optionalSettings, S.Settings(volume: 3), nil)
    check(\.optionalLocale, Locale(identifier: "de_DE"), nil)
    check(\.optionalURL, URL(string: "a"), nil)
  }

  @Test(arguments: [
    ("integer16", AttributeValue.integer(70_000)), ("priority", .integer(77)), ("language", .string("Latin")),
    ("settings", .data(Data("no archive".utf8))), ("words", .data(Data())), ("string", .integer(1)),
    ("optionalPriority", .integer(9)), ("optionalSettings", .data(Data([0]))), ("date", .string("today")),
  ])
  func `a property whose value has another type returns the default`(_ name: String, _ value: AttributeValue) throws {
    let object = try Self.everything()
    let slot = try #require(object.shape.entity.property(named: name)?.slot)
    object.values[slot] = .attribute(value)
    switch name {
    case "integer16": #expect(object.integer16 == 16)
    case "priority": #expect(object.priority == .normal)
    case "language": #expect(object.language == .english)
    case "settings": #expect(object.settings == S.Settings(volume: 1))
    case "words": #expect(object.words == [])
    case "string": #expect(object.string == "text")
    case "optionalPriority": #expect(object.optionalPriority == nil)
    case "optionalSettings": #expect(object.optionalSettings == nil)
    case "date": #expect(object.date == Date(timeIntervalSinceReferenceDate: 100))
    default: Issue.record("no check of \(name)")
    }
  }

  final class Refusing: ManagedObject { @Attribute var value: ClassDefectTests.Unarchivable? }

  @Test func `a property keeps its value if the new one cannot be archived`() throws {
    let object = try S.object(Refusing.self, in: ManagedObjectModel(Refusing.self))
    let slot = try #require(object.shape.entity.property(named: "value")?.slot)
    object.values[slot] = .attribute(.data(Data([1])))
    object.value = ClassDefectTests.Unarchivable()
    #expect(object.values[slot] == .attribute(.data(Data([1]))))
    object.value = nil
    #expect(object.values[slot] == .null)
  }

  @Test func `an inherited property uses the slot of the superclass`() throws {
    let model = try ManagedObjectModel(classes: S.classes)
    let employee = try S.object(S.Employee.self, in: model)
    employee.name = "Ada"
    employee.salary = 12
    #expect(employee.name == "Ada" && employee.salary == 12 && (employee as S.Person).name == "Ada")
    let name = try #require(model["Person"]?.property(named: "name")?.slot)
    #expect(employee.value(ofSlot: name) == .attribute(.string("Ada")))
  }

  @Test func `a property that is missing from the entity ignores values`() throws {
    let model = try ManagedObjectModel(entities: [EntityDescription("Everything", [.attribute("string", .date)])])
    let entity = try #require(model["Everything"])
    let object = S.Everything(
      .init(shape: EntityShape(entity, objectClass: S.Everything.self, context: nil), key: .temporary(entityIndex: 0)))
    object.values = entity.emptyValues
    object.integer = 4
    #expect(object.integer == 0 && object.optionalDate == nil)
  }

  @Test func `a relationship without objects is empty or nil`() throws {
    let model = try ManagedObjectModel(classes: S.classes)
    let employee = try S.object(S.Employee.self, in: model)
    #expect(employee.notes.isEmpty && employee.books.isEmpty && employee.boss == nil && employee.recent.isEmpty)
  }

  @Test func `a relationship contains each object once and omits objects of other classes`() throws {
    let model = try ManagedObjectModel(classes: S.classes)
    let (one, other) = (try S.object(S.Note.self, in: model), try S.object(S.Note.self, in: model))
    let book = try S.object(S.Book.self, in: model)
    #expect([one, other, one, one, other].objects == [one, other])
    #expect([S.Note](objects: [book, other, one]) == [other, one])
    #expect(Set<S.Note>(objects: [book, other, one]) == [one, other])
    #expect(S.Note?(objects: [book]) == nil && S.Note?(objects: [one]) === one && S.Note?(object: book) == nil)
    #expect(S.Note?.none.objects.isEmpty && Set([one]).objects == [one])
    #expect(one == one && one != other)
  }

  class Generic<Value: AttributeConvertible>: ManagedObject { @Attribute var value: Value }

  @Test func `the property of a generic class is looked up once`() throws {
    let entity = EntityDescription("Generic", [.attribute("value", .integer64)])
    let model = try ManagedObjectModel(entities: [entity])
    let shape = EntityShape(try #require(model["Generic"]), objectClass: Generic<Int>.self, context: nil)
    let object = Generic<Int>(.init(shape: shape, key: .temporary(entityIndex: 0)))
    object.values = shape.entity.emptyValues
    for number in 0..<200 {
      object.value = number
      #expect(object.value == number)
    }
    #expect(shape.slots.count <= 20)
  }
}

@Suite("Prototypes of classes") struct ClassPrototypeTests {
  typealias S = ClassSamples

  @Test func `several threads create prototypes, and ordinary objects have unnumbered wrappers`() async throws {
    let model = try ManagedObjectModel(classes: S.classes)
    let rounds = LongForm.size(50, or: 8)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          var count = 0
          for _ in 0..<rounds {
            if task % 2 == 0 {
              let made = try ManagedObjectModel(classes: S.classes)
              count += made == model ? 1 : 0
              count += PropertyPath(\S.Employee.name)?.names == ["name"] ? 1 : 0
            } else {
              let note = try S.object(S.Note.self, in: model)
              let numbers = Mirror(reflecting: note).children.compactMap {
                ($0.value as? any ManagedPropertyWrapper)?.number
              }
              count += numbers.count == 15 && numbers.allSatisfy { $0 == 0 } ? 2 : 0
            }
          }
          return count
        }
      }
      for try await count in group { #expect(count == 2 * rounds) }
    }
  }

  nonisolated(unsafe) static var evaluations = 0

  final class Counting: ManagedObject {
    @Attribute(option()) var value: Int = count()

    static func option() -> AttributeOption<Int> {
      evaluations += 1
      return .indexed
    }

    static func count() -> Int {
      evaluations += 1
      return 3
    }
  }

  @Test func `default values and options are evaluated once for each model`() throws {
    Self.evaluations = 0
    let model = try ManagedObjectModel(Counting.self)
    #expect(Self.evaluations == 2)
    let object = try S.object(Counting.self, in: model)
    #expect(object.value == 3 && PropertyPath(\Counting.value)?.names == ["value"])
    #expect(Self.evaluations == 2)
  }

  final class Busy: ManagedObject {
    @Attribute var first: String
    @Attribute var second: String

    required init(_ creation: Creation) {
      super.init(creation)
      first = "a" + second
    }
  }

  @Test func `a prototype is created from a class whose initializer uses properties`() throws {
    let model = try ManagedObjectModel(Busy.self)
    #expect(model["Busy"]?.attributes.map(\.definition.name) == ["first", "second"])
    #expect(PropertyPath(\Busy.second)?.names == ["second"])
    #expect(try S.object(Busy.self, in: model).second == "")
  }

  @Test func `a property wrapper has two bytes`() {
    #expect(MemoryLayout<Attribute<String>>.size == 2 && MemoryLayout<Attribute<Date?>>.size == 2)
    #expect(MemoryLayout<Relationship<Set<S.Note>>>.size == 2 && MemoryLayout<FetchedProperty<S.Note>>.size == 2)
  }

  @Test func `a key path is translated to property names`() {
    func check(_ path: AnyKeyPath, _ names: String?, at location: SourceLocation = #_sourceLocation) {
      #expect(PropertyPath(path)?.names.joined(separator: ".") == names, sourceLocation: location)
    }
    check(\S.Note.title, "title")
    check(\S.Note.content, "content")
    check(\S.Note.author, "author")
    check(\S.Note.followers, "followers")
    check(\S.Note.words, "words")
    check(\S.Note.isOpen, "isOpen")
    check(\S.Note.mark, "mark")
    check(\S.Note.author?.name, "author.name")
    check(\S.Note.author?.notes, "author.notes")
    check(\S.Note.follows?.follows?.date, "follows.follows.date")
    check(\S.Person.books, "books")
    check(\S.Person.recent, "recent")
    check(\S.Employee.name, "name")
    check(\S.Employee.salary, "salary")
    check(\S.Employee.books, "books")
    // Another Swift name for the same property.
    check(\S.Person.sameName, "name")
    check(\S.Employee.boss?.boss?.name, "boss.boss.name")
    check(\S.Everything.priority, "priority")
    check(\S.Everything.optionalPriority, "optionalPriority")
  }

  @Test func `a key path through a computed property is not translated`() {
    #expect(PropertyPath(\S.Person.upperName) == nil)
    #expect(PropertyPath(\S.Person.fewNotes) == nil && PropertyPath(\S.Person.positiveAge) == nil)
    #expect(PropertyPath(\S.Person.openNotes) == nil && PropertyPath(\S.Note.someFollower) == nil)
    #expect(PropertyPath(\S.Employee.upperName) == nil)
    #expect(PropertyPath(\S.Employee.displayName) == nil)
    #expect(PropertyPath(\S.Note.title.count) == nil)
    #expect(PropertyPath(\S.Note.author?.upperName) == nil)
    #expect(PropertyPath(\String.count) == nil)
  }
}
