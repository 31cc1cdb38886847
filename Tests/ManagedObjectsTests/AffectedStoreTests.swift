import ManagedObjects
import TestSupport
import Testing

@Suite("Affected stores") struct AffectedStoreTests {
  /// A coordinator with two stores of the same model. New objects are saved in the first one.
  private struct Pair {
    let coordinator = PersistentStoreCoordinator(model: NaiveGraph.model)
    let folder = TemporaryFolder(isInMemory: true)
    let first: any PersistentStore
    let second: any PersistentStore
    let context: ManagedObjectContext

    /// - Parameter kind: the kind of the second store.
    init(_ kind: StoreKind) throws {
      first = try StoreKind.memory.open(folder.url.appending(path: "first"), NaiveGraph.model)
      second = try kind.open(folder.url.appending(path: "second"), NaiveGraph.model)
      try coordinator.add(first)
      try coordinator.add(second)
      context = ManagedObjectContext(coordinator: coordinator)
    }

    func insert(_ name: String, _ store: any PersistentStore) throws {
      let person = try context.insert("Person")
      try person.setValue(.string(name), forKey: "name")
      try context.assign(person, to: store)
    }

    func request(_ stores: (any PersistentStore)?..., format: String? = nil) throws -> FetchRequest {
      var request = FetchRequest(
        "Person", where: try format.map { try ManagedPredicate(format: $0) }, sortedBy: [.init("name")])
      request.affectedStores = Set(stores.compactMap { $0?.identifier })
      return request
    }

    func names(_ request: FetchRequest, _ context: ManagedObjectContext? = nil) throws -> String {
      try (context ?? self.context).fetch(request).map(Self.name).joined()
    }

    static func name(_ object: ManagedObject) -> String {
      if case .attribute(.string(let name))? = object["name"] { name } else { "?" }
    }
  }

  @Test(arguments: StoreKind.saving)
  func `a request reads only the stores that it names`(kind: StoreKind) throws {
    let pair = try Pair(kind)
    for name in ["a", "c"] { try pair.insert(name, pair.first) }
    for name in ["b", "d"] { try pair.insert(name, pair.second) }
    let (first, second) = (try pair.request(pair.first), try pair.request(pair.second))
    let (both, none) = (try pair.request(pair.first, pair.second), try pair.request())
    // First with unsaved objects, then with saved ones.
    for isSaved in [false, true] {
      if isSaved { try pair.context.save() }
      #expect(try pair.names(first) == "ac" && pair.names(second) == "bd")
      #expect(try pair.names(both) == "abcd" && pair.names(none) == "" && pair.names(FetchRequest("Person")).count == 4)
      #expect(try pair.context.count(for: second) == 2 && pair.context.count(for: none) == 0)
      #expect(try pair.context.fetchObjectIDs(second).count == 2)
      #expect(try pair.context.fetchDictionaries(second).count == (isSaved ? 2 : 0))
    }
    let reader = ManagedObjectContext(coordinator: pair.coordinator)
    #expect(try pair.names(second, reader) == "bd")
    #expect(try pair.names(second, ManagedObjectContext(parent: pair.context)) == "bd")
  }

  @Test(arguments: StoreKind.saving)
  func `unsaved changes affect only requests that read their store`(kind: StoreKind) throws {
    let pair = try Pair(kind)
    try pair.insert("a", pair.first)
    try pair.insert("b", pair.second)
    try pair.context.save()
    let all = try pair.context.fetch(FetchRequest("Person", sortedBy: [.init("name")]))
    for person in all { try person.setValue(7, forKey: "age") }
    #expect(try pair.names(pair.request(pair.first, format: "age == 7")) == "a")
    #expect(try pair.names(pair.request(pair.second, format: "age == 7")) == "b")
    #expect(try pair.context.count(for: pair.request(pair.second, format: "age == 7")) == 1)
    try pair.context.delete(all[1])
    #expect(try pair.names(pair.request(pair.first)) == "a" && pair.names(pair.request(pair.second)) == "")
    let child = ManagedObjectContext(parent: pair.context)
    try child.insert("Person").setValue("c", forKey: "name")
    #expect(try pair.names(pair.request(pair.first), child) == "ac")
    #expect(try pair.names(pair.request(pair.second), child) == "")
  }

  @Test func `fetched results follow only the stores of the request`() throws {
    let pair = try Pair(.memory)
    try pair.insert("b", pair.second)
    let results = try FetchedResultsController(pair.request(pair.second), in: pair.context)
    try results.performFetch()
    #expect(results.fetchedObjects.map(Pair.name) == ["b"])
    try pair.insert("a", pair.first)
    try pair.insert("c", pair.second)
    pair.context.processPendingChanges()
    #expect(results.fetchedObjects.map(Pair.name) == ["b", "c"])
    try pair.context.save()
    #expect(results.fetchedObjects.map(Pair.name) == ["b", "c"])
  }

  @Test func `fetched results follow an object that is assigned to another store`() throws {
    let pair = try Pair(.memory)
    let person = try pair.context.insert("Person")
    try person.setValue(.string("a"), forKey: "name")
    let all = try FetchedResultsController(FetchRequest("Person", sortedBy: [.init("name")]), in: pair.context)
    let results = try [pair.first, pair.second].map {
      try FetchedResultsController(pair.request($0), in: pair.context)
    }
    let reports = ReportCount()
    all.delegate = reports
    for results in results + [all] { try results.performFetch() }
    pair.context.processPendingChanges()
    #expect(results.map(\.fetchedObjects.count) == [1, 0])
    try pair.context.assign(person, to: pair.second)
    pair.context.processPendingChanges()
    #expect(results.map(\.fetchedObjects.count) == [0, 1])
    try pair.context.assign(person, to: pair.second)
    try pair.context.assign(person, to: pair.first)
    pair.context.processPendingChanges()
    #expect(results.map(\.fetchedObjects.count) == [1, 0])
    #expect(all.fetchedObjects == [person] && reports.count == 0)
    try pair.context.save()
    #expect(results.map(\.fetchedObjects.count) == [1, 0])
  }

  /// Counts the changes of fetched results.
  private final class ReportCount: FetchedResultsControllerDelegate {
    var count = 0

    func controllerDidChangeContent(_ controller: FetchedResultsController<ManagedObject>) { count += 1 }
  }

  @Test func `an unknown store is an error`() throws {
    let pair = try Pair(.memory)
    let request = try pair.request(pair.second)
    pair.coordinator.remove(pair.second)
    #expect(errorCode { _ = try pair.context.fetch(request) } == .invalidState)
    #expect(errorCode { _ = try pair.context.count(for: request) } == .invalidState)
  }

  @Test(arguments: StoreKind.saving)
  func `a batch request changes only the stores that it names`(kind: StoreKind) throws {
    let pair = try Pair(kind)
    try pair.insert("a", pair.first)
    for name in ["b", "c"] { try pair.insert(name, pair.second) }
    try pair.context.save()
    let ages = try pair.context.execute(.update(pair.request(pair.second), ["age": .value(7)]))
    #expect(ages.count == 2)
    let reader = ManagedObjectContext(coordinator: pair.coordinator)
    #expect(try pair.names(FetchRequest("Person", where: ManagedPredicate(format: "age == 0")), reader) == "a")
    // A limit is allowed if the request reads one store.
    var one = try pair.request(pair.second)
    one.fetchLimit = 1
    #expect(try pair.context.execute(.delete(one)).count == 1)
    #expect(try pair.names(FetchRequest("Person", sortedBy: [.init("name")]), reader) == "ac")
    one.affectedStores = nil
    #expect(errorCode { _ = try pair.context.execute(.delete(one)) } == .unsupportedRequest)
  }
}
