import CSQLite
import ManagedObjects
import TestSupport
import Testing

@testable import SQLiteAccess
@testable import SQLiteStore

@Suite("Contexts that are opened and dropped") struct ContextCycleTests {
  final class Account: ManagedObject {
    @Attribute var name: String
    @Attribute var balance = 0
    @Relationship var entries: Set<Entry>
  }

  final class Entry: ManagedObject {
    @Attribute var amount = 0
    @Relationship(inverse: \Account.entries) var account: Account?
  }

  enum Kind: CaseIterable { case sqlite, inMemory }

  private let folder = TemporaryFolder(isInMemory: true)

  @Test(arguments: Kind.allCases, [true, false])
  func `each releases its objects, and a store prepares no more statements`(kind: Kind, merges: Bool) throws {
    let model = try ManagedObjectModel(Account.self, Entry.self)
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = kind == .sqlite ? try SQLiteStore(folder.url.appending(path: "store.sqlite"), model: model) : nil
    try coordinator.add(store ?? InMemoryStore(model: model))
    do {
      let writer = ManagedObjectContext(coordinator: coordinator)
      for _ in 0..<3 {
        let account = try writer.insert(Account.self)
        account.name = "account"
        for _ in 0..<3 { try writer.insert(Entry.self).account = account }
      }
      try writer.save()
    }
    var firstCount = 0
    let cycleCount = LongForm.size(1_000, or: 30)
    for cycle in 1...cycleCount {
      weak var context: ManagedObjectContext?
      weak var account: Account?
      weak var entry: Entry?
      do {
        let open = ManagedObjectContext(coordinator: coordinator)
        open.mergesChangesAutomatically = merges
        context = open
        let accounts = try open.fetch(Account.self)
        let used = accounts[cycle % 3]
        let changed = try #require(used.entries.first)
        used.balance += 1
        changed.amount += cycle
        // An entry is replaced, so that the number of rows stays the same.
        try open.delete(#require(used.entries.first { $0 !== changed }))
        try open.insert(Entry.self).account = used
        try open.save()
        #expect(open.registeredObjects.count <= 3 + 3 * 3)
        (account, entry) = (used, changed)
        #expect(account != nil && entry != nil)
      }
      #expect(context == nil && account == nil && entry == nil)
      if let store {
        let count = try statementCount(store)
        if cycle == 10 { firstCount = count }
        if cycle > 10 { #expect(count == firstCount) }
      }
    }
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(try context.fetch(Account.self).reduce(0) { $0 + $1.balance } == cycleCount)
    #expect(try context.count(for: FetchRequest("Entry")) == 9)
  }

  /// Returns the number of prepared statements of a store's connection.
  private func statementCount(_ store: SQLiteStore) throws -> Int {
    try store.withState { state throws(ManagedObjectError) in
      var count = 0
      var statement = sqlite3_next_stmt(state.database.handle, nil)
      while statement != nil {
        count += 1
        statement = sqlite3_next_stmt(state.database.handle, statement)
      }
      return count
    }
  }
}
