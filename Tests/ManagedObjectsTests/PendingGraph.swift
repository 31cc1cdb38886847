import TestSupport
import Testing

@testable import ManagedObjects

/// Objects with all kinds of relationships, random changes and random requests, and a naive execution of requests that
/// evaluates all objects in memory.
struct PendingGraph {
  static let model: ManagedObjectModel = {
    let person = EntityDescription(
      "Person",
      [
        .attribute("name", .string), .attribute("age", .integer64, defaultValue: .integer(0)),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true, deleteRule: .cascade),
        .relationship("boss", to: "Person", inverse: "reports"),
        .relationship("reports", to: "Person", inverse: "boss", isToMany: true),
        .relationship("friends", to: "Person", inverse: "friends", isToMany: true),
        .relationship("groups", to: "Group", inverse: "members", isToMany: true),
        .relationship("card", to: "Card", inverse: "owner", deleteRule: .noAction),
        .relationship("seen", to: "Note", isToMany: true),
      ])
    var employee = EntityDescription(
      "Employee", [.attribute("salary", .integer64), .relationship("room", to: "Room", inverse: "staff")])
    employee.superentity = "Person"
    let note = EntityDescription(
      "Note",
      [
        .attribute("title", .string), .attribute("pages", .integer64, defaultValue: .integer(1)),
        .relationship("author", to: "Person", inverse: "notes"),
        .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
        .relationship("next", to: "Note", deleteRule: .noAction),
      ])
    let entities = [
      person, employee, note,
      EntityDescription(
        "Tag", [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true)]),
      EntityDescription(
        "Group",
        [
          .attribute("name", .string),
          .relationship("members", to: "Person", inverse: "groups", isToMany: true, isOrdered: true),
        ]),
      EntityDescription(
        "Card",
        [
          .attribute("number", .integer64),
          .relationship("owner", to: "Person", inverse: "card", deleteRule: .noAction),
        ]),
      EntityDescription(
        "Room",
        [
          .attribute("name", .string),
          .relationship("staff", to: "Employee", inverse: "room", isToMany: true, deleteRule: .noAction),
        ]),
    ]
    do { return try ManagedObjectModel(entities: entities) } catch { fatalError("\(error)") }
  }()

  static let names = ["a", "b", "c", "d", "e"]
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  // Objects and changes.

  /// Inserts about `count` objects of each frequent entity, with random values.
  mutating func fill(_ context: ManagedObjectContext, _ count: Int) throws {
    for (entity, count) in [
      ("Tag", 4), ("Group", 3), ("Room", 3), ("Card", count / 2), ("Person", count / 2), ("Employee", count / 2),
      ("Note", count),
    ] {
      for _ in 0..<count { try insert(entity, in: context) }
    }
    var free = try context.fetch(FetchRequest("Note"))
    for object in try context.fetch(FetchRequest("Person")) + context.fetch(FetchRequest("Note")) {
      for relationship in object.entity.relationships where relationship.name != "seen" && below(3) > 0 {
        try relate(object, relationship.name, in: context)
      }
      // Without an inverse, a note can be in the relationship of one person only.
      if object.entity.name != "Note", below(2) == 0, let note = free.popLast() {
        try object.setValue(.set([.object(note)]), forKey: "seen")
      }
    }
  }

  private mutating func insert(_ entity: String, in context: ManagedObjectContext) throws {
    let object = try context.insert(entity)
    for _ in 0..<2 { try setAttribute(of: object) }
  }

  private mutating func setAttribute(of object: ManagedObject) throws {
    let attribute = pick(object.entity.attributes)
    let value: AttributeValue =
      below(8) == 0
      ? .null
      : attribute.definition.type == .string ? .string(pick(Self.names)) : .integer(Int64(below(5)))
    try object.setValue(value, forKey: attribute.name)
  }

  private mutating func relate(_ object: ManagedObject, _ name: String, in context: ManagedObjectContext) throws {
    guard let relationship = object.entity.relationship(named: name) else { return }
    var request = FetchRequest(object.entity.destination(of: relationship).name)
    request.includesPropertyValues = false
    let all = try context.fetch(request)
    if !relationship.definition.isToMany {
      let target = all.isEmpty || below(5) == 0 ? nil : pick(all)
      return try object.setValue(target.map { .object($0) } ?? .null, forKey: name)
    }
    var targets: [ManagedObject] = []
    for _ in 0..<below(4) where !all.isEmpty {
      let target = pick(all)
      if !targets.contains(target) { targets.append(target) }
    }
    try object.setValue(.array(targets.map { .object($0) }), forKey: name)
  }

  /// Makes random changes: of attributes, of relationships, insertions and deletions.
  mutating func change(_ context: ManagedObjectContext, count: Int) throws {
    for _ in 0..<count {
      let entity = pick(["Person", "Employee", "Note", "Note", "Tag", "Group", "Card", "Room"])
      if below(6) == 0 {
        try insert(entity, in: context)
        continue
      }
      var request = FetchRequest(entity)
      request.includesPropertyValues = false
      let all = try context.fetch(request)
      guard !all.isEmpty else { continue }
      let object = pick(all)
      switch below(8) {
      case 0: try context.delete(object)
      case 1...3: try relate(object, pick(object.entity.relationships).name, in: context)
      default: try setAttribute(of: object)
      }
    }
  }

  /// Changes all objects: some are deleted, the others get another attribute.
  mutating func changeAll(_ context: ManagedObjectContext) throws {
    for entity in ["Note", "Person", "Tag", "Group", "Card", "Room"] {
      for object in try context.fetch(FetchRequest(entity)) where !object.isDeleted {
        if below(6) == 0 { try context.delete(object) } else { try setAttribute(of: object) }
      }
    }
  }

  // Requests.

  private static let conditions = [
    "name == 'a'", "age > 2", "boss.name == 'b'", "boss.boss.age < 2", "boss == nil", "card.number >= 2",
    "card.owner.age > 1", "notes.@count > 1", "friends.@count == 0", "groups.@count != 1", "seen.@count > 0",
    "ANY notes.title == 'a'", "ALL notes.pages < 3", "NONE notes.title == 'b'", "ANY notes.tags.name == 'c'",
    "ANY friends.age > 3", "ANY groups.name IN {'a', 'b'}", "ANY seen.title > 'b'", "ANY seen.author.name == 'd'",
    "ANY notes.next.title == 'a'", "ALL notes.next.next.pages > 1", "notes.@sum.pages > 4", "reports.@max.age >= 3",
    "notes.@avg.pages < 2", "boss.notes.@min.pages == 1", "ANY boss.reports.friends.name == 'e'",
    "SUBQUERY(notes, $n, $n.pages > 2).@count > 0", "SUBQUERY(notes, $n, ANY $n.tags.name == 'a').@count == 0",
    "SUBQUERY(reports, $r, $r.boss.age == $r.age).@count > 0", "salary > 2", "room.name == 'a'",
    "ANY room.staff.name == 'c'", "boss.room.name != 'b'", "ANY notes.author == SELF", "SELF IN boss.reports",
    "boss.name BEGINSWITH[c] 'A' OR name ENDSWITH 'c'", "NOT (boss.age > 1 AND ANY notes.pages > 3)",
    "boss.age + age > 4", "friends CONTAINS boss", "'a' IN notes.title", "ANY groups.members.name == 'a'",
    "TERNARY(boss.age > 2, age, boss.age) == 1", "SELF['boss'] != nil", "boss['name'] == 'a'",
    "card != nil AND card.number == nil", "boss IN %@", "SELF IN %@", "ANY friends == %@.@max", "TRUEPREDICATE",
  ]

  private static let keyPaths = [
    "name", "age", "boss.name", "boss.age", "notes.@count", "boss.notes.@count", "card.number", "boss.boss.name",
    "card.owner.name",
  ]

  mutating func request(_ some: [ManagedObject]) throws -> FetchRequest {
    var request = FetchRequest(below(4) == 0 ? "Employee" : "Person")
    request.includesSubentities = below(6) > 0
    let format = pick(Self.conditions)
    if format.contains("@max") {
      request.predicate = .comparing(
        .keyPath(try #require(PredicateKeyPath("friends"))), .equal, some.first?.predicateExpression ?? .value(.null),
        modifier: pick([.any, .all]))
    } else if format.contains("%@") {
      request.predicate = try ManagedPredicate(format: format, some)
    } else {
      request.predicate = try ManagedPredicate(format: format)
    }
    for _ in 0..<below(3) {
      request.sortDescriptors.append(.init(pick(Self.keyPaths), isAscending: below(2) == 0))
    }
    if below(3) == 0 { request.fetchLimit = 1 + below(6) }
    if below(4) == 0 { request.fetchOffset = below(4) }
    return request
  }

  // Naive execution.

  /// Returns all objects that match a request, in its order, if there are sort descriptors. Evaluates all objects.
  static func naive(_ request: FetchRequest, in context: ManagedObjectContext) throws -> [ManagedObject] {
    var all = FetchRequest(request.entityName)
    all.includesSubentities = request.includesSubentities
    let found = try context.fetch(all).filter { try request.predicate?.evaluate(with: $0) ?? true }
    return found.sorted { first, second in
      for descriptor in request.sortDescriptors {
        let path = (descriptor.keyPath ?? "").split(separator: ".").map(String.init)
        let (one, other) = (value(first, path[...]), value(second, path[...]))
        if one != other { return (one < other) == descriptor.isAscending }
      }
      return first.key.isFetchedBefore(second.key)
    }
  }

  /// A value to sort by. Null comes first.
  private struct Value: Comparable {
    var isThere = false
    var number: Int64 = 0
    var text = ""

    static func < (first: Value, second: Value) -> Bool {
      if first.isThere != second.isThere { return second.isThere }
      return (first.number, first.text) < (second.number, second.text)
    }
  }

  private static func value(_ object: ManagedObject, _ path: ArraySlice<String>) -> Value {
    guard let key = path.first, !object.isDeleted else { return Value() }
    switch object[key] {
    case .attribute(.integer(let number))?: return Value(isThere: true, number: number)
    case .attribute(.string(let text))?: return Value(isThere: true, text: text)
    case .object(let target)?: return value(target, path.dropFirst())
    case .array(let elements)?, .set(let elements)?:
      let live = elements.filter { if case .object(let target) = $0 { !target.isDeleted } else { false } }
      return Value(isThere: true, number: Int64(live.count))
    default: return Value()
    }
  }
}
