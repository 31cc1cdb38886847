import Foundation
import ManagedObjects
import TestSupport
import Testing

@Suite("Changes of an event") struct EventChangeTests {
  typealias Page = SnapshotEventTests.Page

  private let context: ManagedObjectContext

  init() throws {
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(Page.self))
    try coordinator.add(InMemoryStore(model: coordinator.model))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  private func page(_ text: String) throws -> Page {
    let page = try context.insert(Page.self)
    page.text = text
    try context.save()
    return page
  }

  @Test func `the changes of an event have the old values`() throws {
    let (page, first, second) = (try page("a"), try page("b"), try page("c"))
    page.notes = [first, second]
    page.text = "b"
    try context.save()
    context.recordsEvents = true
    page.text = "c"
    context.processPendingChanges()
    #expect(try page.changedValuesForCurrentEvent() == [:])
    page.text = "d"
    page.text = "e"
    page.number = 1
    page.next = first
    let notes = try page.mutableOrderedSet(\.notes)
    notes.remove(first)
    notes.append(first)
    first.noted.insert(second)
    #expect(
      try page.changedValuesForCurrentEvent() == [
        "text": "c", "number": .null, "next": .null, "notes": .array([.object(first), .object(second)]),
      ])
    #expect(
      try first.changedValuesForCurrentEvent() == ["previous": .null, "noted": .set([.object(page)])])
    #expect(page.changedValues()["text"] == "e")
    page.text = "c"
    #expect(try page.changedValuesForCurrentEvent()["text"] == nil)
    context.processPendingChanges()
    #expect(try page.changedValuesForCurrentEvent() == [:] && first.changedValuesForCurrentEvent() == [:])
  }

  @Test func `a new object's old values are empty`() throws {
    context.recordsEvents = true
    let new = try context.insert(Page.self)
    new.text = "x"
    #expect(try new.changedValuesForCurrentEvent() == ["text": .null])
    try context.save()
    #expect(try new.changedValuesForCurrentEvent() == [:])
    new.text = "y"
    #expect(try new.changedValuesForCurrentEvent() == ["text": "x"])
  }

  @Test func `observers can ask for the changes that are reported`() throws {
    let page = try page("a")
    context.recordsEvents = true
    var seen: [[String: ManagedObject.Value]] = []
    let observer = context.addObserver { change in
      for case let page as Page in change.updated {
        do { seen.append(try page.changedValuesForCurrentEvent()) } catch { Issue.record(error) }
        page.number = 7
      }
    }
    page.text = "b"
    context.processPendingChanges()
    context.removeObserver(observer)
    #expect(seen == [["text": "a"]])
    // The observer's change belongs to the next event.
    #expect(try page.changedValuesForCurrentEvent() == ["number": .null])
  }

  @Test func `undo, a rollback and a reset are part of an event`() throws {
    let page = try page("a")
    context.recordsEvents = true
    context.undoManager = ManagedObjectContext.UndoManager()
    page.text = "b"
    context.undo()
    #expect(try page.changedValuesForCurrentEvent() == [:])
    page.text = "b"
    context.rollback()
    #expect(try page.changedValuesForCurrentEvent() == [:])
    page.text = "b"
    context.reset()
    #expect(errorCode { _ = try page.changedValuesForCurrentEvent() } == .invalidState)
  }

  @Test func `changes of an event are not known unless they are recorded`() throws {
    let page = try page("a")
    page.text = "b"
    #expect(errorCode { _ = try page.changedValuesForCurrentEvent() } == .invalidState)
    context.recordsEvents = true
    page.number = 1
    #expect(try page.changedValuesForCurrentEvent() == ["number": .null])
    context.recordsEvents = false
    #expect(errorCode { _ = try page.changedValuesForCurrentEvent() } == .invalidState)
  }

  @Test func `a context keeps data of the program`() {
    #expect(context.userInfo.isEmpty)
    context.userInfo["window"] = 3
    #expect(context.userInfo["window"] as? Int == 3)
    context.reset()
    #expect(context.userInfo["window"] as? Int == 3)
  }
}
