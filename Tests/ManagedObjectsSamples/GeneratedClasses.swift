package import FoundationEssentials
package import ManagedObjects
import OrderedCollections

/// A model with every setting that a class can have, and the classes that `swiftSource` makes of it, which are in
/// Library.swift.
package enum GeneratedClasses {
  package static var classes: [ManagedObject.Type] { LibraryModel.classes }

  package static func modelOfClasses() throws -> ManagedObjectModel { try LibraryModel.model() }

  /// The file with the classes.
  package static var file: URL {
    URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "Library.swift")
  }

  package static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: [item, medium, book, film, person, animal, dog, tag, label, try character(), type, calendar],
      configurations: ["Pets": ["Animal", "Dog"], "Rest": ["Tag", "Label"]],
      fetchRequestTemplates: ["all": FetchRequest("Item"), "recent": recent(), "totals": totals()],
      versionIdentifiers: ["2", "two"])
  }

  /// Inserts a person by its class, with properties whose names need backticks or are not ASCII.
  package static func insertPerson(into context: ManagedObjectContext) throws {
    let person = try context.insert(Person.self)
    person.`first-name` = "Ada"
    person.größe = 1.5
    person.`where` = "London"
    person.`Self` = "I"
    person.friends = [person]
  }

  /// Returns the values of a person that ``insertPerson(into:)`` sets; nil if the object is not of the class.
  package static func values(ofPerson object: ManagedObject) -> [String]? {
    (object as? Person).map { person in
      ["\(person.`first-name` ?? "")", "\(person.größe ?? 0)", person.`where` ?? "", person.`Self` ?? ""]
        + person.friends.map { $0 === person ? "own friend" : "other" }
    }
  }

  private static func predicate(_ text: String) -> ManagedPredicate {
    do { return try ManagedPredicate(format: text) } catch { preconditionFailure("\(text): \(error)") }
  }

  private static func expression(_ text: String) -> ManagedExpression {
    do { return try ManagedExpression(format: text) } catch { preconditionFailure("\(text): \(error)") }
  }

  private static func date(_ seconds: Double) -> AttributeValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

  private static func limit(_ format: String, _ code: Int) -> PropertyValidation {
    PropertyValidation(predicate(format), warning: .code(code))
  }

  private static func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, _ value: AttributeValue = .null,
    _ change: (inout AttributeDescription) -> Void = { _ in }
  ) -> PropertyDescription {
    var attribute = AttributeDescription(name, type, isOptional: isOptional, defaultValue: value)
    change(&attribute)
    return .attribute(attribute)
  }

  private static func relationship(
    _ name: String, to destination: String, inverse: String? = nil, isToMany: Bool = false, isOrdered: Bool = false,
    _ change: (inout RelationshipDescription) -> Void = { _ in }
  ) -> PropertyDescription {
    var relationship = RelationshipDescription(
      name, to: destination, inverse: inverse, isToMany: isToMany, isOrdered: isOrdered)
    change(&relationship)
    return .relationship(relationship)
  }

  private static func entity(
    _ name: String, className: String? = nil, below superentity: String? = nil, _ properties: [PropertyDescription]
  ) -> EntityDescription {
    var entity = EntityDescription(name, properties)
    entity.className = className
    entity.superentity = superentity
    return entity
  }
}

/// Attributes of all types, limits, constraints and indexes.
extension GeneratedClasses {
  private static var item: EntityDescription {
    var item = entity(
      "Item", className: "App.LibraryItem",
      [
        attribute("title", .string, isOptional: false, .string("A \"quoted\" \\ title\n\u{1F600}\u{7}")) {
          $0.validations = [limit("length >= 1", 1670), limit("length <= 80", 1660), limit("SELF MATCHES '.*'", 1680)]
          $0.renamingIdentifier = "name"
          $0.versionHashModifier = "2"
          $0.userInfo = ["unit": "none", "parts": ["a", 1, 2.5, true, .data(Data([1])), ["key": .null]]]
          $0.isIndexedBySpotlight = true
          $0.allowsCloudEncryption = true
        },
        attribute("identifier", .uuid, isOptional: false),
        attribute("rank", .integer16, isOptional: false, .integer(3)) {
          $0.validations = [
            PropertyValidation(predicate("SELF >= 1"), warning: .text("is too small")),
            PropertyValidation(predicate("SELF != 13"), warning: .text("brings bad luck")),
            limit("SELF <= 99", 1610), limit("SELF != 66", 1550), PropertyValidation(predicate("SELF != 67")),
          ]
        },
        attribute("count", .integer32, .integer(-1)), attribute("size", .integer64, .integer(.max)),
        attribute("ratio", .double, .double(0.1)) { $0.validations = [limit("SELF >= 0.5", 1620)] },
        attribute("weight", .float, .float(0.1)), attribute("limit", .double, .double(.infinity)),
        attribute("price", .decimal, .decimal(Decimal(string: "12.5")!)) {
          $0.validations = [limit("SELF >= CAST('0', 'NSDecimalNumber')", 1620)]
        },
        attribute("whole", .decimal, isOptional: false, .decimal(12)),
        attribute("isLent", .boolean, isOptional: false, .boolean(false)),
        attribute("added", .date, date(0)) {
          $0.validations = [PropertyValidation(.comparing(.evaluatedObject, .greaterThanOrEqual, .value(date(-5.5))))]
          $0.validations[0].warning = .code(1640)
        },
        attribute("page", .uri, .url(URL(string: "https://example.org/a?b=c")!)),
        attribute("key", .uuid, .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)),
        attribute("thumbnail", .binary, .data(Data([1, 2, 3]))),
        attribute("picture", .binary) {
          $0.allowsExternalBinaryDataStorage = true
          $0.preservesValueInHistoryOnDeletion = true
        },
        attribute("cursor", .integer64, isOptional: false, .integer(0)) {
          $0.isTransient = true
          $0.isReadOnly = true
          $0.isIndexed = true
        },
      ])
    item.isAbstract = true
    item.renamingIdentifier = "Thing"
    item.versionHashModifier = "3"
    item.userInfo = ["icon": "box"]
    item.uniquenessConstraints = [["identifier"], ["title", "rank"]]
    item.compoundIndexes = [["rank", "title"]]
    item.fetchIndexes = [
      FetchIndexDescription("byTitleIndex", [.init(.property("title"))]),
      FetchIndexDescription(
        "byRank", [.init(.property("rank"), isAscending: false), .init(.expression(expression("rank + 1")))],
        partialPredicate: predicate("isLent == NO")),
      FetchIndexDescription(
        "byPosition", [.init(.property("ratio"), kind: .rTree), .init(.property("limit"), kind: .rTree)]),
    ]
    return item
  }

  private static var medium: EntityDescription {
    var medium = entity("Medium", className: "Medium", below: "Item", [attribute("location", .string)])
    medium.isAbstract = true
    return medium
  }

  private static var book: EntityDescription {
    var book = entity(
      "Book", className: ".Book", below: "Medium",
      [
        relationship("authors", to: "Person", inverse: "books", isToMany: true, isOrdered: true) {
          $0.minimumCount = 1
          $0.maximumCount = 9
          $0.isOptional = false
          $0.renamingIdentifier = "writers"
          $0.versionHashModifier = "a"
          $0.userInfo = ["kind": "person"]
          $0.isIndexed = true
        },
        attribute("authorCount", .integer32) {
          $0.derivation = .init(expression("authors.@count"))
          $0.isReadOnly = true
        },
        attribute("famousAuthors", .integer32) {
          $0.derivation = .init(expression("authors.@count"), filter: predicate("id != nil"))
          $0.isReadOnly = true
        },
        attribute("address", .composite, isOptional: false) {
          $0.compositeName = "Address"
          $0.elements = [
            AttributeDescription("city", .string, isOptional: false, defaultValue: .string("Rome")),
            AttributeDescription("floor", .integer16),
          ]
          $0.elements[1].userInfo = ["unit": "m"]
        },
        attribute("cover", .transformable) {
          $0.valueClassName = "Cover"
          $0.valueTransformerName = "CoverTransformer"
        },
        attribute("keywords", .transformable, isOptional: false, .data(Data([4]))) {
          $0.valueClassName = "Array<String>"
          $0.valueTransformerName = "NSSecureUnarchiveFromData"
        },
        attribute("things", .transformable) { $0.valueClassName = "NSArray" },
        attribute("due", .transformable) { $0.valueClassName = "NSCalendar" },
        attribute("anything", .undefined) { $0.isTransient = true },
        relationship("sequel", to: "Book") { $0.deleteRule = .noAction },
        relationship("preview", to: "Book") { $0.isTransient = true },
      ])
    book.uniquenessConstraints = [["sequel"]]
    return book
  }

  private static var film: EntityDescription {
    var film = entity("Film", className: "Film", below: "Medium", [attribute("minutes", .integer16)])
    film.isAbstract = true
    return film
  }
}

/// Relationships.
extension GeneratedClasses {
  private static var person: EntityDescription {
    var cheap = FetchedPropertyDescription(
      "cheapBooks",
      FetchRequest(
        "Book", where: predicate("price < $FETCHED_PROPERTY.userInfo.limit AND ANY authors == $FETCH_SOURCE"),
        sortedBy: [
          .init("price", isAscending: false), .init("title", comparison: .localizedStandard),
          .init("location", comparison: .other("compareLocation:")),
        ]))
    cheap.userInfo = ["limit": 5]
    cheap.request.fetchLimit = 10
    cheap.request.fetchOffset = 1
    cheap.request.fetchBatchSize = 2
    cheap.request.includesSubentities = false
    cheap.request.sortDescriptors[1].reversesNullOrder = true
    cheap.request.relationshipKeyPathsForPrefetching = ["authors"]
    return entity(
      "Person", className: "NSManagedObject",
      [
        attribute("first-name", .string), attribute("größe", .double), attribute("id", .integer64),
        attribute("_id", .string), attribute("hashValue", .integer64, isOptional: false, .integer(7)),
        attribute("isInaccessible", .boolean), attribute("where", .string), attribute("default", .string),
        attribute("Self", .string), attribute("$price", .string), attribute("willSave", .string),
        relationship("books", to: "Book", inverse: "authors", isToMany: true) { $0.deleteRule = .deny },
        relationship("friends", to: "Person", inverse: "friends", isToMany: true),
        relationship("dogs", to: "Dog", inverse: "owner", isToMany: true) { $0.deleteRule = .cascade },
        .fetched(cheap), .fetched(FetchedPropertyDescription("everybody", FetchRequest("Person"))),
      ])
  }

  /// The inverse leads to a subentity of the entity that declares the relationship.
  private static var animal: EntityDescription {
    entity("Animal", className: "Animal", [relationship("owner", to: "Person", inverse: "dogs")])
  }

  private static var dog: EntityDescription { entity("Dog", className: "Dog", below: "Animal", []) }

  /// Two entities with the same class.
  private static var tag: EntityDescription {
    var tag = entity("Tag", className: ".Tag", [attribute("b", .string), attribute("a", .string)])
    // Not in the order of the properties.
    tag.uniquenessConstraints = [["a"], ["b"]]
    tag.fetchIndexes = [
      FetchIndexDescription("byAIndex", [.init(.property("a"))]),
      FetchIndexDescription("byBIndex", [.init(.property("b"))]),
    ]
    return tag
  }

  private static var label: EntityDescription { entity("Label", className: "App.Tag", []) }

  /// Entities with the names of types, of Swift and of Foundation.
  private static func character() throws -> EntityDescription {
    entity(
      "Character", className: "Character",
      [relationship("type", to: "Type", inverse: "characters"), relationship("home", to: "Calendar")])
  }

  private static var type: EntityDescription {
    entity(
      "Type", className: "Type", [relationship("characters", to: "Character", inverse: "type", isToMany: true)])
  }

  private static var calendar: EntityDescription { entity("Calendar", className: "Calendar", []) }
}

/// Fetch-request templates.
extension GeneratedClasses {
  private static func recent() -> FetchRequest {
    var request = FetchRequest("Book", where: predicate("added > $SINCE"), sortedBy: [.init(nil, isAscending: false)])
    request.fetchLimit = 5
    request.includesPropertyValues = false
    request.includesPendingChanges = false
    request.returnsObjectsAsFaults = false
    request.returnsDistinctResults = true
    request.refreshesRefetchedObjects = true
    request.affectedStores = ["B", "A"]
    return request
  }

  private static func totals() -> FetchRequest {
    var request = FetchRequest("Book")
    request.resultType = .dictionaries
    request.propertiesToFetch = [
      .property("location"), .expression(name: "total", expression("sum(price)"), type: .decimal),
    ]
    request.propertiesToGroupBy = [.property("location")]
    request.havingPredicate = predicate("total > 10")
    return request
  }
}
