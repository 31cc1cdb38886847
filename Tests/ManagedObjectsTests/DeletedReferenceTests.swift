import Foundation
import ManagedObjects
import ManagedObjectsSamples
import OrderedCollections
import SQLiteStore
import TestSupport
import Testing

@Suite("References to deleted objects") struct DeletedReferenceTests {
  /// Notes with three kinds of references to deleted objects: an author whose inverse has no action, a reader without
  /// an inverse, and to-many relationships to tags, one whose inverse has no action, and one without an inverse.
  static let model: ManagedObjectModel = {
    let note = EntityDescription(
      "Note",
      [
        .attribute("title", .string), .relationship("author", to: "Person", inverse: "notes"),
        .relationship("reader", to: "Person"), .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
        .relationship("marks", to: "Tag", isToMany: true),
        .relationship("list", to: "Tag", isToMany: true, isOrdered: true),
      ])
    let person = EntityDescription(
      "Person",
      [
        .attribute("name", .string),
        .relationship("notes", to: "Note", inverse: "author", isToMany: true, deleteRule: .noAction),
      ])
    var employee = EntityDescription("Employee", [.attribute("salary", .integer64)])
    employee.superentity = "Person"
    let tag = EntityDescription(
      "Tag",
      [
        .attribute("name", .string),
        .relationship("notes", to: "Note", inverse: "tags", isToMany: true, deleteRule: .noAction),
      ])
    return StoreModels.model([note, person, employee, tag])
  }()

  private let folder = TemporaryFolder(isInMemory: true)

  /// Returns the titles of the notes for which a predicate is true.
  private func titles(_ format: String, _ arguments: ManagedObject..., in context: ManagedObjectContext) throws
    -> [String]
  {
    let predicate = try ManagedPredicate(format: format, arguments: arguments.map { $0 as any PredicateArgument })
    let notes = try context.fetch(FetchRequest("Note", where: predicate, sortedBy: [.init("title")]))
    return notes.map { if case .attribute(.string(let title))? = $0["title"] { title } else { "?" } }
  }

  private static let requests: [(format: String, titles: [String])] = [
    ("author != nil", ["a", "b"]), ("author == nil", ["c"]), ("reader != nil", ["a"]), ("reader == nil", ["b", "c"]),
    ("author.name == nil", ["a", "c"]), ("author.name == 'Bob'", ["b"]), ("NOT author.name == 'Bob'", ["a", "c"]),
    ("author == reader", ["a", "c"]), ("author IN {nil}", ["c"]), ("author.salary > 1", []),
    ("ANY author.notes.title == 'a'", []), ("author.notes.@count == 1", ["b"]), ("tags.@count == 1", ["a"]),
    ("ANY tags.name == 'x'", []), ("marks.@count == 0", ["a", "b", "c"]), ("list.@count == 1", ["a"]),
    ("author != nil AND TERNARY(author.name == nil, 'none', author.name) == 'none'", ["a"]),
  ]

  @Test(arguments: StoreKind.allCases)
  func `a reference to a deleted object is the same in all kinds of stores`(kind: StoreKind) throws {
    let url = folder.url.appending(path: "store")
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    try coordinator.add(kind.open(url, Self.model))
    let context = ManagedObjectContext(coordinator: coordinator)
    func insert(_ entity: String, _ key: String, _ name: String) throws -> ManagedObject {
      let object = try context.insert(entity)
      try object.setValue(.string(name), forKey: key)
      return object
    }
    let notes = try ["a", "b", "c"].map { try insert("Note", "title", $0) }
    let (ada, bob) = (try insert("Employee", "name", "Ada"), try insert("Person", "name", "Bob"))
    let tags = try ["x", "y"].map { try insert("Tag", "name", $0) }
    try notes[0].setValue(.object(ada), forKey: "author")
    try notes[0].setValue(.object(ada), forKey: "reader")
    try notes[1].setValue(.object(bob), forKey: "author")
    try notes[0].setValue(.set(tags.map { .object($0) }), forKey: "tags")
    try notes[0].setValue(.set([.object(tags[0])]), forKey: "marks")
    try notes[0].setValue(.array(tags.map { .object($0) }), forKey: "list")
    try context.save()
    let reader = ManagedObjectContext(coordinator: coordinator)
    let version = try kind.version(of: notes[0], coordinator)
    let id = ada.objectID
    try context.delete(ada)
    try context.delete(tags[0])
    // Before and after the save.
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      for (format, expected) in Self.requests {
        #expect(try titles(format, in: context) == expected, "\(format), \(isSaved ? "saved" : "pending")")
      }
    }
    // Relationships that lost an object are read again.
    #expect(notes[0]["tags"] == .set([.object(tags[1])]))
    #expect(notes[0]["marks"] == .set([]) && notes[0]["list"] == .array([.object(tags[1])]))
    guard case .object(let gone)? = notes[0]["author"] else { return #expect(Bool(false), "the author is missing") }
    #expect(gone["name"] == .null && gone.isInaccessible && gone.objectID == id && notes[0]["reader"] == .object(gone))
    #expect(try titles("author == %@", gone, in: context) == ["a"])
    #expect(try titles("author IN {%@, %@}", gone, bob, in: context) == ["a", "b"])
    // The many-to-many relationship lost an object. The rest of the row did not change.
    #expect(try kind.version(of: notes[0], coordinator) == version + 1)

    // Another context fetches the same objects, both from the store and in memory.
    for (format, expected) in Self.requests { #expect(try titles(format, in: reader) == expected, "\(format)") }
    var request = FetchRequest("Note", sortedBy: [.init("author"), .init("title")])
    request.resultType = .dictionaries
    request.propertiesToFetch = [.property("author"), .property("author.name")]
    let found = try reader.fetchDictionaries(request)
    #expect(found.map { $0["author"]?.count } == [0, 1, 1])
    #expect(found.map { $0["author"]?.keys.first?.number } == [nil, bob.objectID.key.number, id.key.number])
    #expect(found.map { $0["author.name"] } == [.null, .attribute(.string("Bob")), .null])

    // The note can be changed and saved, and setting the relationship to nil ends the reference.
    try notes[0].setValue(.string("d"), forKey: "title")
    try context.save()
    try notes[0].setValue(AttributeValue.null, forKey: "author")
    try context.save()
    #expect(try titles("author != nil", in: reader) == ["b"])
  }

  @Test(arguments: StoreKind.allCases.dropFirst())
  func `a file keeps a reference to a deleted object and never reuses its key`(kind: StoreKind) throws {
    let url = folder.url.appending(path: "store")
    func context() throws -> ManagedObjectContext { try ManagedObjectContext(kind.open(url, Self.model)) }
    let first = try context()
    let note = try first.insert("Note")
    try note.setValue(.string("a"), forKey: "title")
    let person = try first.insert("Person")
    try note.setValue(.object(person), forKey: "author")
    try first.save()
    let number = person.objectID.key.number
    try first.delete(person)
    try first.save()

    let second = try context()
    let same = try #require(try second.fetch(FetchRequest("Note")).first)
    guard case .object(let gone)? = same["author"] else { return #expect(Bool(false), "the author is missing") }
    #expect(gone.objectID.key.number == number && gone["name"] == .null && gone.isInaccessible)
    #expect(try titles("author != nil", in: second) == ["a"])
    let other = try second.insert("Person")
    try second.save()
    #expect(other.objectID.key.number > number)
  }

  @Test func `filling a store does not copy references to deleted objects`() throws {
    let store = try SQLiteStore(folder.url.appending(path: "store"), model: Self.model)
    func key(_ entity: String, _ number: Int64) throws -> RowKey {
      RowKey(store: store.number, entityIndex: try #require(Self.model[entity]).index, number: number)
    }
    let (note, missing) = (try key("Note", 1), try key("Person", 7))
    let filled = row(note, Self.model, ["author": .toOne(missing), "reader": .toOne(missing)])
    try store.fill([note]) { keys, _ in keys.map { _ in filled } }
    #expect(try store.value(note, "author") == .toOne(nil) && store.value(note, "reader") == .toOne(nil))
  }
}

extension StoreKind {
  /// Returns the version of an object's row.
  fileprivate func version(of object: ManagedObject, _ coordinator: PersistentStoreCoordinator) throws -> Int64 {
    let key = object.objectID.key
    return try #require(coordinator.stores.first?.rows([key])[0]).version
  }
}
