import ManagedObjects
import TestSupport
import Testing

@Suite("Child contexts that follow their parents") struct ChildFollowingTests {
  private typealias Note = FollowingSamples.Note
  private let container: PersistentContainer
  private let parent: ManagedObjectContext
  private let child: ManagedObjectContext
  private let events: ContextEvents
  private let note: FollowingSamples.Note
  private let own: FollowingSamples.Note

  init() throws {
    container = try FollowingSamples.container()
    try FollowingSamples.add("A", "B", to: container)
    parent = container.newContext()
    child = ManagedObjectContext(parent: parent)
    child.mergesChangesAutomatically = true
    events = ContextEvents(child, seesChanges: true)
    note = try #require(try parent.fetch(Note.self, sortedBy: [.init("title")]).first)
    own = try #require(try child.fetch(Note.self, sortedBy: [.init("title")]).first)
    #expect(own.title == "A" && note.title == "A")
  }

  @Test func `a child merges the changes that its parent reports, saved or not`() throws {
    note.title = "Parent"
    note.count = 1
    #expect(own.title == "A")
    own.count = 5
    parent.processPendingChanges()
    #expect(own.title == "Parent" && own.count == 5 && own.isUpdated)
    #expect(events.merges.map(\.updated) == [[note.objectID]])
    let new = try parent.insert(Note.self)
    try parent.save()
    #expect(events.changes.last?.inserted.map(\.objectID) == [new.objectID])
    try child.save()
    #expect(note.count == 5)
  }

  @Test func `a child merges the saves of its siblings, and not its own`() throws {
    let sibling = ManagedObjectContext(parent: parent)
    let theirs = try sibling.existingObject(Note.self, with: note.objectID)
    theirs.title = "Sibling"
    try sibling.save()
    #expect(own.title == "Sibling" && note.title == "Sibling" && events.merges.count == 1)
    own.title = "Own"
    let new = try child.insert(Note.self)
    new.title = "New"
    try child.save()
    #expect(note.title == "Own" && events.merges.count == 1, "\(events.merges)")
    #expect(!own.isFault && theirs.title == "Sibling", "the sibling does not follow")
    try child.delete(new)
    try child.save()
    #expect(events.merges.count == 1)
    try sibling.delete(theirs)
    try sibling.save()
    #expect(own.managedObjectContext == nil && events.merges.last?.deleted.count == 1)
  }

  @Test func `a child merges what its parent merges`() throws {
    parent.mergesChangesAutomatically = true
    let grandchild = ManagedObjectContext(parent: child)
    grandchild.mergesChangesAutomatically = true
    let last = try grandchild.existingObject(Note.self, with: note.objectID)
    #expect(last.count == 0)
    try FollowingSamples.count(container)
    parent.processPendingChanges()
    #expect([note, own, last].map(\.count) == [1, 1, 1])
  }

  @Test func `a child gets the values that a save combined with those of its parent`() throws {
    let part = try parent.insert(FollowingSamples.Part.self)
    try parent.save()
    // The parent relates an object that the child does not know of when it saves.
    part.note = note
    let ownPart = try child.insert(FollowingSamples.Part.self)
    ownPart.note = own
    try child.save()
    #expect(note.parts.count == 2 && own.parts.count == 2)
  }

  @Test func `a child follows undo, rollback and reset of its parent`() throws {
    parent.undoManager = ManagedObjectContext.UndoManager()
    note.title = "Changed"
    parent.processPendingChanges()
    #expect(own.title == "Changed")
    parent.undo()
    #expect(own.title == "A")
    note.title = "Changed"
    parent.processPendingChanges()
    parent.rollback()
    #expect(own.title == "A")
    note.title = "Changed"
    parent.processPendingChanges()
    #expect(own.title == "Changed")
    parent.reset()
    #expect(own.title == "A")
  }

  @Test func `merging the changes of the parent is not a read of the tracked function`() throws {
    note.title = "Parent"
    let count = tracked { parent.processPendingChanges() }
    #expect(own.title == "Parent" && !own.hasChanges)
    // Only `hasChanges` and `title` of the object change. The parent reports both objects again.
    own.title = "Own"
    #expect(count.value == 0)
  }

  @Test func `a released child leaves no follower in its parent`() throws {
    var other: ManagedObjectContext? = ManagedObjectContext(parent: parent)
    other?.mergesChangesAutomatically = true
    weak let released = other
    other = nil
    #expect(released == nil)
    note.title = "Changed"
    parent.processPendingChanges()
    #expect(own.title == "Changed")
    child.mergesChangesAutomatically = false
    note.title = "Again"
    parent.processPendingChanges()
    #expect(own.title == "Changed")
  }
}
