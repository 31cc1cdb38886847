import Foundation
import KeyedArchiving

@testable import ManagedObjects

/// Classes with all kinds of properties.
enum ClassSamples {
  enum Priority: Int16, Codable, CaseIterable, AttributeConvertible {
    case low = 1
    case normal, urgent
  }

  enum Language: String, CaseIterable, AttributeConvertible { case english, german }

  struct Flags: OptionSet, AttributeConvertible { let rawValue: Int32 }

  struct Settings: Codable, Hashable, SecureCoding, AttributeConvertible {
    var volume: Double
    static let missingValue = Settings(volume: 0.5)
  }

  final class Everything: ManagedObject {
    @Attribute var truth: Bool
    @Attribute var integer: Int
    @Attribute var integer16: Int16 = 16
    @Attribute var integer32: Int32 = -32
    @Attribute var integer64: Int64 = .max
    @Attribute var double = 1.5
    @Attribute var float: Float = 2.5
    @Attribute var decimal: Decimal = 10
    @Attribute var string = "text"
    @Attribute var date = Date(timeIntervalSinceReferenceDate: 100)
    @Attribute var data: Data
    @Attribute var uuid: UUID
    @Attribute var url: URL
    @Attribute var priority = Priority.normal
    @Attribute var language: Language
    @Attribute var flags: Flags = []
    @Attribute var settings = Settings(volume: 1)
    @Attribute var words: [String]

    @Attribute var optionalTruth: Bool?
    @Attribute var optionalInteger: Int? = 7
    @Attribute var optionalInteger16: Int16?
    @Attribute var optionalDecimal: Decimal?
    @Attribute var optionalString: String?
    @Attribute var optionalDate: Date?
    @Attribute var optionalData: Data?
    @Attribute var optionalUUID: UUID?
    @Attribute var optionalURL: URL?
    @Attribute var optionalPriority: Priority?
    @Attribute var optionalSettings: Settings?
    @Attribute var optionalLocale: Locale?

    /// A property that is not part of the model.
    var count = 0
    lazy var late = "x"
    var computed: String { string + "!" }
  }

  class Person: ManagedObject {
    @Attribute(.minimumLength(1), .unique) var name: String
    @Attribute(.minimum(0), .maximum(150)) var age: Int16?
    @Relationship(deleteRule: .cascade) var notes: Set<Note>
    @Relationship(deleteRule: .deny, minimumCount: 1, maximumCount: 5, renamedFrom: "shelf", hashModifier: "2")
    var books: [Book]
    @FetchedProperty("author == $FETCH_SOURCE", sortedBy: [.init("date", isAscending: false)], limit: 3)
    var recent: [Note]

    var upperName: String { name.uppercased() }
    var sameName: String { name }
    var positiveAge: Int16? { age.map { max($0, 0) } }
    var openNotes: Set<Note> { notes.filter(\.isOpen) }
    var fewNotes: Set<Note> { notes.count > 10 ? [] : notes.count == 1 ? [] : notes }

    override class func describe(_ entity: inout EntityDescription) {
      entity.isAbstract = true
      entity.userInfo["who"] = "anybody"
    }
  }

  final class Employee: Person {
    @Attribute(.indexed, .renamed(from: "pay"), .hashModifier("3")) var salary: Decimal?
    @Relationship var boss: Employee?
    @Relationship(inverse: \Employee.boss) var staff: Set<Employee>
    var displayName: String { name.isEmpty ? "?" : name }
  }

  final class Note: ManagedObject {
    @Attribute(.indexed) var date: Date
    @Attribute(.maximumLength(80), .pattern("[A-Z].*"), .predicate("SELF != 'X'", warning: "noX")) var title =
      "Untitled"
    @Attribute var content: String?
    @Attribute(.externalStorage, .preservedInHistory) var picture: Data?
    @Attribute(.transient, .userInfo(["a": 1])) var isOpen: Bool
    @Attribute(.derived("title.length")) var length: Int?
    @Attribute var pages: Int
    @Attribute var rating: Double?
    @Attribute var priority: Priority = .low
    @Attribute var mark: UUID?
    @Attribute var link: URL?
    @Attribute var words: [String]
    @Relationship(inverse: \Person.notes) var author: Person?
    @Relationship(isOptional: false, isTransient: false) var follows: Note?
    @Relationship(inverse: \Note.follows) var followers: Set<Note>

    var someFollower: Note? { followers.first ?? follows }

    override class func describe(_ entity: inout EntityDescription) {
      entity.uniquenessConstraints.append(["date", "author"])
    }
  }

  final class Book: ManagedObject {
    @Attribute var title: String?
    @Attribute var pages: Int32
    @Relationship(inverse: \Person.books) var owner: Person?

    override class var entityName: String { "Volume" }
  }

  static let classes: [ManagedObject.Type] = [Person.self, Employee.self, Note.self, Book.self]

  /// The same entities, described by hand.
  static func entities() throws -> [EntityDescription] {
    func validated(_ attribute: AttributeDescription, _ validations: [PropertyValidation]) -> PropertyDescription {
      var attribute = attribute
      attribute.validations = validations
      return .attribute(attribute)
    }
    func rule(_ format: String, _ code: Int) throws -> PropertyValidation {
      PropertyValidation(try ManagedPredicate(format: format), warning: .code(code))
    }
    var books = RelationshipDescription(
      "books", to: "Volume", inverse: "owner", isToMany: true, isOrdered: true, deleteRule: .deny)
    books.minimumCount = 1
    books.maximumCount = 5
    books.renamingIdentifier = "shelf"
    books.versionHashModifier = "2"
    var recent = FetchRequest(
      "Note", where: try ManagedPredicate(format: "author == $FETCH_SOURCE"),
      sortedBy: [.init("date", isAscending: false)])
    recent.fetchLimit = 3
    var person = EntityDescription(
      "Person",
      [
        validated(AttributeDescription("name", .string, isOptional: false), [try rule("length >= 1", 1670)]),
        validated(
          AttributeDescription("age", .integer16), [try rule("SELF >= 0", 1620), try rule("SELF <= 150", 1610)]),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true, deleteRule: .cascade),
        .relationship(books), .fetched(FetchedPropertyDescription("recent", recent)),
      ])
    person.className = "ManagedObjectsTests.ClassSamples.Person"
    person.uniquenessConstraints = [["name"]]
    person.isAbstract = true
    person.userInfo = ["who": "anybody"]

    var salary = AttributeDescription("salary", .decimal)
    salary.renamingIdentifier = "pay"
    salary.versionHashModifier = "3"
    var employee = EntityDescription(
      "Employee",
      [
        .attribute(salary), .relationship("boss", to: "Employee", inverse: "staff"),
        .relationship("staff", to: "Employee", inverse: "boss", isToMany: true),
      ])
    employee.className = "ManagedObjectsTests.ClassSamples.Employee"
    employee.superentity = "Person"
    employee.fetchIndexes = [FetchIndexDescription("bySalaryIndex", [.init(.property("salary"))])]

    var picture = AttributeDescription("picture", .binary)
    picture.allowsExternalBinaryDataStorage = true
    picture.preservesValueInHistoryOnDeletion = true
    var isOpen = AttributeDescription("isOpen", .boolean, isOptional: false)
    isOpen.isTransient = true
    isOpen.userInfo = ["a": 1]
    var length = AttributeDescription("length", .integer64)
    length.derivation = .init(try ManagedExpression(format: "title.length"))
    length.isReadOnly = true
    let title = AttributeDescription("title", .string, isOptional: false, defaultValue: .string("Untitled"))
    var note = EntityDescription(
      "Note",
      [
        .attribute("date", .date, isOptional: false),
        validated(
          title,
          [
            try rule("length <= 80", 1660), try rule("SELF MATCHES '[A-Z].*'", 1680),
            PropertyValidation(try ManagedPredicate(format: "SELF != 'X'"), warning: .text("noX")),
          ]),
        .attribute("content", .string), .attribute(picture), .attribute(isOpen), .attribute(length),
        .attribute("pages", .integer64, isOptional: false), .attribute("rating", .double),
        .attribute("priority", .integer16, isOptional: false, defaultValue: .integer(1)), .attribute("mark", .uuid),
        .attribute("link", .uri), .attribute("words", .transformable, isOptional: false),
        .relationship("author", to: "Person", inverse: "notes"),
        .relationship("follows", to: "Note", inverse: "followers", isOptional: false),
        .relationship("followers", to: "Note", inverse: "follows", isToMany: true),
      ])
    note.className = "ManagedObjectsTests.ClassSamples.Note"
    note.uniquenessConstraints = [["date", "author"]]
    note.fetchIndexes = [FetchIndexDescription("byDateIndex", [.init(.property("date"))])]

    var book = EntityDescription(
      "Volume",
      [
        .attribute("title", .string), .attribute("pages", .integer32, isOptional: false),
        .relationship("owner", to: "Person", inverse: "books"),
      ])
    book.className = "ManagedObjectsTests.ClassSamples.Book"
    return [person, employee, note, book]
  }

  /// Returns an object with values, but without a context.
  static func object<Object: ManagedObject>(_ type: Object.Type, in model: ManagedObjectModel) throws -> Object {
    guard let entity = model.entity(of: type) else { throw Missing() }
    let object = Object(
      .init(shape: EntityShape(entity, objectClass: type, context: nil), key: .temporary(entityIndex: entity.index)))
    object.values = entity.emptyValues
    return object
  }

  struct Missing: Error {}
}
