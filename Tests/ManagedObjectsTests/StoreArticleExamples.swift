import Foundation
import ManagedObjects
import OrderedCollections
import PropertyLists
import StoreTests
import Synchronization
import TestSupport
import Testing

final class TableStore: PersistentStore {
  let number = StoreNumber.next()
  let model: ManagedObjectModel
  let identifier = UUID().uuidString
  var configuration: String? { nil }
  var isReadOnly: Bool { false }
  private let state: Mutex<(table: RowTable, metadata: StoreMetadata, lastNumber: Int64)>

  init(model: ManagedObjectModel) throws(ManagedObjectError) {
    self.model = model
    var table = RowTable(model: model, storeNumber: number)
    let metadata = StoreMetadata(identifier: identifier, type: "Table", model: model, configuration: nil)
    var saved = StoreChanges()
    saved.inserted = []  // Put the rows that you read from your files here.
    try table.apply(saved, identifier: identifier)
    state = Mutex((table, metadata, table.lastNumber))
  }

  var metadata: OrderedDictionary<String, PropertyList> { state.withLock { $0.metadata.values } }

  func setMetadata(_ metadata: OrderedDictionary<String, PropertyList>) {
    state.withLock { $0.metadata.replace(with: metadata) }
  }

  func makeKeys(_ entityIndices: [Int]) throws(ManagedObjectError) -> [RowKey] {
    try state.withLock { state throws(ManagedObjectError) in
      try RowKey.makeKeys(entityIndices, store: number, after: &state.lastNumber)
    }
  }

  func rows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    state.withLock { state in keys.map { state.table.row($0) } }
  }

  func fetch(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    let table = state.withLock { $0.table }
    return try table.fetch(request, of: entity)
  }

  func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    try state.withLock { state throws(ManagedObjectError) in
      var table = state.table
      let mended = try table.apply(changes, identifier: identifier)
      // Write the table to your files here. If that fails, throw: `state` has not changed yet.
      state.table = table
      state.lastNumber = max(state.lastNumber, table.lastNumber)
      return mended
    }
  }
}

@Suite("The examples of the article about writing stores") struct StoreArticleExamples {
  @Test("The store passes the tests of stores", arguments: StoreTest.all.filter { !$0.reopensStore })
  func conformance(test: StoreTest) throws {
    try test.run { _, model in try TableStore(model: model) }
  }

  @Test func `a container opens the store`() throws {
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("title", .string)])])
    let store = PersistentStoreDescription { (model, _) throws(ManagedObjectError) in try TableStore(model: model) }
    let container = try PersistentContainer(model: model, stores: [store])
    let context = container.newContext()
    try context.insert("Note").setValue(.string("a"), forKey: "title")
    try context.save()
    #expect(try container.newContext().count(for: FetchRequest("Note")) == 1)
  }

  @Test func `the article's code is in this file`() throws {
    let article = try ArticleText(path: "Sources/ManagedObjects/Documentation.docc/WriteAStore.md")
    #expect(
      try article.blocks.count == 3
        && article.blocks(notIn: "Tests/ManagedObjectsTests/StoreArticleExamples.swift") == [])
  }
}
