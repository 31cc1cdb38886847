import Foundation
import ManagedObjects
import Testing

@Suite("Callbacks that use the context") struct ReentrancyTests {
  final class Page: ManagedObject {
    @Attribute var title = ""
    @Attribute var scan: Data?
    @Attribute var words = 0
    var onValidation: (() -> Void)?
    var onSnapshot: (() -> Void)?

    override func validateValue(_ value: inout AttributeValue, forKey key: String) { onValidation?() }

    override func awake(fromSnapshotEvents events: SnapshotEventType) { onSnapshot?() }
  }

  private let context: ManagedObjectContext
  private let page: Page

  init() throws {
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(Page.self))
    try coordinator.add(InMemoryStore(model: coordinator.model))
    context = ManagedObjectContext(coordinator: coordinator)
    page = try context.insert(Page.self)
    page.title = "a"
    try context.save()
  }

  @Test func `an object can become a fault while it is validated`() throws {
    page.title = "b"
    page.onValidation = { [context, page] in
      do { try context.refresh(page, mergeChanges: false) } catch { Issue.record(error) }
    }
    try context.save()
    #expect(page.title == "a" && !context.hasChanges)
  }

  @Test func `undo in an undo does nothing and is reported`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    page.title = "b"
    context.processPendingChanges()
    page.words = 2
    context.processPendingChanges()
    page.onSnapshot = { [context] in
      context.undo()
      context.redo()
    }
    context.undo()
    #expect(page.title == "b" && page.words == 0 && context.misuse.map(\.code) == [.invalidState, .invalidState])
    page.onSnapshot = nil
    context.redo()
    #expect(page.title == "b" && page.words == 2 && context.undoManager?.canRedo == false)
    context.undo()
    context.undo()
    #expect(page.title == "a" && page.words == 0 && !context.hasChanges)
  }

  @Test func `a save in an undo keeps the changes to redo`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    page.title = "b"
    context.processPendingChanges()
    page.words = 2
    page.onSnapshot = { [context] in
      do { try context.save() } catch { Issue.record(error) }
    }
    context.undo()
    #expect(!context.hasChanges && page.words == 0 && context.undoManager?.canRedo == true)
    page.onSnapshot = nil
    context.redo()
    #expect(page.title == "b" && page.words == 2)
  }

  @Test func `a rollback in an undo leaves nothing to redo`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    page.title = "b"
    page.onSnapshot = { [context] in context.rollback() }
    context.undo()
    #expect(page.title == "a" && context.undoManager?.canRedo == false && context.undoManager?.canUndo == false)
  }
}
