import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("Snapshot events") struct SnapshotEventTests {
  final class Page: ManagedObject {
    @Attribute(.unique) var number: Int?
    @Attribute var text: String?
    @Attribute(.transient) var length: Int?
    @Relationship(inverse: \Page.previous) var next: Page?
    @Relationship var previous: Page?
    @Relationship(inverse: \Page.notes) var noted: Set<Page>
    @Relationship var notes: [Page]
    var events: [SnapshotEventType] = []
    var faultCount = 0

    override func awake(fromSnapshotEvents events: SnapshotEventType) {
      self.events.append(events)
      length = text?.count
    }

    override func didTurnIntoFault() {
      if isFault { faultCount += 1 }
    }
  }

  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext

  init() throws {
    coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(Page.self))
    try coordinator.add(InMemoryStore(model: coordinator.model))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  private func page(_ text: String) throws -> Page {
    let page = try context.insert(Page.self)
    page.text = text
    try context.save()
    return page
  }

  @Test func `undo and redo call awake once for each object`() throws {
    let page = try page("a")
    let other = try self.page("b")
    context.undoManager = ManagedObjectContext.UndoManager()
    page.text = "abc"
    page.text = "abcd"
    page.next = other
    context.undo()
    #expect(page.events == [.undoUpdate] && other.events == [.undoUpdate] && page.length == 1)
    #expect(!page.hasChanges)
    context.redo()
    #expect(page.events == [.undoUpdate, .undoUpdate] && page.length == 4 && page.text == "abcd")
  }

  @Test func `undo of an insertion and a deletion call awake`() throws {
    let page = try page("a")
    context.undoManager = ManagedObjectContext.UndoManager()
    let new = try context.insert(Page.self)
    new.text = "new"
    context.undo()
    #expect(new.events == [[.undoInsertion, .undoUpdate]] && new.managedObjectContext == nil)
    try context.delete(page)
    try context.save()
    context.undo()
    #expect(page.events == [.undoDeletion] && page.isInserted && page.length == 1)
  }

  @Test func `a rollback calls awake of changed and deleted objects`() throws {
    let page = try page("a")
    let deleted = try self.page("b")
    let same = try self.page("c")
    page.text = "abc"
    try context.delete(deleted)
    context.rollback()
    #expect(page.events == [.rollback] && deleted.events == [.rollback] && same.events.isEmpty)
    #expect(page.length == 1 && !context.hasChanges)
  }

  @Test func `a refresh that keeps changes calls awake, another one makes a fault`() throws {
    let page = try page("a")
    let other = ManagedObjectContext(coordinator: coordinator)
    let copy = try other.existingObject(Page.self, with: page.objectID)
    copy.text = "stored"
    try other.save()
    page.number = 3
    try context.refresh(page, mergeChanges: true)
    #expect(page.events == [.refresh] && page.text == "stored" && page.length == 6 && page.faultCount == 0)
    try context.refresh(page, mergeChanges: false)
    #expect(page.events == [.refresh] && page.faultCount == 1)
    #expect(page.number == nil && page.text == "stored")
    // A fault does not become one again.
    try context.refresh(page, mergeChanges: false)
    try context.refresh(page, mergeChanges: false)
    #expect(page.faultCount == 2)
  }

  @Test func `a merge policy calls awake of the objects whose conflicts it resolves`() throws {
    let page = try page("a")
    let other = ManagedObjectContext(coordinator: coordinator)
    let copy = try other.existingObject(Page.self, with: page.objectID)
    copy.text = "stored"
    try other.save()
    page.number = 3
    context.mergePolicy = .objectTrump
    try context.save()
    #expect(page.events == [.mergePolicy] && page.text == "stored" && page.length == 6 && page.number == 3)
    let double = try other.insert(Page.self)
    double.number = 3
    other.mergePolicy = .objectTrump
    try other.save()
    #expect(copy.events == [.mergePolicy] && copy.number == 3)
  }

  @Test func `mergeChanges calls awake of objects with changes`() throws {
    let page = try page("a")
    page.number = 3
    let other = ManagedObjectContext(coordinator: coordinator)
    let copy = try other.existingObject(Page.self, with: page.objectID)
    copy.text = "stored"
    try other.save()
    var changes = SavedChanges()
    changes.updated = [page.objectID]
    try context.mergeChanges(from: changes)
    #expect(page.events == [.refresh] && page.text == "stored" && page.number == 3)
  }
}
