import SQLiteStore
import TestSupport
import Testing

@testable import ManagedObjects

/// The work of requests with unsaved changes, in rows that stores read.
@Suite("The cost of pending changes") struct PendingChangeCostTests {
  private static let count = 200

  /// Returns a context that has read nothing, and its store: people with a note each, in a chain.
  private func prepared() throws -> (ManagedObjectContext, WatchedStore) {
    let store = try WatchedStore(model: NaiveGraph.model)
    try fill(ManagedObjectContext(store))
    return (try ManagedObjectContext(store), store)
  }

  private func fill(_ context: ManagedObjectContext) throws {
    var last: ManagedObject?
    for number in 0..<Self.count {
      let person = try context.insert("Person")
      try person.setValue(.string("person \(number)"), forKey: "name")
      let note = try context.insert("Note")
      try note.setValue(.string(number % 20 == 0 ? "rare" : "frequent"), forKey: "title")
      try note.setValue(.object(person), forKey: "author")
      try note.setValue(last.map { .object($0) } ?? .attribute(.null), forKey: "next")
      last = note
    }
    for label in ["box", "case"] { try context.insert("Box").setValue(.string(label), forKey: "label") }
    try context.save()
  }

  private func request(_ format: String, _ entity: String = "Person", sortedBy path: String? = nil) throws
    -> FetchRequest
  {
    FetchRequest(
      entity, where: try ManagedPredicate(format: format),
      sortedBy: path.map { [FetchRequest.SortDescriptor($0)] } ?? [])
  }

  private func first(_ entity: String, _ format: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    var request = try request(format, entity)
    request.fetchLimit = 1
    return try #require(context.fetch(request).first)
  }

  /// Returns the rows that a request reads: those of its result, and others.
  private func rowsRead(
    _ store: WatchedStore, _ context: ManagedObjectContext, _ body: (ManagedObjectContext) throws -> Int
  ) throws -> (found: Int, fetched: Int, byKey: Int, fetches: Int) {
    let (fetched, byKey, fetches) = (store.rowsFetched, store.rowsRead, store.fetches)
    let found = try body(context)
    return (found, store.rowsFetched - fetched, store.rowsRead - byKey, store.fetches - fetches)
  }

  @Test(arguments: [1, 2]) func `one change reads the rows that depend on it`(levels: Int) throws {
    let (root, store) = try prepared()
    let context = levels == 1 ? root : ManagedObjectContext(parent: root)
    let note = try first("Note", "title == 'frequent'", context)
    try note.setValue(.string("rare"), forKey: "title")
    let condition = try request("ANY notes.title == 'rare'")
    let fetch = try rowsRead(store, context) { try $0.fetch(condition).count }
    #expect(fetch.found == 11 && fetch.fetched == 10 && fetch.fetches == 1 && fetch.byKey <= 2, "\(fetch)")
    let count = try rowsRead(store, context) { try $0.count(for: condition) }
    #expect(count.found == 11 && count.fetched == 0 && count.fetches == 1 && count.byKey <= 2, "\(count)")
    let ids = try rowsRead(store, context) { try $0.fetchObjectIDs(condition).count }
    #expect(ids.found == 11 && ids.fetched == 10 && ids.fetches == 1 && ids.byKey <= 2, "\(ids)")
  }

  @Test func `an order by a related attribute reads a logarithm of the rows`() throws {
    let (context, store) = try prepared()
    let person = try first("Person", "name == 'person 57'", context)
    try person.setValue(.string("person 100.5"), forKey: "name")
    let condition = try request("author.age == 0", "Note", sortedBy: "author.name")
    let fetch = try rowsRead(store, context) { context in
      let found = try context.fetch(condition)
      let names = found.compactMap { note -> AttributeValue? in
        guard case .object(let author)? = note["author"], case .attribute(let name)? = author["name"] else {
          return nil
        }
        return name
      }
      #expect(names.count == Self.count)
      #expect(zip(names, names.dropFirst()).allSatisfy { $0.order(to: $1) == .less })
      return 0
    }
    // Reading the names of the authors for the comparison in this test reads each of them.
    #expect(fetch.fetched == Self.count && fetch.byKey <= Self.count + 12, "\(fetch)")
    let other = try prepared()
    try first("Person", "name == 'person 57'", other.0).setValue(.string("person 100.5"), forKey: "name")
    let sorted = try rowsRead(other.1, other.0) { try $0.fetch(condition).count }
    #expect(sorted.found == Self.count && sorted.fetched == Self.count && sorted.byKey <= 12, "\(sorted)")
  }

  @Test func `changes that a request cannot reach do not matter`() throws {
    let (context, store) = try prepared()
    let condition = try request("ANY notes.title == 'rare'")
    let note = try first("Note", "title == 'rare'", context)
    try first("Box", "label == 'box'", context).setValue(.string("chest"), forKey: "label")
    try context.insert("Tag").setValue(.string("red"), forKey: "name")
    // The request does not read this relationship.
    try first("Note", "title == 'frequent'", context).setValue(.object(note), forKey: "next")
    let fetch = try rowsRead(store, context) { try $0.fetch(condition).count }
    #expect(fetch == (10, 10, 0, 1))
    let count = try rowsRead(store, context) { try $0.count(for: condition) }
    #expect(count == (10, 0, 0, 1))
  }

  @Test func `a relationship without an inverse is searched in the store`() throws {
    let (context, store) = try prepared()
    let note = try first("Note", "title == 'rare'", context)
    try note.setValue(.string("new"), forKey: "title")
    let condition = try request("next.title == 'new'", "Note")
    let fetch = try rowsRead(store, context) { try $0.fetch(condition).count }
    #expect(fetch.found == 1 && fetch.fetched == 1 && fetch.fetches == 2 && fetch.byKey == 1, "\(fetch)")
    try context.delete(note)
    let count = try rowsRead(store, context) { try $0.count(for: condition) }
    #expect(count.found == 0 && count.fetched == 1 && count.fetches == 2 && count.byKey <= 1, "\(count)")
    // A reference that is not saved yet.
    let other = try first("Note", "title == 'frequent' AND next.title == 'rare'", context)
    let new = try context.insert("Note")
    try new.setValue(.string("new"), forKey: "title")
    try other.setValue(.object(new), forKey: "next")
    #expect(try context.fetch(condition) == [other])
  }

  @Test func `a request of any object reads all objects`() throws {
    let (context, store) = try prepared()
    let person = try first("Person", "name == 'person 3'", context)
    try person.setValue(.integer(7), forKey: "age")
    let condition = FetchRequest(
      "Person", where: try ManagedPredicate(format: "%@.age == 7", person))
    let fetch = try rowsRead(store, context) { try $0.fetch(condition).count }
    #expect(fetch.found == Self.count && fetch.fetched == Self.count, "\(fetch)")
  }

  @Test(arguments: StoreKind.saving) func `a stored value that cannot be evaluated does not matter`(kind: StoreKind)
    throws
  {
    let folder = TemporaryFolder(isInMemory: true)
    let coordinator = try kind.coordinator(NaiveGraph.model, folder)
    try fill(ManagedObjectContext(coordinator: coordinator))
    let context = ManagedObjectContext(coordinator: coordinator)
    let person = try first("Person", "name == 'person 20'", context)
    try person.setValue(.integer(5), forKey: "age")
    let condition = try request("name == 'person 20' AND 10 / age == 2 AND ANY notes.title == 'rare'")
    #expect(try context.fetch(condition) == [person])
    #expect(try context.count(for: condition) == 1)
    try person.setValue(.integer(0), forKey: "age")
    #expect(errorCode { _ = try context.fetch(condition) } == .unsupportedRequest)
    #expect(errorCode { _ = try context.count(for: condition) } == .unsupportedRequest)
  }

  @Test(arguments: [1, 10]) func `the number of SQL statements does not depend on the changes`(changes: Int) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try SQLiteStore(folder.url.appending(path: "notes.sqlite"), model: NaiveGraph.model)
    try fill(ManagedObjectContext(store))
    let context = try ManagedObjectContext(store)
    var some = try request("title == 'frequent'", "Note")
    some.fetchLimit = changes
    for note in try context.fetch(some) { try note.setValue(.string("rare"), forKey: "title") }
    let condition = try request("ANY notes.title == 'rare'")
    var before = store.executedStatementCount
    #expect(try context.fetch(condition).count == 10 + changes)
    // The request, the rows of the authors, and their notes.
    #expect(store.executedStatementCount - before <= 2 + changes)
    before = store.executedStatementCount
    #expect(try context.count(for: condition) == 10 + changes)
    #expect(store.executedStatementCount - before <= 2 + changes)
  }
}
