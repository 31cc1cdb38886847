import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

@Suite("Fetching with pending changes") struct PendingChangeFetchTests {
  /// Returns a context with stored, inserted, changed and deleted people.
  private func prepared() throws -> ManagedObjectContext {
    let sketch = try GraphSketch()
    let context = sketch.context()
    try sketch.run("Person d; Person b; Person f; Person h; Employee j", in: context)
    try sketch.save(context)
    try sketch.run("Person a; Employee c; Person k; delete f; h.name=e", in: context)
    return context
  }

  private func names(_ objects: [ManagedObject]) -> String {
    objects.map { if case .attribute(.string(let text))? = $0["name"] { text } else { "?" } }.joined()
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String {
      "\(format ?? "all") \(isAscending.map { $0 ? "up" : "down" } ?? "") \(offset)+\(limit) \(isPending ? "" : "saved")"
    }
    var format: String?
    var isAscending: Bool? = true
    var limit = 0
    var offset = 0
    var batch = 0
    var isPending = true
    var subentities = true
    let names: String
  }

  static let rows = [
    Row(names: "abcdejk"), Row(isAscending: false, names: "kjedcba"), Row(limit: 3, names: "abc"),
    Row(limit: 3, offset: 2, names: "cde"), Row(offset: 5, names: "jk"), Row(limit: 2, offset: 6, names: "k"),
    Row(limit: 9, offset: 9, names: ""), Row(limit: .max, offset: .max, names: ""),
    Row(batch: 2, names: "abcdejk"), Row(subentities: false, names: "abdek"),
    Row(format: "name > 'b'", names: "cdejk"), Row(format: "name > 'b'", limit: 2, offset: 1, names: "de"),
    Row(format: "name == 'h'", names: ""), Row(format: "name == 'e'", names: "e"),
    Row(format: "name > 'b'", isAscending: false, limit: 2, names: "kj"),
    Row(format: "notes.@count == 0", names: "abcdejk"), Row(format: "ANY notes.title == 'x'", names: ""),
    Row(format: "notes.@count == 0", limit: 2, offset: 2, names: "cd"),
    Row(isPending: false, names: "bdehj"), Row(format: "name == 'f'", isPending: false, names: "f"),
  ]

  @Test(arguments: rows) func `offset, limit and order include pending changes`(row: Row) throws {
    let context = try prepared()
    var request = FetchRequest("Person", where: try row.format.map { try ManagedPredicate(format: $0) })
    if let isAscending = row.isAscending { request.sortDescriptors = [.init("name", isAscending: isAscending)] }
    request.fetchLimit = row.limit
    request.fetchOffset = row.offset
    request.fetchBatchSize = row.batch
    request.includesSubentities = row.subentities
    request.includesPendingChanges = row.isPending
    let found = try context.fetch(request)
    if row.isPending { #expect(names(found) == row.names) } else { #expect(found.count == row.names.count) }
    #expect(try context.count(for: request) == found.count)
    #expect(try context.fetchObjectIDs(request) == found.map(\.objectID))
    // A child context without changes fetches the same objects.
    let child = ManagedObjectContext(parent: context)
    if row.isPending { #expect(try names(child.fetch(request)) == row.names) }
  }

  @Test func `a request template replaces its variables`() throws {
    let note = EntityDescription("Note", [.attribute("title", .string)])
    let model = try ManagedObjectModel(
      entities: [note],
      fetchRequestTemplates: ["titled": FetchRequest("Note", where: try ManagedPredicate(format: "title == $TITLE"))])
    let context = try ManagedObjectContext(InMemoryStore(model: model))
    for title in ["a", "b", "a"] { try context.insert("Note").setValue(.string(title), forKey: "title") }
    var request = try #require(model.fetchRequestTemplates["titled"])
    #expect(errorCode { _ = try context.fetch(request) } == .unsupportedRequest, "a variable without a value")
    request.predicate = request.predicate?.substituting(["TITLE": "a"])
    #expect(try context.fetch(request).count == 2)
    try context.save()
    #expect(try context.fetch(request).count == 2)
  }

  @Test func `a request can refresh refetched objects`() throws {
    let sketch = try GraphSketch()
    let first = sketch.context()
    try sketch.run("Employee a; Employee b", in: first)
    try sketch.save(first)
    let second = sketch.context()
    let found = try second.fetch(FetchRequest("Person", sortedBy: [.init("name")]))
    #expect(found.map { $0["age"] } == [.attribute(.integer(0)), .attribute(.integer(0))])
    try sketch.run("b.salary=9", in: second)
    try sketch.run("a.age=1; b.age=2", in: first)
    try sketch.save(first)
    var request = FetchRequest("Person")
    _ = try second.fetch(request)
    #expect(found.map { $0["age"] } == [.attribute(.integer(0)), .attribute(.integer(0))])
    request.refreshesRefetchedObjects = true
    request.includesPendingChanges = false
    _ = try second.fetch(request)
    #expect(found.map { $0["age"] } == [.attribute(.integer(1)), .attribute(.integer(2))])
    #expect(found[1]["salary"] == .attribute(.double(9)) && found[1].isUpdated && !found[0].isUpdated)
    try second.save()
    #expect(try sketch.stored() == "a a.age=1 b b.age=2 b.salary=9")
  }

  @Test(arguments: StoreKind.saving)
  func `an object that another context adds to a deleted object is not found by its values`(kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let coordinator = try kind.coordinator(ResultsCase.model, folder)
    let (context, other) = (
      ManagedObjectContext(coordinator: coordinator), ManagedObjectContext(coordinator: coordinator)
    )
    let group = try context.insert("Group")
    try group.setValue("g", forKey: "name")
    try context.insert("Contact").setValue(.object(group), forKey: "group")
    try context.save()
    let members = FetchRequest("Contact", where: try ManagedPredicate(format: "group.name BEGINSWITH 'g'"))
    #expect(try context.fetch(members).count == 1)
    try context.delete(group)
    let same = try #require(try other.fetch(FetchRequest("Group")).first)
    try other.insert("Contact").setValue(.object(same), forKey: "group")
    try other.save()
    #expect(try other.fetch(members).count == 2)
    #expect(try context.fetch(members) == [])
    #expect(try context.count(for: members) == 0)
    #expect(try context.fetch(FetchRequest("Contact")).count == 2)
  }

  @Test func `dictionary results have only saved values`() throws {
    let context = try prepared()
    var request = FetchRequest("Person", sortedBy: [.init("name")])
    request.resultType = .dictionaries
    request.propertiesToFetch = [.property("name")]
    let saved = try context.fetchDictionaries(request).map { $0["name"] }
    #expect(saved == ["b", "d", "f", "h", "j"].map { .attribute(.string($0)) })
  }

  @Test(arguments: LongForm.isWanted ? StoreKind.saving : [.memory])
  func `many pending changes are sorted in linear time`(kind: StoreKind) throws {
    let size = LongForm.size(100_000, or: 4_000)
    let growth = try ThreadClock.growth(from: size / 10, to: size) { count in
      let folder = TemporaryFolder(isInMemory: true)
      let context = ManagedObjectContext(coordinator: try kind.coordinator(NaiveGraph.model, folder))
      for number in 0..<count {
        if number == count / 2 { try context.save() }
        try context.insert("Card").setValue(.integer(Int64(number * 7919 % count)), forKey: "number")
      }
      return (folder, context, count)
    } work: { input in
      let (folder, context, count) = input
      let found = try context.fetch(FetchRequest("Card", sortedBy: [.init("number")]))
      let numbers = found.map { card -> Int64 in
        guard case .attribute(.integer(let number))? = card["number"] else { return -1 }
        return number
      }
      #expect(numbers == Array(0..<Int64(count)))
      withExtendedLifetime(folder) {}
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test(arguments: ["Nothing", "Person"])
  func `unknown entities and keys are errors`(entity: String) throws {
    let context = try prepared()
    let predicate = entity == "Person" ? try ManagedPredicate(format: "nothing == 1") : nil
    for body in [
      { _ = try context.fetch(FetchRequest(entity, where: predicate)) },
      { _ = try context.count(for: FetchRequest(entity, where: predicate)) },
      { _ = try context.fetchObjectIDs(FetchRequest(entity, where: predicate)) },
      { _ = try context.fetchDictionaries(FetchRequest(entity, where: predicate)) },
    ] as [() throws -> Void] {
      do {
        try body()
        Issue.record("it was found")
      } catch let error as ManagedObjectError {
        #expect(error.code == .undefinedKey && error.message.lowercased().contains("nothing"))
      }
    }
  }
}
