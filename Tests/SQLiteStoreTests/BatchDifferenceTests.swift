import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

/// Batch requests in SQL and with the default implementation, which fetches and saves rows. Both must leave the same
/// rows, versions, keys and history.
@Suite("Differences between batch requests in SQL and in memory") struct BatchDifferenceTests {
  private let folder = TemporaryFolder(isInMemory: true)

  /// Two equal stores with a history: one executes batch requests in SQL, the other one in memory.
  private struct Pair {
    let sql: SQLiteStore
    let memory: SQLiteStore
    let contexts: [ManagedObjectContext]

    init(_ model: ManagedObjectModel, _ folder: TemporaryFolder) throws {
      func open() throws -> SQLiteStore {
        let file = folder.url.appending(path: "\(UUID().uuidString).sqlite")
        return try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
      }
      sql = try open()
      memory = try open()
      let stores: [any PersistentStore] = [sql, StreamingStore(memory)]
      contexts = try stores.map { store in
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.add(store)
        let context = ManagedObjectContext(coordinator: coordinator)
        context.transactionAuthor = "batch"
        return context
      }
    }

    /// Executes the same request in both stores, and compares their results and contents.
    func compare(_ label: String, comparesProperties: Bool = true, _ requests: [() throws -> BatchRequest]) throws {
      let results = try zip(contexts, requests).map { context, request in
        let request = try request()
        do {
          let result = try context.execute(request)
          return "\(result.count) " + text(result.changes)
        } catch let error as ManagedObjectError {
          let ids = ([error] + error.details).compactMap { $0.objectID?.description }.sorted()
          return "\(error.code) \(ids)"
        }
      }
      #expect(results[0] == results[1], "\(label)")
      let rows = try [sql, memory].map { try contents($0) }
      for (first, second) in zip(rows[0], rows[1]) where first != second {
        Issue.record("\(label): \(first) in SQL, \(second) in memory")
      }
      #expect(rows[0].count == rows[1].count, "\(label)")
      let histories = try [sql, memory].map { try history($0, comparesProperties) }
      #expect(histories[0] == histories[1], "\(label)")
      // A failed request may have used keys.
      let entity = try #require(sql.model.entities.first).index
      var next = try [sql, memory].map { try $0.makeKeys([entity])[0].number }
      if results[0].first?.isNumber == true { #expect(next[0] == next[1], "\(label)") }
      while next[0] < next[1] { next[0] = try sql.makeKeys([entity])[0].number }
      while next[1] < next[0] { next[1] = try memory.makeKeys([entity])[0].number }
    }

    private func name(_ key: RowKey) -> String { "\(key.entityIndex)/\(key.number)" }

    private func text(_ changes: SavedChanges) -> String {
      [changes.inserted, changes.updated, changes.deleted].map { "\($0.map(\.description).sorted())" }.joined()
    }

    private func contents(_ store: SQLiteStore) throws -> [String] {
      var lines: [String] = []
      for entity in store.model.entities where entity.superentity == nil {
        guard case .rows(let rows) = try store.fetch(FetchRequest(entity.name), of: entity) else { continue }
        for row in rows {
          let values = try row.values.enumerated().map { slot, value in
            let value = value == .unread ? try store.values(ofSlot: slot, [row.key])[0] ?? .null : value
            switch value {
            case .attribute(let value): return "\(value)"
            case .orderedToMany(let keys): return "\(keys.map(name))"
            default: return "\(value.keys.map(name).sorted())"
            }
          }
          lines.append("\(name(row.key)) version \(row.version): \(values.joined(separator: ", "))")
        }
      }
      return lines
    }

    private func history(_ store: SQLiteStore, _ comparesProperties: Bool) throws -> [String] {
      guard let last = try store.history().last else { return [] }
      var lines = last.changes.map { change in
        let tombstone = change.tombstone.map { "\($0.key): \($0.value)" }.sorted()
        return "\(change.kind) \(change.objectID) \(comparesProperties ? change.updatedProperties : []) \(tombstone)"
      }
      lines.sort()
      return ["\(last.number) \(last.author ?? "")"] + lines
    }
  }

  private static let updates: [(entity: String, values: [String: String])] = [
    ("Person", ["age": "age + 1"]), ("Person", ["age": "age * 1000", "visits": "age"]),
    ("Person", ["nick": "uppercase:(name)"]), ("Person", ["nick": "boss.name", "height": "boss.age + 0.5"]),
    ("Person", ["visits": "notes.@count"]), ("Person", ["visits": "boss.reports.@sum.age"]),
    ("Employee", ["salary": "TERNARY(age > 2, salary + 1, 7)", "office": "name"]),
    ("Person", ["height": "visits / age"]), ("Person", ["age": "height"]),
    ("Person", ["nick": "name", "name": "nick"]),
    ("Person", ["weight": "height", "member": "TERNARY(age == nil, 1, 0)"]),
    ("Person", ["balance": "age", "born": "born + 10"]),
    ("Person", ["age": "nil", "misc": "3", "photo": "extra"]),
    ("Person", ["visits": "SUBQUERY(reports, $r, $r.age > 1)[SIZE]"]),
    ("Person", ["token": "boss.token", "site": "boss.site"]), ("Person", ["height": "random:()"]),
  ]

  @Test(arguments: 0..<LongForm.size(60, or: 3)) func `random requests have the same effects`(seed: Int) throws {
    var numbers = RandomNumbers(seed)
    let pair = try Pair(SampleStores.model, folder)
    let rows = RandomObjects(seed: seed, count: 24).rows
    var people: [[RowKey]] = []
    for store in [pair.sql, pair.memory] {
      let keys = try store.makeKeys(rows.map { Int($0.key.entityIndex) })
      _ = try SampleStores.save(rows, keys, store)
      let entity = try #require(store.model["Person"])
      people.append(keys.filter { entity.subtree.contains(Int($0.entityIndex)) })
    }
    for round in 0..<8 {
      let step = seed * 100 + round
      let requests = people.map { keys in
        var random = RandomRequests(seed: step, objects: keys)
        return random.request()
      }
      let isDeletion = numbers.once(in: 4)
      let update = numbers.pick(Self.updates)
      let label = "seed \(seed), round \(round): \(isDeletion ? "delete" : "\(update)") \(requests[0])"
      let makers = requests.map { request in
        { () throws -> BatchRequest in
          if isDeletion { return .delete(request) }
          let predicate = request.entityName == "Person" && update.entity == "Employee" ? nil : request.predicate
          var fetch = FetchRequest(update.entity, where: predicate)
          fetch.includesSubentities = request.includesSubentities
          let values = try update.values.mapValues { try ManagedExpression(format: $0) }
          return .update(fetch, values)
        }
      }
      let isRandom = update.values.values.contains("random:()")
      if isRandom, !isDeletion { continue }
      let isText = update.values.keys.contains { ["nick", "name", "office"].contains($0) }
      try pair.compare(label, comparesProperties: !isText, makers)
    }
  }

  private static let unique: ManagedObjectModel = {
    var item = EntityDescription(
      "Item",
      [
        .attribute("code", .string), .attribute("shelf", .integer32, defaultValue: .integer(1)),
        .attribute("place", .integer16), .attribute("price", .decimal, defaultValue: .integer(5)),
      ])
    item.uniquenessConstraints = [["code"], ["shelf", "place"]]
    var special = EntityDescription("Special", [.attribute("badge", .integer64)])
    special.superentity = "Item"
    special.uniquenessConstraints = [["badge"]]
    do { return try ManagedObjectModel(entities: [item, special]) } catch { fatalError("\(error)") }
  }()

  @Test(arguments: 0..<LongForm.size(200, or: 12))
  func `random insertions and updates with constraints have the same effects`(seed: Int) throws {
    var numbers = RandomNumbers(seed)
    let pair = try Pair(Self.unique, folder)
    for round in 0..<6 {
      let policy = numbers.pick([MergePolicy.error, .storeTrump, .rollback, .objectTrump, .overwrite])
      for context in pair.contexts { context.mergePolicy = policy }
      let entity = numbers.once(in: 3) ? "Special" : "Item"
      let request: BatchRequest
      if numbers.once(in: 4) {
        let values = numbers.pick([["place": "place + 1"], ["shelf": "shelf + 1", "code": "code"], ["place": "3"]])
        request = .update(
          entity, try values.mapValues { try ManagedExpression(format: $0) },
          where: numbers.once(in: 2) ? nil : try ManagedPredicate(format: "shelf == 1"))
      } else {
        var objects: [[String: AttributeValue]] = []
        for _ in 0..<numbers.below(6) {
          var values: [String: AttributeValue] = [:]
          if !numbers.once(in: 4) { values["code"] = .string(numbers.pick(["a", "b", "c", "d", "e", "f", "g"])) }
          if numbers.once(in: 2) { values["shelf"] = .integer(Int64(numbers.below(3))) }
          if numbers.once(in: 2) { values["place"] = .integer(Int64(numbers.below(5))) }
          if numbers.once(in: 2) { values["price"] = .integer(Int64(round)) }
          if entity == "Special", numbers.once(in: 2) { values["badge"] = .integer(Int64(numbers.below(5))) }
          objects.append(values)
        }
        request = .insert(entity, objects)
      }
      try pair.compare("seed \(seed), round \(round), \(policy): \(request)", [{ request }, { request }])
    }
  }

  private static let graph: ManagedObjectModel = {
    var members = RelationshipDescription("members", to: "Person", inverse: "teams", isToMany: true)
    members.minimumCount = 1
    members.traits.isOptional = false
    var parts = RelationshipDescription("parts", to: "Part", isToMany: true, isOrdered: true)
    parts.minimumCount = 2
    parts.traits.isOptional = false
    var name = AttributeDescription("name", .string)
    name.preservesValueInHistoryOnDeletion = true
    var photo = AttributeDescription("photo", .binary)
    photo.allowsExternalBinaryDataStorage = true
    photo.preservesValueInHistoryOnDeletion = true
    let number = PropertyDescription.attribute("number", .integer32)
    let person = EntityDescription(
      "Person",
      [
        number, .attribute(name), .attribute(photo), .relationship("spouse", to: "Person", inverse: "spouse"),
        .relationship("friends", to: "Person", inverse: "friends", isToMany: true),
        .relationship("badge", to: "Badge", inverse: "owner"),
        .relationship("teams", to: "Team", inverse: "members", isToMany: true),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true),
        .relationship("shelf", to: "Note", inverse: "holder", isToMany: true, isOrdered: true),
        .relationship("drafts", to: "Note", inverse: "drafter", isToMany: true, deleteRule: .noAction),
      ])
    var employee = EntityDescription("Employee", [.relationship("box", to: "Box", inverse: "keeper")])
    employee.superentity = "Person"
    do {
      return try ManagedObjectModel(entities: [
        person, employee,
        EntityDescription(
          "Badge", [number, .relationship("owner", to: "Person", inverse: "badge", isOptional: false)]),
        EntityDescription("Team", [number, .relationship(members)]),
        EntityDescription(
          "Note",
          [
            number, .relationship("author", to: "Person", inverse: "notes", isOptional: false),
            .relationship("holder", to: "Person", inverse: "shelf"),
            .relationship("drafter", to: "Person", inverse: "drafts"), .relationship("next", to: "Note"),
          ]),
        EntityDescription(
          "Box",
          [number, .relationship(parts), .relationship("keeper", to: "Employee", inverse: "box", isOptional: false)]),
        EntityDescription("Part", [number]),
      ])
    } catch { fatalError("\(error)") }
  }()

  /// Inserts objects with random relationships, which may violate the model.
  private func fill(_ context: ManagedObjectContext, seed: Int) throws {
    var numbers = RandomNumbers(seed)
    var objects: [String: [ManagedObject]] = [:]
    var all: [ManagedObject] = []
    for (name, count) in [
      ("Person", 5), ("Employee", 3), ("Badge", 4), ("Team", 3), ("Note", 8), ("Box", 3), ("Part", 9),
    ] {
      for _ in 0..<count {
        let object = try context.insert(name)
        try object.setValue(.attribute(.integer(Int64(all.count))), forKey: "number")
        all.append(object)
        objects[name, default: []].append(object)
        if name == "Employee" { objects["Person", default: []].append(object) }
        guard object.entity.attribute(named: "name") != nil else { continue }
        try object.setValue(.attribute(.string("person \(all.count)")), forKey: "name")
        try object.setValue(.attribute(.data(Data([UInt8(all.count)]))), forKey: "photo")
      }
    }
    for object in all {
      for relationship in object.entity.relationships where !numbers.once(in: 4) {
        var others = objects[object.entity.destination(of: relationship).name] ?? []
        // A relationship without an inverse has each object once.
        if relationship.name == "parts" { others = others.filter { numbers.once(in: 2) && $0.refersToNone(all) } }
        if !relationship.isToMany {
          try object.setValue(.object(numbers.pick(others)), forKey: relationship.name)
          continue
        }
        let chosen = others.filter { _ in relationship.name == "parts" || numbers.once(in: 3) }
        try object.setValue(
          relationship.isOrdered
            ? .array(chosen.map { .object($0) }) : .set(chosen.map { .object($0) }), forKey: relationship.name
        )
      }
    }
    context.validatesOnSave = false
    try context.save()
  }

  @Test(arguments: 0..<LongForm.size(200, or: 8))
  func `deletions have the same effects on all kinds of relationships`(seed: Int) throws {
    var numbers = RandomNumbers(seed)
    let pair = try Pair(Self.graph, folder)
    for context in pair.contexts { try fill(context, seed: seed) }
    for round in 0..<6 {
      let entity = numbers.pick(["Person", "Employee", "Badge", "Team", "Note", "Box", "Part", "Part"])
      let chosen = (0..<35).filter { _ in numbers.once(in: 3) }.map { PredicateConstant.value(.integer(Int64($0))) }
      let request = BatchRequest.delete(
        entity, where: try ManagedPredicate(format: "number IN %@", PredicateConstant.array(chosen)))
      try pair.compare("seed \(seed), round \(round): \(entity) \(chosen)", [{ request }, { request }])
    }
  }
}

extension ManagedObject {
  /// True if no box has the part.
  fileprivate func refersToNone(_ objects: [ManagedObject]) -> Bool {
    objects.allSatisfy { box in
      guard case .array(let parts)? = box["parts"] else { return true }
      return !parts.contains(.object(self))
    }
  }
}
