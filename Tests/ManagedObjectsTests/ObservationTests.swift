import Observation
import Synchronization
import Testing

@testable import ManagedObjects

@Suite("Observation of objects") struct ObservationTests {
  typealias Paper = ObservationSamples.Paper
  typealias Writer = ObservationSamples.Writer
  typealias Topic = ObservationSamples.Topic

  private let context: ManagedObjectContext
  private let paper: Paper
  private let ada: Writer

  init() throws {
    context = try ObservationSamples.context()
    paper = try context.insert(Paper.self)
    ada = try context.insert(Writer.self)
    ada.name = "Ada"
    paper.author = ada
    try context.save()
  }

  // Properties.

  @Test func `a changed attribute is reported once, and before the change`() {
    let titles = Mutex<[String]>([])
    let paper = paper
    // The function is called by the setter, in this thread.
    nonisolated(unsafe) let object = paper
    withObservationTracking {
      _ = paper.title
    } onChange: {
      titles.withLock { $0.append(object.title) }
    }
    paper.title = "a"
    paper.title = "b"
    #expect(titles.withLock { $0 } == [""])
  }

  @Test func `setting the same value, or another property or object, is not reported`() throws {
    let other = try context.insert(Paper.self)
    let count = tracked { paper.title }
    paper.title = ""
    paper.pages = 5
    other.title = "a"
    #expect(count.value == 0)
    paper.title = "a"
    #expect(count.value == 1)
  }

  @Test func `both sides of a relationship are reported, and agree when they are`() throws {
    let eve = try context.insert(Writer.self)
    let (author, old, new) = (tracked { paper.author }, tracked { ada.papers }, CallCount())
    nonisolated(unsafe) let objects = (paper: paper, ada: ada, eve: eve)
    withObservationTracking {
      _ = eve.papers
    } onChange: {
      if objects.paper.author == objects.eve, objects.eve.papers == [objects.paper], objects.ada.papers == [] {
        new.increase()
      }
    }
    paper.author = eve
    #expect([author, old, new].map(\.value) == [1, 1, 1])
  }

  @Test func `adding to and removing from a relationship is reported`() throws {
    let topic = try context.insert(Topic.self)
    let (topics, papers) = (tracked { paper.topics }, tracked { topic.papers })
    paper.add(topic, to: \.topics)
    paper.add(topic, to: \.topics)
    #expect([topics.value, papers.value] == [1, 1])
    let again = tracked { topic.papers }
    paper.remove(topic, from: \.topics)
    #expect(again.value == 1)
  }

  @Test func `values by key and by key path are tracked`() throws {
    let counts = [
      tracked { paper["title"] }, tracked { try? paper.value(forKey: "title") },
      tracked { try? paper.value(forKeyPath: "author.name") },
      tracked { try? ada.value(forKeyPath: "papers.@max.title") },
    ]
    try paper.setValue(.string("a"), forKey: "title")
    #expect(counts.map(\.value) == [1, 1, 0, 1])
    ada.name = "Eve"
    #expect(counts.map(\.value) == [1, 1, 1, 1])
    let path = tracked { try? paper.value(forKeyPath: "author.name") }
    paper.author = nil
    #expect(path.value == 1)
  }

  @Test func `the values that a predicate reads are tracked`() throws {
    let predicate = try ManagedPredicate(format: "author.name == 'Ada'")
    let count = tracked { try? predicate.evaluate(with: paper) }
    paper.title = "a"
    #expect(count.value == 0)
    ada.name = "Eve"
    #expect(count.value == 1)
  }

  @Test func `a fetched property is compared when pending changes are processed`() throws {
    let count = tracked { ada.longPapers }
    paper.title = "a"
    context.processPendingChanges()
    #expect(count.value == 0)
    paper.pages = 5
    #expect(count.value == 0)
    context.processPendingChanges()
    #expect(count.value == 1)
    // Without a tracked fetched property, nothing follows the changes of the context.
    context.processPendingChanges()
    #expect(context.followers.isEmpty)
  }

  @Test func `a fetch inside the tracked function tracks only the values that the function reads`() throws {
    paper.title = "a"
    let request = FetchRequest("Paper", where: try ManagedPredicate(format: "title == 'a'"))
    let count = tracked { (try? context.fetch(request))?.count }
    paper.title = "b"
    try context.save()
    try context.delete(paper)
    #expect(count.value == 0)
  }

  // Operations.

  @Test func `undo, redo and rollback report what they change`() {
    context.undoManager = .init()
    paper.title = "a"
    context.processPendingChanges()
    let (title, pages) = (tracked { paper.title }, tracked { paper.pages })
    context.undo()
    #expect([title.value, pages.value] == [1, 0])
    let redone = tracked { paper.title }
    context.redo()
    #expect(redone.value == 1)
    let back = tracked { paper.title }
    context.rollback()
    #expect([back.value, pages.value] == [1, 0])
  }

  @Test func `a step that ends with the old value is not reported`() {
    context.undoManager = .init()
    paper.title = "a"
    paper.title = ""
    context.processPendingChanges()
    let count = tracked { paper.title }
    context.undo()
    #expect(count.value == 0)
  }

  private func changes(by edit: (Paper) throws -> Void) throws -> SavedChanges {
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let copy = try other.existingObject(Paper.self, with: paper.objectID)
    try edit(copy)
    var changes = SavedChanges()
    changes.updated = Set(other.updatedObjects.map(\.objectID))
    changes.deleted = Set(other.deletedObjects.map(\.objectID))
    try other.save()
    return changes
  }

  @Test func `a merge reports the values that another context changed`() throws {
    let (title, pages, author) = (tracked { paper.title }, tracked { paper.pages }, tracked { paper.author })
    let changes = try changes {
      $0.title = "a"
      $0.author = nil
    }
    #expect([title, pages, author].map(\.value) == [0, 0, 0])
    try context.mergeChanges(from: changes)
    #expect([title, pages, author].map(\.value) == [1, 0, 1])
  }

  @Test func `a merge or refresh that brings the same values is not reported`() throws {
    let changes = try changes { $0.pages = 5 }
    let (title, length) = (tracked { paper.title }, tracked { paper.length })
    try context.mergeChanges(from: changes)
    try context.refresh(paper, mergeChanges: false)
    try context.refreshAllObjects()
    #expect([title.value, length.value] == [0, 0])
    #expect(paper.pages == 5)
  }

  @Test func `a merged deletion is reported`() throws {
    let (papers, lost) = (tracked { ada.papers }, tracked { paper.isInaccessible })
    let changes = try changes { try $0.managedObjectContext?.delete($0) }
    try context.mergeChanges(from: changes)
    #expect([papers.value, lost.value] == [1, 1])
  }

  @Test func `a save that resolves a conflict reports the values of the store`() throws {
    context.mergePolicy = .storeTrump
    _ = try changes { $0.title = "theirs" }
    paper.title = "mine"
    let (title, pages) = (tracked { paper.title }, tracked { paper.pages })
    try context.save()
    #expect([title.value, pages.value] == [1, 0])
    #expect(paper.title == "theirs")
  }

  @Test func `a deletion reports the states and relationships that it changes`() throws {
    let counts = [
      tracked { paper.isDeleted }, tracked { paper.hasChanges }, tracked { ada.papers }, tracked { ada.name },
    ]
    try context.delete(paper)
    #expect(counts.map(\.value) == [1, 1, 1, 0])
    let saved = [tracked { paper.isDeleted }, tracked { paper.hasChanges }, tracked { ada.papers }]
    try context.save()
    #expect(saved.map(\.value) == [1, 1, 0])
  }

  @Test func `a save reports object IDs and states, and no relationship to an object with a new ID`() throws {
    let eve = try context.insert(Writer.self)
    paper.author = eve
    let counts = [
      tracked { eve.objectID }, tracked { eve.isInserted }, tracked { paper.isUpdated },
      tracked { paper.changedValues() },
      tracked { paper.committedValues() }, tracked { paper.author }, tracked { eve.papers }, tracked { ada.objectID },
    ]
    try context.save()
    #expect(counts.map(\.value) == [1, 1, 1, 1, 1, 0, 0, 0])
  }

  @Test func `a child's save is reported in its parent, and the parent's save in the child`() throws {
    let child = ManagedObjectContext(parent: context)
    let copy = try child.existingObject(Paper.self, with: paper.objectID)
    let new = try child.insert(Topic.self)
    let (title, id) = (tracked { paper.title }, tracked { new.objectID })
    copy.title = "a"
    #expect(title.value == 0)
    try child.save()
    #expect([title.value, id.value] == [1, 0])
    try context.save()
    #expect(id.value == 1)
  }

  @Test func `merging the parent's changes is not a read`() throws {
    let child = ManagedObjectContext(parent: context)
    child.mergesChangesAutomatically = true
    let copy = try child.existingObject(Paper.self, with: paper.objectID)
    #expect(copy.title == "")
    let count = tracked {
      paper.title = "a"
      context.processPendingChanges()
    }
    #expect(copy.title == "a")
    copy.title = "b"
    #expect(count.value == 0)
  }

  @Test func `a reset reports the values that it empties`() {
    let (name, title, lost) = (tracked { ada.name }, tracked { paper.title }, tracked { ada.isInaccessible })
    context.reset()
    #expect([name.value, title.value, lost.value] == [1, 1, 1])
  }

  @Test func `changes by hooks are reported when the operation ends`() throws {
    final class Stamped: ManagedObject {
      @Attribute var title = ""
      @Attribute var stamp = 0

      override func willSave() { if stamp == 0 { stamp = 1 } }
    }
    let coordinator = PersistentStoreCoordinator(model: try ManagedObjectModel(classes: [Stamped.self]))
    try coordinator.add(InMemoryStore(model: coordinator.model))
    let context = ManagedObjectContext(coordinator: coordinator)
    let object = try context.insert(Stamped.self)
    let (stamp, state) = (CallCount(), tracked { object.hasChanges })
    nonisolated(unsafe) let stamped = object
    withObservationTracking {
      _ = object.stamp
    } onChange: {
      if !stamped.hasChanges { stamp.increase() }
    }
    try context.save()
    #expect([stamp.value, state.value] == [1, 1])
  }

  @Test func `a function that tracks again in the report receives no report of the same operation`() throws {
    context.undoManager = .init()
    paper.title = "a"
    paper.pages = 9
    context.processPendingChanges()
    let count = CallCount()
    nonisolated(unsafe) let object = paper
    @Sendable func track() {
      withObservationTracking {
        _ = (object.title, object.pages)
      } onChange: {
        count.increase()
        track()
      }
    }
    track()
    context.undo()
    #expect(count.value == 1)
    paper.title = "c"
    #expect(count.value == 2)
    paper.title = "d"
    #expect(count.value == 3)
  }

  @Test func `a value that changes in the tracked function is reported when it changes again`() {
    let count = tracked {
      _ = paper.title
      paper.title = "a"
    }
    #expect(count.value == 0)
    paper.title = "b"
    #expect(count.value == 1)
  }

  @Test func `Observations has each value that differs`() async throws {
    nonisolated(unsafe) let object = paper
    let titles = Observations { object.title }
    var iterator = titles.makeAsyncIterator()
    #expect(await iterator.next() == "")
    object.title = "a"
    #expect(await iterator.next() == "a")
    object.managedObjectContext?.rollback()
    #expect(await iterator.next() == "")
  }
}
