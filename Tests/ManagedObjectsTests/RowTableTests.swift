import FoundationEssentials
import OrderedCollections
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Row tables") struct RowTableTests {
  let model = StoreModels.all
  let store = StoreNumber.next()

  private func table() -> RowTable { RowTable(model: model, storeNumber: store) }

  private func key(_ entity: String, _ number: Int64) -> RowKey {
    RowKey(store: store, entityIndex: model[entity]!.index, number: number)
  }

  private func changes(inserted: [StoreRow] = [], updated: [StoreRow] = [], deleted: [StoreRow] = []) -> StoreChanges {
    var changes = StoreChanges()
    (changes.inserted, changes.updated, changes.deleted) = (inserted, updated, deleted)
    return changes
  }

  private func failure(_ table: RowTable, _ changes: StoreChanges) -> ManagedObjectError? {
    var copy = table
    do {
      try copy.apply(changes)
      return nil
    } catch {
      // The table is unchanged.
      #expect(copy.rowsByNumber == table.rowsByNumber)
      #expect(copy._checkInvariants() == nil)
      return error
    }
  }

  @Test(arguments: 0..<UInt64(LongForm.size(200, or: 2)))
  func `a row table equals a dictionary after random saves`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var table = table()
    var expected: [RowKey: StoreRow] = [:]
    let count = Int64(LongForm.size(600, or: 100))
    var numbers = Array(1...count)
    for step in 0..<LongForm.size(120, or: 40) {
      var next = StoreChanges()
      let entities = ["Note", "Person", "Employee"]
      // The insertions are not always in order.
      for _ in 0..<Int.random(in: 0..<6, using: &random) where !numbers.isEmpty {
        let number = numbers.remove(at: Int.random(in: 0..<min(numbers.count, 8), using: &random))
        let entity = entities.randomElement(using: &random)!
        let values: [String: RowValue] =
          entity == "Note" ? ["content": .string("\(step)")] : ["name": .string("\(number)")]
        next.inserted.append(row(key(entity, number), model, values))
      }
      for row in expected.values.sorted(by: { $0.key < $1.key }) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: next.deleted.append(row)
        case 1:
          var row = row
          if row.key.entityIndex == Int32(model["Note"]!.index) {
            row.values[model["Note"]!.property(named: "content")!.slot] = .string("changed \(step)")
          }
          next.updated.append(row)
        default: break
        }
      }
      try table.apply(next)
      for row in next.inserted { expected[row.key] = row }
      for var row in next.updated {
        row.version += 1
        expected[row.key] = row
      }
      for row in next.deleted { expected[row.key] = nil }
      try #require(table._checkInvariants() == nil)
      try #require(table.count == expected.count)
      for entity in model.entities {
        let rows = expected.values.filter { Int($0.key.entityIndex) == entity.index }.sorted { $0.key < $1.key }
        try #require(table.rows(ofEntity: entity.index) == rows)
      }
      for number in 0...count + 1 {
        for entity in entities { try #require(table.row(key(entity, number)) == expected[key(entity, number)]) }
      }
    }
  }

  @Test func `a saved change increments the version of a row`() throws {
    var table = table()
    let first = key("Note", 1)
    try table.apply(changes(inserted: [row(first, model)]))
    #expect(table.row(first)?.version == 1)
    try table.apply(changes(updated: [row(first, model, ["content": .string("a")])]))
    #expect(table.row(first) == row(first, model, ["content": .string("a")], version: 2))
  }

  @Test func `every row with an outdated version is a conflict`() throws {
    var table = table()
    let keys = (1...4).map { key("Note", $0) }
    try table.apply(changes(inserted: keys.map { row($0, model) }))
    try table.apply(changes(updated: [row(keys[0], model), row(keys[1], model)], deleted: [row(keys[2], model)]))
    let mine = row(keys[0], model, ["content": .string("mine")])
    let error = failure(
      table,
      changes(updated: [mine, row(keys[2], model), row(keys[3], model)], deleted: [row(keys[1], model)]))
    #expect(error?.code == .merge)
    #expect(
      error?.conflicts == [
        MergeConflict(object: mine, snapshot: nil, stored: row(keys[0], model, version: 2)),
        MergeConflict(object: row(keys[2], model), snapshot: nil, stored: nil),
        MergeConflict(object: nil, snapshot: row(keys[1], model), stored: row(keys[1], model, version: 2)),
      ])
  }

  @Test
  func `a constraint covers subentities and ignores null`() throws {
    var table = table()
    let (ann, bob) = (key("Person", 1), key("Employee", 2))
    try table.apply(
      changes(inserted: [
        row(ann, model, ["name": .string("Ann")]), row(bob, model, ["name": .string("Bob")]),
        row(key("Person", 3), model), row(key("Person", 4), model),
      ]))
    let other = row(key("Employee", 5), model, ["name": .string("Ann")])
    let error = failure(table, changes(inserted: [other]))
    #expect(error?.code == .constraintMerge)
    #expect(
      error?.conflicts == [MergeConflict(object: other, snapshot: nil, stored: table.row(ann), constraint: ["name"])])
    // Two rows can exchange their names, and a row can take the name of a deleted one.
    try table.apply(
      changes(updated: [row(ann, model, ["name": .string("Bob")]), row(bob, model, ["name": .string("Ann")])]))
    try table.apply(changes(inserted: [other], deleted: [table.row(bob)!]))
    #expect(table._checkInvariants() == nil)
    #expect(failure(table, changes(updated: [row(ann, model, ["name": .string("Ann")], version: 2)])) != nil)
  }

  @Test func `each duplicate within one save is a conflict`() throws {
    let rows = (1...3).map { row(key("Person", $0), model, ["name": .string($0 == 3 ? "Bob" : "Ann")]) }
    let error = failure(table(), changes(inserted: rows))
    #expect(
      error?.conflicts
        == rows.prefix(2).map {
          MergeConflict(object: $0, snapshot: nil, stored: nil, constraint: ["name"])
        })
  }

  @Test func `a constraint compares all its properties together`() throws {
    var table = table()
    func everything(_ number: Int64, _ first: Int64?, _ second: Int64?) -> StoreRow {
      row(
        key("Everything", number), model,
        ["int32": first.map { .integer($0) } ?? .null, "int16": second.map { .integer($0) } ?? .null])
    }
    try table.apply(
      changes(inserted: [everything(1, 1, 1), everything(2, 1, 2), everything(3, 1, nil), everything(4, 1, nil)]))
    #expect(
      failure(table, changes(inserted: [everything(5, 1, 2)]))?.conflicts.first?.constraint == ["int32", "int16"])
    #expect(failure(table, changes(inserted: [everything(5, 2, 2)])) == nil)
  }

  @Test func `values that do not fit their property are errors`() throws {
    let note = key("Note", 1)
    let elsewhere = RowKey(store: StoreNumber.next(), entityIndex: model["Person"]!.index, number: 1)
    let temporary = RowKey.temporary(entityIndex: model["Person"]!.index)
    let cases: [([String: RowValue], ManagedObjectError.Code, String)] = [
      (["content": .integer(1)], .invalidValue, "content"), (["content": .toOne(nil)], .invalidValue, "content"),
      (["author": .null], .invalidValue, "author"), (["author": .toMany([])], .invalidValue, "author"),
      (["author": .unread], .invalidValue, "author"), (["author": .toOne(elsewhere)], .externalRelationship, "author"),
      (["author": .toOne(key("Note", 2))], .invalidValue, "author"),
      (["author": .toOne(temporary)], .invalidValue, "author"),
    ]
    for (values, code, name) in cases {
      let error = failure(table(), changes(inserted: [row(note, model, values)]))
      #expect(error?.code == code && error?.key == name && error?.objectID?.key == note, "\(values)")
    }
    let person = key("Person", 1)
    for value: RowValue in [.orderedToMany([]), .toMany([elsewhere]), .unread] {
      #expect(failure(table(), changes(inserted: [row(person, model, ["notes": value])])) != nil)
    }
    #expect(failure(table(), changes(inserted: [row(person, model, ["shelf": .toMany([])])])) != nil)
    #expect(
      failure(table(), changes(inserted: [StoreRow(key: note, version: 1, values: [.null])]))?.code == .invalidValue)
    for (name, value) in [("int16", Int64(40_000)), ("bool", 1)] {
      #expect(failure(table(), changes(inserted: [row(key("Everything", 1), model, [name: .integer(value)])])) != nil)
    }
  }

  @Test func `a row can refer to a row of the same save or a subentity`() throws {
    var table = table()
    let (note, person) = (key("Note", 1), key("Employee", 2))
    try table.apply(
      changes(inserted: [row(note, model, ["author": .toOne(person)]), row(person, model, ["notes": .toMany([note])])]))
    #expect(table.count == 2)
  }

  @Test func `invalid keys are errors`() throws {
    var table = table()
    try table.apply(changes(inserted: [row(key("Note", 5), model)]))
    let elsewhere = RowKey(store: StoreNumber.next(), entityIndex: model["Note"]!.index, number: 9)
    let nowhere = RowKey(store: store, entityIndex: 999, number: 9)
    let wrong = [
      changes(inserted: [row(key("Note", 5), model)]), changes(inserted: [row(key("Thing", 6), model)]),
      changes(inserted: [row(elsewhere, model)]), changes(updated: [row(elsewhere, model)]),
      changes(inserted: [row(key("Note", 7), model), row(key("Note", 7), model)]),
      changes(inserted: [StoreRow(key: nowhere, version: 1, values: [])]),
      changes(deleted: [StoreRow(key: nowhere, version: 1, values: [])]),
      changes(updated: [row(key("Note", 5), model)], deleted: [row(key("Note", 5), model)]),
    ]
    for changes in wrong { #expect(failure(table, changes)?.code == .invalidState) }
    var people = RowTable(model: model, storeNumber: store, configuration: "things")
    #expect(throws: ManagedObjectError.self) { try people.apply(changes(inserted: [row(key("Note", 1), model)])) }
  }

  @Test func `values of transient properties are not stored`() throws {
    var table = table()
    try table.apply(changes(inserted: [row(key("Person", 1), model, ["scratch": .string("x")])]))
    #expect(table.row(key("Person", 1)) == row(key("Person", 1), model))
  }

  @Test func `the time to save a row is independent of the table's size`() throws {
    let few = Int64(LongForm.size(500, or: 100))
    func time(_ count: Int64) throws -> Duration {
      var table = table()
      try table.apply(changes(inserted: (1...count).map { row(key("Person", $0), model, ["name": .string("\($0)")]) }))
      return try ThreadClock.least {
        for number in 1...few {
          let row = table.row(key("Person", number))!
          try table.apply(changes(updated: [row]))
        }
      }
    }
    let (small, large) = (try time(few), try time(100 * few))
    // Otherwise each copy would take time linear in the rows, of which there are a hundred times as many.
    #expect(large < small * 10, "\(small), \(large)")
  }
}

@Suite("In-memory stores") struct InMemoryStoreTests {
  let model = StoreModels.all

  @Test func `an in-memory store keeps saved rows`() throws {
    let store = try InMemoryStore(model: model)
    let keys = try store.insert(["Person", "Note"]) { keys in
      [["name": .string("Ann"), "notes": .toMany([keys[1]])], ["author": .toOne(keys[0])]]
    }
    try store.update(keys[1], ["content": .string("x")])
    #expect(try store.rows(keys + [RowKey.temporary(entityIndex: 0)]).map { $0?.version } == [1, 2, nil])
    #expect(try store.values(ofSlot: model["Note"]!.property(named: "content")!.slot, [keys[1]]) == [.string("x")])
    #expect(try store.fetch(FetchRequest("Person"), of: model["Person"]!) == .rows(store.rows([keys[0]]).map { $0! }))
    try store.delete(keys)
    #expect(try store.comparableRows().isEmpty)
    #expect(try store.makeKeys([0, 0]).map(\.number) == [3, 4])
    #expect(store._checkInvariants() == nil)
  }

  @Test func `a program can change only its own metadata`() throws {
    let store = try InMemoryStore(model: model, identifier: "A")
    store.setMetadata([StoreMetadataKey.identifier: .string("B"), "mine": .integer(1)])
    #expect(store.metadata["mine"] == .integer(1))
    #expect(store.metadata[StoreMetadataKey.identifier] == .string("A"))
    #expect(store.metadata[StoreMetadataKey.versionChecksum] == .string(model.versionChecksum))
    store.setMetadata([:])
    #expect(store.metadata["mine"] == nil && store.metadata[StoreMetadataKey.type] == .string("InMemory"))
  }

  @Test func `unknown configurations and entities are errors`() throws {
    #expect(throws: ManagedObjectError.self) { try InMemoryStore(model: model, configuration: "nothing") }
    let other = StoreModels.model([EntityDescription("A")])
    let store = try InMemoryStore(model: model)
    #expect(throws: ManagedObjectError.self) { try store.fetch(FetchRequest("A"), of: other["A"]!) }
    #expect(throws: ManagedObjectError.self) { try store.makeKeys([.max]) }
  }

  @Test func `concurrent saves lose no rows`() async throws {
    let store = try InMemoryStore(model: model)
    await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<50 {
            try store.insert(["Note"]) { _ in [["content": .string("\(task) \(number)")]] }
            _ = try store.comparableRows()
          }
        }
      }
    }
    #expect(try store.comparableRows().count == 400)
    #expect(store._checkInvariants() == nil)
  }
}
