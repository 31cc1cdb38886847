import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import TestSupport
import Testing

@Suite("The history of a migrated store") struct HistoryMigrationTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "a.sqlite") }

  private static func old() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription("Album", [.attribute("name", .string)]),
      EntityDescription("Note", [.preserved("body"), .attribute("count", .integer32), .preserved("title")]),
    ])
  }

  /// A version without albums, in which notes are named "Memo" and follow a new entity. The attributes of memos have
  /// other names, and so are in another order.
  private static func new() throws -> ManagedObjectModel {
    var memo = EntityDescription(
      "Memo",
      [.preserved("zero", from: "body"), .attribute("count", .integer32), .preserved("title"), .preserved("added")])
    memo.renamingIdentifier = "Note"
    return try ManagedObjectModel(entities: [EntityDescription("Label", [.attribute("name", .string)]), memo])
  }

  /// Creates a store with five saves: the insertion of an album, a note and a lost note, an update of the note, an
  /// update of the album, and two deletions.
  private func makeStore() throws {
    let context = try ManagedObjectContext(
      SQLiteStore(file, model: Self.old(), access: .readWrite(tracksHistory: true)))
    context.transactionAuthor = "tests"
    let album = try context.insert("Album")
    let note = try context.insert("Note")
    let lost = try context.insert("Note")
    try lost.setValue(.string("text"), forKey: "body")
    try lost.setValue(.string("gone"), forKey: "title")
    try context.save()
    try note.setValue(.string("changed"), forKey: "body")
    try note.setValue(AttributeValue.integer(3), forKey: "count")
    try context.save()
    try album.setValue(.string("a"), forKey: "name")
    try context.save()
    try context.delete(lost)
    try context.save()
    try context.delete(album)
    try context.save()
  }

  private static func shown(_ history: [PersistentHistoryTransaction]) -> [String] {
    history.map { transaction in
      "\(transaction.number) \(transaction.author ?? ""): "
        + transaction.changes.map { change in
          let values = change.tombstone.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
          return "\(change.kind) \(change.objectID)"
            + (change.updatedProperties + values).map { " \($0)" }.joined()
        }.joined(separator: ", ")
    }
  }

  private static let converted = [
    "1 tests: insert Memo/p1, insert Memo/p2", "2 tests: update Memo/p1 count zero", "3 tests: ",
    "4 tests: delete Memo/p2 added=nil title=\"gone\" zero=\"text\"", "5 tests: ",
  ]

  @Test(arguments: [false, true])
  func `an inferred migration keeps the transactions, with the names of the new model`(withOutput: Bool) throws {
    try makeStore()
    let output = withOutput ? folder.url.appending(path: "b.sqlite") : nil
    try SQLiteStore.migrate(file, to: Self.new(), output: output, droppedValues: .drop)
    let store = try SQLiteStore(output ?? file, model: Self.new())
    #expect(store.writingObstacles == [])
    let history = try Self.shown(store.history())
    #expect(history == Self.converted)
    // A reader continues with the number from before the migration.
    let context = try ManagedObjectContext(store)
    let memo = try context.insert("Memo")
    try memo.setValue(.string("x"), forKey: "added")
    try context.save()
    try context.delete(memo)
    try context.save()
    #expect(
      try Self.shown(store.history(after: 5)) == [
        "6 : insert Memo/p3", "7 : delete Memo/p3 added=\"x\" title=nil zero=nil",
      ])
    #expect(try PlainSQLite(output ?? file).defects() == [])
  }

  @Test func `the numbers of two entities can be exchanged`() throws {
    var entities = ["A", "B"].map { EntityDescription($0, [.attribute("name", .string)]) }
    let old = try ManagedObjectModel(entities: entities)
    do {
      let context = try ManagedObjectContext(
        SQLiteStore(file, model: old, access: .readWrite(tracksHistory: true)))
      for name in ["A", "B", "B"] { try context.insert(name) }
      try context.save()
    }
    for (index, name) in ["B", "A"].enumerated() {
      entities[index].name = name
      entities[index].renamingIdentifier = ["A", "B"][index]
    }
    entities[0].properties.append(.attribute("extra", .string))
    let new = try ManagedObjectModel(entities: entities)
    try SQLiteStore.migrate(file, from: old, to: new)
    let changes = try SQLiteStore(file, model: new).history().flatMap(\.changes).map { "\($0.objectID)" }
    #expect(changes == ["B/p1", "A/p1", "A/p2"])
  }

  /// A mapping that creates all objects again.
  private static let mapping = StoreMapping(entities: ["Note": EntityMigrationPolicy()])

  @Test(arguments: [false, true])
  func `a migration with a mapping deletes the history, and older numbers are expired`(withOutput: Bool) throws {
    try makeStore()
    let output = withOutput ? folder.url.appending(path: "b.sqlite") : nil
    try SQLiteStore.migrate(file, to: Self.new(), by: Self.mapping, output: output, droppedValues: .drop)
    let store = try SQLiteStore(output ?? file, model: Self.new())
    #expect(store.writingObstacles == [])
    #expect(try store.history().isEmpty)
    for number: Int64 in [1, 4, 5] {
      let error = #expect(throws: ManagedObjectError.self) { try store.history(after: number) }
      #expect(error?.code == .historyTokenExpired, "\(number)")
    }
    let context = try ManagedObjectContext(store)
    let memo = try #require(try context.fetch(FetchRequest("Memo")).first)
    try memo.setValue(.string("x"), forKey: "added")
    try context.save()
    #expect(try Self.shown(store.history()) == ["7 : update Memo/p1 added"])
    #expect(try store.history(after: 6).count == 1)
    #expect(try PlainSQLite(output ?? file).defects() == [])
  }

  @Test func `the history is kept through several inferred steps, and lost in one with a mapping`() throws {
    var entities = try Self.new().entities.map(\.definition)
    entities[1].renamingIdentifier = nil
    entities[1].properties = entities[1].properties.map { property in
      guard case .attribute(var attribute) = property else { return property }
      attribute.renamingIdentifier = nil
      return .attribute(attribute)
    }
    entities[0].properties.append(.attribute("color", .string))
    let last = try ManagedObjectModel(entities: entities)
    for mapping in [StoreMapping(), StoreMapping(entities: ["Memo": EntityMigrationPolicy()])] {
      let folder = TemporaryFolder(isInMemory: true)
      try makeStore()
      let copy = folder.url.appending(path: "a.sqlite")
      for suffix in ["", "-wal"] {
        try? FileManager.default.moveItem(atPath: file.path + suffix, toPath: copy.path + suffix)
      }
      try SQLiteStore.migrate(
        copy, through: StagedMigration([.init(Self.old()), .init(Self.new()), .init(last, mapping: mapping)]),
        droppedValues: .drop)
      let store = try SQLiteStore(copy, model: last)
      let isKept = mapping.entityPolicies.isEmpty
      #expect(try Self.shown(store.history()) == (isKept ? Self.converted : []))
      #expect(store.writingObstacles == [])
    }
  }

  @Test func `a failed migration leaves the history as it was`() throws {
    try makeStore()
    for mapping in [StoreMapping(), Self.mapping] {
      #expect(throws: ManagedObjectError.self) {
        try SQLiteStore.migrate(file, to: Self.new(), by: mapping, droppedValues: .drop) { progress in
          if progress.completedCount > 0 { throw ManagedObjectError(.operation, "not now") }
        }
      }
      let store = try SQLiteStore(file, model: Self.old())
      #expect(try store.history(after: 1).map(\.number) == [2, 3, 4, 5])
      #expect(try store.history().first?.changes.count == 3)
    }
  }

  @Test func `numbers before deleted transactions, and after the last one, are expired`() throws {
    try makeStore()
    let store = try SQLiteStore(file, model: Self.old())
    try store.deleteHistory(through: 3)
    #expect(try store.history().map(\.number) == [4, 5])
    #expect(try store.history(after: 3).map(\.number) == [4, 5])
    #expect(try store.history(after: 5).isEmpty)
    for number: Int64 in [2, 6] {
      let error = #expect(throws: ManagedObjectError.self) { try store.history(after: number) }
      #expect(error?.code == .historyTokenExpired && error?.fileURL == file, "\(number)")
    }
    try store.deleteHistory(through: 5)
    #expect(try store.history(after: 5).isEmpty)
    #expect(throws: ManagedObjectError.self) { try store.history(after: 4) }
  }
}
