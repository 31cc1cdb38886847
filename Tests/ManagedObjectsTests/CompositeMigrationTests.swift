import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("Inferred migrations of composite attributes") struct CompositeMigrationTests {
  private static let kinds: [StoreKind] = [.xml, .binary, .sqlite]
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "drinks") }

  private static func leaf(
    _ name: String, _ type: AttributeType = .string, isOptional: Bool = true, from former: String? = nil,
    default defaultValue: AttributeValue = .null
  ) -> AttributeDescription {
    var leaf = AttributeDescription(name, type, isOptional: isOptional, defaultValue: defaultValue)
    leaf.renamingIdentifier = former
    return leaf
  }

  private static func composite(
    _ name: String, _ elements: [AttributeDescription], from former: String? = nil
  ) -> AttributeDescription {
    var attribute = CompositeSamples.composite(name, elements)
    attribute.renamingIdentifier = former
    return attribute
  }

  /// - Parameter version: The hash modifier of another entity, so that two models always have different hashes. The
  ///   hash of an entity with nested composite attributes is not known, and is not compared.
  private static func model(_ attributes: [AttributeDescription], version: String = "2") throws -> ManagedObjectModel {
    var other = EntityDescription("Other", [.attribute("name", .string)])
    other.versionHashModifier = version
    return try ManagedObjectModel(entities: [
      EntityDescription("Drink", [.attribute("title", .string)] + attributes.map { .attribute($0) }), other,
    ])
  }

  private static let elements = [
    leaf("name"), leaf("age", .integer32), composite("place", [leaf("city"), leaf("floor", .integer16)]),
  ]

  private static let old = Result {
    try model([composite("author", elements), composite("label", [leaf("text")])], version: "1")
  }

  /// Creates a store with four drinks: one with all values, one with an age only, one with a city only, and one
  /// without any.
  private func makeStore(_ kind: StoreKind) throws {
    let context = try ManagedObjectContext(kind.open(file, Self.old.get()))
    for (title, author) in [
      ("a", .composite(["name": "Ada", "age": 36, "place": .composite(["city": "Oslo", "floor": 3])])),
      ("b", .composite(["age": 7])), ("c", .composite(["place": .composite(["city": "Rome"])])), ("d", .null),
    ] as [(String, AttributeValue)] {
      let drink = try context.insert("Drink")
      try drink.setValues(["title": .string(title), "author": author])
    }
    try context.save()
  }

  private func migrate(
    _ kind: StoreKind, to model: ManagedObjectModel, droppedValues: DroppedValuePolicy = .drop
  ) throws -> [MigrationLoss] {
    if kind == .sqlite { return try SQLiteStore.migrate(file, to: model, droppedValues: droppedValues) }
    return try StoreFile.migrate(file, from: [Self.old.get()], to: model, droppedValues: droppedValues)
  }

  /// Returns the values of an attribute of all drinks.
  private func values(_ kind: StoreKind, _ model: ManagedObjectModel, _ key: String) throws -> [AttributeValue] {
    let context = try ManagedObjectContext(kind.open(file, model))
    return try context.fetch(FetchRequest("Drink", sortedBy: [.init("title")])).map { drink in
      if case .attribute(let value)? = drink[key] { value } else { .null }
    }
  }

  @Test(arguments: kinds)
  func `values are kept when a composite attribute and its elements are renamed`(kind: StoreKind) throws {
    try makeStore(kind)
    let model = try Self.model([
      Self.composite(
        "writer",
        [
          Self.composite("home", [Self.leaf("town", from: "city"), Self.leaf("floor", .integer16)], from: "place"),
          Self.leaf("fullName", from: "name"), Self.leaf("age", .integer32),
        ], from: "author"), Self.composite("label", [Self.leaf("text")]),
    ])
    #expect(try migrate(kind, to: model, droppedValues: .refuse) == [])
    let home: AttributeValue = .composite(["town": "Oslo", "floor": 3])
    #expect(
      try values(kind, model, "writer") == [
        .composite(["fullName": "Ada", "age": 36, "home": home]),
        .composite(["fullName": .null, "age": 7, "home": .null]),
        .composite(["fullName": .null, "age": .null, "home": .composite(["town": "Rome", "floor": .null])]), .null,
      ])
  }

  @Test(arguments: kinds)
  func `added elements are null or have their default, and added attributes are null`(kind: StoreKind) throws {
    try makeStore(kind)
    let model = try Self.model([
      Self.composite(
        "author", Self.elements + [Self.leaf("mail"), Self.leaf("kind", isOptional: false, default: "person")]),
      Self.composite("label", [Self.leaf("text")]), Self.composite("glass", [Self.leaf("glass")]),
    ])
    #expect(try migrate(kind, to: model, droppedValues: .refuse) == [])
    let place: AttributeValue = .composite(["city": "Oslo", "floor": 3])
    let rome: AttributeValue = .composite(["city": "Rome", "floor": .null])
    #expect(
      try values(kind, model, "author") == [
        .composite(["name": "Ada", "age": 36, "place": place, "mail": .null, "kind": "person"]),
        .composite(["name": .null, "age": 7, "place": .null, "mail": .null, "kind": "person"]),
        .composite(["name": .null, "age": .null, "place": rome, "mail": .null, "kind": "person"]), .null,
      ])
    #expect(try values(kind, model, "glass") == [.null, .null, .null, .null])
    // The store can be saved.
    let context = try ManagedObjectContext(kind.open(file, model))
    let drink = try #require(try context.fetch(FetchRequest("Drink", sortedBy: [.init("title")])).last)
    try drink.setValue("cup", forKeyPath: "glass.glass")
    try context.save()
    #expect(try values(kind, model, "glass") == [.null, .null, .null, .composite(["glass": "cup"])])
  }

  @Test(arguments: kinds)
  func `dropped elements and attributes are reported with their paths`(kind: StoreKind) throws {
    try makeStore(kind)
    let model = try Self.model([
      Self.composite("author", [Self.leaf("name"), Self.composite("place", [Self.leaf("city")])])
    ])
    let error = #expect(throws: ManagedObjectError.self) { try migrate(kind, to: model, droppedValues: .refuse) }
    #expect(error?.details.allSatisfy { $0.code == .droppedValues } == true)
    let losses = try migrate(kind, to: model)
    #expect(
      Dictionary(uniqueKeysWithValues: losses.map { ($0.propertyName ?? "", $0.objectCount) })
        == ["author.age": 2, "author.place.floor": 1])
    #expect(
      try values(kind, model, "author") == [
        .composite(["name": "Ada", "place": .composite(["city": "Oslo"])]), .null,
        .composite(["name": .null, "place": .composite(["city": "Rome"])]), .null,
      ])
  }

  @Test(arguments: kinds)
  func `a migration with functions of the program converts the other composite attributes`(kind: StoreKind) throws {
    try makeStore(kind)
    let model = try Self.model([
      Self.composite("author", [Self.leaf("fullName", from: "name"), Self.leaf("mail")]),
      Self.composite("label", [Self.leaf("text")]),
    ])
    let policy = EntityMigrationPolicy { drink, migration in
      let new = try migration.createDestinationInstances(forSource: drink)
      try new.setValue("new", forKeyPath: "label.text")
    }
    let mapping = StoreMapping(entities: ["Drink": policy])
    if kind == .sqlite {
      try SQLiteStore.migrate(file, to: model, by: mapping, droppedValues: .drop)
    } else {
      try StoreFile.migrate(file, from: [Self.old.get()], to: model, by: mapping, droppedValues: .drop)
    }
    #expect(
      try values(kind, model, "author") == [.composite(["fullName": "Ada", "mail": .null]), .null, .null, .null])
    #expect(try values(kind, model, "label") == Array(repeating: .composite(["text": "new"]), count: 4))
  }

  @Test(arguments: kinds) func `a removed composite attribute is reported once for each object`(kind: StoreKind) throws
  {
    try makeStore(kind)
    let losses = try migrate(kind, to: Self.model([]))
    #expect(losses.map(\.propertyName) == ["author"] && losses.map(\.objectCount) == [3])
  }

  @Test(arguments: kinds)
  func `an element that becomes mandatory gets its default where the attribute has a value`(kind: StoreKind) throws {
    try makeStore(kind)
    let model = try Self.model([
      Self.composite(
        "author",
        [
          Self.leaf("name", isOptional: false, default: "?"), Self.leaf("age", .integer32),
          Self.composite("place", [Self.leaf("city"), Self.leaf("floor", .integer16)]),
        ]), Self.composite("label", [Self.leaf("text")]),
    ])
    _ = try migrate(kind, to: model)
    let names = try values(kind, model, "author").map { author -> AttributeValue? in
      if case .composite(let elements) = author { elements["name"] } else { nil }
    }
    #expect(names == ["Ada", "?", "?", nil])
  }

  @Test(arguments: kinds)
  func `changes of elements that cannot be inferred are errors that name the path`(kind: StoreKind) throws {
    try makeStore(kind)
    for (elements, message) in [
      ([Self.leaf("name", .integer16)], "the element \"Drink.author.name\" changes from String to Integer 16"),
      ([Self.leaf("place")], "the element \"Drink.author.place\" changes from Composite to String"),
      (
        [Self.composite("place", [Self.leaf("floor", .string)])],
        "the element \"Drink.author.place.floor\" changes from Integer 16 to String"
      ),
      (
        [Self.leaf("name", isOptional: false)],
        "the element \"Drink.author.name\" becomes required, but has no default value"
      ),
      (
        [Self.leaf("mail", isOptional: false)],
        "the element \"Drink.author.mail\" is new and required, but has no default value"
      ),
      (
        [Self.leaf("first", from: "name"), Self.leaf("last", from: "name")],
        "both come from the element \"name\""
      ),
    ] as [([AttributeDescription], String)] {
      let model = try Self.model([Self.composite("author", elements)])
      let error = #expect(throws: ManagedObjectError.self) { try migrate(kind, to: model) }
      #expect(error?.code == .inferredMapping, "\(message)")
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
    let plain = try Self.model([Self.leaf("author")])
    #expect(throws: ManagedObjectError.self) { try migrate(kind, to: plain) }
    let authors = try values(kind, Self.old.get(), "author")
    #expect(authors.count { $0 != .null } == 3)
  }
}
