import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("Composite attributes in all stores") struct CompositeAttributeTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: StoreKind) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: try kind.coordinator(CompositeSamples.model, folder))
  }

  private func filled(_ kind: StoreKind) throws -> ManagedObjectContext {
    let context = try context(kind)
    try CompositeSamples.fill(context)
    return ManagedObjectContext(coordinator: context.coordinator)
  }

  private func drink(_ title: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    let request = FetchRequest("Drink", where: try ManagedPredicate(format: "title == '\(title)'"))
    return try #require(try context.fetch(request).first)
  }

  @Test(arguments: StoreKind.allCases)
  func `a saved composite value is read with all elements`(kind: StoreKind) throws {
    let url = folder.url.appending(path: "drinks")
    var store = try kind.open(url, CompositeSamples.model)
    try CompositeSamples.fill(ManagedObjectContext(store))
    if kind != .memory { store = try kind.open(url, CompositeSamples.model) }
    let context = try ManagedObjectContext(store)
    #expect(try drink("c", context)["author"] == .attribute(CompositeSamples.author("ada")))
    #expect(try drink("d", context)["author"] == .attribute(CompositeSamples.author(city: "Oslo")))
    #expect(try drink("e", context)["author"] == .null)
    #expect(try drink("b", context)["glass"] == .attribute(.composite(["glass": "B"])))
    let a = try drink("a", context)
    for (path, value) in [
      ("author.name", "Ada"), ("author.id", .uuid(CompositeSamples.ids[0])), ("author.age", 36),
      ("author.mass", .float(0.1)), ("author.price", .decimal(12.5)), ("author.isKnown", true),
      ("author.place.city", "Oslo"), ("author.place.floor", 3), ("id", .uuid(CompositeSamples.ids[2])),
      ("glass.glass", "A"), ("author.place.site", .url(URL(string: "https://example.com/ada")!)),
      ("author.born", .date(Date(timeIntervalSinceReferenceDate: -1000))),
    ] as [(String, AttributeValue)] {
      #expect(try a.value(forKeyPath: path) == .attribute(value), "\(path)")
    }
    #expect(try drink("e", context).value(forKeyPath: "author.place.city") == .null)
  }

  @Test(arguments: StoreKind.allCases)
  func `setting one element keeps the others and is saved`(kind: StoreKind) throws {
    let context = try filled(kind)
    let (a, b, e) = (try drink("a", context), try drink("b", context), try drink("e", context))
    try a.setValue("Lima", forKeyPath: "author.place.city")
    try b.setValue(.null, forKeyPath: "author.place")
    // Sets an element of the base drink, which has no author yet but for a city.
    try e.setValue(5, forKeyPath: "base.author.age")
    // Sets an element of all related drinks.
    try a.setValue("Cup", forKeyPath: "mixes.glass.glass")
    #expect(a.changedValues().keys.sorted() == ["author"])
    try context.save()
    let reader = ManagedObjectContext(coordinator: context.coordinator)
    let after = try drink("a", reader)
    #expect(try after.value(forKeyPath: "author.place.city") == "Lima")
    #expect(try after.value(forKeyPath: "author.place.floor") == 3)
    #expect(try after.value(forKeyPath: "author.name") == "Ada")
    #expect(try drink("b", reader).value(forKeyPath: "author.place") == .null)
    #expect(try drink("b", reader).value(forKeyPath: "author.name") == "Bob")
    #expect(try drink("d", reader)["author"] == .attribute(CompositeSamples.author(age: 5, city: "Oslo")))
    #expect(try ["b", "c"].map { try drink($0, reader).value(forKeyPath: "glass.glass") } == ["Cup", "Cup"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a composite value whose elements are all null is null`(kind: StoreKind) throws {
    let context = try filled(kind)
    let drink = try drink("c", context)
    try drink.setValue(.null, forKeyPath: "author.name")
    #expect(drink["author"] == .null)
    try drink.setValue(.composite(["name": "x", "place": .composite(["city": .null])]), forKey: "author")
    #expect(drink["author"] == .attribute(CompositeSamples.author("x")))
    try drink.setValue(.composite([:]), forKey: "author")
    #expect(drink["author"] == .null)
    try context.save()
    let isNull = try ManagedPredicate(format: "author == nil")
    let request = FetchRequest("Drink", where: isNull, sortedBy: [.init("title")])
    #expect(try CompositeSamples.titles(request, context) == "ce")
  }

  @Test func `a number is converted to the type of its element`() throws {
    let drink = try context(.memory).insert("Drink")
    try drink.setValue(.composite(["age": .double(7), "mass": .integer(2), "isKnown": 1]), forKey: "author")
    #expect(drink["author"] == .attribute(CompositeSamples.author(age: 7, mass: .float(2), isKnown: true)))
  }

  @Test func `an unknown element and a value of another type are errors that name the path`() throws {
    let context = try context(.memory)
    let drink = try context.insert("Drink")
    try drink.setValue("Ada", forKeyPath: "author.name")
    for (path, value, key, message) in [
      ("author", .composite(["nam": "x"]), "author", "the composite attribute has no element \"nam\""),
      ("author", .composite(["age": "x"]), "author.age", "expected Integer 32, found a string"),
      ("author", .composite(["age": .integer(1 << 40)]), "author.age", "expected Integer 32, found the integer"),
      ("author", "x", "author", "expected Composite, found a string"),
      ("author.place", .composite(["street": .null]), "author.place", "has no element \"street\""),
      ("author.place.floor", "x", "author.place.floor", "expected Integer 16, found a string"),
      ("author.nam", "x", "author", "has no element \"nam\""),
      ("author.name.x", "x", "author.name", "expected String, found a composite value"),
    ] as [(String, AttributeValue, String, String)] {
      let error = #expect(throws: ManagedObjectError.self) { try drink.setValue(value, forKeyPath: path) }
      #expect(error?.code == .invalidValue && error?.key == key, "\(path): \(error?.key ?? "")")
      #expect(error?.message.contains(message) == true, "\(path): \(error?.message ?? "")")
      #expect(error?.objectID == drink.objectID)
    }
    #expect(throws: ManagedObjectError.self) { try drink.setValue(.object(drink), forKeyPath: "author.name") }
    #expect(drink["author"] == .attribute(CompositeSamples.author("Ada")))
    #expect(throws: ManagedObjectError.self) { try drink.value(forKeyPath: "author.nam") }
  }

  @Test(arguments: StoreKind.allCases)
  func `a mandatory element is required only if the composite attribute has a value`(kind: StoreKind) throws {
    let model = StoreModels.model([
      EntityDescription(
        "Drink",
        [
          .attribute(
            CompositeSamples.composite(
              "author",
              [AttributeDescription("name", .string, isOptional: false), AttributeDescription("age", .integer16)]
            ))
        ])
    ])
    let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
    let drink = try context.insert("Drink")
    try context.save()
    try drink.setValue(3, forKeyPath: "author.age")
    let error = #expect(throws: ManagedObjectError.self) { try context.save() }
    #expect(error?.code == .missingMandatoryProperty && error?.key == "author.name")
    try drink.setValue("Ada", forKeyPath: "author.name")
    try context.save()
  }

  /// Predicates, and the titles of the drinks that they find.
  private static let predicates: [(String, String)] = [
    ("author.name == 'Ada'", "a"), ("author.name ==[c] 'ADA'", "ac"), ("author.name != 'Ada'", "bcde"),
    ("author.name == nil", "de"), ("author.name != nil", "abc"), ("author == nil", "e"), ("author != nil", "abcd"),
    ("nil == author", "e"), ("author.place == nil", "ce"), ("author.place != nil", "abd"),
    ("author.place.city == 'Oslo'", "ad"), ("author.place.city BEGINSWITH 'R'", "b"), ("author.place.floor < 0", "b"),
    ("author.age > 35 AND author.isKnown == YES", "a"), ("author.isKnown == NO", "b"), ("author.mass == 0.1", ""),
    ("author.mass < 0.11", "a"), ("author.price == 12.5", "a"), ("author.price >= 3", "ab"),
    ("author.age IN {36, 70}", "ab"), ("author.age BETWEEN {36, 40}", "a"), ("author.name IN {'Bob', nil}", "bde"),
    ("author.born < CAST(0, 'NSDate')", "a"), ("author.name.length == 3", "abc"),
    ("author.id == CAST('00000000-0000-0000-0000-000000000002', 'NSUUID')", "b"),
    ("author.place.site.absoluteString ENDSWITH 'ada'", "a"), ("author.place.site == nil", "cde"),
    ("author.name == author.place.city", "e"), ("author.name < author.place.city", "ab"),
    ("author.age + 1 == 37", "a"), ("glass.glass == 'B'", "b"), ("glass == nil", "cde"),
    ("base.author.name == 'Ada'", "bc"), ("base.author == nil", "ad"), ("base.author.place.city == 'Oslo'", "bce"),
    ("base.author.name == nil", "ade"), ("ANY mixes.author.name == 'Bob'", "a"), ("ANY mixes.author == nil", "d"),
    ("ALL mixes.author.age > 1", "bce"), ("mixes.@max.author.age == 70", "a"), ("mixes.author.@count == 2", "a"),
    ("SUBQUERY(mixes, $m, $m.author.place.city == 'Rome').@count == 1", "a"),
    ("author['name'] == 'Ada'", "a"), ("author['place']['city'] == 'Oslo'", "ad"), ("author == author", "abcde"),
    ("author.self == nil", "e"),
  ]

  @Test(arguments: StoreKind.allCases)
  func `predicates find objects by elements`(kind: StoreKind) throws {
    let context = try filled(kind)
    for (format, titles) in Self.predicates {
      let predicate = try ManagedPredicate(format: format)
      let request = FetchRequest("Drink", where: predicate, sortedBy: [.init("title")])
      #expect(try CompositeSamples.titles(request, context) == titles, "\(format)")
      // The same predicate with objects in memory.
      let all = try context.fetch(FetchRequest("Drink", sortedBy: [.init("title")]))
      let found = try all.filter { try predicate.evaluate(with: $0) }.compactMap { drink in
        if case .attribute(.string(let title))? = drink["title"] { title } else { nil }
      }
      #expect(found.joined() == titles, "\(format) in memory")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a composite value can be compared as a whole`(kind: StoreKind) throws {
    let context = try filled(kind)
    let author = ManagedExpression.constant(.value(CompositeSamples.author("ada")))
    let path = try ManagedExpression(format: "author")
    for (comparator, titles) in [(.equal, "c"), (.notEqual, "abde")] as [(PredicateComparator, String)] {
      let request = FetchRequest(
        "Drink", where: .comparing(path, comparator, author), sortedBy: [.init("title")])
      #expect(try CompositeSamples.titles(request, context) == titles)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `requests are sorted by elements`(kind: StoreKind) throws {
    let context = try filled(kind)
    for (key, isAscending, titles) in [
      ("author.name", true, "deabc"), ("author.place.city", true, "ceadb"), ("author.place.city", false, "badce"),
      ("author.age", false, "bacde"), ("base.author.name", true, "adebc"), ("author.born", true, "cdeab"),
      ("author.place.site", false, "bacde"), ("author.isKnown", true, "cdeba"),
    ] {
      let request = FetchRequest(
        "Drink", sortedBy: [.init(key, isAscending: isAscending), .init("title")])
      #expect(try CompositeSamples.titles(request, context) == titles, "\(key)")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `dictionaries contain elements, composite values and aggregates of elements`(kind: StoreKind) throws {
    let context = try filled(kind)
    func dictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
      try context.fetchDictionaries(request).map { dictionary in
        Dictionary(
          uniqueKeysWithValues: dictionary.map { key, value in
            if case .attribute(let value) = value { (key, value) } else { (key, .null) }
          })
      }
    }
    var request = FetchRequest("Drink", sortedBy: [.init("title")])
    request.resultType = .dictionaries
    request.propertiesToFetch = ["author.name", "author.place.city", "glass"].map { .property($0) }
    let found = try dictionaries(request)
    #expect(
      found == [
        ["author.name": "Ada", "author.place.city": "Oslo", "glass": .composite(["glass": "A"])],
        ["author.name": "Bob", "author.place.city": "Rome", "glass": .composite(["glass": "B"])],
        ["author.name": "ada", "author.place.city": .null, "glass": .null],
        ["author.name": .null, "author.place.city": "Oslo", "glass": .null],
        ["author.name": .null, "author.place.city": .null, "glass": .null],
      ])
    request.propertiesToFetch = nil
    #expect(try dictionaries(request)[2]["author"] == CompositeSamples.author("ada"))
    request.sortDescriptors = [.init("author.place.city")]
    request.propertiesToGroupBy = [.property("author.place.city")]
    request.propertiesToFetch = [
      .property("author.place.city"),
      .expression(name: "count", try ManagedExpression(format: "count(title)"), type: .integer64),
      .expression(name: "age", try ManagedExpression(format: "max(author.age)"), type: .integer32),
      .expression(name: "sum", try ManagedExpression(format: "sum(author.age)"), type: .integer32),
      .expression(name: "authors", try ManagedExpression(format: "count(author)"), type: .integer32),
    ]
    #expect(
      try dictionaries(request) == [
        ["author.place.city": .null, "count": 2, "age": .null, "sum": 0, "authors": 1],
        ["author.place.city": "Oslo", "count": 2, "age": 36, "sum": 36, "authors": 2],
        ["author.place.city": "Rome", "count": 1, "age": 70, "sum": 70, "authors": 1],
      ])
  }

  @Test func `a request that uses an unknown element or sorts by a composite value is an error`() throws {
    for format in ["author.nam == 'x'", "author.place.street == nil", "ANY mixes.author.x == 1"] {
      let request = FetchRequest("Drink", where: try ManagedPredicate(format: format))
      let error = #expect(throws: ManagedObjectError.self) { try request.check(against: CompositeSamples.model) }
      #expect(error?.predicateError?.kind == .unknownKey && error?.message.contains("has no element") == true)
    }
    for format in ["author.age == 'x'", "author < 3", "author.name > author", "author.name.floor == 1"] {
      let request = FetchRequest("Drink", where: try ManagedPredicate(format: format))
      #expect(throws: ManagedObjectError.self, "\(format)") { try request.check(against: CompositeSamples.model) }
    }
    for key in ["author", "author.place", "author.x"] {
      let request = FetchRequest("Drink", sortedBy: [.init(key)])
      #expect(throws: ManagedObjectError.self, "\(key)") { try request.check(against: CompositeSamples.model) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `batch requests insert and update composite values`(kind: StoreKind) throws {
    let context = try filled(kind)
    let author: AttributeValue = .composite(["name": "Eve", "place": .composite(["floor": 2])])
    _ = try context.execute(
      .insert("Drink", [["title": "f", "author": author], ["title": "g", "author": .composite([:])]]))
    _ = try context.execute(
      .update("Drink", ["author": .composite(["age": 9])], where: ManagedPredicate(format: "author.name == 'Bob'")))
    _ = try context.execute(
      .update("Drink", ["author": AttributeValue.null], where: ManagedPredicate(format: "title == 'd'")))
    let reader = ManagedObjectContext(coordinator: context.coordinator)
    #expect(try drink("f", reader)["author"] == .attribute(CompositeSamples.author("Eve", floor: 2)))
    #expect(try drink("g", reader)["author"] == .null)
    #expect(try drink("b", reader)["author"] == .attribute(CompositeSamples.author(age: 9)))
    #expect(try drink("d", reader)["author"] == .null)
    #expect(try drink("b", reader)["glass"] == .attribute(.composite(["glass": "B"])))
    for request: BatchRequest in [
      .insert("Drink", [["author": .composite(["x": 1])]]),
      .update("Drink", ["author": .composite(["place": .composite(["x": 1])])]),
    ] {
      let error = #expect(throws: ManagedObjectError.self) { try context.execute(request) }
      #expect(error?.code == .invalidValue && error?.message.contains("has no element \"x\"") == true)
    }
    let expression = BatchRequest.update("Drink", ["author": try ManagedExpression(format: "base.author")])
    let error = #expect(throws: ManagedObjectError.self) { try context.execute(expression) }
    #expect(error?.code == .unsupportedRequest && error?.key == "author")
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch request does not leave a mandatory element empty`(kind: StoreKind) throws {
    let size = CompositeSamples.composite(
      "size", [AttributeDescription("x", .integer16, isOptional: false), AttributeDescription("y", .integer16)])
    let model = StoreModels.model([
      EntityDescription("Box", [.attribute(CompositeSamples.composite("outer", [size]))])
    ])
    let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
    func outer(_ size: [String: AttributeValue]) -> AttributeValue { .composite(["size": .composite(size)]) }
    _ = try context.execute(.insert("Box", [["outer": outer(["x": 1])], ["outer": .null], ["outer": outer([:])]]))
    for request: BatchRequest in [
      .insert("Box", [["outer": outer(["y": 2])]]), .update("Box", ["outer": outer(["y": 2])]),
    ] {
      let error = #expect(throws: ManagedObjectError.self) { try context.execute(request) }
      #expect(error?.code == .missingMandatoryProperty && error?.key == "outer.size.x")
    }
    let boxes = try context.fetch(FetchRequest("Box"))
    #expect(boxes.map { $0["outer"] == .null }.count(where: \.self) == 2)
    #expect(boxes.contains { $0["outer"] == .attribute(outer(["x": 1, "y": .null])) })
  }
}
