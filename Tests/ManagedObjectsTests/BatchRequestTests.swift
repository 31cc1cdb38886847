import ManagedObjects
import TestSupport
import Testing

@Suite("Batch requests") struct BatchRequestTests {
  private let context: ManagedObjectContext

  init() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [
          .attribute("title", .string), .attribute("count", .integer32, isOptional: false, defaultValue: .integer(7)),
          .relationship("author", to: "Person", inverse: "notes"),
        ]),
      EntityDescription(
        "Person",
        [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
    ])
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(InMemoryStore(model: model))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  private func titles() throws -> [AttributeValue] {
    let request = FetchRequest("Note", sortedBy: [.init("title")])
    return try context.fetch(request).map { if case .attribute(let value)? = $0["title"] { value } else { .null } }
  }

  @Test func `a batch insert sets the given values and the defaults`() throws {
    let changes = try context.execute(
      .insert("Note", [["title": .string("a")], ["title": .string("b"), "count": .double(2)]])
    ).changes
    #expect(changes.inserted.count == 2 && changes.updated.isEmpty)
    #expect(try titles() == [.string("a"), .string("b")])
    let counts = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])).map { $0["count"] }
    #expect(counts == [.attribute(.integer(7)), .attribute(.integer(2))])
  }

  @Test func `a batch update changes the objects that match the predicate`() throws {
    try context.execute(.insert("Note", [["title": .string("a")], ["title": .string("b")]]))
    let notes = try context.fetch(FetchRequest("Note"))
    let changes = try context.execute(
      .update("Note", ["count": .integer(1)], where: ManagedPredicate(format: "title == 'b'"))
    ).changes
    #expect(changes.updated == [notes[1].objectID])
    try context.mergeChanges(from: changes)
    #expect(notes.map { $0["count"] } == [.attribute(.integer(7)), .attribute(.integer(1))])
  }

  @Test func `a batch delete removes objects and the references to them`() throws {
    let person = try context.insert("Person")
    let notes = [try context.insert("Note"), try context.insert("Note")]
    try person.setValue(.set([.object(notes[0]), .object(notes[1])]), forKey: "notes")
    try notes[0].setValue(.attribute(.string("a")), forKey: "title")
    try context.save()
    let id = notes[0].objectID
    let changes = try context.execute(.delete("Note", where: ManagedPredicate(format: "title == 'a'"))).changes
    #expect(changes.deleted == [id] && changes.updated == [person.objectID])
    try context.mergeChanges(from: changes)
    #expect(person["notes"] == .set([.object(notes[1])]))
    #expect(notes[0].isInaccessible)
  }

  @Test func `a batch request with an unknown name or an invalid value throws`() throws {
    func code(_ request: BatchRequest) -> ManagedObjectError.Code? { errorCode { try context.execute(request) } }
    #expect(code(.insert("Nobody", [])) == .undefinedKey)
    #expect(code(.insert("Note", [["nothing": .integer(1)]])) == .undefinedKey)
    #expect(code(.insert("Note", [["count": .string("x")]])) == .invalidValue)
    #expect(code(.insert("Note", [["count": .null]])) == .missingMandatoryProperty)
    try context.execute(.insert("Note", [["title": .string("a")]]))
    #expect(code(.update("Note", ["count": .null])) == .missingMandatoryProperty)
    #expect(code(.update("Note", ["author": .null])) == .undefinedKey)
    #expect(code(.delete("Note", where: try ManagedPredicate(format: "nothing > 1"))) == .undefinedKey)
    #expect(errorCode { try ManagedObjectContext(parent: context).execute(.delete("Note")) } == .invalidState)
  }
}

@Suite("Validation of batch requests") struct BatchRuleTests {
  static let model: ManagedObjectModel = {
    var members = RelationshipDescription("members", to: "Person", inverse: "team", isToMany: true)
    members.minimumCount = 1
    members.traits.isOptional = false
    var person = EntityDescription(
      "Person",
      [
        .attribute("name", .string, isOptional: false), .attribute("age", .integer16, defaultValue: .integer(1)),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true),
        .relationship("team", to: "Team", inverse: "members"),
      ])
    person.uniquenessConstraints = [["name"]]
    let note = EntityDescription(
      "Note",
      [.attribute("title", .string), .relationship("author", to: "Person", inverse: "notes", isOptional: false)])
    return StoreModels.model([person, note, EntityDescription("Team", [.relationship(members)])])
  }()

  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: StoreKind) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: try kind.coordinator(Self.model, folder))
  }

  private func people(_ context: ManagedObjectContext) throws -> [String] {
    let reader = ManagedObjectContext(coordinator: context.coordinator)
    return try reader.fetch(FetchRequest("Person", sortedBy: [.init("name"), .init("age")])).map { person in
      ["name", "age"].map { key in
        switch person[key] {
        case .attribute(.string(let text))?: text
        case .attribute(.integer(let number))?: "\(number)"
        default: "nil"
        }
      }.joined(separator: " ")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch insert without a mandatory value throws`(kind: StoreKind) throws {
    let context = try context(kind)
    let error = thrownError { try context.execute(.insert("Person", [["name": .string("a")], ["age": .integer(2)]])) }
    #expect(error?.code == .missingMandatoryProperty && error?.key == "name" && error?.objectID != nil)
    #expect(try people(context) == [])
    #expect(errorCode { try context.execute(.insert("Note", [["title": .string("x")]])) } == .missingMandatoryProperty)
    #expect(errorCode { try context.execute(.insert("Team", [[:]])) } == .relationshipLacksMinimumCount)
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch update that removes a mandatory value throws`(kind: StoreKind) throws {
    let context = try context(kind)
    try context.execute(.insert("Person", [["name": .string("a")], ["name": .string("b")]]))
    let error = thrownError { try context.execute(.update("Person", ["name": .null, "age": .integer(3)])) }
    #expect(error?.code == .multipleErrors && error?.details.map(\.key) == ["name", "name"])
    #expect(try people(context) == ["a 1", "b 1"])
    try context.execute(.update("Person", ["age": .null]))
    #expect(try people(context) == ["a nil", "b nil"])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch delete that empties a mandatory relationship throws`(kind: StoreKind) throws {
    let context = try context(kind)
    let people = try ["a", "b"].map { name in
      let person = try context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      return person
    }
    let note = try context.insert("Note")
    try note.setValue(.object(people[0]), forKey: "author")
    let team = try context.insert("Team")
    try team.setValue(.set(people.map { .object($0) }), forKey: "members")
    try context.save()
    let all = thrownError { try context.execute(.delete("Person")) }
    #expect(all?.code == .multipleErrors && Set(all?.details.map(\.objectID) ?? []) == [note.objectID, team.objectID])
    let first = try ManagedPredicate(format: "name == 'a'")
    let error = thrownError { try context.execute(.delete("Person", where: first)) }
    #expect(error?.code == .missingMandatoryProperty && error?.objectID == note.objectID && error?.key == "author")
    try context.execute(.delete("Note"))
    try context.execute(.delete("Person", where: first))
    #expect(try self.people(context) == ["b 1"])
    #expect(errorCode { try context.execute(.delete("Person")) } == .relationshipLacksMinimumCount)
    try context.execute(.delete("Team"))
    try context.execute(.delete("Person"))
    #expect(try self.people(context) == [])
  }

  @Test(arguments: StoreKind.allCases)
  func `a batch delete below the minimum count of a relationship without an inverse throws`(kind: StoreKind) throws {
    var items = RelationshipDescription("items", to: "Item", isToMany: true)
    items.minimumCount = 2
    items.traits.isOptional = false
    var crate = EntityDescription("Crate")
    crate.superentity = "Box"
    let model = StoreModels.model([
      EntityDescription("Box", [.relationship(items)]), crate, EntityDescription("Item", [.attribute("name", .string)]),
    ])
    let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
    let names = ["a", "b", "c", "d", "e", "f"]
    let objects = try names.map { name in
      let item = try context.insert("Item")
      try item.setValue(.string(name), forKey: "name")
      return item
    }
    let boxes = try [("Box", 0..<3), ("Crate", 3..<5)].map { entity, range in
      let box = try context.insert(entity)
      try box.setValue(.set(objects[range].map { .object($0) }), forKey: "items")
      return box
    }
    try context.save()
    func delete(_ names: [String]) -> ManagedObjectError? {
      thrownError {
        let names = PredicateConstant.array(names.map { .value(.string($0)) })
        try context.execute(.delete("Item", where: try ManagedPredicate(format: "name IN %@", names)))
      }
    }
    let both = delete(["a", "b", "d"])
    #expect(both?.code == .multipleErrors && Set(both?.details.map(\.objectID) ?? []) == Set(boxes.map(\.objectID)))
    #expect(try context.count(for: FetchRequest("Item")) == 6)
    #expect(delete(["a", "f"]) == nil)
    let one = delete(["b"])
    #expect(one?.code == .relationshipLacksMinimumCount && one?.key == "items" && one?.objectID == boxes[0].objectID)
    try context.execute(.delete("Box"))
    #expect(delete(["b", "c", "d", "e"]) == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `the merge policy resolves conflicts between inserted and stored objects`(kind: StoreKind) throws {
    let expected: [(MergePolicy, [String]?)] = [
      (.error, nil), (.storeTrump, ["a 5", "b 2", "c 1"]), (.rollback, ["a 5", "b 2", "c 1"]),
      (.objectTrump, ["a 5", "b 3", "c 1"]), (.overwrite, ["a 1", "b 3", "c 1"]),
    ]
    for (policy, result) in expected {
      let context = try context(kind)
      try context.execute(.insert("Person", [["name": .string("a"), "age": .integer(5)]]))
      context.mergePolicy = policy
      let request = BatchRequest.insert(
        "Person",
        [
          ["name": .string("a")], ["name": .string("b"), "age": .integer(2)],
          ["name": .string("b"), "age": .integer(3)], ["name": .string("c")],
        ])
      guard let result else {
        #expect(errorCode { try context.execute(request) } == .constraintMerge)
        #expect(try people(context) == ["a 5"])
        continue
      }
      let changes = try context.execute(request).changes
      #expect(try people(context) == result, "\(policy)")
      let isUpdated = policy == .objectTrump || policy == .overwrite
      #expect(changes.inserted.count == 2 && changes.updated.count == (isUpdated ? 1 : 0), "\(policy)")
    }
  }
}
