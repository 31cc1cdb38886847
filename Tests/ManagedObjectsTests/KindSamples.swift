import ManagedObjects
import TestSupport

/// Classes with three levels of inheritance, random objects, and random predicates on the kinds of objects.
struct KindSamples {
  class Party: ManagedObject {
    @Attribute var name: String
    @Relationship var items: Set<Item>
  }

  class Company: Party {
    @Attribute var size: Int?
    @Relationship var parent: Party?
  }

  final class Startup: Company {
    @Attribute var funds: Int?
  }

  final class Person: Party {
    /// A property with the name of one of ``Company``.
    @Attribute var size: Int?
  }

  class Item: ManagedObject {
    @Attribute var title: String
    @Relationship(inverse: \Party.items) var owner: Party?
    @Relationship var seen: Party?
  }

  final class Book: Item {
    @Attribute var pages: Int?
  }

  static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel(classes: [
        Party.self, Company.self, Startup.self, Person.self, Item.self, Book.self,
      ])
    } catch { fatalError("\(error)") }
  }()

  static let parties: [Party.Type] = [Party.self, Company.self, Startup.self, Person.self]
  static let names = parties.map { $0.entityName } + ["Item"]

  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// Inserts objects, or changes and deletes some of those that exist.
  mutating func change(_ context: ManagedObjectContext, inserting count: Int) throws {
    for _ in 0..<count {
      let party = try context.insert(pick(Self.parties))
      party.name = pick(Self.names)
      if let company = party as? Company { company.size = below(3) == 0 ? nil : below(3) }
      if let person = party as? Person { person.size = below(3) == 0 ? nil : below(3) }
      if let startup = party as? Startup { startup.funds = below(3) == 0 ? nil : below(3) }
    }
    let parties = try context.fetch(Party.self)
    for _ in 0..<2 * count {
      let item = below(2) == 0 ? try context.insert(Item.self) : try context.insert(Book.self)
      item.title = pick(Self.names)
      if let book = item as? Book { book.pages = below(3) }
    }
    for item in try context.fetch(Item.self) where below(2) == 0 {
      item.owner = below(4) == 0 ? nil : pick(parties)
      item.seen = below(4) == 0 ? nil : pick(parties)
    }
    for case let company as Company in parties where below(2) == 0 { company.parent = pick(parties) }
  }

  /// Deletes some parties that no relationship without an inverse refers to.
  mutating func delete(_ context: ManagedObjectContext) throws {
    let seen = try Set(context.fetch(Item.self).compactMap(\.seen) + context.fetch(Company.self).compactMap(\.parent))
    for party in try context.fetch(Party.self) where !seen.contains(party) && below(2) == 0 {
      try context.delete(party)
    }
  }

  /// A predicate, and the same condition in Swift.
  struct Condition {
    let predicate: ManagedPredicate
    let holds: (Item) -> Bool

    init(_ predicate: ManagedPredicate, _ holds: @escaping (Item) -> Bool) {
      (self.predicate, self.holds) = (predicate, holds)
    }

    init(
      _ format: String, _ arguments: any PredicateArgument..., holds: @escaping (Item) -> Bool
    ) throws {
      self.init(try ManagedPredicate(format: format, arguments: arguments), holds)
    }
  }

  mutating func condition(_ depth: Int) throws -> Condition {
    switch depth == 0 ? 3 : below(4) {
    case 0:
      let (first, second) = (try condition(depth - 1), try condition(depth - 1))
      return Condition(.and([first.predicate, second.predicate])) { first.holds($0) && second.holds($0) }
    case 1:
      let (first, second) = (try condition(depth - 1), try condition(depth - 1))
      return Condition(.or([first.predicate, second.predicate])) { first.holds($0) || second.holds($0) }
    case 2:
      let inner = try condition(depth - 1)
      return Condition(.not(inner.predicate)) { !inner.holds($0) }
    default: return try below(2) == 0 ? text() : cast()
    }
  }
}
