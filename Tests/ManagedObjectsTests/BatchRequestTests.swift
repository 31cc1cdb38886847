import ManagedObjects
import Testing

@Suite("Requests that change many objects") struct BatchRequestTests {
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

  @Test("New objects have their values, and defaults") func insertion() throws {
    let changes = try context.execute(
      .insert("Note", [["title": .string("a")], ["title": .string("b"), "count": .double(2)]]))
    #expect(changes.inserted.count == 2 && changes.updated.isEmpty)
    #expect(try titles() == [.string("a"), .string("b")])
    let counts = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])).map { $0["count"] }
    #expect(counts == [.attribute(.integer(7)), .attribute(.integer(2))])
  }

  @Test("Found objects get other values") func update() throws {
    try context.execute(.insert("Note", [["title": .string("a")], ["title": .string("b")]]))
    let notes = try context.fetch(FetchRequest("Note"))
    let changes = try context.execute(
      .update("Note", ["count": .integer(1)], where: ManagedPredicate(format: "title == 'b'")))
    #expect(changes.updated == [notes[1].objectID])
    try context.mergeChanges(from: changes)
    #expect(notes.map { $0["count"] } == [.attribute(.integer(7)), .attribute(.integer(1))])
  }

  @Test("Found objects go, and are referred to no longer") func deletion() throws {
    let person = try context.insert("Person")
    let notes = [try context.insert("Note"), try context.insert("Note")]
    try person.setValue(.set([.object(notes[0]), .object(notes[1])]), forKey: "notes")
    try notes[0].setValue(.attribute(.string("a")), forKey: "title")
    try context.save()
    let id = notes[0].objectID
    let changes = try context.execute(.delete("Note", where: ManagedPredicate(format: "title == 'a'")))
    #expect(changes.deleted == [id] && changes.updated == [person.objectID])
    try context.mergeChanges(from: changes)
    #expect(person["notes"] == .set([.object(notes[1])]))
    #expect(notes[0].isInaccessible)
  }

  @Test("Names and values that do not fit are errors") func faults() throws {
    func code(_ request: BatchRequest) -> ManagedObjectError.Code? { errorCode { try context.execute(request) } }
    #expect(code(.insert("Nobody", [])) == .undefinedKey)
    #expect(code(.insert("Note", [["nothing": .integer(1)]])) == .undefinedKey)
    #expect(code(.insert("Note", [["count": .string("x")]])) == .invalidValue)
    #expect(code(.update("Note", ["count": .null])) == .invalidValue)
    #expect(code(.update("Note", ["author": .null])) == .undefinedKey)
    #expect(code(.delete("Note", where: try ManagedPredicate(format: "nothing > 1"))) == .undefinedKey)
    #expect(errorCode { try ManagedObjectContext(parent: context).execute(.delete("Note")) } == .invalidState)
  }
}
