import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import StoreInspection
import TestSupport
import Testing

@Suite("An SQLite store without its model", .enabled(if: StoreReader.isAvailable)) struct TableModelTests {
  @Test func `a store is read with a model of its tables`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try LibraryStore.write(to: folder, hasModel: false, change: "DROP INDEX Z_Person_UNIQUE_name;")
    #expect(errorCode { _ = try SQLiteStore.model(inFile: file) } == .open)
    let store = try SQLiteStore(tablesOf: file, writesNothing: true)
    let dump = try StoreDump(store)
    #expect(dump.counts == ["Note": 3, "Person": 1, "Employee": 1, "Boss": 1, "Tag": 2, "Thing": 2])
    let note = try #require(dump.objects["Note/p6"])
    #expect(note.attributes == ["content": "one"])
    #expect(
      note.relationships["author"] == .one("Person/p3") && note.relationships["holder"] == .one("Employee/p4")
        && note.relationships["tags"] == .many(["Tag/p10", "Tag/p9"]))
    let thing = try #require(dump.objects["Thing/p1"])
    #expect(thing.attributes["int16"] == "-32768" && thing.attributes["string"]??.hasPrefix("e\u{301}") == true)
    #expect(thing.attributes["bool"] == "1")
    #expect(dump.objects["Tag/p9"]?.relationships["related"] == .many(["Employee/p4", "Person/p3"]))
    #expect(store.isReadOnly)
    #expect(errorCode { try store.save(StoreChanges()) } == .save)
    // Large values are read from external files.
    let photo = try #require(store.model["Thing"]?.attribute(named: "photo"))
    #expect(photo.allowsExternalBinaryDataStorage)
    let key = RowKey(store: store.number, entityIndex: try #require(store.model["Thing"]).index, number: 1)
    #expect(try store.values(ofSlot: photo.slot, [key]) == [.attribute(.data(Data("outside".utf8)))])
    let info = try StoreInfo(file)
    #expect(info.modelSource == .tables && info.objectCount == 10 && info.hasEqualHashes == nil)
    #expect(try StoreFindings(file).texts == ["no-model"])
  }

  @Test func `a check finds dangling references that the tables show`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = try LibraryStore.write(
      to: folder, hasModel: false,
      change: "UPDATE ZNOTE SET ZAUTHOR = 99 WHERE Z_PK = 6; INSERT INTO Z_2FOLLOWS VALUES (3, 77)")
    #expect(
      try StoreFindings(file).texts
        == ["dangling-join Z_2FOLLOWS.Z_2FOLLOWS follows", "dangling-reference Note/p6 author", "no-model"])
  }

  @Test(arguments: StoreSamples.stores)
  func `Apple's stores have the same objects with and without a model`(store: URL) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let copy = try StoreSamples.copy(store, to: folder)
    let opened = try SQLiteStore(tablesOf: copy, writesNothing: true)
    let dump = try StoreDump(opened)
    let rows = try PlainSQLite(copy)
    var total = 0
    for entity in opened.model.entities where entity.superentity == nil {
      total += try Int(rows.column("SELECT COUNT(*) FROM \"Z\(entity.name.uppercased())\"")[0]) ?? 0
    }
    #expect(dump.objects.count == total)
    guard let model = try? SQLiteStore.model(inFile: copy, writesNothing: true) else { return }
    // All values found with the model are also found under the names of columns.
    let known = try StoreDump(SQLiteStore(copy, model: model, access: .readOnly(writesNothing: true)))
    for (name, object) in known.objects {
      guard let found = dump.objects[name] else { continue }
      for (key, value) in object.attributes {
        guard let text = value, let entity = model[String(name.prefix { $0 != "/" })],
          entity.attribute(named: key)?.type == .string
        else { continue }
        #expect(found.attributes.contains { $0.key.hasPrefix(key.lowercased()) && $0.value == text }, "\(name) \(key)")
      }
    }
  }

  @Test func `a history is read with and without a model`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "a.sqlite")
    var title = AttributeDescription("title", .string)
    title.preservesValueInHistoryOnDeletion = true
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute(title), .attribute("pages", .integer32)])
    ])
    let store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    let note = try #require(model["Note"])
    let slot = try #require(note.attribute(named: "title")).slot
    var row = StoreRow(key: try store.makeKeys([0])[0], version: 1, values: note.emptyValues)
    row.values[slot] = .attribute(.string("Milk"))
    var insertion = StoreChanges()
    insertion.inserted = [row]
    insertion.author = "Ada"
    insertion.contextName = "main"
    try store.save(insertion)
    var update = StoreChanges()
    update.snapshots = [row]
    row.values[slot] = .attribute(.string("Bread"))
    update.updated = [row]
    try store.save(update)
    row.version += 1
    var deletion = StoreChanges()
    deletion.deleted = [row]
    try store.save(deletion)
    func transactions(after number: Int64 = 0) throws -> [StoreHistory.Transaction] {
      var all: [StoreHistory.Transaction] = []
      try StoreHistory(file).run(HistoryRequest(after: .number(number))) { all.append($0) }
      return all
    }
    var found = try transactions()
    #expect(found.map(\.number) == [1, 2, 3] && found.map(\.author) == ["Ada", nil, nil])
    #expect(found[0].contextName == "main" && found[0].processName != nil && found[0].date != nil)
    let uri = "x-coredata://\(store.identifier)/Note/p1"
    #expect(found.map { $0.changes.map(\.kind) } == [[.insert], [.update], [.delete]])
    #expect(found.allSatisfy { $0.changes.map(\.objectURI) == [uri] })
    #expect(found[1].changes[0].updatedProperties == ["title"] && found[1].changes[0].propertyBits == Data([0x40]))
    #expect(found[2].changes[0].tombstone == ["title": .string("Bread")])
    #expect(try transactions(after: 2).map(\.number) == [3])
    // Without a model, the names of properties are unknown. The changes of a deleted transaction remain.
    try SQLiteFile.change(file, "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL; DELETE FROM ATRANSACTION WHERE Z_PK = 2")
    found = try transactions()
    #expect(found.map(\.number) == [1, 2, 3] && found[1].date == nil && found[1].author == nil)
    #expect(found[1].changes[0].updatedProperties == nil && found[1].changes[0].entity == "Note")
    #expect(found[2].changes[0].tombstone == ["ZTOMBSTONE0": .string("Bread")])
    let other = try LibraryStore.write(to: folder)
    var count = 0
    try StoreHistory(other).run { _ in count += 1 }
    #expect(count == 0)
  }

  @Test func `the history of Apple's stores is read from their tables`() throws {
    for store in StoreSamples.stores {
      let folder = TemporaryFolder(isInMemory: true)
      let database = try PlainSQLite(StoreSamples.copy(store, to: folder))
      guard try !database.column("SELECT name FROM sqlite_schema WHERE name = 'ATRANSACTION'").isEmpty else { continue }
      var (transactions, changes) = (0, 0)
      try StoreHistory(store).run { transaction in
        transactions += 1
        changes += transaction.changes.count
        #expect(transaction.processName != nil && transaction.date != nil)
        #expect(transaction.changes.allSatisfy { $0.kind != nil && $0.objectURI != nil })
      }
      #expect(try database.column("SELECT COUNT(*) FROM ATRANSACTION") == ["\(transactions)"])
      #expect(try database.column("SELECT COUNT(*) FROM ACHANGE") == ["\(changes)"])
    }
  }
}
