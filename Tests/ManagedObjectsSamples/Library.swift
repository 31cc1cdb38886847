// Generated from the model Library. Write methods in extensions in other files.
// swift-format-ignore-file

import FoundationEssentials
import ManagedObjects
import PropertyLists

class Animal: ManagedObject {
  @Relationship var owner: Person?
}

final class Dog: Animal {}

final class Calendar: ManagedObject {}

final class Character: ManagedObject {
  @Relationship(inverse: \`Type`.characters) var type: `Type`?
  @Relationship var home: Calendar?
}

class LibraryItem: ManagedObject {
  @Attribute(
    .indexed, .minimumLength(1), .maximumLength(80), .pattern(".*"), .renamed(from: "name"), .hashModifier("2"))
  var title: String = "A \"quoted\" \\ title\n😀\u{7}"
  @Attribute(.unique) var identifier: UUID
  @Attribute(.minimum(1, warning: "is too small"), .predicate("SELF != 13", warning: "brings bad luck"), .maximum(99))
  var rank: Int16 = 3
  @Attribute var count: Int32? = -1
  @Attribute var size: Int64? = 9_223_372_036_854_775_807
  @Attribute(.minimum(0.5)) var ratio: Double? = 0.1
  @Attribute var weight: Float? = 0.1
  @Attribute var limit: Double? = .infinity
  @Attribute(.minimum(0)) var price: Decimal? = Decimal(string: "12.5")!
  @Attribute var whole: Decimal = 12
  @Attribute var isLent: Bool = false
  @Attribute(.minimum(Date(timeIntervalSinceReferenceDate: -5.5)))
  var added: Date? = Date(timeIntervalSinceReferenceDate: 0)
  @Attribute var page: URL? = URL(string: "https://example.org/a?b=c")!
  @Attribute var key: UUID? = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
  @Attribute var thumbnail: Data? = Data(base64Encoded: "AQID")!
  @Attribute(.externalStorage, .preservedInHistory) var picture: Data?
  @Attribute(.transient) var cursor: Int64 = 0

  override class var entityName: String { "Item" }

  override class func describe(_ entity: inout EntityDescription) {
    guard entity.name == "Item" else { return }
    entity.isAbstract = true
    entity.renamingIdentifier = "Thing"
    entity.versionHashModifier = "3"
    entity.userInfo = ["icon": "box"]
    entity.uniquenessConstraints.append(["title", "rank"])
    entity.fetchIndexes.append(
      FetchIndexDescription(
        "byRank",
        [.init(.property("rank"), isAscending: false), .init(.expression(try! ManagedExpression(format: "rank + 1")))],
        partialPredicate: try! ManagedPredicate(format: "isLent == FALSE")))
    entity.fetchIndexes.append(
      FetchIndexDescription(
        "byPosition", [.init(.property("ratio"), kind: .rTree), .init(.property("limit"), kind: .rTree)]))
    entity.compoundIndexes.append(["rank", "title"])
    entity[attribute: "title"]?.isIndexedBySpotlight = true
    entity[attribute: "title"]?.userInfo = [
      "unit": "none",
      "parts": .array(
        ["a", .integer(1), .real(2.5), .boolean(true), .data(Data(base64Encoded: "AQ==")!), .dictionary(["key": .null])]),
    ]
    entity[attribute: "title"]?.allowsCloudEncryption = true
    entity[attribute: "rank"]?.validations.append(
      PropertyValidation(try! ManagedPredicate(format: "SELF != 66"), warning: .code(1550)))
    entity[attribute: "rank"]?.validations.append(PropertyValidation(try! ManagedPredicate(format: "SELF != 67")))
    entity[attribute: "cursor"]?.isReadOnly = true
    entity[attribute: "cursor"]?.isIndexed = true
  }
}

class Medium: LibraryItem {
  @Attribute var location: String?

  override class var entityName: String { "Medium" }

  override class func describe(_ entity: inout EntityDescription) {
    guard entity.name == "Medium" else { return }
    entity.isAbstract = true
  }
}

final class Book: Medium {
  @Relationship(
    inverse: \Person.books, isOptional: false, minimumCount: 1, maximumCount: 9, renamedFrom: "writers",
    hashModifier: "a", userInfo: ["kind": "person"])
  var authors: [Person]
  @Attribute(.derived("authors.@count")) private(set) var authorCount: Int32?
  @Attribute(.derived("authors.@count")) private(set) var famousAuthors: Int32?
  // "address": Composite; no wrapper has values of this type. Use value(forKey: "address").
  // "cover": replace its description below by a property with the type of the program, such as
  // @Attribute(.transformed(by: CoverTransformer.self)) var cover: Cover?
  @Attribute var keywords: [String]
  // "things": replace its description below by a property with the type of the program, such as
  // @Attribute var things: NSArray?
  @Attribute var due: FoundationEssentials.Calendar?
  // "anything": Undefined; no wrapper has values of this type. Use value(forKey: "anything").
  @Relationship(deleteRule: .noAction) var sequel: Book?
  @Relationship(isTransient: true) var preview: Book?

  override class var entityName: String { "Book" }

  override class func describe(_ entity: inout EntityDescription) {
    entity.uniquenessConstraints.append(["sequel"])
    entity[relationship: "authors"]?.isIndexed = true
    entity[attribute: "famousAuthors"]?.derivation = .init(
      try! ManagedExpression(format: "authors.@count"), filter: try! ManagedPredicate(format: "id != NULL"))
    entity.properties.append(.attribute("address", .composite, isOptional: false))
    entity[attribute: "address"]?.compositeName = "Address"
    entity[attribute: "address"]?.elements = [
      AttributeDescription("city", .string, isOptional: false), AttributeDescription("floor", .integer16),
    ]
    entity[attribute: "address"]?.elements[0].defaultValue = .string("Rome")
    entity[attribute: "address"]?.elements[1].userInfo = ["unit": "m"]
    entity.properties.append(.attribute("cover", .transformable))
    entity[attribute: "cover"]?.valueClassName = "Cover"
    entity[attribute: "cover"]?.valueTransformerName = "CoverTransformer"
    entity[attribute: "keywords"]?.defaultValue = .data(Data(base64Encoded: "BA==")!)
    entity[attribute: "keywords"]?.valueClassName = "Array<String>"
    entity[attribute: "keywords"]?.valueTransformerName = "NSSecureUnarchiveFromData"
    entity.properties.append(.attribute("things", .transformable))
    entity[attribute: "things"]?.valueClassName = "NSArray"
    entity[attribute: "due"]?.valueClassName = "NSCalendar"
    entity.properties.append(.attribute("anything", .undefined))
    entity[attribute: "anything"]?.isTransient = true
  }
}

final class Film: Medium {
  @Attribute var minutes: Int16?

  override class var entityName: String { "Film" }

  override class func describe(_ entity: inout EntityDescription) {
    entity.isAbstract = true
  }
}

final class Label: ManagedObject {}

final class Person: ManagedObject {
  @Attribute var `first-name`: String?
  @Attribute var größe: Double?
  @Attribute var id: Int64?
  // "_id": String; the wrapper of "id" has this name. Use value(forKey: "_id").
  // "hashValue": Integer 64; every object has a property with this name. Use value(forKey: "hashValue").
  // "isInaccessible": Boolean; every object has a property with this name. Use value(forKey: "isInaccessible").
  @Attribute var `where`: String?
  @Attribute var `default`: String?
  @Attribute var `Self`: String?
  // "$price": String; the name cannot be written in Swift. Use value(forKey: "$price").
  @Attribute var willSave: String?
  @Relationship(deleteRule: .deny) var books: Set<Book>
  @Relationship var friends: Set<Person>
  @Relationship(inverse: \Dog.owner, deleteRule: .cascade) var dogs: Set<Dog>
  @FetchedProperty(
    "price < $FETCHED_PROPERTY.userInfo.limit AND ANY authors == $FETCH_SOURCE",
    sortedBy: [
      .init("price", isAscending: false), .init("title", comparison: .localizedStandard),
      .init("location", comparison: .other("compareLocation:")),
    ], limit: 10)
  var cheapBooks: [Book]
  @FetchedProperty("TRUEPREDICATE") var everybody: [Person]

  override class func describe(_ entity: inout EntityDescription) {
    entity.properties.append(.attribute("_id", .string))
    entity.properties.append(.attribute("hashValue", .integer64, isOptional: false))
    entity[attribute: "hashValue"]?.defaultValue = .integer(7)
    entity.properties.append(.attribute("isInaccessible", .boolean))
    entity.properties.append(.attribute("$price", .string))
    entity[relationship: "friends"]?.inverse = "friends"
    entity[fetchedProperty: "cheapBooks"]?.userInfo = ["limit": .integer(5)]
    entity[fetchedProperty: "cheapBooks"]?.request.sortDescriptors[1].reversesNullOrder = true
    entity[fetchedProperty: "cheapBooks"]?.request.fetchOffset = 1
    entity[fetchedProperty: "cheapBooks"]?.request.fetchBatchSize = 2
    entity[fetchedProperty: "cheapBooks"]?.request.includesSubentities = false
    entity[fetchedProperty: "cheapBooks"]?.request.relationshipKeyPathsForPrefetching = ["authors"]
    entity[fetchedProperty: "everybody"]?.request.predicate = nil
  }
}

final class TagEntity: ManagedObject {
  @Attribute var b: String?
  @Attribute var a: String?

  override class var entityName: String { "Tag" }

  override class func describe(_ entity: inout EntityDescription) {
    entity.uniquenessConstraints.append(["a"])
    entity.uniquenessConstraints.append(["b"])
    entity.fetchIndexes.append(FetchIndexDescription("byAIndex", [.init(.property("a"))]))
    entity.fetchIndexes.append(FetchIndexDescription("byBIndex", [.init(.property("b"))]))
  }
}

final class `Type`: ManagedObject {
  @Relationship var characters: Set<Character>
}

/// The classes of the model, and the model that is made of them.
enum LibraryModel {
  static var classes: [ManagedObject.Type] {
    [
      Animal.self, Dog.self, Calendar.self, Character.self, LibraryItem.self, Medium.self, Book.self, Film.self,
      Label.self, Person.self, TagEntity.self, `Type`.self,
    ]
  }

  static func model() throws -> ManagedObjectModel {
    let template0 = FetchRequest("Item")
    var template1 = FetchRequest(
      "Book", where: try ManagedPredicate(format: "added > $SINCE"), sortedBy: [.init(nil, isAscending: false)])
    template1.fetchLimit = 5
    template1.includesPropertyValues = false
    template1.includesPendingChanges = false
    template1.returnsObjectsAsFaults = false
    template1.returnsDistinctResults = true
    template1.refreshesRefetchedObjects = true
    template1.affectedStores = ["A", "B"]
    var template2 = FetchRequest("Book")
    template2.havingPredicate = try ManagedPredicate(format: "total > 10")
    template2.resultType = .dictionaries
    template2.propertiesToFetch = [
      .property("location"), .expression(name: "total", try ManagedExpression(format: "sum(price)"), type: .decimal),
    ]
    template2.propertiesToGroupBy = [.property("location")]
    return try ManagedObjectModel(
      classes: classes, configurations: ["Pets": ["Animal", "Dog"], "Rest": ["Tag", "Label"]],
      fetchRequestTemplates: ["all": template0, "recent": template1, "totals": template2],
      versionIdentifiers: ["2", "two"])
  }
}
