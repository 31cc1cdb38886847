import Foundation
import ManagedObjects
import SQLiteAccess
import SQLiteStore
import TestSupport
import Testing

@Suite("The examples of the articles about SQLite stores") struct ArticleExamples {
  private let folder = TemporaryFolder()
  private var file: URL { folder.url.appending(path: "Notes.sqlite") }

  private static func model(_ properties: [PropertyDescription]) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [EntityDescription("Note", properties)])
  }

  /// A store with three notes, as another program leaves it.
  private func makeStore() throws {
    let model = try Self.model([.attribute("title", .string)])
    let container = try PersistentContainer(model: model, stores: [.sqlite(file)])
    try container.updateAndWait { context in
      for title in ["Tea", "Milk"] { try context.insert("Note").setValue(.string(title), forKey: "title") }
      try context.insert("Note")
    }
  }

  @Test func `an example opens a store with the model stored in it`() throws {
    try makeStore()
    let model = try SQLiteStore.model(inFile: file)
    let container = try PersistentContainer(model: model, stores: [.sqlite(file)])
    let count = try container.performAndWait { try $0.count(for: FetchRequest("Note")) }
    #expect(count == 3)
  }

  @Test func `an example opens a store with a model that does not fit`() throws {
    try makeStore()
    let model = try Self.model([.attribute("title", .string), .attribute("rating", .integer16)])
    var lines: [String] = []
    func print(_ mismatch: ModelMismatch) { lines.append("\(mismatch)") }
    var description = PersistentStoreDescription.file(file)
    description.ignoresModelVersion = true
    let container = try PersistentContainer(model: model, stores: [description])
    for mismatch in container.coordinator.stores[0].modelMismatches { print(mismatch) }
    #expect(lines == ["Note.rating: the store does not have the property: it reads as nil"])
    let count = try container.performAndWait { try $0.count(for: FetchRequest("Note")) }
    #expect(count == 3)
  }

  @Test func `an example shows the objects of an Apple program without changing its files`() throws {
    try makeStore()
    let before = (folder.names, try Data(contentsOf: file))
    var lines: [String] = []
    func print(_ id: ManagedObjectID, _ title: ManagedObject.Value) { lines.append("\(id) \(title)") }
    let model = try SQLiteStore.model(inFile: file, writesNothing: true)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(SQLiteStore(file, model: model, access: .readOnly(writesNothing: true)))
    let context = ManagedObjectContext(coordinator: coordinator)
    for note in try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])) {
      print(note.objectID, note["title"] ?? .null)
    }
    #expect(lines == ["Note/p3 nil", "Note/p2 \"Milk\"", "Note/p1 \"Tea\""])
    #expect((folder.names, try Data(contentsOf: file)) == before)
  }

  @Test func `an example changes an element of a composite attribute`() throws {
    var author = AttributeDescription("author", .composite)
    author.elements = [AttributeDescription("name", .string), AttributeDescription("city", .string)]
    let model = try ManagedObjectModel(entities: [EntityDescription("Drink", [.attribute(author)])])
    let container = try PersistentContainer(model: model, stores: [.sqlite(file)])
    try container.updateAndWait { context in
      for city in ["Oslo", "Rome"] {
        let drink = try context.insert("Drink")
        try drink.setValue(.composite(["name": "Ada", "city": .string(city)]), forKey: "author")
      }
    }
    try container.updateAndWait { context in
      let request = FetchRequest(
        "Drink", where: try ManagedPredicate(format: "author.city == 'Oslo'"), sortedBy: [.init("author.name")])
      for drink in try context.fetch(request) { try drink.setValue("Bergen", forKeyPath: "author.city") }
    }
    let cities = try container.performAndWait { context in
      try context.fetch(FetchRequest("Drink", sortedBy: [.init("author.city")])).map { drink in
        try drink.value(forKeyPath: "author.city") == .attribute("Bergen")
      }
    }
    #expect(cities == [true, false])
  }

  @Test func `an example reads a part of a store's history`() throws {
    var lines: [String] = []
    func print(_ kind: PersistentHistoryChange.Kind, _ id: ManagedObjectID) { lines.append("\(kind) \(id)") }
    let model = try Self.model([.attribute("title", .string)])
    let store = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(store)
    for author in ["import", "app"] {
      let context = ManagedObjectContext(coordinator: coordinator)
      context.transactionAuthor = author
      try context.insert("Note")
      try context.save()
    }
    var lastToken: PersistentHistoryToken?
    var request = HistoryRequest(after: lastToken.map { .token($0) })
    request.author = .noneOf(["app"])
    request.entityNames = ["Note"]
    for transaction in try store.history(request) {
      for change in transaction.changes { print(change.kind, change.objectID) }
      lastToken = transaction.token
    }
    #expect(lines == ["insert Note/p1"])
    #expect(lastToken == PersistentHistoryToken(numbers: [store.identifier: 1]))
    if let lastToken { try store.deleteHistory(before: .token(lastToken)) }
    try store.deleteHistory(before: .date(Date.now.addingTimeInterval(-30 * 24 * 60 * 60)))
    #expect(try store.historyCount().transactions == 2)
  }

  @Test func `an example migrates a store to another model`() throws {
    try makeStore()
    let newModel = try Self.model([.attribute("title", .string), .attribute("date", .date)])
    let container = try PersistentContainer(model: newModel, stores: [.sqlite(file)])
    let notes = try container.performAndWait { context in
      try context.fetch(FetchRequest("Note", where: ManagedPredicate(format: "date == nil"))).count
    }
    #expect(notes == 3)
  }

  /// Two versions of notes that are counted, and a store of the first with counts from 1.
  private func makeCountedStore() throws -> (old: ManagedObjectModel, new: ManagedObjectModel) {
    let old = try Self.model([.attribute("count", .integer32)])
    let container = try PersistentContainer(model: old, stores: [.sqlite(file)])
    try container.updateAndWait { context in
      for count in 1...3 { try context.insert("Note").setValue(.integer(Int64(count)), forKey: "count") }
    }
    return (old, try Self.model([.attribute("count", .string)]))
  }

  /// The counts of notes in a store of the model that it has in itself.
  private static func counts(_ file: URL) throws -> [String] {
    let container = try PersistentContainer(model: SQLiteStore.model(inFile: file), stores: [.sqlite(file)])
    return try container.performAndWait { context in
      try context.fetch(FetchRequest("Note", sortedBy: [.init("count")])).map { note in
        if case .attribute(.string(let text))? = note["count"] { text } else { "" }
      }
    }
  }

  @Test func `an example finds the values that a migration would drop`() throws {
    _ = try makeCountedStore()
    let smallerModel = try Self.model([.attribute("title", .string)])
    do throws(ManagedObjectError) {
      try SQLiteStore.migrate(file, to: smallerModel)
    } catch {
      let errors = error.details.isEmpty ? [error] : error.details
      guard errors.allSatisfy({ $0.code == .droppedValues }) else { throw error }
      for loss in errors { print(loss.message) }
    }
    let error = #expect(throws: ManagedObjectError.self) { try SQLiteStore.migrate(file, to: smallerModel) }
    #expect(error?.code == .droppedValues && error?.details.isEmpty == true)
  }

  @Test func `an example migrates objects by a function, in place and into a new store`() throws {
    let newModel = try makeCountedStore().new
    let folder = folder.url
    let original = try Data(contentsOf: file)
    let mapping = StoreMapping(entities: [
      "Note": EntityMigrationPolicy { note, migration in
        let new = try migration.createDestinationInstances(forSource: note)
        guard case .attribute(.integer(let count))? = note["count"] else { return }
        try new.setValue(.string("\(count) times"), forKey: "count")
      }
    ])
    try SQLiteStore.migrate(file, to: newModel, by: mapping)
    #expect(try Self.counts(file) == ["1 times", "2 times", "3 times"])
    try original.write(to: file)
    try SQLiteStore.migrate(file, to: newModel, by: mapping, output: folder.appending(path: "new.sqlite"))
    #expect(try Self.counts(folder.appending(path: "new.sqlite")) == ["1 times", "2 times", "3 times"])
    #expect(try Data(contentsOf: file) == original)
  }

  @Test func `an example begins a new history`() throws {
    let newModel = try Self.model([.attribute("area", .string), .attribute("count", .integer32)])
    do {
      let store = try SQLiteStore(
        file, model: Self.model([.attribute("count", .integer32)]), access: .readWrite(tracksHistory: true))
      let context = try ManagedObjectContext(store)
      try context.insert("Note")
      try context.save()
    }
    try SQLiteStore.migrate(file, to: newModel, startsNewHistory: true)
    #expect(try SQLiteStore(file, model: newModel).history().isEmpty)
  }

  @Test func `an example migrates a store to another model and another kind`() throws {
    let (oldFile, newFile) = (folder.url.appending(path: "Notes.xml"), file)
    let oldModel = try Self.model([.attribute("count", .integer32)])
    let newModel = try Self.model([.attribute("count", .string)])
    try PersistentContainer(model: oldModel, stores: [.xml(oldFile)]).updateAndWait { context in
      try context.insert("Note").setValue(.integer(1), forKey: "count")
    }
    let mapping = StoreMapping(entities: [
      "Note": EntityMigrationPolicy { note, migration in
        try migration.createDestinationInstances(forSource: note).setValue(.string("many"), forKey: "count")
      }
    ])
    try SQLiteStore.createStore(
      at: newFile, model: newModel, migrating: oldFile, of: XMLStore.self, from: oldModel, by: mapping)
    #expect(try Self.counts(newFile) == ["many"])
  }

  @Test func `an example migrates objects by a mapping model and by the versions in a folder`() throws {
    let (second, third) = try makeCountedStore()
    let folder = folder.url
    let original = try Data(contentsOf: file)
    var note = EntityMapping("NoteToNote", .custom, from: "Note", to: "Note")
    note.migrationPolicyClassName = "NotePolicy"
    (note.sourceEntityVersionHash, note.destinationEntityVersionHash) = (
      second["Note"]?.versionHash, third["Note"]?.versionHash
    )
    try MappingModel([note]).compiledData().write(to: folder.appending(path: "2to3.cdm"))
    let policy = EntityMigrationPolicy { note, migration in
      try migration.createDestinationInstances(forSource: note).setValue(.string("many"), forKey: "count")
    }
    let compiled = try MappingModel(contentsOf: folder.appending(path: "2to3.cdm"))
    let byFile = StoreMapping(compiled, classes: ["NotePolicy": policy])
    try SQLiteStore.migrate(file, from: second, to: third, by: byFile)
    #expect(try Self.counts(file) == ["many", "many", "many"])
    // The versions of a folder, of which two tell by themselves.
    try FileManager.default.removeItem(at: folder.appending(path: "2to3.cdm"))
    try original.write(to: file)
    let newModel = try Self.model([.attribute("count", .integer32), .attribute("title", .string)])
    try VersionedModel(models: ["Notes": second, "Notes 2": newModel], currentName: "Notes 2")
      .writeCompiled(to: folder.appending(path: "Notes.momd"))
    let stages = try StagedMigration(contentsOf: folder.appending(path: "Notes.momd"))
    let staged = try PersistentContainer(model: newModel, stores: [.sqlite(file, through: stages)])
    let request = FetchRequest("Note", where: try ManagedPredicate(format: "title == nil"))
    #expect(try staged.performAndWait { try $0.count(for: request) } == 3)
  }

  @Test(.enabled(if: SQLCipher.isLinked)) func `an example encrypts a store`() throws {
    let folder = folder.url.appending(path: "private")
    let (file, backup) = (folder.appending(path: "a.sqlite"), folder.appending(path: "b.sqlite"))
    let newFile = folder.appending(path: "c.sqlite")
    let passphrase = "secret"
    let newKey = try #require(SQLiteEncryptionKey(passphrase: "new"))
    let model = try Self.model([.attribute("title", .string)])
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    guard let key = SQLiteEncryptionKey(passphrase: passphrase) else { return }
    let options = SQLiteStoreOptions(encryptionKey: key)
    let container = try PersistentContainer(model: model, stores: [.sqlite(file, options: options)])
    try container.updateAndWait { context in _ = try context.insert("Note") }
    let store = try #require(container.coordinator.stores.first as? SQLiteStore)
    try SQLiteStore.copyStore(at: file, to: backup, key: key)
    try store.changeEncryptionKey(to: newKey)
    let encrypted = try SQLiteStore(newFile, model: model, options: options)
    try encrypted.insertObjects(of: store)
    #expect(try ManagedObjectContext(encrypted).count(for: FetchRequest("Note")) == 1)
  }

  @Test func `an example encrypts the values of an attribute`() throws {
    let model = try ManagedObjectModel(classes: [Patient.self])
    let container = try PersistentContainer(model: model, stores: [.sqlite(file)])
    try container.updateAndWait { context in
      let patient = try context.insert(Patient.self)
      patient.diagnosis = "a cold in the head"
    }
    #expect(try Data(contentsOf: file).range(of: Data("a cold".utf8)) == nil)
    let found = try container.performAndWait { context in
      try context.fetch(FetchRequest("Patient")).compactMap { ($0 as? Patient)?.diagnosis }
    }
    #expect(found == ["a cold in the head"])
  }
}

/// A cipher that protects nothing, in place of one of a library.
private func seal(_ data: Data) throws -> Data { Data(data.map { $0 ^ 0x5A }) }
private func unseal(_ data: Data) throws -> Data { try seal(data) }

enum Sealed: AttributeTransformer {
  static func transformedValue(_ value: String) throws -> Data { try seal(Data(value.utf8)) }
  static func reverseTransformedValue(_ data: Data) throws -> String {
    String(decoding: try unseal(data), as: UTF8.self)
  }
}

final class Patient: ManagedObject {
  @Attribute(.transformed(by: Sealed.self)) var diagnosis: String?
}
