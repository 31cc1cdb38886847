import Foundation
import SQLiteStore
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Contexts that merge changes automatically", .timeLimit(.minutes(hangLimitInMinutes)))
struct ContextFollowingTests {
  private typealias Note = FollowingSamples.Note
  private typealias Part = FollowingSamples.Part

  @Test @MainActor func `the main context merges the saves of other contexts and not its own`() async throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", "B", "C", to: container)
    let context = container.mainContext
    #expect(context === container.mainContext && !context.mergesChangesAutomatically)
    context.mergesChangesAutomatically = true
    let events = ContextEvents(context, seesChanges: true)
    let notes = try context.fetch(Note.self, sortedBy: [.init("title")])
    notes[0].title = "Mine"
    try context.save()
    try await container.update { context in
      let notes = try context.fetch(Note.self, sortedBy: [.init("title")])
      notes[0].count = 7
      try context.delete(notes[1])
      try context.insert(Note.self).title = "New"
    }
    #expect(notes[0].count == 0, "nothing changes before the turn ends")
    await events.wait { !events.merges.isEmpty }
    #expect(events.merges.count == 1 && events.merges[0].isComplete)
    #expect(events.merges[0].updated == [notes[1].objectID] && events.merges[0].deleted == [notes[2].objectID])
    #expect(notes[1].count == 7 && notes[2].managedObjectContext == nil)
    #expect(events.changes.last?.inserted.count == 1)
    #expect(try FollowingSamples.titles(context) == ["B", "Mine", "New"])
  }

  @Test @MainActor func `saves during one turn are merged together`() async throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", to: container)
    let context = container.mainContext
    context.mergesChangesAutomatically = true
    let events = ContextEvents(context)
    let note = try #require(try context.fetch(Note.self).first)
    #expect(note.count == 0)
    for _ in 0..<20 { try FollowingSamples.count(container) }
    try FollowingSamples.add("B", "C", to: container)
    await events.wait { !events.merges.isEmpty }
    #expect(events.merges.map(\.updated) == [[note.objectID]] && events.merges[0].inserted.count == 2)
    #expect(note.count == 20)
  }

  @Test @MainActor func `merging automatically keeps unsaved changes`() async throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", to: container)
    let context = container.mainContext
    context.mergesChangesAutomatically = true
    let events = ContextEvents(context)
    let note = try #require(try context.fetch(Note.self).first)
    note.title = "Mine"
    let new = try context.insert(Part.self)
    new.note = note
    try FollowingSamples.count(container)
    await events.wait { !events.merges.isEmpty }
    #expect(note.title == "Mine" && note.count == 1 && note.parts == [new] && note.isUpdated)
    try context.save()
    #expect(try FollowingSamples.stored(container) == ["Mine"])
  }

  @Test @MainActor func `a context that stops following merges nothing`() async throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", to: container)
    let (context, other) = (container.mainContext, container.newContext(isolation: MainActor.shared))
    context.mergesChangesAutomatically = true
    other.mergesChangesAutomatically = true
    let (events, otherEvents) = (ContextEvents(context), ContextEvents(other))
    let note = try #require(try context.fetch(Note.self).first)
    try FollowingSamples.count(container)
    await events.wait { !events.merges.isEmpty }
    #expect(note.count == 1)
    context.mergesChangesAutomatically = false
    let count = otherEvents.merges.count
    try FollowingSamples.count(container)
    await otherEvents.wait { otherEvents.merges.count > count }
    #expect(events.merges.count == 1 && note.count == 1)
  }

  @Test func `a context without an actor merges when it processes changes`() throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", to: container)
    let context = container.newContext()
    context.mergesChangesAutomatically = true
    let events = ContextEvents(context)
    let note = try #require(try context.fetch(Note.self).first)
    #expect(note.count == 0)
    try FollowingSamples.count(container)
    try FollowingSamples.count(container)
    #expect(note.count == 0)
    context.processPendingChanges()
    #expect(note.count == 2 && events.merges.count == 1)
    note.count = 5
    try context.save()
    context.processPendingChanges()
    #expect(events.merges.count == 1)
  }

  @Test func `a context merges the results of batch requests`() throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", "B", to: container)
    let (context, other) = (container.newContext(), container.newContext())
    for context in [context, other] { context.mergesChangesAutomatically = true }
    let notes = try [context, other].map { try #require(try $0.fetch(Note.self).first { $0.title == "A" }) }
    try context.execute(.update("Note", ["count": .integer(4)]))
    for context in [context, other] { context.processPendingChanges() }
    #expect(notes.map(\.count) == [4, 4])
  }

  @Test func `a released context is not followed by its coordinator`() throws {
    let container = try FollowingSamples.container()
    var context: ManagedObjectContext? = container.newContext()
    context?.mergesChangesAutomatically = true
    #expect(container.coordinator.hasListeners)
    weak let released = context
    context = nil
    #expect(released == nil && !container.coordinator.hasListeners)
  }

  @Test @MainActor func `the main context is released with its container`() throws {
    var container: PersistentContainer? = try FollowingSamples.container()
    container?.mainContext.mergesChangesAutomatically = true
    weak let context = container?.mainContext
    weak let coordinator = container?.coordinator
    container = nil
    #expect(context == nil && coordinator == nil)
  }

  @Test func `a mailbox with too many changes asks to read everything again`() throws {
    let container = try FollowingSamples.container()
    let context = container.newContext()
    let entity = try #require(container.model.entity(named: "Note"))
    func ids(_ numbers: Range<Int64>) -> Set<ManagedObjectID> {
      let store = container.coordinator.stores[0]
      return Set(
        numbers.map { number in
          let key = RowKey(store: store.number, entityIndex: entity.index, number: number)
          return ManagedObjectID(key, model: container.model, storeIdentifier: store.identifier)
        })
    }
    let mailbox = ContextMailbox(contextNumber: context.state.number) {}
    var changes = SavedChanges()
    changes.author = "import"
    let half = Int64(ContextMailbox.greatestCount / 2)
    changes.inserted = ids(1..<half)
    mailbox.post(changes)
    changes.inserted = []
    changes.updated = ids(half..<2 * half)
    mailbox.post(changes)
    let kept = try #require(mailbox.take()?.changes)
    #expect(kept.isComplete && kept.author == "import")
    #expect(kept.inserted.count + kept.updated.count == 2 * Int(half) - 1)
    #expect(mailbox.take() == nil)
    mailbox.post(kept)
    changes = SavedChanges()
    changes.deleted = ids(2 * half..<2 * half + 5)
    mailbox.post(changes)
    let dropped = try #require(mailbox.take()?.changes)
    #expect(!dropped.isComplete && dropped.count == 0 && dropped.author.isEmpty)
  }

  @Test func `changes that are put back precede those that came meanwhile`() throws {
    let container = try FollowingSamples.container()
    let ids = try container.updateAndWait { context in
      let notes = try (0..<2).map { _ in try context.insert(Note.self) }
      try context.obtainPermanentIDs(for: notes)
      return notes.map(\.objectID)
    }
    let mailbox = ContextMailbox(contextNumber: -1) {}
    var older = SavedChanges()
    older.inserted = [ids[0]]
    older.deleted = [ids[1]]
    mailbox.post(older)
    let taken = try #require(mailbox.take()?.changes)
    // The first object is deleted, and the deletion of the second one is undone and saved.
    var newer = SavedChanges()
    newer.deleted = [ids[0]]
    newer.inserted = [ids[1]]
    mailbox.post(newer)
    mailbox.putBack(taken)
    let changes = try #require(mailbox.take()?.changes)
    #expect(changes.inserted == [ids[1]] && changes.deleted == [ids[0]])
    mailbox.putBack(taken)
    #expect(mailbox.take()?.changes == taken)
  }

  @Test func `a context that missed the details of changes reads everything again`() throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", "B", to: container)
    let context = container.newContext()
    context.mergesChangesAutomatically = true
    let notes = try context.fetch(Note.self, sortedBy: [.init("title")])
    #expect(notes.map(\.count) == [0, 0])
    try FollowingSamples.count(container)
    try container.updateAndWait { context in
      for number in 0..<ContextMailbox.greatestCount { try context.insert(Part.self).text = "\(number)" }
    }
    notes[1].title = "Mine"
    context.processPendingChanges()
    #expect(notes.map(\.count) == [1, 1] && notes[1].title == "Mine")
  }

  @Test func `changes that cannot be read are reported and merged later`() throws {
    let model = try FollowingSamples.model()
    let store = try WatchedStore(model: model)
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(store)
    let (context, other) = (
      ManagedObjectContext(coordinator: coordinator), ManagedObjectContext(coordinator: coordinator)
    )
    let kept = try other.insert(Note.self)
    try other.save()
    context.mergesChangesAutomatically = true
    let note = try #require(try context.fetch(Note.self).first)
    note.title = "Mine"
    kept.count = 3
    try other.save()
    store.failsToRead = true
    context.processPendingChanges()
    #expect(context.misuse.map(\.code) == [.operation] && note.count == 0)
    store.failsToRead = false
    context.processPendingChanges()
    #expect(context.misuse.count == 1 && note.count == 3 && note.title == "Mine")
  }

  @Test(arguments: [StoreKind.xml, .binary, .sqlite])
  @MainActor func `the main context merges the saves of another program`(_ kind: StoreKind) async throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "notes")
    func container() throws -> PersistentContainer {
      let store: PersistentStoreDescription =
        switch kind {
        case .xml: .xml(file)
        case .binary: .binary(file)
        default: .sqlite(file, tracksHistory: true)
        }
      return try PersistentContainer(model: FollowingSamples.model(), stores: [store])
    }
    let own = try container()
    try FollowingSamples.add("A", "B", to: own)
    let context = own.mainContext
    context.mergesChangesAutomatically = true
    let events = ContextEvents(context)
    let notes = try context.fetch(Note.self, sortedBy: [.init("title")])
    notes[0].title = "Mine"
    let other = try container()
    try FollowingSamples.count(other)
    await events.wait { notes.allSatisfy { $0.count == 1 } }
    #expect(notes[0].title == "Mine" && events.merges.allSatisfy { $0.isComplete && $0.author.isEmpty })
    try context.save()
    #expect(try FollowingSamples.stored(other) == ["B", "Mine"])
  }

  @Test @MainActor func `a file that cannot be read is reported as misuse`() async throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "notes.xml")
    let container = try PersistentContainer(model: FollowingSamples.model(), stores: [.xml(file)])
    try FollowingSamples.add("A", to: container)
    let context = container.mainContext
    context.mergesChangesAutomatically = true
    try FileManager.default.removeItem(at: file)
    // The context has no event for errors, so it is asked.
    while context.misuse.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
    #expect(context.misuse.allSatisfy { $0.fileURL?.lastPathComponent == "notes.xml" })
  }

  @Test @MainActor func `a context that follows several writers shows the final state`() async throws {
    let container = try FollowingSamples.container()
    try FollowingSamples.add("A", "B", "C", to: container)
    let context = container.mainContext
    context.mergesChangesAutomatically = true
    context.mergePolicy = .objectTrump
    let events = ContextEvents(context)
    let request = try FetchRequest(Note.self, sortedBy: .ascending(\.title))
    let results = try FetchedResultsController(Note.self, request, in: context)
    try results.performFetch()
    let notes = results.fetchedObjects
    let rounds = LongForm.size(200, or: 15)
    let writing = Task {
      await withTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          group.addTask {
            for round in 0..<rounds {
              _ = try? await container.update { context in
                for note in try context.fetch(Note.self) where note.title < "D" { note.count += 1 }
                if round % 3 == 0 { try context.insert(Note.self).title = "W\(writer) \(round)" }
              }
            }
          }
        }
      }
    }
    var own = 0
    while notes[0].count < 4 * rounds {
      own += 1
      try context.insert(Part.self).text = "\(own)"
      try context.save()
      let count = events.merges.count
      await events.wait { events.merges.count > count || notes[0].count >= 4 * rounds }
    }
    await writing.value
    await events.wait { results.count == 3 + 4 * ((rounds + 2) / 3) }
    #expect(notes.map(\.count) == [4 * rounds, 4 * rounds, 4 * rounds])
    #expect(results.fetchedObjects.map(\.title) == (try FollowingSamples.stored(container)))
    #expect(try context.count(for: FetchRequest("Part")) == own && context.misuse.isEmpty)
  }
}
