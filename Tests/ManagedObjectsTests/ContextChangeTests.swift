import ManagedObjects
import TestSupport
import Testing

@Suite("Observing and merging changes of contexts") struct ContextChangeTests {
  private let sketch: GraphSketch

  init() throws { sketch = try GraphSketch() }

  /// The notifications that observers receive, by label.
  final class Log {
    var entries: [String] = []

    func take() -> [String] {
      defer { entries = [] }
      return entries
    }
  }

  private func watch(_ context: ManagedObjectContext, _ log: Log) -> Int {
    func labels(_ objects: Set<ManagedObject>) -> String {
      objects.map { object in
        let key = GraphSketch.labelKey(object.entity.name)
        if case .attribute(.string(let text))? = object.isFault ? nil : object[key] { return text }
        return object.entity.name
      }.sorted().joined(separator: ",")
    }
    return context.addObserver { change in
      var parts: [String] = []
      if !change.inserted.isEmpty { parts.append("inserted \(labels(change.inserted))") }
      if !change.updated.isEmpty { parts.append("updated \(labels(change.updated))") }
      if !change.deleted.isEmpty { parts.append("deleted \(labels(change.deleted))") }
      if !change.refreshed.isEmpty { parts.append("refreshed \(labels(change.refreshed))") }
      if change.isReset { parts.append("reset") }
      log.entries.append(parts.joined(separator: " "))
    }
  }

  @Test func `an observer is called once for each change`() throws {
    let context = sketch.context()
    let log = Log()
    let number = watch(context, log)
    try sketch.run("Person a; Person b; a.age=1", in: context)
    #expect(log.take().isEmpty)
    context.processPendingChanges()
    #expect(log.take() == ["inserted a,b"])
    context.processPendingChanges()
    #expect(log.take().isEmpty)
    try sketch.save(context)
    #expect(log.take().isEmpty, "to save is no change of objects")
    let person = try sketch.object("a", in: context)
    try sketch.run("a.age=2; Note n; n.author=a; delete b", in: context)
    try sketch.save(context)
    #expect(log.take() == ["inserted n updated a deleted b"])
    try sketch.run("a.age=3", in: context)
    context.rollback()
    #expect(log.take() == ["updated a"])
    try context.refresh(person, mergeChanges: false)
    context.processPendingChanges()
    #expect(log.take() == ["refreshed Person"])
    context.reset()
    #expect(log.take() == ["reset"])
    context.removeObserver(number)
    try sketch.run("a.age=4", in: context)
    context.processPendingChanges()
    #expect(log.take().isEmpty)
  }

  @Test func `an observer is called for undone and redone changes`() throws {
    let context = sketch.context()
    try sketch.run("Person a; Person b", in: context)
    try sketch.save(context)
    context.undoManager = ManagedObjectContext.UndoManager()
    let log = Log()
    _ = watch(context, log)
    try sketch.run("a.age=2; Note n; delete b", in: context)
    context.undo()
    #expect(log.take() == ["inserted n updated a deleted b", "inserted b updated a deleted Note"])
    context.redo()
    #expect(log.take() == ["inserted n updated a deleted b"])
  }

  @Test func `an inserted object is reported once, and never if it was deleted before the report`() throws {
    let context = sketch.context()
    let log = Log()
    // The first change is reported before the observer is added.
    try sketch.run("Person a", in: context)
    context.processPendingChanges()
    try sketch.run("Person b", in: context)
    _ = watch(context, log)
    context.processPendingChanges()
    #expect(log.take() == ["inserted b"])
    try sketch.run("a.age=1; b.age=1", in: context)
    context.processPendingChanges()
    #expect(log.take() == ["updated a,b"])
    try sketch.run("Note n; delete n", in: context)
    context.processPendingChanges()
    #expect(log.take().isEmpty)
    try sketch.run("delete b", in: context)
    context.processPendingChanges()
    #expect(log.take() == ["deleted b"])
    try sketch.run("Note n", in: context)
    try sketch.save(context)
    #expect(log.take() == ["inserted n"])
    let child = ManagedObjectContext(parent: context)
    let tag = try child.insert("Tag")
    try child.save()
    #expect(log.take() == ["inserted Tag"])
    try tag.setValue(.string("x"), forKey: "name")
    try child.save()
    #expect(log.take() == ["updated x"])
  }

  @Test
  func `merging reports the insertions of other contexts and not those of the context itself`() async throws {
    var saves = sketch.coordinator.saves.makeAsyncIterator()
    let (first, second) = (sketch.context(), sketch.context())
    let (firstLog, secondLog) = (Log(), Log())
    _ = watch(first, firstLog)
    _ = watch(second, secondLog)
    try sketch.run("Person a; Note n; n.author=a", in: first)
    try sketch.save(first)
    #expect(firstLog.take() == ["inserted a,n"])
    let changes = try #require(await saves.next())
    try first.mergeChanges(from: changes)
    #expect(firstLog.take().allSatisfy { !$0.contains("inserted") })
    try second.mergeChanges(from: changes)
    #expect(secondLog.take() == ["inserted Note,Person"])
    #expect(second.registeredObjects.isEmpty, "the context does not keep them")
    // Batch requests register no objects in the context.
    try second.mergeChanges(from: second.execute(.insert("Tag", [["name": .string("x")]])).changes)
    #expect(secondLog.take() == ["inserted Tag"])
  }

  @Test func `an observer changes objects, and adds and removes observers`() throws {
    let context = sketch.context()
    let person = try context.insert("Person")
    try context.save()
    var number = 0
    var calls = 0
    number = context.addObserver { [unowned context] _ in
      calls += 1
      context.removeObserver(number)
      _ = context.addObserver { _ in calls += 10 }
      try? person.setValue(.integer(9), forKey: "age")
    }
    try person.setValue(.integer(1), forKey: "age")
    context.processPendingChanges()
    #expect(calls == 1)
    context.processPendingChanges()
    #expect(calls == 11 && person["age"] == .attribute(.integer(9)))
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes))) func `merging applies the save of another context`() async throws {
    var saves = sketch.coordinator.saves.makeAsyncIterator()
    let first = sketch.context()
    first.name = "first"
    first.transactionAuthor = "test"
    try sketch.run("Person a; Note n; Tag x", in: first)
    try sketch.save(first)
    var changes = try #require(await saves.next())
    #expect(changes.inserted.count == 3 && changes.updated.isEmpty && changes.deleted.isEmpty)
    #expect(changes.author == "test" && changes.contextName == "first")
    let second = sketch.context()
    let (person, note, tag) = (
      try sketch.object("a", in: second), try sketch.object("n", in: second), try sketch.object("x", in: second)
    )
    #expect(try sketch.state(of: second) == "a n x")
    try note.setValue(.string("n"), forKey: "title")
    try sketch.run("a.age=1; n.author=a; delete x; Tag y", in: first)
    try sketch.save(first)
    changes = try #require(await saves.next())
    #expect(changes.inserted.count == 1 && changes.updated == [person.objectID, note.objectID])
    #expect(changes.deleted == [tag.objectID])
    let log = Log()
    _ = watch(second, log)
    try second.mergeChanges(from: changes)
    #expect(log.take() == ["inserted Tag deleted x refreshed Note,Person"])
    #expect(tag.managedObjectContext == nil && tag.isInaccessible && !second.hasChanges)
    #expect(try sketch.state(of: second) == "a a.age=1 n n.author=a y")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let setup: String
    let theirs: String
    let mine: String
    let merged: String
    let stored: String
  }

  static let rows = [
    Row(
      testDescription: "different attributes", setup: "Employee a", theirs: "a.age=1", mine: "a.salary=2",
      merged: "a a.age=1 a.salary=2", stored: "a a.age=1 a.salary=2"),
    Row(
      testDescription: "one attribute", setup: "Employee a", theirs: "a.age=1", mine: "a.age=2", merged: "a a.age=2",
      stored: "a a.age=2"),
    Row(
      testDescription: "a to-one relationship", setup: "Person a; Person b; Person c; Note n; n.author=a",
      theirs: "n.author=b", mine: "n.author=c", merged: "a b c n n.author=c", stored: "a b c n n.author=c"),
    Row(
      testDescription: "a relationship in the other context, an attribute in this one",
      setup: "Person a; Person b; Note n; n.author=a; Tag x",
      theirs: "n.author=b", mine: "n.tags=x", merged: "a b n n.author=b n.tags=x x",
      stored: "a b n n.author=b n.tags=x x"),
    Row(
      testDescription: "a to-many relationship", setup: "Note n; Tag x; Tag y; Tag z; n.tags=x", theirs: "n.tags=y",
      mine: "n.tags+=z", merged: "n n.tags=y,z x y z", stored: "n n.tags=y,z x y z"),
    Row(
      testDescription: "a deletion in this context", setup: "Employee a; Group g; g.members=a", theirs: "a.age=1",
      mine: "delete a", merged: "g", stored: "g"),
    Row(
      testDescription: "a deletion in both contexts", setup: "Employee a; Group g; g.members=a", theirs: "delete a",
      mine: "delete a", merged: "g", stored: "g"),
  ]

  @Test(arguments: rows) func `merging keeps unsaved changes over the save of another context`(row: Row) async throws {
    let first = sketch.context()
    try sketch.run(row.setup, in: first)
    try sketch.save(first)
    var saves = sketch.coordinator.saves.makeAsyncIterator()
    let second = sketch.context()
    let known = try sketch.readAll(in: second)
    defer { withExtendedLifetime(known) {} }
    try sketch.run(row.mine, in: second)
    try sketch.run(row.theirs, in: first)
    try sketch.save(first)
    try second.mergeChanges(from: #require(await saves.next()))
    #expect(try sketch.state(of: second) == row.merged)
    // The merged changes do not conflict with this save.
    try sketch.save(second)
    #expect(try sketch.stored() == row.stored)
  }

  @Test func `a rollback restores the committed values on both sides of relationships`() throws {
    let context = sketch.context()
    try sketch.run("Person a; Person b; Note n; n.author=a; Group g; g.members=a,b; Card 1; a.card=1", in: context)
    try sketch.save(context)
    let before = try sketch.state(of: context)
    let new = try context.insert("Note")
    try new.setValue(.object(sketch.object("b", in: context)), forKey: "author")
    try sketch.run("n.author=b; g.members=b; a.age=4; delete a", in: context)
    context.rollback()
    #expect(try sketch.state(of: context) == before)
    #expect(!context.hasChanges && new.managedObjectContext == nil && context.insertedObjects.isEmpty)
    #expect(context.updatedObjects.isEmpty && context.deletedObjects.isEmpty)
    try context.save()
    #expect(try sketch.stored() == before)
  }

  @Test func `a reset discards objects and changes`() throws {
    let context = sketch.context()
    try sketch.run("Person a", in: context)
    try sketch.save(context)
    let person = try sketch.object("a", in: context)
    try person.setValue(.integer(3), forKey: "age")
    context.reset()
    #expect(!context.hasChanges && context.registeredObjects.isEmpty && person.managedObjectContext == nil)
    #expect(person["age"] == .null && person.isInaccessible)
    #expect(errorCode { try person.setValue(.integer(3), forKey: "age") } == .referentialIntegrity)
    #expect(errorCode { try context.delete(person) } == .invalidState)
    #expect(errorCode { try context.refresh(person, mergeChanges: true) } == .invalidState)
    let again = try sketch.object("a", in: context)
    #expect(again !== person && again.objectID == person.objectID)
    #expect(try sketch.state(of: context) == "a")
  }
}
