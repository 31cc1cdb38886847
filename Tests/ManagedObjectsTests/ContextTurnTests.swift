import ManagedObjects
import TestSupport
import Testing

@Suite("The end of a turn of a context's actor", .timeLimit(.minutes(hangLimitInMinutes)))
@MainActor struct ContextTurnTests {
  private typealias Note = FollowingSamples.Note
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try FollowingSamples.container()
    try FollowingSamples.add("A", "B", to: container)
    context = container.mainContext
  }

  @Test func `changes of one turn are reported together at its end`() async throws {
    let events = ContextEvents(context, seesChanges: true)
    let notes = try context.fetch(Note.self, sortedBy: [.init("title")])
    for number in 1...3 { notes[0].count = number }
    try context.delete(notes[1])
    let new = try context.insert(Note.self)
    #expect(events.changes.isEmpty)
    await events.wait { !events.changes.isEmpty }
    #expect(events.changes.count == 1 && events.changes[0].updated == [notes[0]])
    #expect(events.changes[0].inserted == [new] && events.changes[0].deleted == [notes[1]])
    notes[0].count = 4
    await events.wait { events.changes.count == 2 }
    #expect(events.changes[1].updated == [notes[0]] && events.changes[1].inserted.isEmpty)
    try context.refresh(notes[0], mergeChanges: false)
    await events.wait { events.changes.count == 3 }
    #expect(events.changes[2].refreshed == [notes[0]])
  }

  @Test func `an object that was inserted before the observer was added is reported at the end of the turn`()
    async throws
  {
    let new = try context.insert(Note.self)
    let events = ContextEvents(context, seesChanges: true)
    await events.wait { !events.changes.isEmpty }
    #expect(events.changes.map(\.inserted) == [[new]])
  }

  @Test func `fetched results of the main context change at the end of the turn`() async throws {
    let request = try FetchRequest(Note.self, sortedBy: .ascending(\.title))
    let results = try FetchedResultsController(Note.self, request, in: context)
    try results.performFetch()
    let changes = results.changes
    try context.insert(Note.self).title = "C"
    #expect(results.count == 2)
    var iterator = changes.makeAsyncIterator()
    let first = await iterator.next(isolation: #isolation)
    #expect(first?.objects.map(\.kind) == [.insert] && results.count == 3)
  }

  @Test func `undo groups the changes of a turn`() async throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let note = try #require(try context.fetch(Note.self, sortedBy: [.init("title")]).first)
    (note.title, note.count) = ("First", 1)
    // Jobs of the actor run in the order in which they were scheduled.
    await Task { @MainActor in }.value
    (note.title, note.count) = ("Second", 2)
    context.undo()
    #expect(note.title == "First" && note.count == 1)
    context.undo()
    #expect(note.title == "A" && note.count == 0)
  }

  @Test func `a context saves itself at the end of a turn with changes`() async throws {
    context.autosaves = true
    let events = ContextEvents(context)
    let note = try #require(try context.fetch(Note.self, sortedBy: [.init("title")]).first)
    for number in 1...3 { note.count = number }
    let new = try context.insert(Note.self)
    #expect(events.saves.isEmpty && note.hasChanges)
    await events.wait { !events.saves.isEmpty }
    #expect(events.saves.count == 1 && events.saves[0].updated == [note] && events.saves[0].inserted == [new])
    #expect(!context.hasChanges && !new.objectID.isTemporary)
    try context.delete(new)
    await events.wait { events.saves.count == 2 }
    #expect(try FollowingSamples.stored(container) == ["A", "B"])
  }

  @Test func `changes from before autosaves was set are saved`() async throws {
    try context.insert(Note.self).title = "C"
    let events = ContextEvents(context)
    context.autosaves = true
    await events.wait { !events.saves.isEmpty }
    #expect(try FollowingSamples.stored(container) == ["A", "B", "C"])
  }

  @Test func `an automatic save that fails is reported, and tried again after the next change`() async throws {
    let errors = Reports()
    container.coordinator.misuseHandler = { errors.add($0) }
    context.autosaves = true
    let events = ContextEvents(context)
    let note = try #require(try context.fetch(Note.self, sortedBy: [.init("title")]).first)
    note.title = ""
    await events.wait { events.willSaves == 1 }
    #expect(errors.codes == [.stringTooShort] && context.misuse.map(\.code) == [.stringTooShort])
    #expect(note.isUpdated && events.saves.isEmpty)
    note.count = 1
    await events.wait { events.willSaves == 2 }
    #expect(errors.codes == [.stringTooShort, .stringTooShort])
    note.title = "C"
    await events.wait { !events.saves.isEmpty }
    #expect(try FollowingSamples.stored(container) == ["B", "C"])
  }

  @Test func `a context merges the changes of others before it saves itself`() async throws {
    context.autosaves = true
    context.mergesChangesAutomatically = true
    let events = ContextEvents(context)
    let note = try #require(try context.fetch(Note.self, sortedBy: [.init("title")]).first)
    note.title = "Mine"
    try FollowingSamples.count(container)
    await events.wait { !events.saves.isEmpty }
    #expect(events.merges.count == 1 && note.count == 1 && context.misuse.isEmpty)
    #expect(try FollowingSamples.stored(container) == ["B", "Mine"])
  }

  @Test func `a child of the main context saves itself into its parent`() async throws {
    let child = ManagedObjectContext(parent: context)
    child.autosaves = true
    let events = ContextEvents(child)
    try child.insert(Note.self).title = "C"
    await events.wait { !events.saves.isEmpty }
    #expect(context.insertedObjects.count == 1 && events.saves.count == 1)
    context.autosaves = true
    let parentEvents = ContextEvents(context)
    await parentEvents.wait { !parentEvents.saves.isEmpty }
    #expect(try FollowingSamples.stored(container) == ["A", "B", "C"])
  }

  @Test func `a released context is saved first`() async throws {
    var saves = container.coordinator.saves.makeAsyncIterator()
    do {
      let context = container.newContext(isolation: MainActor.shared)
      context.autosaves = true
      try context.insert(Note.self).title = "C"
    }
    #expect(await saves.next(isolation: #isolation)?.inserted.count == 1)
    #expect(try FollowingSamples.stored(container) == ["A", "B", "C"])
  }

  @Test func `only a context with an actor saves itself`() throws {
    let errors = Reports()
    container.coordinator.misuseHandler = { errors.add($0) }
    let context = container.newContext()
    context.autosaves = true
    #expect(errors.codes == [.invalidState] && context.misuse.map(\.code) == [.invalidState])
  }
}
