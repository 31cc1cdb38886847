import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteAccess
import SQLiteStore
import StoreInspection
import Synchronization
import TestSupport
import Testing

@Suite("Requests for the history of a store") struct HistoryRequestTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let model: ManagedObjectModel

  init() throws {
    var name = AttributeDescription("name", .string)
    name.preservesValueInHistoryOnDeletion = true
    var memo = EntityDescription("Memo", [.attribute("extra", .string)])
    memo.superentity = "Note"
    model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute(name), .relationship("author", to: "Person", inverse: "notes")]), memo,
      EntityDescription(
        "Person",
        [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
    ])
  }

  private var file: URL { folder.url.appending(path: "a.sqlite") }

  private func makeStore(_ file: URL? = nil) throws -> SQLiteStore {
    try SQLiteStore(file ?? self.file, model: model, access: .readWrite(tracksHistory: true))
  }

  /// Saves a note in each of several transactions.
  private func fill(_ store: SQLiteStore, _ count: Int) throws {
    let context = try ManagedObjectContext(store)
    for _ in 0..<count {
      try context.insert("Note")
      try context.save()
    }
  }

  /// Makes random saves. Some dates have another order than the numbers.
  private func fillAtRandom(_ store: SQLiteStore, _ random: inout RandomNumbers) throws {
    let context = try ManagedObjectContext(store)
    var objects: [ManagedObject] = []
    for _ in 0..<30 {
      context.transactionAuthor = random.pick(["", "app", "import"])
      context.name = random.pick(["", "main", "sync"])
      for _ in 0...random.below(4) {
        if objects.isEmpty || random.once(in: 2) {
          objects.append(try context.insert(random.pick(["Note", "Memo", "Person"])))
        } else {
          let index = random.below(objects.count)
          if random.once(in: 3) {
            try context.delete(objects.remove(at: index))
          } else {
            try objects[index].setValue(.string("\(random.below(1_000))"), forKey: "name")
          }
        }
      }
      try context.save()
    }
    let database = try PlainSQLite(store.url)
    for number in 1...30 {
      let date = random.once(in: 5) ? random.below(300) : number * 10
      try database.run("UPDATE ATRANSACTION SET ZTIMESTAMP = \(date) WHERE Z_PK = \(number)")
    }
    // Older files have texts in the rows of transactions, and a damaged file can lack a text.
    try database.run("UPDATE ATRANSACTION SET ZAUTHORTS = NULL, ZAUTHOR = 'import' WHERE Z_PK % 7 = 0")
    try database.run("UPDATE ATRANSACTION SET ZCONTEXTNAMETS = 999 WHERE Z_PK % 11 = 0")
  }

  private static func position(
    _ random: inout RandomNumbers, _ history: [PersistentHistoryTransaction]
  ) -> HistoryRequest.Position {
    switch random.below(3) {
    case 0: .date(Date(timeIntervalSinceReferenceDate: Double(random.below(310))))
    case 1: .number(Int64(random.below(history.count + 1)))
    default: .transaction(random.pick(history))
    }
  }

  private static func condition(
    _ random: inout RandomNumbers, _ names: [String?]
  ) -> HistoryRequest.NameCondition {
    let names = Set(names.filter { _ in random.once(in: 2) })
    return random.pick([.any, .any, .oneOf(names), .noneOf(names)])
  }

  private func request(
    _ random: inout RandomNumbers, _ history: [PersistentHistoryTransaction]
  ) -> HistoryRequest {
    var request = HistoryRequest()
    if random.once(in: 3) { request.after = Self.position(&random, history) }
    if random.once(in: 3) { request.before = Self.position(&random, history) }
    request.author = Self.condition(&random, [nil, "app", "import", "other"])
    request.contextName = Self.condition(&random, [nil, "main", "sync"])
    if random.once(in: 4) { request.processName = Self.condition(&random, [nil, history[0].processName]) }
    if random.once(in: 4) { request.bundleIdentifier = Self.condition(&random, [nil, "com.example"]) }
    if random.once(in: 3) {
      request.entityNames = Set(["Note", "Memo", "Person"].filter { _ in random.once(in: 2) })
    }
    if random.once(in: 3) {
      let ids = Set(history.flatMap(\.changes).map(\.objectID))
      request.objectIDs = ids.filter { $0.key.number % 3 == Int64(random.below(3)) }
    }
    if random.once(in: 3) {
      request.changeKinds = Set([.insert, .update, .delete].filter { _ in random.once(in: 2) })
    }
    request.isNewestFirst = random.once(in: 2)
    if random.once(in: 3) { request.fetchLimit = 1 + random.below(8) }
    request.includesChanges = !random.once(in: 4)
    return request
  }

  /// Returns the transactions of a request, by a filter of all of them.
  private func filter(
    _ history: [PersistentHistoryTransaction], _ request: HistoryRequest
  ) -> [PersistentHistoryTransaction] {
    func isBefore(_ position: HistoryRequest.Position, _ transaction: PersistentHistoryTransaction) -> Bool {
      switch position {
      case .date(let date): date < transaction.date
      case .number(let number): number < transaction.number
      case .token(let token): token.numbers[transaction.storeIdentifier]! < transaction.number
      }
    }
    func isAfter(_ position: HistoryRequest.Position, _ transaction: PersistentHistoryTransaction) -> Bool {
      switch position {
      case .date(let date): date > transaction.date
      case .number(let number): number > transaction.number
      case .token(let token): token.numbers[transaction.storeIdentifier]! > transaction.number
      }
    }
    func holds(_ condition: HistoryRequest.NameCondition, _ name: String?) -> Bool {
      switch condition {
      case .any: true
      case .oneOf(let names): names.contains(name)
      case .noneOf(let names): !names.contains(name)
      }
    }
    let entities = request.entityNames.map { names in names.contains("Note") ? names.union(["Memo"]) : names }
    var selected: [PersistentHistoryTransaction] = []
    for var transaction in request.isNewestFirst ? history.reversed() : history {
      guard request.after.map({ isBefore($0, transaction) }) ?? true,
        request.before.map({ isAfter($0, transaction) }) ?? true, holds(request.author, transaction.author),
        holds(request.contextName, transaction.contextName), holds(request.processName, transaction.processName),
        holds(request.bundleIdentifier, transaction.bundleIdentifier)
      else { continue }
      transaction.changes = transaction.changes.filter { change in
        entities?.contains(change.objectID.entity.name) ?? true && request.objectIDs?.contains(change.objectID) ?? true
          && request.changeKinds?.contains(change.kind) ?? true
      }
      let requiresChanges = entities != nil || request.objectIDs != nil || request.changeKinds != nil
      if requiresChanges, transaction.changes.isEmpty { continue }
      if !request.includesChanges { transaction.changes = [] }
      selected.append(transaction)
      if selected.count == request.fetchLimit { break }
    }
    return selected
  }

  @Test(arguments: 0..<LongForm.size(40, or: 6))
  func `a request returns, counts and enumerates the saves of a filter in Swift`(seed: Int) throws {
    var random = RandomNumbers(seed)
    let store = try makeStore()
    try fillAtRandom(store, &random)
    let history = try store.history()
    #expect(history.count > 20 && history.contains { $0.changes.contains { !$0.tombstone.isEmpty } })
    for _ in 0..<40 {
      let request = request(&random, history)
      let expected = filter(history, request)
      let found = try store.history(request)
      #expect(found == expected, "\(request)")
      let count = try store.historyCount(request)
      #expect(count == (expected.count, expected.map(\.changes.count).reduce(0, +)), "\(request)")
      var visited: [PersistentHistoryTransaction] = []
      try store.enumerateHistory(request, batchSize: 1 + random.below(12)) { visited.append($0) }
      #expect(visited == expected, "\(request)")
      var inspected: [String] = []
      try StoreHistory(store.url).run(request) { inspected.append(Self.shown($0)) }
      #expect(inspected == expected.map(Self.shown), "\(request)")
    }
  }

  private static func shown(_ transaction: PersistentHistoryTransaction) -> String {
    let changes = transaction.changes.map { "\($0.kind) \($0.objectID.uriRepresentation) \($0.tombstone)" }
    return "\(transaction.number) \(transaction.date) \(transaction.author ?? "-") \(changes)"
  }

  /// Shows what both kinds of readers have. The reader of closed files leaves out values that are nil.
  private static func shown(_ transaction: StoreHistory.Transaction) -> String {
    let changes = transaction.changes.map { change in
      let tombstone =
        change.kind == .delete && change.tombstone.isEmpty ? Self.emptyTombstone(change) : change.tombstone
      return "\(change.kind!) \(change.objectURI!) \(tombstone)"
    }
    return "\(transaction.number) \(transaction.date!) \(transaction.author ?? "-") \(changes)"
  }

  private static func emptyTombstone(_ change: StoreHistory.Change) -> [String: AttributeValue] {
    change.entity == "Person" ? [:] : ["name": .null]
  }

  @Test func `an inspected history is not checked for deleted saves`() throws {
    let store = try makeStore()
    try fill(store, 3)
    let first = HistoryRequest.Position.transaction(try store.history()[0])
    try store.deleteHistory(through: 2)
    var numbers: [Int64] = []
    try StoreHistory(store.url).run(HistoryRequest(after: first)) { numbers.append($0.number) }
    try StoreHistory(store.url).run(HistoryRequest(before: .number(.min))) { numbers.append($0.number) }
    #expect(numbers == [3])
    var request = HistoryRequest()
    request.entityNames = ["Album"]
    #expect(Self.code { try StoreHistory(store.url).run(request) { _ in } } == .undefinedKey)
    let other = HistoryRequest(after: .token(PersistentHistoryToken(numbers: ["other": 1])))
    #expect(Self.code { try StoreHistory(store.url).run(other) { _ in } } == .invalidState)
  }

  @Test func `a request reads transactions in order and changes by their index`() throws {
    let store = try makeStore()
    try fill(store, 1)
    var request = HistoryRequest(after: .date(.distantPast), before: .date(.distantFuture))
    request.author = .noneOf(["app"])
    request.isNewestFirst = true
    for entities in [nil, ["Note"] as Set<String>] {
      request.entityNames = entities
      let plan = try store.plan(of: request)
      #expect(plan.contains { $0.hasPrefix("SEARCH t USING INTEGER PRIMARY KEY") }, "\(plan)")
      #expect(plan.contains { $0.hasPrefix("SEARCH c USING INDEX ACHANGE_ZTRANSACTIONID_INDEX") }, "\(plan)")
      let dates = plan.filter { $0.contains("INDEX Z_TRANSACTION_TransactionTimestampIndex (ZTIMESTAMP") }
      #expect(dates.count == 2, "\(plan)")
      // Only the changes of one transaction are sorted.
      let sorts = plan.filter { $0.hasPrefix("USE TEMP B-TREE") }
      #expect(sorts.allSatisfy { $0.contains("LAST TERM") }, "\(plan)")
    }
    request.isNewestFirst = false
    #expect(try !store.plan(of: request).contains { $0.contains("TEMP B-TREE") })
  }

  /// Returns the code of the error that a function throws; nil if it throws none.
  private static func code(_ body: () throws -> Void) -> ManagedObjectError.Code? {
    do { try body() } catch { return (error as? ManagedObjectError)?.code }
    return nil
  }

  @Test func `a batch ends with the save that fills it`() throws {
    let store = try makeStore()
    let context = try ManagedObjectContext(store)
    for count in [1, 30, 1, 1, 1] {
      for _ in 0..<count { try context.insert("Note") }
      try context.save()
    }
    var statements: [Int] = []
    var start = store.executedStatementCount
    try store.enumerateHistory(batchSize: 4) { transaction in
      let executed = store.executedStatementCount
      if executed > start { statements.append(Int(transaction.number)) }
      start = executed
    }
    // The saves 1 and 2 have 33 changes and saves, the saves 3 and 4 have 4.
    #expect(statements == [1, 3, 5])
  }

  @Test func `an enumeration reads the schema and the texts once`() throws {
    let store = try makeStore()
    try fill(store, 10)
    let statements = Mutex<[String]>([])
    store.setTrace(SQLiteTrace { event in statements.withLock { $0.append(event.sql) } })
    var count = 0
    try store.enumerateHistory(batchSize: 1) { count += $0.processName == nil ? 0 : 1 }
    store.setTrace(nil)
    let seen = statements.withLock { $0 }
    #expect(count == 10 && seen.count { $0.contains("FROM ATRANSACTION t") } >= 10)
    #expect(seen.count { $0.contains("FROM sqlite_schema") } == 1)
    #expect(seen.count { $0 == "SELECT Z_PK, ZNAME FROM ATRANSACTIONSTRING" } == 1)
  }

  @Test func `an enumeration reads a changed schema and new texts`() throws {
    let store = try makeStore()
    let context = try ManagedObjectContext(store)
    let note = try context.insert("Note")
    try note.setValue(.string("a"), forKey: "name")
    try context.save()
    try fill(store, 3)
    try context.delete(note)
    try context.save()
    let other = try PlainSQLite(store.url)
    var visited: [PersistentHistoryTransaction] = []
    try store.enumerateHistory(batchSize: 1) { transaction in
      visited.append(transaction)
      guard visited.count == 2 else { return }
      try other.run("ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0")
      try other.run("INSERT INTO ATRANSACTIONSTRING (Z_PK, ZNAME) VALUES (99, 'late')")
      try other.run("UPDATE ATRANSACTION SET ZAUTHORTS = 99 WHERE Z_PK = 4")
    }
    #expect(visited.map(\.author) == [nil, nil, nil, "late", nil])
    #expect(visited.last?.changes.first?.kind == .delete && visited.last?.changes.first?.tombstone == [:])
  }

  @Test(arguments: [nil, 1, 3] as [Int64?], [false, true])
  func `the function of an enumeration can use the store`(number: Int64?, isToken: Bool) throws {
    let store = try makeStore()
    try fill(store, 6)
    let token = number.map { PersistentHistoryToken(numbers: [store.identifier: $0]) }
    var visited: [Int64] = []
    let after = isToken ? token.map { .token($0) } : number.map { HistoryRequest.Position.number($0) }
    try store.enumerateHistory(HistoryRequest(after: after), batchSize: 2) { transaction in
      visited.append(transaction.number)
      try fill(store, 1)
      try store.deleteHistory(through: transaction.number)
    }
    let first = (number ?? 0) + 1
    #expect(visited == Array(first...6))
    #expect(try store.history().map(\.number) == Array(7...(13 - first)))
  }

  @Test(arguments: [nil, .number(1), .date(.distantPast)] as [HistoryRequest.Position?])
  func `an enumeration from the newest save leaves out saves deleted meanwhile`(
    after: HistoryRequest.Position?
  ) throws {
    let store = try makeStore()
    try fill(store, 6)
    var request = HistoryRequest(after: after)
    request.isNewestFirst = true
    var visited: [Int64] = []
    try store.enumerateHistory(request, batchSize: 2) { transaction in
      visited.append(transaction.number)
      try fill(store, 1)
      if transaction.number == 5 { try store.deleteHistory(through: 3) }
    }
    #expect(visited == [6, 5, 4])
  }

  @Test func `an enumeration throws if the history is deleted before its end`() throws {
    let store = try makeStore()
    try fill(store, 6)
    var visited: [Int64] = []
    let code = Self.code {
      try store.enumerateHistory(batchSize: 2) { transaction in
        visited.append(transaction.number)
        if transaction.number == 2 { try store.stopTrackingHistory() }
      }
    }
    #expect(code == .historyTokenExpired && visited == [1, 2])
  }

  @Test func `an enumeration throws if saves are deleted before their turn`() throws {
    let store = try makeStore()
    try fill(store, 6)
    var visited: [Int64] = []
    let code = Self.code {
      try store.enumerateHistory(batchSize: 2) { transaction in
        visited.append(transaction.number)
        if transaction.number == 1 { try store.deleteHistory(through: 4) }
      }
    }
    #expect(code == .historyTokenExpired && visited == [1])
  }

  @Test func `the error of the function ends an enumeration`() throws {
    let store = try makeStore()
    try fill(store, 3)
    var count = 0
    #expect(throws: CancellationError.self) {
      try store.enumerateHistory(batchSize: 1) { _ in
        count += 1
        if count == 2 { throw CancellationError() }
      }
    }
    #expect(count == 2)
  }

  @Test func `a date that is not a number is an error and deletes nothing`() throws {
    let store = try makeStore()
    try fill(store, 3)
    let date = HistoryRequest.Position.date(Date(timeIntervalSinceReferenceDate: .nan))
    #expect(Self.code { try store.deleteHistory(before: date) } == .unsupportedRequest)
    #expect(Self.code { _ = try store.history(HistoryRequest(after: date)) } == .unsupportedRequest)
    #expect(Self.code { _ = try store.historyCount(HistoryRequest(before: date)) } == .unsupportedRequest)
    #expect(try store.history().count == 3)
    try store.deleteHistory(before: .date(Date(timeIntervalSinceReferenceDate: -.infinity)))
    #expect(try store.history().count == 3)
    try store.deleteHistory(before: .date(Date(timeIntervalSinceReferenceDate: .infinity)))
    #expect(try store.history().isEmpty)
  }

  @Test func `a request that does not fit the store is an error`() throws {
    let store = try makeStore()
    try fill(store, 1)
    var request = HistoryRequest()
    request.entityNames = ["Note", "Album"]
    #expect(Self.code { _ = try store.history(request) } == .undefinedKey)
    request = HistoryRequest()
    request.fetchLimit = -1
    #expect(Self.code { _ = try store.history(request) } == .unsupportedRequest)
    #expect(Self.code { try store.enumerateHistory(batchSize: 0) { _ in } } == .unsupportedRequest)
    // Objects of other stores, and objects that were never saved, have no changes.
    let other = try ManagedObjectContext(makeStore(folder.url.appending(path: "b.sqlite")))
    let note = try other.insert("Note")
    request = HistoryRequest()
    request.objectIDs = [note.objectID]
    #expect(try store.history(request).isEmpty)
    try other.save()
    request.objectIDs = [note.objectID]
    #expect(try store.history(request).isEmpty)
  }
}
