import SQLiteStore
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Events of saves and merges in a context") struct ContextEventTests {
  private typealias Note = FollowingSamples.Note
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let events: ContextEvents

  init() throws {
    container = try FollowingSamples.container()
    context = container.newContext()
    events = ContextEvents(context)
  }

  @Test func `a save is reported with its objects and their IDs`() throws {
    try context.save()
    #expect(events.willSaves == 0 && events.saves.isEmpty, "there is nothing to save")
    let notes = try ["A", "B"].map { title in
      let note = try context.insert(Note.self)
      note.title = title
      return note
    }
    try context.save()
    var save = try #require(events.saves.last)
    #expect(events.willSaves == 1 && events.saves.count == 1)
    #expect(save.inserted == Set(notes) && save.updated.isEmpty && save.deleted.isEmpty)
    #expect(save.changes.inserted == Set(notes.map(\.objectID)) && save.changes.isFrom(context))
    notes[0].count = 1
    try context.delete(notes[1])
    context.name = "main"
    try context.save()
    save = try #require(events.saves.last)
    #expect(events.saves.count == 2 && save.inserted.isEmpty && save.updated == [notes[0]])
    #expect(save.deleted == [notes[1]] && notes[1].title == "B" && save.changes.contextName == "main")
    #expect(save.changes.updated == [notes[0].objectID] && save.changes.deleted == [notes[1].objectID])
  }

  @Test func `a save of a child is reported and can be merged into its siblings`() throws {
    let (child, sibling) = (ManagedObjectContext(parent: context), ManagedObjectContext(parent: context))
    let childEvents = ContextEvents(child)
    let note = try context.insert(Note.self)
    try context.save()
    let (mine, theirs) = (
      try child.existingObject(Note.self, with: note.objectID),
      try sibling.existingObject(Note.self, with: note.objectID)
    )
    mine.title = "Child"
    let new = try child.insert(FollowingSamples.Part.self)
    try child.save()
    let save = try #require(childEvents.saves.first)
    #expect(childEvents.willSaves == 1 && childEvents.saves.count == 1 && save.updated == [mine])
    #expect(save.inserted == [new] && new.objectID.isTemporary)
    #expect(save.changes.isFrom(child) && !save.changes.isFrom(context))
    #expect(theirs.title == "Untitled" && events.saves.count == 1, "the parent did not save")
    try sibling.mergeChanges(from: save.changes)
    #expect(theirs.title == "Child")
  }

  @Test func `changes that an observer makes when a save begins are saved`() throws {
    let note = try context.insert(Note.self)
    var code: ManagedObjectError.Code?
    let number = context.addEventObserver { [unowned context] event in
      guard case .willSave = event else { return }
      note.title = "Observed"
      code = errorCode { try context.save() }
    }
    try context.save()
    #expect(code == .invalidState && !context.hasChanges)
    #expect(try FollowingSamples.stored(container) == ["Observed"])
    context.removeObserver(number)
    note.title = "Last"
    try context.save()
    #expect(note.title == "Last")
  }

  @Test func `an observer saves again after a save`() throws {
    let note = try context.insert(Note.self)
    _ = context.addEventObserver { [unowned context] event in
      guard case .didSave = event, note.count < 3 else { return }
      note.count += 1
      try? context.save()
    }
    try context.save()
    #expect(note.count == 3 && !context.hasChanges && events.saves.count == 4)
    #expect(try container.performAndWait { try $0.fetch(Note.self).map(\.count) } == [3])
  }

  @Test func `a save that fails is not reported as done`() throws {
    let note = try context.insert(Note.self)
    note.title = ""
    #expect(errorCode { try context.save() } == .stringTooShort)
    #expect(events.willSaves == 1 && events.saves.isEmpty)
    note.title = "A"
    try context.save()
    #expect(events.willSaves == 2 && events.saves.map(\.inserted) == [[note]])
  }

  @Test func `an incomplete save is reported with the saved objects`() throws {
    let model = SeveralStoresTests.model
    let (first, second) = (
      try WatchedStore(model: model, configuration: "Texts"), try WatchedStore(model: model, configuration: "Log")
    )
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(first)
    try coordinator.add(second)
    let context = ManagedObjectContext(coordinator: coordinator)
    let events = ContextEvents(context)
    let note = try context.insert("Note")
    let event = try context.insert("Event")
    second.failsToSave = true
    #expect(errorCode { try context.save() } == .incompleteSave)
    #expect(events.saves.map(\.inserted) == [[note]])
    second.failsToSave = false
    try context.save()
    #expect(events.saves.map(\.inserted) == [[note], [event]])
  }

  @Test func `a merge is reported with the merged IDs`() throws {
    try FollowingSamples.add("A", to: container)
    var changes = SavedChanges()
    changes.author = "import"
    try context.mergeChanges(from: changes)
    #expect(events.merges == [changes])
  }

  @Test func `changes are merged into all contexts but the one that saved them`() async throws {
    var saves = container.coordinator.saves.makeAsyncIterator()
    let note = try context.insert(Note.self)
    try context.save()
    _ = await saves.next()
    let others = [container.newContext(), container.newContext()]
    let theirs = try others.map { try $0.existingObject(Note.self, with: note.objectID) }
    #expect(theirs.map(\.count) == [0, 0])
    note.count = 4
    try context.save()
    let changes = try #require(await saves.next())
    #expect(changes.isFrom(context) && !changes.isFrom(others[0]))
    try ManagedObjectContext.mergeChanges(from: changes, into: [context] + others)
    #expect(theirs.map(\.count) == [4, 4] && events.merges.isEmpty)
  }
}
