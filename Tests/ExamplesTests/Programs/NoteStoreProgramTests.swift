import Foundation
import ManagedObjects
import ProgramFolders
import SQLiteStore
import TestSupport
import Testing

/// A note as a value, which the views of the program use.
private struct Note: Equatable {
  var date: Date
  var content: String
}

/// A note in the store.
private final class NoteObject: ManagedObject {
  override class var entityName: String { "Note" }

  @Attribute(.unique) var date: Date
  @Attribute var content: String

  var note: Note { Note(date: date, content: content) }
}

/// The stack: the model, the coordinator and the context, each made by hand.
private final class CoreDataDAO {
  let managedObjectModel: ManagedObjectModel
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext

  init(_ kind: ProgramStore, _ file: URL) throws {
    managedObjectModel = try ManagedObjectModel(NoteObject.self)
    coordinator = PersistentStoreCoordinator(model: managedObjectModel)
    try coordinator.add(kind.open(file, managedObjectModel))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  func saveContext() throws { if context.hasChanges { try context.save() } }
}

/// The data access object of notes.
private struct NoteDAO {
  let stack: CoreDataDAO

  func create(_ note: Note) throws {
    let object = try stack.context.insert(NoteObject.self)
    (object.date, object.content) = (note.date, note.content)
    try stack.saveContext()
  }

  func modify(_ note: Note) throws {
    try object(note.date)?.content = note.content
    try stack.saveContext()
  }

  func remove(_ date: Date) throws {
    guard let object = try object(date) else { return }
    try stack.context.delete(object)
    try stack.saveContext()
  }

  func findAll() throws -> [Note] {
    try stack.context.fetch(NoteObject.self, sortedBy: .ascending(\.date)).map(\.note)
  }

  func find(_ date: Date) throws -> Note? { try object(date)?.note }

  private func object(_ date: Date) throws -> NoteObject? {
    try stack.context.fetch(NoteObject.self, where: ManagedPredicate(format: "date == %@", date)).first
  }
}

@Suite("A program that keeps notes in a store") struct NoteStoreProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "Notes") }
  private let date = Date(timeIntervalSinceReferenceDate: 600_000_000.25)

  @Test(arguments: ProgramStore.allCases)
  func `notes are created, found, changed and removed through a stack that is made step by step`(
    _ kind: ProgramStore
  ) throws {
    let dao = NoteDAO(stack: try CoreDataDAO(kind, file))
    try dao.create(Note(date: date, content: "Milk"))
    try dao.create(Note(date: date - 60, content: "Bread"))
    #expect(try dao.findAll().map(\.content) == ["Bread", "Milk"])
    try dao.modify(Note(date: date, content: "Butter"))
    #expect(try dao.find(date) == Note(date: date, content: "Butter"))
    try dao.remove(date - 60)
    #expect(try dao.find(date - 60) == nil)
    #expect(dao.stack.context.misuse.isEmpty)
    if kind == .memory { return }
    // The next start of the program.
    #expect(try NoteDAO(stack: CoreDataDAO(kind, file)).findAll() == [Note(date: date, content: "Butter")])
  }

  @Test(arguments: ProgramStore.inFiles)
  func `two notes with the same date are an error of the save`(_ kind: ProgramStore) throws {
    let dao = NoteDAO(stack: try CoreDataDAO(kind, file))
    try dao.create(Note(date: date, content: "Milk"))
    let error = #expect(throws: ManagedObjectError.self) { try dao.create(Note(date: date, content: "Bread")) }
    #expect(error?.code == .constraintMerge)
    dao.stack.context.rollback()
    #expect(try dao.findAll().map(\.content) == ["Milk"])
  }

  @Test(arguments: ProgramStore.allCases)
  func `a container opens the store in one call, and works in the background`(_ kind: ProgramStore) async throws {
    let container = try PersistentContainer(
      model: ManagedObjectModel(NoteObject.self), stores: [kind.description(file)])
    let date = date
    try await container.update { context in
      let note = try context.insert(NoteObject.self)
      (note.date, note.content) = (date, "Milk")
    }
    let contents = try await container.perform { try $0.fetch(NoteObject.self).map(\.content) }
    #expect(contents == ["Milk"])
    #expect(container.coordinator.stores.count == 1)
  }

  @Test func `a container opens the model of the program's resources, and the store in its folder`() throws {
    let model = try ManagedObjectModel(NoteObject.self)
    try VersionedModel(models: ["Notes": model], currentName: "Notes").writeCompiled(
      to: folder.url.appending(path: "resources/Notes.momd"))
    let bundle = try ResourceBundle(url: folder.url.appending(path: "resources"))
    let documents = try StandardFolders(container: folder.url).url(for: .documents, create: true)
    let container = try PersistentContainer(
      model: ManagedObjectModel(named: "Notes", in: bundle).joined(with: [NoteObject.self]),
      stores: [.sqlite(documents.appending(path: "Notes.sqlite"))])
    let date = date
    try container.updateAndWait { context in
      let note = try context.insert(NoteObject.self)
      (note.date, note.content) = (date, "Milk")
    }
    #expect(FileManager.default.fileExists(atPath: folder.path("Documents/Notes.sqlite")))
    let error = #expect(throws: ManagedObjectModelError.self) { try ManagedObjectModel(named: "Nots", in: bundle) }
    #expect("\(try #require(error))".contains(bundle.bundleURL.path))
    let merged = try ManagedObjectModel.mergedModel(from: [bundle])
    #expect(merged.entities.map(\.name) == ["Note"])
  }

  @Test(arguments: ProgramStore.inFiles)
  func `a filled store of the program's resources becomes the first contents`(_ kind: ProgramStore) throws {
    let resources = folder.url.appending(path: "Filled")
    try NoteDAO(stack: CoreDataDAO(kind, resources)).create(Note(date: date, content: "Welcome"))
    var description = kind.description(file)
    description.initialContents = resources
    for expected in 2...3 {
      let container = try PersistentContainer(model: ManagedObjectModel(NoteObject.self), stores: [description])
      let count = try container.updateAndWait { context in
        let note = try context.insert(NoteObject.self)
        (note.date, note.content) = (.now, "Milk")
        return try context.count(NoteObject.self)
      }
      #expect(count == expected)
    }
    #expect(try NoteDAO(stack: CoreDataDAO(kind, resources)).findAll().map(\.content) == ["Welcome"])
  }

  @Test func `a store of another kind is an error that names the file`() throws {
    try NoteDAO(stack: CoreDataDAO(.xml, file)).create(Note(date: date, content: "Milk"))
    let error = #expect(throws: ManagedObjectError.self) { try CoreDataDAO(.sqlite, file) }
    #expect(error?.code == .storeTypeMismatch && error?.fileURL?.path == file.path)
  }
}
