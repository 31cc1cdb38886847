import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Tokens, and deletion of a part of the history") struct HistoryTokenTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let model: ManagedObjectModel

  init() throws {
    model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("title", .string)])])
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

  @Test func `a token continues after the last save, also from a file`() throws {
    let store = try makeStore()
    #expect(try store.currentPersistentHistoryToken?.numbers == [store.identifier: 0])
    try fill(store, 2)
    let token = try #require(try store.currentPersistentHistoryToken)
    #expect(try store.history().last?.token == token)
    let data = try JSONEncoder().encode(token)
    try fill(store, 1)
    let read = try JSONDecoder().decode(PersistentHistoryToken.self, from: data)
    #expect(try store.history(HistoryRequest(after: .token(read))).map(\.number) == [3])
  }

  @Test func `the token of a coordinator has all its stores`() throws {
    let coordinator = PersistentStoreCoordinator(model: model)
    let first = try makeStore()
    let second = try makeStore(folder.url.appending(path: "b.sqlite"))
    let third = try SQLiteStore(folder.url.appending(path: "c.sqlite"), model: model)
    #expect(try coordinator.currentPersistentHistoryToken() == nil)
    try fill(first, 2)
    try fill(second, 3)
    for store in [first, second, third] { try coordinator.add(store) }
    let token = try #require(try coordinator.currentPersistentHistoryToken())
    #expect(token.numbers == [first.identifier: 2, second.identifier: 3, third.identifier: 0])
    #expect(try coordinator.currentPersistentHistoryToken(fromStores: [second])?.numbers == [second.identifier: 3])
    #expect(try coordinator.currentPersistentHistoryToken(fromStores: [third]) == nil)
    try fill(second, 1)
    #expect(try first.history(HistoryRequest(after: .token(token))).isEmpty)
    #expect(try second.history(HistoryRequest(after: .token(token))).map(\.number) == [4])
  }

  @Test func `the token of a coordinator selects a history that a store records later`() throws {
    let coordinator = PersistentStoreCoordinator(model: model)
    let (first, file) = (try makeStore(), folder.url.appending(path: "b.sqlite"))
    let second = try SQLiteStore(file, model: model)
    for store in [first, second] { try coordinator.add(store) }
    try fill(second, 2)
    let token = try #require(try coordinator.currentPersistentHistoryToken())
    let request = HistoryRequest(after: .token(token))
    #expect(try second.history(request).isEmpty)
    try second.enumerateHistory(request) { _ in Issue.record("found a save without a history") }
    var other = try makeStore(file)
    try fill(other, 2)
    #expect(try second.history(request).map(\.number) == [1, 2])
    // A token of the time without a history continues after the deleted one.
    try second.stopTrackingHistory()
    let later = try #require(try coordinator.currentPersistentHistoryToken())
    #expect(later.numbers == [first.identifier: 0, second.identifier: 2])
    for position in [token, later].map(HistoryRequest.Position.token) {
      #expect(Self.code { _ = try second.history(HistoryRequest(after: position)) } == .historyTokenExpired)
    }
    other = try makeStore(file)
    try fill(other, 1)
    #expect(try second.history(HistoryRequest(after: .token(later))).map(\.number) == [3])
    #expect(Self.code { _ = try second.history(request) } == .historyTokenExpired)
    // The token of the first store alone does not have the second one.
    let own = HistoryRequest(after: .token(try #require(try first.currentPersistentHistoryToken)))
    #expect(Self.code { _ = try second.history(own) } == .invalidState)
  }

  @Test func `a token without the store is an error that names its stores`() throws {
    let store = try makeStore()
    func message(_ numbers: [String: Int64]) -> String? {
      let request = HistoryRequest(after: .token(PersistentHistoryToken(numbers: numbers)))
      return #expect(throws: ManagedObjectError.self) { try store.history(request) }?.message
    }
    let start = "expected a history token of the store \(store.identifier), found "
    #expect(message([:])?.contains(start + "a token without stores") == true)
    #expect(message(["b": 1, "a": 2])?.contains(start + "one of a, b") == true)
  }

  @Test func `the token of another store is an error`() throws {
    let store = try makeStore()
    try fill(store, 1)
    let other = try makeStore(folder.url.appending(path: "b.sqlite"))
    let position = HistoryRequest.Position.token(try #require(try other.currentPersistentHistoryToken))
    for request in [HistoryRequest(after: position), HistoryRequest(before: position)] {
      #expect(Self.code { _ = try store.history(request) } == .invalidState)
      #expect(Self.code { _ = try store.historyCount(request) } == .invalidState)
      #expect(Self.code { try store.enumerateHistory(request) { _ in } } == .invalidState)
    }
    #expect(Self.code { try store.deleteHistory(before: position) } == .invalidState)
    #expect(try store.history().count == 1)
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808", "-9e300", "9e300", "'a'"])
  func `numbers of a damaged history are read, or are errors`(number: String) throws {
    for (table, column) in [("ATRANSACTION", "Z_PK"), ("Z_PRIMARYKEY", "Z_MAX")] {
      let store = try makeStore(folder.url.appending(path: "\(table).sqlite"))
      try fill(store, 2)
      #expect(try store.changesByOthers() == nil)
      let token = try #require(try store.currentPersistentHistoryToken)
      // A primary key that is not an integer is an error of SQLite.
      try? SQLiteFile.change(
        store.url, "UPDATE \(table) SET \(column) = \(number) WHERE Z_ENT > 16000 AND \(column) = 2")
      for after in [HistoryRequest.Position.number(1), .number(2), .number(.max), .token(token)] {
        let code = Self.code {
          _ = try store.history(HistoryRequest(after: after))
          try store.enumerateHistory(HistoryRequest(after: after), batchSize: 1) { _ in }
        }
        #expect(code == nil || code == .historyTokenExpired)
      }
      let changes = try store.changesByOthers()
      #expect(changes == nil || changes?.isComplete == false)
      let note = Self.code { try fill(store, 1) }
      #expect(note == nil || note == .save || note == .sqlite)
      let batch = Self.code { _ = try ManagedObjectContext(store).execute(.update("Note", ["title": .string("b")])) }
      #expect(batch == nil || batch == .save || batch == .sqlite)
      _ = try store.changesByOthers()
      try store.stopTrackingHistory()
      #expect(try SQLiteFile.integrity(of: store.url) == "ok")
    }
  }

  /// Returns the code of the error that a function throws; nil if it throws none.
  private static func code(_ body: () throws -> Void) -> ManagedObjectError.Code? {
    do { try body() } catch { return (error as? ManagedObjectError)?.code }
    return nil
  }

  @Test func `a token is expired after the saves that follow it were deleted`() throws {
    let store = try makeStore()
    let start = HistoryRequest.Position.token(try #require(try store.currentPersistentHistoryToken))
    try fill(store, 4)
    let history = try store.history()
    try store.deleteHistory(before: .transaction(history[2]))
    #expect(try store.history().map(\.number) == [3, 4])
    for position in [start, .transaction(history[0]), .number(1)] {
      let request = HistoryRequest(after: position)
      #expect(Self.code { _ = try store.history(request) } == .historyTokenExpired)
      #expect(Self.code { _ = try store.historyCount(request) } == .historyTokenExpired)
      #expect(Self.code { try store.enumerateHistory(request) { _ in } } == .historyTokenExpired)
    }
    #expect(try store.history(HistoryRequest(after: .transaction(history[1]))).map(\.number) == [3, 4])
    // The token of an empty history remains valid.
    try store.deleteHistory(through: 4)
    let last = try #require(try store.currentPersistentHistoryToken)
    #expect(last == history[3].token)
    #expect(try store.history(HistoryRequest(after: .token(last))).isEmpty)
    try store.stopTrackingHistory()
    #expect(try store.currentPersistentHistoryToken == nil)
    #expect(Self.code { _ = try store.history(HistoryRequest(after: .token(last))) } == .historyTokenExpired)
    #expect(
      Self.code { try store.enumerateHistory(HistoryRequest(after: .token(last))) { _ in } } == .historyTokenExpired)
  }

  @Test func `a position deletes the saves before it`() throws {
    for (index, position) in [HistoryRequest.Position.number(3), .date(Self.date(30))].enumerated() {
      let store = try makeStore(folder.url.appending(path: "\(index).sqlite"))
      try fill(store, 5)
      try PlainSQLite(store.url).run("UPDATE ATRANSACTION SET ZTIMESTAMP = Z_PK * 10")
      try store.deleteHistory(before: position)
      #expect(try store.history().map(\.number) == [3, 4, 5])
      #expect(try PlainSQLite(store.url).run("SELECT ZTRANSACTIONID FROM ACHANGE") == [["3"], ["4"], ["5"]])
      try store.deleteHistory(before: .number(.min))
      try store.deleteHistory(before: .date(.distantPast))
      #expect(try store.history().count == 3)
      try store.deleteHistory(before: .date(.distantFuture))
      #expect(try store.history().isEmpty)
      try fill(store, 1)
      #expect(try store.history().map(\.number) == [6])
    }
  }

  private static func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

  @Test func `a date deletes no save from the middle of the history`() throws {
    let store = try makeStore()
    try fill(store, 4)
    // The clock was set back after the second save.
    try PlainSQLite(store.url).run(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = CASE Z_PK WHEN 1 THEN 10 WHEN 2 THEN 50 WHEN 3 THEN 20 ELSE 60 END")
    try store.deleteHistory(before: .date(Self.date(40)))
    #expect(try store.history().map(\.number) == [2, 3, 4])
  }
}
