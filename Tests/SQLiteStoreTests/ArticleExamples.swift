import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("The examples of the articles about SQLite stores")
struct ArticleExamples {
  private let folder: TemporaryFolder
  private var file: URL { folder.url.appending(path: "Notes.sqlite") }

  init() throws { folder = try TemporaryFolder() }

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

  @Test("open a store with the model that it has in itself")
  func landingPage() throws {
    try makeStore()
    let model = try SQLiteStore.model(inFile: file)
    let container = try PersistentContainer(model: model, stores: [.sqlite(file)])
    let count = try container.performAndWait { try $0.count(for: FetchRequest("Note")) }
    #expect(count == 3)
  }

  @Test("show the objects of an Apple program, and leave its files as they are")
  func openAnAppleStore() throws {
    try makeStore()
    let before = (folder.names, try Data(contentsOf: file))
    var lines: [String] = []
    func print(_ id: ManagedObjectID, _ title: ManagedObject.Value) { lines.append("\(id) \(title)") }
    let model = try SQLiteStore.model(inFile: file, writesNothing: true)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(SQLiteStore(file, model: model, writesNothing: true))
    let context = ManagedObjectContext(coordinator: coordinator)
    for note in try context.fetch(FetchRequest("Note", sortedBy: [.init("title")])) {
      print(note.objectID, note["title"] ?? .null)
    }
    #expect(lines == ["Note/p3 nil", "Note/p2 \"Milk\"", "Note/p1 \"Tea\""])
    #expect((folder.names, try Data(contentsOf: file)) == before)
  }

  @Test("change a store to another model")
  func changeYourModel() throws {
    try makeStore()
    let newModel = try Self.model([.attribute("title", .string), .attribute("date", .date)])
    let container = try PersistentContainer(model: newModel, stores: [.sqlite(file)])
    let notes = try container.performAndWait { context in
      try context.fetch(FetchRequest("Note", where: ManagedPredicate(format: "date == nil"))).count
    }
    #expect(notes == 3)
  }
}
