import Foundation
import ManagedObjects
import OrderedCollections
import SQLiteStore
import TestSupport
import Testing

/// The decisions listed in the article about differences from Core Data.
@Suite("Decisions that differ from Core Data") struct DivergenceTests {
  final class Note: ManagedObject {
    @Attribute var title: String?
    @Attribute var pages: Int?
    var preparations = 0
    override func prepareForDeletion() { preparations += 1 }
  }

  private let folder = TemporaryFolder(isInMemory: true)

  private func context(_ kind: StoreKind = .memory) throws -> ManagedObjectContext {
    ManagedObjectContext(coordinator: try kind.coordinator(ManagedObjectModel(Note.self), folder))
  }

  @Test func `prepareForDeletion is called once for an object`() throws {
    let context = try context()
    let note = try context.insert(Note.self)
    try context.save()
    try context.delete(note)
    try context.delete(note)
    #expect(note.preparations == 1 && note.isDeleted)
    try context.save()
    #expect(note.preparations == 1)
  }

  @Test func `a context discards a deleted object that was never saved`() throws {
    let context = try context()
    let note = try context.insert(Note.self)
    try context.delete(note)
    #expect(!note.isDeleted && !note.isInserted && note.managedObjectContext == nil)
    #expect(!context.hasChanges && context.deletedObjects.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a refresh keeps the values of an object that was never saved`(mergesChanges: Bool) throws {
    let context = try context()
    let note = try context.insert(Note.self)
    note.title = "Milk"
    try context.refresh(note, mergeChanges: mergesChanges)
    #expect(note.title == "Milk" && note.isInserted && !note.isFault)
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `fetched dictionaries contain null for a missing value`(kind: StoreKind) throws {
    let context = try context(kind)
    try context.insert(Note.self).title = "Milk"
    try context.save()
    var request = FetchRequest("Note")
    request.propertiesToFetch = [.property("pages"), .property("title")]
    let found = try context.fetchDictionaries(request)
    #expect(found == [["pages": .null, "title": .string("Milk")]])
  }

  @Test func `opening a file of another store type reports that type`() throws {
    let url = folder.url.appending(path: "a.xml")
    let model = try ManagedObjectModel(Note.self)
    _ = try XMLStore(url, model: model)
    let error = thrownError { _ = try SQLiteStore(url, model: model) }
    #expect(error?.code == .storeTypeMismatch && error?.message.contains("XML") == true, "\(String(describing: error))")
  }
}
