import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("The history of an SQLite store") struct HistoryTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private let model: ManagedObjectModel

  init() throws {
    var name = AttributeDescription("name", .string)
    name.preservesValueInHistoryOnDeletion = true
    model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [
          .attribute(name), .attribute("count", .integer32), .attribute("scratch", .string),
          .relationship("author", to: "Person", inverse: "notes"),
        ]),
      EntityDescription(
        "Person",
        [.attribute("name", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
    ])
  }

  private var file: URL { folder.url.appending(path: "a.sqlite") }

  @Test func `the history has each save with its changes`() throws {
    let store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    let context = try ManagedObjectContext(store)
    context.transactionAuthor = "tests"
    context.name = "first"
    let note = try context.insert("Note")
    try note.setValue(.attribute(.string("a")), forKey: "name")
    let person = try context.insert("Person")
    try context.save()
    try note.setValue(.attribute(.integer(3)), forKey: "count")
    try note.setValue(.object(person), forKey: "author")
    context.name = ""
    try context.save()
    let id = note.objectID
    try context.delete(note)
    let start = Date()
    try context.save()
    let end = Date()
    let history = try store.history()
    #expect(history.map(\.number) == [1, 2, 3])
    #expect(history.map(\.author) == ["tests", "tests", "tests"])
    #expect(history.map(\.contextName) == ["first", nil, nil])
    #expect(history[0].changes.map(\.kind) == [.insert, .insert])
    #expect(Set(history[0].changes.map(\.objectID)) == [id, person.objectID])
    let updates = Dictionary(uniqueKeysWithValues: history[1].changes.map { ($0.objectID, $0.updatedProperties) })
    #expect(updates == [id: ["author", "count"], person.objectID: ["notes"]])
    let last = try #require(history[2].changes.first { $0.kind == .delete })
    #expect(last.objectID == id && last.tombstone == ["name": .string("a")])
    // Half a millisecond for rounding.
    #expect((start - 0.0005...end + 0.0005).contains(history[2].date))
    #expect(try store.history(after: 2).map(\.number) == [3])
    // The file itself records that it has a history.
    let again = try SQLiteStore(file, model: model)
    let other = try ManagedObjectContext(again)
    try other.insert("Note")
    try other.save()
    #expect(try again.history().map(\.number) == [1, 2, 3, 4] && again.history()[3].author == nil)
    try again.deleteHistory(through: 3)
    #expect(try again.history().map(\.number) == [4])
  }

  /// Ways to delete an object.
  enum Deletion: CaseIterable { case save, batch, trial }

  @Test(arguments: Deletion.allCases)
  func `a model with the same version hashes can preserve more values`(deletion: Deletion) throws {
    func model(preservesValues: Bool) throws -> ManagedObjectModel {
      var content = AttributeDescription("content", .binary)
      // The two flags have the same byte in the version hash.
      content.preservesValueInHistoryOnDeletion = preservesValues
      content.allowsExternalBinaryDataStorage = !preservesValues
      return try ManagedObjectModel(entities: [
        EntityDescription("Note", [.attribute(content), .attribute("title", .string)])
      ])
    }
    let (old, new) = (try model(preservesValues: false), try model(preservesValues: true))
    #expect(old["Note"]?.versionHash == new["Note"]?.versionHash)
    let first = try SQLiteStore(file, model: old, access: .readWrite(tracksHistory: true))
    let second = try SQLiteStore(file, model: new)
    let context = try ManagedObjectContext(second)
    let notes = try (0..<2).map { _ in try context.insert("Note") }
    try context.save()
    for (index, note) in notes.enumerated() {
      try note.setValue(.data(Data([UInt8(index)])), forKey: "content")
    }
    try context.save()
    switch deletion {
    case .save: for note in notes { try context.delete(note) }
    case .batch: try context.execute(.delete("Note"))
    case .trial:
      // A save that is rolled back leaves the table as it was.
      let row = try #require(try second.rows([notes[0].objectID.key])[0])
      var changes = StoreChanges()
      changes.deleted = [row]
      _ = try second.trySaving(changes)
      #expect(try !PlainSQLite(file).column("SELECT sql FROM sqlite_schema").joined().contains("ZTOMBSTONE0"))
      for note in notes { try context.delete(note) }
    }
    try context.save()
    let deletions = try second.history().flatMap(\.changes).filter { $0.kind == .delete }
    #expect(Set(deletions.map { $0.tombstone["content"] }) == [.data(Data([0])), .data(Data([1]))])
    // A store that was already open continues to record the history.
    let other = try ManagedObjectContext(first)
    try other.delete(other.insert("Note"))
    try other.insert("Note")
    try other.save()
    #expect(try first.history().last?.changes.map(\.kind) == [.insert])
    #expect(try PlainSQLite(file).defects() == [])
  }

  @Test func `the history is empty unless the store tracks it`() throws {
    let store = try SQLiteStore(file, model: model)
    let context = try ManagedObjectContext(store)
    try context.insert("Note")
    try context.save()
    #expect(try store.history().isEmpty)
  }

  private func insert(_ context: ManagedObjectContext) throws {
    try context.insert("Note")
    try context.save()
  }

  @Test func `a new history includes saves of stores that were already open`() throws {
    let first = try ManagedObjectContext(SQLiteStore(file, model: model))
    try insert(first)
    let second = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    try insert(first)
    // Setting metadata does not turn off the history.
    let store = try #require(first.coordinator.stores.first as? SQLiteStore)
    store.setMetadata(store.metadata.merging(["key": .string("value")]) { $1 })
    try insert(first)
    #expect(try second.history().map { $0.changes.count } == [1, 1])
    let third = try SQLiteStore(file, model: model)
    #expect(third.writingObstacles == [] && third.metadata["key"] == .string("value"))
    try insert(ManagedObjectContext(third))
    #expect(try second.history().count == 3)
  }

  @Test func `reading the history during saves returns only complete saves`() throws {
    let store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    let count = LongForm.size(200, or: 40)
    let (file, model) = (file, model)
    let writer = Thread {
      guard let context = try? HistoryTests.context(file, model) else { return }
      for _ in 0..<count {
        _ = try? context.insert("Note")
        try? context.save()
      }
    }
    writer.start()
    var last: Int64 = 0
    var found = 0
    let isComplete = try eventually {
      for transaction in try store.history(after: last) {
        #expect(transaction.changes.count == 1)
        last = transaction.number
        found += 1
      }
      return found == count
    }
    #expect(isComplete, "\(found)")
  }

  private static func context(_ file: URL, _ model: ManagedObjectModel) throws -> ManagedObjectContext {
    try ManagedObjectContext(SQLiteStore(file, model: model))
  }
}
