import ManagedObjects
import TestSupport
import Testing

@Suite("Actors with a context", .timeLimit(.minutes(hangLimitInMinutes))) struct ManagedObjectActorTests {
  private typealias Note = FollowingSamples.Note

  /// The example of the documentation, with events.
  actor NoteImporter: ManagedObjectActor {
    let container: PersistentContainer
    lazy var context = container.newContext(isolation: self)
    private lazy var events = ContextEvents(context)

    init(container: PersistentContainer) { self.container = container }

    func add(_ titles: [String]) throws {
      for title in titles { try context.insert(Note.self).title = title }
      try context.save()
    }

    func follow() throws {
      context.mergesChangesAutomatically = true
      #expect(events.merges.isEmpty)
    }

    func merges(_ count: Int) async -> [SavedChanges] {
      await events.wait { events.merges.count >= count }
      return events.merges
    }
  }

  @Test func `an actor works with its own context`() async throws {
    let container = try FollowingSamples.container()
    let importer = NoteImporter(container: container)
    try await importer.add(["Milk", "Bread"])
    #expect(try FollowingSamples.stored(container) == ["Bread", "Milk"])
    let count = try await importer.perform { context in try context.fetch(Note.self).count }
    #expect(count == 2)
  }

  @Test func `the context of an actor merges changes on the actor`() async throws {
    let container = try FollowingSamples.container()
    let importer = NoteImporter(container: container)
    try await importer.add(["Milk"])
    try await importer.follow()
    try FollowingSamples.count(container)
    let merges = await importer.merges(1)
    #expect(merges.count == 1 && merges[0].updated.count == 1)
    #expect(try await importer.perform { try $0.fetch(Note.self).map(\.count) } == [1])
  }

  @Test func `a background context keeps its unsaved changes between calls`() async throws {
    let container = try FollowingSamples.container()
    let errors = Reports()
    container.coordinator.misuseHandler = { errors.add($0) }
    let background = container.newBackgroundContext()
    try await background.perform { context in try context.insert(Note.self).title = "Milk" }
    #expect(try FollowingSamples.stored(container).isEmpty)
    try await background.perform { context in try context.save() }
    #expect(try FollowingSamples.stored(container) == ["Milk"] && errors.all.isEmpty)
  }

  @Test func `a background context that saves itself is saved before it is released`() async throws {
    let container = try FollowingSamples.container()
    var saves = container.coordinator.saves.makeAsyncIterator()
    try await container.newBackgroundContext().perform { context in
      context.autosaves = true
      try context.insert(Note.self).title = "Milk"
    }
    #expect(await saves.next()?.inserted.count == 1)
    #expect(try FollowingSamples.stored(container) == ["Milk"])
  }

  @Test func `the context of an actor is released with the actor`() async throws {
    let container = try FollowingSamples.container()
    var background: BackgroundContext? = container.newBackgroundContext()
    await background?.perform { context in context.mergesChangesAutomatically = true }
    weak let released = background
    background = nil
    #expect(eventually { released == nil })
    // A save finds no mailbox of the released context.
    try FollowingSamples.add("Milk", to: container)
    #expect(try FollowingSamples.stored(container) == ["Milk"])
  }
}
