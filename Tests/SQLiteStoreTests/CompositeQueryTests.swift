import Foundation
import ManagedObjects
import PropertyLists
import TestSupport
import Testing

@testable import SQLiteStore

/// Requests through composite attributes in an SQLite store and in a store in memory, with random objects.
@Suite("Requests through composite attributes") struct CompositeQueryTests {
  private static let model: ManagedObjectModel = {
    func composite(_ name: String, _ elements: [AttributeDescription]) -> AttributeDescription {
      var attribute = AttributeDescription(name, .composite)
      attribute.elements = elements
      return attribute
    }
    let author = composite(
      "author",
      [
        AttributeDescription("name", .string), AttributeDescription("age", .integer32),
        AttributeDescription("height", .double), AttributeDescription("id", .uuid),
        composite(
          "place",
          [
            AttributeDescription("city", .string), AttributeDescription("born", .date),
            composite("room", [AttributeDescription("isOpen", .boolean), AttributeDescription("mass", .float)]),
          ]),
      ])
    let drink = EntityDescription(
      "Drink",
      [
        .attribute("id", .uuid), .attribute(author), .attribute("number", .integer64),
        .attribute(composite("glass", [AttributeDescription("glass", .string)])),
        .relationship("base", to: "Drink", inverse: "mixes"),
        .relationship("mixes", to: "Drink", inverse: "base", isToMany: true),
      ])
    var juice = EntityDescription("Juice", [.attribute(composite("fruit", [AttributeDescription("age", .integer16)]))])
    juice.superentity = "Drink"
    do { return try ManagedObjectModel(entities: [drink, juice]) } catch { fatalError("\(error)") }
  }()

  /// The same objects in both stores. Their numbers identify them.
  private final class Stores {
    let contexts: [ManagedObjectContext]
    let sqlite: SQLiteStore
    let file: URL
    private let folder = TemporaryFolder(isInMemory: true)

    init() throws {
      file = folder.url.appending(path: "a.sqlite")
      sqlite = try SQLiteStore(file, model: CompositeQueryTests.model)
      contexts = [
        try ManagedObjectContext(InMemoryStore(model: CompositeQueryTests.model)), try ManagedObjectContext(sqlite),
      ]
    }

    /// Makes the same change in both stores, and saves it.
    func change(_ body: ([ManagedObject], ManagedObjectContext) throws -> Void) throws {
      for context in contexts {
        try body(context.fetch(FetchRequest("Drink", sortedBy: [.init("number")])), context)
        try context.save()
        context.reset()
      }
    }

    /// Returns the values of all objects in each store.
    func values() throws -> [[[String: ManagedObject.Value]]] {
      try contexts.map { context in
        defer { context.reset() }
        return try context.fetch(FetchRequest("Drink", sortedBy: [.init("number")])).map { drink in
          var values = drink.committedValues()
          for key in ["base", "mixes"] { values[key] = nil }
          return values
        }
      }
    }

    /// Returns the numbers of the objects that a request finds, in each store.
    func found(_ request: FetchRequest) throws -> [[ManagedObject.Value?]] {
      try contexts.map { context in
        defer { context.reset() }
        return try context.fetch(request).map { $0["number"] }
      }
    }
  }

  private struct Values {
    var numbers: RandomNumbers

    mutating func value(_ attribute: AttributeDescription) -> AttributeValue {
      if numbers.once(in: 4) { return .null }
      return switch attribute.type {
      case .composite:
        .composite(Dictionary(uniqueKeysWithValues: attribute.elements.map { ($0.name, value($0)) }))
      case .string: .string(numbers.pick(RandomObjects.texts))
      case .integer16, .integer32: .integer(numbers.pick(RandomObjects.integers))
      case .double: .double(numbers.pick(RandomObjects.doubles))
      case .float: .float(numbers.pick(RandomObjects.floats))
      case .boolean: .boolean(numbers.once(in: 2))
      case .date: .date(Date(timeIntervalSinceReferenceDate: numbers.pick(RandomObjects.dates)))
      case .uuid: .uuid(numbers.pick(RandomObjects.uuids))
      default: .null
      }
    }

    mutating func attribute(of entity: ManagedObjectModel.Entity) -> AttributeDescription {
      numbers.pick(entity.attributes.map(\.definition).filter { $0.name != "number" })
    }

    /// Returns the path of an element, and its description.
    mutating func leaf() -> (path: String, AttributeDescription) {
      var attribute = numbers.pick(["author", "author", "author", "glass"]).description(CompositeQueryTests.model)
      var path = attribute.name
      while attribute.type == .composite {
        attribute = numbers.pick(attribute.elements)
        path += ".\(attribute.name)"
      }
      return (numbers.pick(["", "", "base."]) + path, attribute)
    }

    mutating func predicate() throws -> ManagedPredicate {
      let (path, attribute) = leaf()
      let composite = numbers.pick(["author", "author.place", "author.place.room", "base.author.place", "glass"])
      let isNull = ManagedPredicate.comparing(
        try ManagedExpression(format: composite), numbers.pick([.equal, .notEqual]), .constant(.null))
      let comparators: [PredicateComparator] =
        [.uuid, .boolean].contains(attribute.type)
        ? [.equal, .notEqual] : [.equal, .notEqual, .lessThan, .greaterThanOrEqual]
      let test = ManagedPredicate.comparing(
        try ManagedExpression(format: path), numbers.pick(comparators), .constant(.value(value(attribute))))
      return switch numbers.below(5) {
      case 0: isNull
      case 1: .and([isNull, test])
      case 2: .or([isNull, .not(test)])
      default: test
      }
    }
  }

  @Test(arguments: 0..<LongForm.size(40, or: 4))
  func `random objects have the same values in SQLite and in memory`(seed: Int) throws {
    let stores = try Stores()
    var values = Values(numbers: RandomNumbers(seed))
    let entities = ["Drink", "Juice"].compactMap { Self.model[$0] }
    var number: Int64 = 0
    for _ in 0..<4 {
      // Inserts objects, and changes whole values and single elements.
      var insertions: [(String, [String: AttributeValue])] = []
      for _ in 0..<12 {
        let entity = values.numbers.pick(entities)
        var new: [String: AttributeValue] = [:]
        for attribute in entity.attributes { new[attribute.name] = values.value(attribute.definition) }
        number += 1
        new["number"] = .integer(number)
        insertions.append((entity.name, new))
      }
      var changes: [(Int, String, AttributeValue)] = []
      for _ in 0..<12 where number > 12 {
        let isWhole = values.numbers.once(in: 2)
        let index = values.numbers.below(Int(number) - 12)
        let attribute = Self.model["Drink"].map { values.attribute(of: $0) }
        if isWhole, let attribute {
          changes.append((index, attribute.name, values.value(attribute)))
        } else {
          let (path, leaf) = values.leaf()
          if !path.hasPrefix("base.") { changes.append((index, path, values.value(leaf))) }
        }
      }
      let bases = (0..<6).map { _ in (values.numbers.below(Int(number)), values.numbers.below(Int(number))) }
      try stores.change { drinks, context in
        var drinks = drinks
        for (index, path, value) in changes { try drinks[index].setValue(value, forKeyPath: path) }
        for (entity, values) in insertions {
          let drink = try context.insert(entity)
          try drink.setValues(values)
          drinks.append(drink)
        }
        for (drink, base) in bases { try drinks[drink].setValue(.object(drinks[base]), forKey: "base") }
      }
      let all = try stores.values()
      #expect(all[0] == all[1])
      for _ in 0..<25 {
        let (path, _) = values.leaf()
        var request = FetchRequest(
          values.numbers.pick(["Drink", "Drink", "Juice"]), where: try values.predicate(),
          sortedBy: [.init(path, isAscending: values.numbers.once(in: 2)), .init("number")])
        if values.numbers.once(in: 4) { request.fetchLimit = values.numbers.below(9) }
        let found = try stores.found(request)
        let text = (try? request.predicate?.formatText()) ?? ""
        #expect(found[0] == found[1], "\(text) sorted by \(path)")
        #expect(try stores.sqlite.statement(for: request).isComplete, "\(text) sorted by \(path)")
      }
    }
    // Another program finds the values in the columns.
    let database = try Database(path: stores.file.path, .readWrite)
    let statement = try database.statement(
      "SELECT IFNULL(ZNAME, '-'), IFNULL(ZCITY, '-'), IFNULL(CAST(ZAGE AS TEXT), '-') FROM ZDRINK ORDER BY ZNUMBER")
    var rows: [[String]] = []
    try withExtendedLifetime(database) {
      try statement.forEachRow { rows.append((0..<3).map { statement.text($0) }) }
    }
    let expected = try stores.values()[0].map { values in
      guard case .attribute(let author)? = values["author"] else { return [] as [String] }
      return [["name"], ["place", "city"], ["age"]].map { keys in
        switch author.leaf(at: keys[...]) {
        case .string(let text): text
        case .integer(let number): "\(number)"
        default: "-"
        }
      }
    }
    #expect(rows == expected)
    guard StoreReader.isAvailable else { return }
    #expect(try StoreDump(stores.sqlite).differences(from: StoreReader.objects(of: stores.file)) == [])
  }

  @Test func `SQL expresses elements in predicates, sort keys and groups`() throws {
    let stores = try Stores()
    for format in [
      "author.name == 'x'", "author == nil", "author.place.room != nil", "author.place.room.isOpen == YES",
      "ANY mixes.author.name BEGINSWITH 'a'", "ANY mixes.author == nil", "base.author.place.city CONTAINS 'x'",
      "author.name.length > 3", "author.age + 1 > 3", "SUBQUERY(mixes, $m, $m.author.age > 3).@count > 1",
      "mixes.@max.author.age > 3",
    ] {
      let request = FetchRequest(
        "Drink", where: try ManagedPredicate(format: format), sortedBy: [.init("author.place.city")])
      #expect(try stores.sqlite.statement(for: request).isComplete, "\(format)")
    }
    let request = FetchRequest("Drink", where: try ManagedPredicate(format: "author == author"))
    #expect(try !stores.sqlite.statement(for: request).isComplete)
  }
}

extension String {
  /// The attribute of the entity Drink with this name.
  fileprivate func description(_ model: ManagedObjectModel) -> AttributeDescription {
    model["Drink"]?.attribute(named: self)?.definition ?? AttributeDescription(self, .string)
  }
}
