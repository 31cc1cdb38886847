import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("Switching off the history of a store") struct HistorySwitchTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "a.sqlite") }
  private let model: ManagedObjectModel

  init() throws {
    model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("title", .string)])])
  }

  private func insert(_ context: ManagedObjectContext) throws {
    try context.insert("Note")
    try context.save()
  }

  /// How the history is switched off.
  enum Way: CaseIterable { case method, access, description }

  private func switchOff(_ way: Way) throws {
    switch way {
    case .method: try SQLiteStore(file, model: model).stopTrackingHistory()
    case .access: _ = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: false))
    case .description: _ = try PersistentContainer(model: model, stores: [.sqlite(file, tracksHistory: false)])
    }
  }

  @Test(arguments: Way.allCases) func `the file becomes that of a store without a history`(way: Way) throws {
    let plain = folder.url.appending(path: "plain.sqlite")
    try insert(ManagedObjectContext(SQLiteStore(plain, model: model)))
    try insert(ManagedObjectContext(SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))))
    try switchOff(way)
    for query in ["SELECT name, sql FROM sqlite_schema ORDER BY name", "SELECT * FROM Z_PRIMARYKEY ORDER BY Z_ENT"] {
      #expect(try PlainSQLite(file).run(query) == PlainSQLite(plain).run(query))
    }
    let store = try SQLiteStore(file, model: model)
    #expect(store.metadata[StoreMetadataKey.historyTracking] == nil)
    #expect(try store.history().isEmpty && store.writingObstacles == [])
    try insert(ManagedObjectContext(store))
    #expect(try store.history().isEmpty)
  }

  @Test func `numbers continue if a history is recorded again`() throws {
    let first = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    let context = try ManagedObjectContext(first)
    for _ in 0..<3 { try insert(context) }
    try switchOff(.method)
    // A store that was open meanwhile no longer records its saves.
    try insert(context)
    #expect(try first.history().isEmpty)
    let second = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    try insert(context)
    #expect(try second.history().map(\.number) == [4])
    #expect(try second.history(after: 3).map(\.number) == [4])
    let error = #expect(throws: ManagedObjectError.self) { try second.history(after: 2) }
    #expect(error?.code == .historyTokenExpired)
    #expect(second.metadata[StoreMetadataKey.lastHistoryNumber] == nil)
  }

  @Test func `unsaved metadata is kept`() throws {
    let store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    store.setMetadata(store.metadata.merging(["key": .string("value")]) { $1 })
    try store.stopTrackingHistory()
    #expect(store.metadata["key"] == .string("value") && store.metadata[StoreMetadataKey.historyTracking] == nil)
    try insert(ManagedObjectContext(store))
    #expect(try SQLiteStore(file, model: model).metadata["key"] == .string("value"))
  }

  @Test func `a store without a history stays as it is`() throws {
    let store = try SQLiteStore(file, model: model)
    try insert(ManagedObjectContext(store))
    let token = store.changeToken
    try store.stopTrackingHistory()
    #expect(store.changeToken == token)
  }

  @Test func `the history of another program, and that of a read-only store, stay`() throws {
    try insert(ManagedObjectContext(SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))))
    let reader = try SQLiteStore(file, model: model, access: .readOnly)
    #expect(throws: ManagedObjectError.self) { try reader.stopTrackingHistory() }
    let store = try SQLiteStore(file, model: model)
    // Without the key, the tables belong to another program.
    try PlainSQLite(file).run("UPDATE Z_METADATA SET Z_PLIST = NULL")
    let error = #expect(throws: ManagedObjectError.self) { try store.stopTrackingHistory() }
    #expect(error?.code == .operation)
    #expect(try PlainSQLite(file).run("SELECT COUNT(*) FROM ATRANSACTION") == [["1"]])
  }
}
