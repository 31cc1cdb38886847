import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteAccess
import Synchronization
import TestSupport
import Testing

@testable import SQLiteStore

@Suite("Batch faulting") struct BatchFaultingTests {
  final class Owner: ManagedObject {
    @Attribute var name: String
    @Relationship var items: Set<Item>
    @Relationship var agent: Agent?
  }

  class Item: ManagedObject {
    @Attribute var title: String
    @Relationship(inverse: \Owner.items) var owner: Owner?
    @Relationship var tags: Set<Tag>
  }

  final class Book: Item {
    @Attribute var pages = 0
  }

  final class Tag: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: \Item.tags) var items: Set<Item>
  }

  final class Agent: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: \Owner.agent) var owners: Set<Owner>
  }

  private static let model: ManagedObjectModel = {
    do {
      return try ManagedObjectModel(Owner.self, Item.self, Book.self, Tag.self, Agent.self)
    } catch { fatalError("\(error)") }
  }()

  /// The statements of a store.
  private final class StatementLog: Sendable {
    let count = Mutex(0)
  }

  /// A store with owners, who have two or more items each and one agent for two owners. The first items are books. Each
  /// item has two tags.
  private final class Library {
    let store: SQLiteStore
    let context: ManagedObjectContext
    private let folder = TemporaryFolder(isInMemory: true)
    private let log = StatementLog()

    init(owners: Int, items: Int = 2) throws {
      store = try SQLiteStore(folder.url.appending(path: "store.sqlite"), model: BatchFaultingTests.model)
      let writer = try ManagedObjectContext(store)
      let tags = try (0..<owners).map { number in
        let tag = try writer.insert(Tag.self)
        tag.name = "tag \(number)"
        return tag
      }
      var agent: Agent?
      for number in 0..<owners {
        if number % 2 == 0 {
          agent = try writer.insert(Agent.self)
          agent?.name = "agent \(number / 2)"
        }
        let owner = try writer.insert(Owner.self)
        owner.name = String(format: "%05d", number)
        owner.agent = agent
        for index in 0..<items {
          let item: Item = index == 0 ? try writer.insert(Book.self) : try writer.insert(Item.self)
          item.title = "item \(number).\(index)"
          item.owner = owner
          item.tags = [tags[number], tags[(number + 1) % owners]]
        }
      }
      try writer.save()
      context = try ManagedObjectContext(store)
      store.setTrace(SQLiteTrace { [log] _ in log.count.withLock { $0 += 1 } })
    }

    /// Returns the number of statements that read while a function runs.
    func statements(_ body: () throws -> Void) rethrows -> Int {
      let before = log.count.withLock { $0 }
      try body()
      return log.count.withLock { $0 } - before
    }

    func owners() throws -> [Owner] {
      try context.fetch(Owner.self, sortedBy: [.init("name")])
    }
  }

  @Test func `faults of a to-one relationship are read together`() throws {
    let library = try Library(owners: 300)
    let items = try library.context.fetch(Item.self)
    var names: Set<String> = []
    let count = try library.statements {
      for item in items { names.insert(try #require(item.owner).name) }
    }
    #expect(names.count == 300)
    // The 600 items are batches of 64 and 536.
    #expect(count == 2)
    #expect(library.context.misuse.isEmpty)
  }

  @Test func `a to-many relationship and its objects are read together`() throws {
    let library = try Library(owners: 300)
    let owners = try library.owners()
    var titles: [String] = []
    let count = library.statements {
      for owner in owners { titles += owner.items.map(\.title).sorted() }
    }
    #expect(titles == (0..<300).flatMap { ["item \($0).0", "item \($0).1"] })
    // For each batch of owners, one statement for the relationship and two for the items.
    #expect(count <= 6)
  }

  @Test func `a many-to-many relationship is read together, also several levels deep`() throws {
    let library = try Library(owners: 300)
    let owners = try library.owners()
    var found: Set<String> = []
    let count = library.statements {
      for owner in owners {
        for item in owner.items {
          for tag in item.tags { found.insert("\(owner.name) \(tag.name)") }
        }
      }
    }
    let expected = (0..<300).flatMap { number in
      [number, (number + 1) % 300].map { String(format: "%05d", number) + " tag \($0)" }
    }
    #expect(found == Set(expected))
    #expect(count <= 20)
  }

  @Test func `inherited relationships are read together with those of the superentity`() throws {
    let library = try Library(owners: 300)
    let items = try library.context.fetch(Item.self)
    #expect(items.contains { $0 is Book } && items.contains { !($0 is Book) })
    let count = library.statements {
      for item in items { #expect(item.tags.count == 2) }
    }
    #expect(count == 2)
  }

  @Test func `a child context reads batches through its parent`() throws {
    let library = try Library(owners: 300)
    let child = ManagedObjectContext(parent: library.context)
    let owners = try child.fetch(Owner.self, sortedBy: [.init("name")])
    var titles: [String] = []
    let count = library.statements {
      for owner in owners { titles += owner.items.map(\.title).sorted() }
    }
    #expect(titles == (0..<300).flatMap { ["item \($0).0", "item \($0).1"] })
    // As in the context itself, and the owners are read again in the parent, which does not retain them.
    #expect(count <= 8)
  }

  @Test func `objects of fetched results read their relationships in batches`() throws {
    let library = try Library(owners: 300)
    var request = FetchRequest("Owner", sortedBy: [.init("name")])
    request.fetchBatchSize = 100
    let results = try FetchedResultsController(Owner.self, request, in: library.context)
    try results.performFetch()
    let count = library.statements {
      for index in 0..<300 {
        #expect(results.object(at: ResultIndexPath(section: 0, item: index))?.items.count == 2)
      }
    }
    // For each batch, the rows and the relationship.
    #expect(count == 6)
  }

  @Test func `a request can switch batch faulting off, also for related objects`() throws {
    let library = try Library(owners: 10)
    var request = FetchRequest("Owner", sortedBy: [.init("name")])
    request.usesBatchFaulting = false
    let owners = try library.context.fetch(request).compactMap { $0 as? Owner }
    let count = library.statements {
      for owner in owners { for item in owner.items { #expect(item.owner === owner && !item.title.isEmpty) } }
    }
    #expect(count == 10 + 20)
  }

  @Test func `objects that were read ahead are released with the objects that led to them`() throws {
    let library = try Library(owners: 300)
    var owners = try library.owners()
    #expect(!owners[0].items.isEmpty)
    #expect(try #require(owners[0].items.first).title != "")
    // The objects of the first batch of owners.
    #expect(library.context.registeredObjects.count == 300 + 64)
    owners = []
    #expect(library.context.registeredObjects.isEmpty)
  }

  @Test func `the number of objects that are read ahead is limited`() throws {
    // Four batches of 64 objects each.
    let library = try Library(owners: 128)
    let owners = try library.owners()
    for owner in owners.prefix(64) {
      for item in owner.items { for tag in item.tags { _ = tag.name } }
    }
    #expect(library.context.registeredObjects.count <= 128 + 4 * 64)
  }

  @Test func `each level of many objects takes at most three statements for 10 000 objects, in bounded memory`() throws
  {
    let count = LongForm.size(10_000, or: 300)
    let library = try Library(owners: count, items: 10)
    var owners = try library.owners()
    var titleCount = 0
    var greatestRegistered = 0
    let statements = library.statements {
      for (index, owner) in owners.enumerated() {
        titleCount += Set(owner.items.map(\.title)).count
        if index % (count / 20) == 0 {
          greatestRegistered = max(greatestRegistered, library.context.registeredObjects.count)
        }
      }
    }
    #expect(titleCount == 10 * count)
    // The relationship of 10 000 owners, and ten times as many items. Fewer objects are two batches of owners, with two
    // batches of items each.
    #expect(statements <= LongForm.size(3 + 10 * 3, or: 6))
    // The owners, and the items of four batches.
    #expect(greatestRegistered <= count + 4 * 8_192)
    owners = []
    #expect(library.context.registeredObjects.isEmpty)
  }

  @Test func `a damaged row does not prevent that others of its batch are read`() throws {
    let library = try Library(owners: 20)
    var request = FetchRequest("Owner", sortedBy: [.init("name")])
    request.includesPropertyValues = false
    let owners = try library.context.fetch(request).compactMap { $0 as? Owner }
    try library.store.withState { state throws(ManagedObjectError) in
      try state.database.execute("UPDATE ZOWNER SET Z_ENT = 99 WHERE Z_PK = 7")
    }
    let names = owners.map(\.name)
    #expect(names.filter { !$0.isEmpty }.count == 19)
    #expect(library.context.misuse.count >= 1)
  }

  @Test func `changes of a walk are saved, and later objects of the batch are as in the store`() throws {
    let library = try Library(owners: 100)
    for owner in try library.owners() {
      for item in owner.items.sorted(by: { $0.title < $1.title }) {
        item.title += "!"
        if item is Book { item.owner = nil }
      }
      try library.context.save()
    }
    let check = try ManagedObjectContext(library.store)
    let items = try check.fetch(Item.self)
    #expect(items.count == 200 && items.allSatisfy { $0.title.hasSuffix("!") && ($0.owner == nil) == ($0 is Book) })
    #expect(library.context.misuse.isEmpty)
  }

  @Test func `a save of another context is seen after it is merged`() throws {
    let library = try Library(owners: 100)
    let owners = try library.owners()
    // Reads the items of the first owners ahead.
    #expect(try #require(owners[0].items.first).title != "")
    let other = ManagedObjectContext(coordinator: library.context.coordinator)
    for item in try other.fetch(Item.self) { item.title = "new" }
    try other.save()
    try library.context.refreshAllObjects()
    for owner in owners { #expect(owner.items.allSatisfy { $0.title == "new" }) }
  }

  @Test func `a statement limit throws with the statements that ran`() throws {
    let library = try Library(owners: 10)
    let walk = { for owner in try library.owners() { for item in owner.items { _ = item.title } } }
    try library.context.withStatementLimit(3, walk)
    var request = FetchRequest("Owner")
    request.usesBatchFaulting = false
    let owners = try library.context.fetch(request).compactMap { $0 as? Owner }
    let error = #expect(throws: ManagedObjectError.self) {
      try library.context.withStatementLimit(3) { for owner in owners { _ = owner.items.count } }
    }
    #expect(error?.code == .statementLimitExceeded && error?.statements.count == 10)
    #expect(error?.description.hasPrefix("expected at most 3 statements, found 10\n  SELECT") == true)
    #expect(error?.description.split(separator: "\n").count == 11)
  }

  @Test func `a statement limit counts saves, and nested limits count for the outer one, too`() throws {
    let library = try Library(owners: 2)
    let context = library.context
    let number = try context.withStatementLimit(2) {
      let owner = try context.withStatementLimit(1) { try #require(try library.owners().first) }
      try context.withStatementLimit(0) { owner.name = "new" }
      try context.withStatementLimit(1) { try context.save() }
      return 7
    }
    #expect(number == 7)
    let error = #expect(throws: ManagedObjectError.self) {
      try context.withStatementLimit(1) {
        for _ in 0..<2 { try context.withStatementLimit(1) { _ = try library.owners() } }
      }
    }
    #expect(error?.statements.count == 2)
  }

  @Test func `a statement limit passes the error of its function on, and keeps the trace of the store`() throws {
    let library = try Library(owners: 2)
    struct Stop: Error {}
    #expect(throws: Stop.self) { try library.context.withStatementLimit(0) { throw Stop() } }
    let count = try library.statements { try library.context.withStatementLimit(1) { _ = try library.owners() } }
    #expect(count == 1)
    #expect(try library.statements { _ = try library.owners() } == 1)
  }

  @Test func `the error of a failed statement has the statement`() throws {
    let library = try Library(owners: 2)
    try library.store.withState { state throws(ManagedObjectError) in try state.database.execute("DROP TABLE ZTAG") }
    let error = #expect(throws: ManagedObjectError.self) { _ = try library.context.fetch(Tag.self) }
    #expect(error?.statements.first?.contains("FROM \"ZTAG\"") == true)
  }
}
