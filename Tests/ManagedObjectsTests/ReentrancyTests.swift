import Foundation
import ManagedObjects
import Testing

@Suite("Callbacks that use the context") struct ReentrancyTests {
  final class Page: ManagedObject {
    @Attribute var title = ""
    @Attribute var scan: Data?
    @Attribute var words = 0
    @Relationship var previous: Page?
    @Relationship(inverse: \Page.previous) var next: Page?
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

  @Test func `a deletion can be redone after the object became a fault`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    try context.delete(page)
    context.undo()
    try context.refreshAllObjects()
    context.redo()
    #expect(page.isDeleted)
    try context.refreshAllObjects()
    #expect(page.isDeleted && page.title == "a")
    context.undo()
    #expect(!page.isDeleted && page.title == "a" && !context.hasChanges)
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

  /// Steps that release the data of objects.
  enum Release: CaseIterable {
    case rollback, reset, removeAllActions, newChange, limit, report
  }

  @Test(arguments: Release.allCases) func `the deallocator of data can use the context`(release: Release) throws {
    let undoManager = ManagedObjectContext.UndoManager()
    context.undoManager = release == .rollback || release == .report ? nil : undoManager
    let number = release == .report ? context.addObserver { _ in } : 0
    let calls = CallCount()
    // The objects are referenced only by the context and by the undo manager.
    for _ in 0..<3 {
      let page = try context.insert(Page.self)
      page.scan = data { [context, undoManager] in
        calls.increase()
        let page = try context.insert(Page.self)
        page.title = "\(undoManager.canUndo) \(undoManager.canRedo) \(context.insertedObjects.count)"
        try context.delete(page)
        _ = try context.fetch(FetchRequest("Page"))
      }
      if release != .report { context.processPendingChanges() }
      if release == .limit { try context.delete(page) }
    }
    switch release {
    case .rollback, .report: context.rollback()
    case .reset: context.reset()
    case .removeAllActions, .newChange:
      while undoManager.canUndo { context.undo() }
      if release == .newChange { page.title = "b" } else { undoManager.removeAllActions() }
    case .limit:
      context.processPendingChanges()
      page.title = "b"
      try context.save()
      undoManager.levelsOfUndo = 1
    }
    context.removeObserver(number)
    #expect(calls.value == 3)
  }

  @Test(arguments: [true, false]) func `the deallocator of data in an event can use the context`(stops: Bool) throws {
    context.recordsEvents = true
    let calls = CallCount()
    let removed = try context.insert(Page.self)
    removed.scan = data { [context, page] in
      calls.increase()
      page.words += 1
      if context.recordsEvents {
        let changed = try page.changedValuesForCurrentEvent()
        #expect(changed.keys.contains("words"))
      }
    }
    removed.scan = nil
    try context.delete(removed)
    #expect(calls.value == 0)
    if stops { context.recordsEvents = false } else { context.processPendingChanges() }
    #expect(calls.value == 1 && page.words == 1)
  }

  @Test(arguments: [true, false])
  func `the deallocator of prefetched data can use the context`(isAsynchronous: Bool) async throws {
    let calls = CallCount()
    var request = FetchRequest("Page", where: try ManagedPredicate(format: "title == 'a'"))
    request.relationshipKeyPathsForPrefetching = ["next"]
    func fetch() async throws {
      if isAsynchronous {
        _ = try await context.fetch(request, progress: { _ in })
      } else {
        _ = try context.fetch(request)
      }
    }
    page.next = try context.insert(Page.self)
    try context.save()
    try await fetch()
    page.next?.scan = data { [context] in
      calls.increase()
      _ = try context.fetch(request)
    }
    try context.save()
    // The object is now referenced only because it was prefetched.
    let writer = ManagedObjectContext(coordinator: context.coordinator)
    let first = try #require(try writer.fetch(request).first as? Page)
    try writer.delete(try #require(first.next))
    try writer.save()
    writer.reset()
    try context.refresh(page, mergeChanges: false)
    #expect(calls.value == 0)
    try await fetch()
    #expect(calls.value == 1)
  }

  /// Returns data that calls a function when it is released.
  private func data(onRelease: @escaping () throws -> Void) -> Data {
    // Smaller data is copied.
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 7, count: 1000)
    return Data(
      bytesNoCopy: bytes, count: 1000,
      deallocator: .custom { bytes, _ in
        do { try onRelease() } catch { Issue.record(error) }
        bytes.deallocate()
      })
  }
}
