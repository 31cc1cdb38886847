import Foundation
import ManagedObjects
import ManagedObjectsSamples
import SQLiteStore
import StoreInspection
import TestSupport
import Testing

@Suite("The difference of two stores") struct StoreDifferenceTests {
  private static let model = Result {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        [
          .attribute("code", .string), .attribute("title", .string), .attribute("pages", .integer16),
          .relationship("author", to: "Person", inverse: "notes"),
        ]),
      EntityDescription(
        "Person",
        [.attribute("code", .string), .relationship("notes", to: "Note", inverse: "author", isToMany: true)]),
    ])
  }

  /// Inserts notes by code, each with a title and the code of its author.
  private func fill(_ store: any PersistentStore, _ notes: [(code: String?, title: String, author: String?)]) throws {
    let model = store.model
    let (note, person) = (try #require(model["Note"]), try #require(model["Person"]))
    func slot(_ entity: ManagedObjectModel.Entity, _ name: String) throws -> Int {
      try #require(entity.property(named: name)).slot
    }
    var changes = StoreChanges()
    var people: [String: RowKey] = [:]
    for name in Set(notes.compactMap(\.author)).sorted() {
      let key = try store.makeKeys([person.index])[0]
      people[name] = key
      var row = StoreRow(key: key, version: 1, values: person.emptyValues)
      row.values[try slot(person, "code")] = .attribute(.string(name))
      changes.inserted.append(row)
    }
    for (code, title, author) in notes {
      var row = StoreRow(key: try store.makeKeys([note.index])[0], version: 1, values: note.emptyValues)
      row.values[try slot(note, "code")] = .attribute(code.map { .string($0) } ?? .null)
      row.values[try slot(note, "title")] = .attribute(.string(title))
      row.values[try slot(note, "author")] = .toOne(author.flatMap { people[$0] })
      changes.inserted.append(row)
    }
    try store.save(changes)
  }

  private func lines(_ difference: StoreDifference) throws -> (lines: [String], summary: StoreDifference.Summary) {
    var lines: [String] = []
    let summary = try difference.run { lines.append("\($0)") }
    return (lines, summary)
  }

  private func stores(_ folder: TemporaryFolder, _ kinds: (String, String)) throws -> [any PersistentStore] {
    let model = try Self.model.get()
    return try [("a", kinds.0), ("b", kinds.1)].map { name, kind in
      let file = folder.url.appending(path: "\(name).\(kind)")
      switch kind {
      case "xml": return try XMLStore(file, model: model)
      case "sqlite": return try SQLiteStore(file, model: model)
      default: return try InMemoryStore(model: model)
      }
    }
  }

  @Test(arguments: ["sqlite", "xml", "memory"], ["sqlite", "xml"])
  func `a comparison by a key lists inserted, deleted and changed objects`(first: String, second: String) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let stores = try stores(folder, (first, second))
    try fill(stores[0], [("a", "Milk", "Ada"), ("b", "Bread", "Ben"), ("c", "Tea", nil), (nil, "x", nil)])
    try fill(stores[1], [("d", "New", "Ben"), ("c", "Tea", nil), ("b", "Bread", "Ada"), ("A", "Up", nil)])
    var difference = StoreDifference(from: stores[0], to: stores[1])
    difference.key = "code"
    let found = try lines(difference)
    let text = found.lines.joined(separator: "\n").replacing(/\/p[0-9]+/, with: "")
    #expect(
      text == """
        - Note
        + Note "A"
        - Note "a"
        ~ Note "b"
            author: Person "Ben" -> Person "Ada"
        + Note "d"
        ~ Person "Ada"
            notes: [Note "a"] -> [Note "b"]
        ~ Person "Ben"
            notes: [Note "b"] -> [Note "d"]
        """)
    #expect(found.summary.insertedCount == 2 && found.summary.deletedCount == 2 && found.summary.changedCount == 3)
    #expect(found.summary.unchangedCount == 1 && found.summary.keylessCount == 1 && !found.summary.isEmpty)
  }

  @Test func `a comparison by object IDs or by the key of one entity lists the changes`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let stores = try stores(folder, ("sqlite", "sqlite"))
    try fill(stores[0], [("a", "Milk", "Ada"), ("b", "Bread", "Ada")])
    try fill(stores[1], [("a", "Milk", "Ada"), ("c", "Bread", "Ada"), ("a", "Tea", nil)])
    var difference = StoreDifference(from: stores[0], to: stores[1])
    #expect(try lines(difference).lines == ["~ Note/p2\n    code: \"b\" -> \"c\"", "+ Note/p3"])
    difference.keys = ["Note": "code"]
    difference.entities = ["Note"]
    let found = try lines(difference)
    #expect(found.lines == ["+ Note/p3 \"a\"", "- Note/p2 \"b\"", "+ Note/p2 \"c\""])
    #expect(found.summary.duplicateCount == 1 && found.summary.unchangedCount == 1)
    difference.keys = ["Note": "gone"]
    #expect(errorCode { _ = try lines(difference) } == .undefinedKey)
    difference.keys = [:]
    difference.entities = ["Gone"]
    #expect(errorCode { _ = try lines(difference) } == .undefinedKey)
    difference.entities = nil
    difference.key = "gone"
    #expect(errorCode { _ = try lines(difference) } == .undefinedKey)
    #expect(try lines(StoreDifference(from: stores[0], to: stores[0])).summary.isEmpty)
  }

  @Test func `stores of two models are compared, including properties of only one model`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let old = try stores(folder, ("memory", "memory"))[0]
    try fill(old, [("a", "Milk", nil)])
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("code", .string), .attribute("colour", .string)])
    ])
    let new = try InMemoryStore(model: model)
    let note = try #require(model["Note"])
    var row = StoreRow(key: try new.makeKeys([0])[0], version: 1, values: note.emptyValues)
    row.values[try #require(note.attribute(named: "code")).slot] = .attribute(.string("a"))
    row.values[try #require(note.attribute(named: "colour")).slot] = .attribute(.string("red"))
    var changes = StoreChanges()
    changes.inserted = [row]
    try new.save(changes)
    let found = try lines(StoreDifference(from: old, to: new))
    #expect(found.lines == ["~ Note/p1\n    colour: nil -> \"red\"\n    title: \"Milk\" -> nil"])
  }

  @Test func `an entity may have the same name as the key of the comparison`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Note", [.attribute("code", .string), .attribute("title", .string)]),
      EntityDescription("code", [.attribute("author", .string), .attribute("code", .string)]),
    ])
    let note = try #require(model["Note"])
    let stores = try ["Milk", "Bread"].map { title in
      let store = try InMemoryStore(model: model)
      var row = StoreRow(key: try store.makeKeys([note.index])[0], version: 1, values: note.emptyValues)
      row.values[try #require(note.attribute(named: "code")).slot] = .attribute(.string("a"))
      row.values[try #require(note.attribute(named: "title")).slot] = .attribute(.string(title))
      var changes = StoreChanges()
      changes.inserted = [row]
      try store.save(changes)
      return store
    }
    var difference = StoreDifference(from: stores[0], to: stores[1])
    difference.key = "code"
    #expect(try lines(difference).lines == ["~ Note/p1 \"a\"\n    title: \"Milk\" -> \"Bread\""])
  }

  @Test func `a transient attribute as a key is an error`() throws {
    var shown = PropertyDescription.attribute("shown", .string)
    shown.isTransient = true
    let model = try ManagedObjectModel(entities: [EntityDescription("Note", [.attribute("title", .string), shown])])
    var difference = StoreDifference(from: try InMemoryStore(model: model), to: try InMemoryStore(model: model))
    difference.keys = ["Note": "shown"]
    let error = #expect(throws: ManagedObjectError.self) { try difference.run { _ in } }
    #expect(error?.code == .undefinedKey && error?.key == "shown")
  }

  @Test(arguments: ["sqlite", "memory"])
  func `changes of many objects are found in any order of object IDs`(kind: String) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let stores = try stores(folder, (kind, "sqlite"))
    // Several batches of objects.
    let count = LongForm.size(100_000, or: 600)
    var random = SeededGenerator(seed: 17)
    var notes = (0..<count).map { (code: Optional("é\($0)"), title: "\($0 % 7)", author: String?.none) }
    try fill(stores[0], notes)
    for index in stride(from: 0, to: count, by: 10) { notes[index].title = "changed" }
    notes.shuffle(using: &random)
    let gone = notes.prefix(count / 5)
    let changedAndGone = gone.count { $0.title == "changed" }
    try fill(stores[1], Array(notes.dropFirst(count / 5)))
    var difference = StoreDifference(from: stores[0], to: stores[1])
    difference.key = "code"
    let summary = try difference.run { _ in }
    #expect(summary.deletedCount == gone.count && summary.insertedCount == 0 && summary.duplicateCount == 0)
    #expect(summary.changedCount == (count + 9) / 10 - changedAndGone)
  }
}
