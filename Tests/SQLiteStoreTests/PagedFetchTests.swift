import Foundation
import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

@testable import SQLiteStore

/// Objects whose rows are in pages have the same values as those that are read one by one.
@Suite("Fetched rows in pages") struct PagedFetchTests {
  private static let attributes = [
    "name", "nick", "age", "height", "balance", "weight", "member", "born", "photo", "token", "site", "extra", "visits",
  ]

  private static func model() throws -> ManagedObjectModel {
    var employee = EntityDescription("Employee", [.attribute("salary", .integer32)])
    employee.superentity = "Person"
    return try ManagedObjectModel(
      entities: [
        EntityDescription(
          "Person",
          [
            .attribute("name", .string), .attribute("nick", .string), .attribute("age", .integer16),
            .attribute("height", .double), .attribute("balance", .decimal), .attribute("weight", .float),
            .attribute("member", .boolean), .attribute("born", .date), .attribute("photo", .binary),
            .attribute("token", .uuid), .attribute("site", .uri), .attribute("extra", .transformable),
            .attribute("visits", .integer64), .relationship("boss", to: "Person", inverse: "reports"),
            .relationship("reports", to: "Person", inverse: "boss", isToMany: true),
          ]),
        employee,
      ])
  }

  /// Returns a store with random persons and employees.
  private static func store(_ count: Int, seed: UInt64, in folder: TemporaryFolder) throws -> SQLiteStore {
    let store = try SQLiteStore(folder.url.appending(path: "store.sqlite"), model: model())
    let context = try ManagedObjectContext(store)
    var random = SeededGenerator(seed: seed)
    func maybe(_ value: AttributeValue) -> AttributeValue { Bool.random(using: &random) ? value : .null }
    func text() -> AttributeValue {
      .string(String(repeating: ["a", "é", "🎼", "text "].randomElement(using: &random) ?? "", count: sizes()))
    }
    func sizes() -> Int { [0, 1, 4, 15, 16, 200, 1_100].randomElement(using: &random) ?? 0 }
    var persons: [ManagedObject] = []
    for number in 0..<count {
      let person = try context.insert(number % 3 == 0 ? "Employee" : "Person")
      for (name, value) in [
        "name": text(), "nick": maybe(text()), "age": maybe(.integer(Int64.random(in: -9...99, using: &random))),
        "height": maybe(.double(Double.random(in: 0...2, using: &random))),
        "balance": maybe(.decimal(Decimal(Int.random(in: 0...999, using: &random)) / 8)),
        "weight": maybe(.float(Float.random(in: 0...99, using: &random))),
        "member": maybe(.boolean(Bool.random(using: &random))),
        "born": maybe(.date(Date(timeIntervalSinceReferenceDate: Double.random(in: -9e8...9e8, using: &random)))),
        "photo": maybe(.data(Data(repeating: 7, count: sizes()))), "token": maybe(.uuid(UUID())),
        "site": maybe(.url(FetchSamples.site)), "extra": maybe(.data(Data(repeating: 8, count: sizes()))),
        "visits": maybe(.integer(Int64.random(in: .min ... .max, using: &random))),
      ] as [String: AttributeValue] { try person.setValue(value, forKey: name) }
      if number % 3 == 0 { try person.setValue(AttributeValue.integer(Int64(number)), forKey: "salary") }
      if let boss = persons.randomElement(using: &random) {
        try person.setValue(ManagedObject.Value.object(boss), forKey: "boss")
      }
      persons.append(person)
    }
    try context.save()
    return store
  }

  /// Compares the values of objects with those of the same objects in another context, which reads them one by one.
  private static func compare(_ objects: [ManagedObject], _ store: SQLiteStore) throws {
    let single = try ManagedObjectContext(store)
    for object in objects {
      let other = try single.existingObject(with: object.objectID)
      for name in attributes { #expect(object[name] == other[name], "\(object.objectID), \(name)") }
      let boss = try object.objectIDs(forRelationshipNamed: "boss")
      let otherBoss = try other.objectIDs(forRelationshipNamed: "boss")
      #expect(boss == otherBoss)
    }
    for object in objects {
      let other = try single.existingObject(with: object.objectID)
      #expect(object.committedValues().mapValues(description) == other.committedValues().mapValues(description))
    }
  }

  /// Objects of different contexts are different, so values are compared by the IDs of the objects.
  private static func description(_ value: ManagedObject.Value) -> String {
    switch value {
    case .attribute(let value): "\(value)"
    case .object(let object): "\(object.objectID)"
    case .array(let objects): "\(objects.map(description))"
    case .set(let objects): "\(objects.map(description).sorted())"
    }
  }

  @Test(arguments: [1, 8, 9, 72, 73, 300])
  func `fetched objects have the values of their rows`(count: Int) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try Self.store(count, seed: UInt64(count), in: folder)
    let context = try ManagedObjectContext(store)
    try Self.compare(context.fetch(FetchRequest("Person")), store)
    try Self.compare(context.fetch(FetchRequest("Employee")), store)
    let sorted = try ManagedObjectContext(store)
    try Self.compare(sorted.fetch(FetchRequest("Person", sortedBy: [.init("name", isAscending: false)])), store)
  }

  @Test func `faults that are read together have the values of their rows`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try Self.store(200, seed: 1, in: folder)
    let context = try ManagedObjectContext(store)
    var request = FetchRequest("Person")
    request.includesPropertyValues = false
    try Self.compare(context.fetch(request), store)
  }

  @Test func `objects of a child context have the values of the parent's objects`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try Self.store(100, seed: 2, in: folder)
    let parent = try ManagedObjectContext(store)
    let child = ManagedObjectContext(parent: parent)
    let objects = try child.fetch(FetchRequest("Person"))
    try Self.compare(objects, store)
    let changed = try parent.fetch(FetchRequest("Person"))
    for object in changed { try object.setValue("changed", forKey: "nick") }
    let other = ManagedObjectContext(parent: parent)
    for object in try other.fetch(FetchRequest("Person")) { #expect(object["nick"] == .attribute("changed")) }
    for object in objects.dropFirst(50) {
      try object.setValue("child", forKey: "nick")
      try object.setValue(AttributeValue.null, forKey: "boss")
    }
    try child.save()
    try parent.save()
    try Self.compare(parent.fetch(FetchRequest("Person")), store)
  }

  @Test func `a request for some attributes reads the others later`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try Self.store(100, seed: 3, in: folder)
    let context = try ManagedObjectContext(store)
    var request = FetchRequest("Person")
    request.propertiesToFetch = [.property("name"), .property("age")]
    let objects = try context.fetch(request)
    let before = store.executedStatementCount
    for object in objects { _ = (object["name"], object["age"]) }
    #expect(store.executedStatementCount == before)
    try Self.compare(objects, store)
  }

  @Test func `changed, refreshed and undone objects have the right values`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try Self.store(100, seed: 4, in: folder)
    let context = try ManagedObjectContext(store)
    context.undoManager = ManagedObjectContext.UndoManager()
    let objects = try context.fetch(FetchRequest("Person"))
    for object in objects {
      try object.setValue("new", forKey: "name")
      #expect(object.changedValues().count == 1)
    }
    context.processPendingChanges()
    context.undo()
    #expect(!context.hasChanges)
    try Self.compare(objects, store)
    for object in objects.prefix(70) { try object.setValue("saved", forKey: "name") }
    try context.save()
    for object in objects.dropFirst(30) { try context.refresh(object, mergeChanges: true) }
    try Self.compare(objects, store)
    let other = try ManagedObjectContext(store)
    for object in try other.fetch(FetchRequest("Person")) {
      try object.setValue(AttributeValue.integer(1), forKey: "age")
    }
    try other.save()
    var request = FetchRequest("Person")
    request.refreshesRefetchedObjects = true
    let refetched = try context.fetch(request)
    for (first, second) in zip(objects, refetched) { #expect(first === second) }
    try Self.compare(objects, store)
  }

  @Test func `texts that are read again and again are decoded once`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try Self.store(100, seed: 5, in: folder)
    let context = try ManagedObjectContext(store)
    let objects = try context.fetch(FetchRequest("Person"))
    for _ in 0..<40 { for object in objects { _ = object["name"] } }
    try Self.compare(objects, store)
  }
}
