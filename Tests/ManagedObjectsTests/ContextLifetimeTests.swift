import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

@Suite("Lifetime of contexts and objects") struct ContextLifetimeTests {
  @Test(arguments: [true, false])
  func `a context with changes, an undo manager and observers is released`(isSaved: Bool) throws {
    let sketch = try GraphSketch()
    var context: ManagedObjectContext? = sketch.context()
    weak let weakContext = context
    context?.undoManager = ManagedObjectContext.UndoManager()
    _ = context?.addObserver { _ in }
    weak var weakObject: ManagedObject?
    if let context {
      try sketch.run("Person a; Note n; n.author=a; Group g; g.members=a; n.next=n", in: context)
      weakObject = try sketch.object("a", in: context)
      if isSaved { try sketch.save(context) }
      try sketch.object("n", in: context).setValue(.string("n"), forKey: "title")
      #expect(weakObject != nil, "the undo manager has it")
    }
    context = nil
    #expect(weakContext == nil && weakObject == nil)
  }

  @Test
  func `a large identity map releases its memory after most objects are removed and after all are`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    let objects = try (0..<64).map { _ in try context.insert("Note") }
    let map = IdentityMap(largeCount: 50)
    for round in 1...3 {
      for object in objects { map.insert(object) }
      for object in objects.dropLast(5) { map.remove(object) }
      #expect(map.releaseCount == 2 * round - 2 && map.capacity >= 64)
      for object in objects.suffix(5).dropLast() { map.remove(object) }
      #expect(map.releaseCount == 2 * round - 1 && map.capacity <= 32 && map[objects[63].key] === objects[63])
      map.remove(objects[63])
      #expect(map.releaseCount == 2 * round && map.count == 0)
    }
    // Small maps are not shrunk, because it would save too little.
    for object in objects.prefix(40) { map.insert(object) }
    for object in objects.prefix(40) { map.remove(object) }
    #expect(map.releaseCount == 6)
  }

  @Test func `an object without a context keeps its values and rejects changes of relationships`() throws {
    let sketch = try GraphSketch()
    let reported = Mutex<[ManagedObjectError]>([])
    sketch.coordinator.misuseHandler = { error in reported.withLock { $0.append(error) } }
    var context: ManagedObjectContext? = sketch.context()
    let note = try #require(try context?.insert("Note"))
    let person = try #require(try context?.insert("Person"))
    try note.setValue(.string("n"), forKey: "title")
    try note.setValue(.object(person), forKey: "author")
    context = nil
    #expect(note.managedObjectContext == nil && note["title"] == .attribute(.string("n")) && note["author"] == .null)
    try note.setValue(.string("m"), forKey: "title")
    #expect(note["title"] == .attribute(.string("m")))
    #expect(errorCode { try note.setValue(.object(person), forKey: "author") } == .invalidState)
    #expect(person["notes"] == .set([]) && !note.isFault)
    #expect(try note.fetchedOrEmpty() == 0)
    #expect(reported.withLock { $0.map(\.objectID) } == [note.objectID])
  }

  @Test func `reading an object whose context was released is reported once for the context`() throws {
    let sketch = try GraphSketch()
    let reported = Mutex<[ManagedObjectError]>([])
    sketch.coordinator.misuseHandler = { error in reported.withLock { $0.append(error) } }
    let writer = sketch.context()
    try sketch.run("Person a; Note n; n.author=a; Note m; m.author=a; m.title=x", in: writer)
    try sketch.save(writer)
    let persons = try sketch.context().fetch(FetchRequest("Person"))
    let notes = try sketch.context().fetch(FetchRequest("Note"))
    #expect(reported.withLock { $0.isEmpty })
    #expect(persons.map { $0["notes"] } == [.set([])] && persons.map { $0["notes"] } == [.set([])])
    #expect(notes.map { $0["author"] } == [.null, .null])
    let errors = reported.withLock { $0 }
    #expect(errors.map(\.code) == [.invalidState, .invalidState])
    #expect(errors.map(\.objectID) == [persons[0].objectID, notes[0].objectID])
    #expect(errors.first?.message.contains("the context of the object was released") == true)
    // A deleted object has no context, and this is no misuse.
    let deleted = try #require(try writer.fetch(FetchRequest("Note")).first)
    try writer.delete(deleted)
    try writer.save()
    #expect(deleted["author"] == .null && reported.withLock { $0.count } == 2)
  }

  @Test func `a fault without a context has no values`() throws {
    let sketch = try GraphSketch()
    let reported = Mutex(0)
    sketch.coordinator.misuseHandler = { _ in reported.withLock { $0 += 1 } }
    let first = sketch.context()
    let note = try first.insert("Note")
    try note.setValue(.string("n"), forKey: "title")
    try first.save()
    var context: ManagedObjectContext? = sketch.context()
    let fault = try #require(try context?.object(with: note.objectID))
    context = nil
    #expect(fault["title"] == .null && fault.isInaccessible && !fault.isFault)
    #expect(fault.objectID == note.objectID && reported.withLock { $0 } == 1)
  }

  @Test func `a context does not retain objects without changes`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    try sketch.run("Person a; Note n; n.author=a; Note m; m.author=a", in: context)
    try sketch.save(context)
    #expect(context.registeredObjects.isEmpty)
    var notes = try context.fetch(FetchRequest("Note"))
    #expect(context.registeredObjects.count == 2)
    weak let last = notes.last
    let author = sketch.targetObjects(notes[0], "author")
    #expect(context.registeredObjects.count == 3 && author.count == 1)
    notes.removeLast()
    #expect(last == nil && context.registeredObjects.count == 2)
    try notes[0].setValue(.string("x"), forKey: "title")
    notes = []
    #expect(context.registeredObjects.count == 2, "what has changes is kept")
    try context.save()
    #expect(context.registeredObjects == Set(author))
  }

  @Test func `a context does not retain refreshed objects`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    try sketch.run("Person a; Person b", in: context)
    try sketch.save(context)
    var people = try context.fetch(FetchRequest("Person"))
    for person in people { #expect(person["name"] != .null) }
    try context.refreshAllObjects()
    people = []
    #expect(context.registeredObjects.isEmpty)
  }

  @Test func `a context that retains its objects keeps them until they are deleted or it is reset`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    try sketch.run("Person a; Person b; Note n; n.author=a", in: context)
    try sketch.save(context)
    weak var early = try context.fetch(FetchRequest("Note")).first
    #expect(early == nil)
    var note = try context.fetch(FetchRequest("Note")).first
    early = note
    context.retainsRegisteredObjects = true
    note = nil
    #expect(early != nil && context.registeredObjects.count == 1, "an object from before is retained, too")
    weak let person = try context.fetch(FetchRequest("Person", sortedBy: [.init("name")])).last
    weak let new = try context.insert("Group")
    try context.save()
    #expect(new != nil && context.registeredObjects.count == 4)
    context.undoManager = ManagedObjectContext.UndoManager()
    if let person { try context.delete(person) }
    context.undo()
    context.undoManager = nil
    #expect(person?.isDeleted == false && context.registeredObjects.count == 4)
    if let person { try context.delete(person) }
    try context.save()
    #expect(person == nil && context.registeredObjects.count == 3)
    context.retainsRegisteredObjects = false
    #expect(early == nil && new == nil && context.registeredObjects.isEmpty)
    context.retainsRegisteredObjects = true
    _ = try context.fetch(FetchRequest("Note"))
    #expect(context.registeredObjects.count == 1)
    context.reset()
    #expect(context.registeredObjects.isEmpty)
    early = try context.fetch(FetchRequest("Note")).first
    #expect(early != nil)
  }

  @Test func `a released context releases the objects that it retains`() throws {
    let sketch = try GraphSketch()
    var context: ManagedObjectContext? = sketch.context()
    context?.retainsRegisteredObjects = true
    weak let object = try context?.insert("Note")
    weak let released = context
    #expect(object != nil)
    context = nil
    #expect(released == nil && object == nil)
  }

  @Test(arguments: LongForm.isWanted ? StoreKind.saving : [.memory])
  func `a long chain of cascades is deleted without recursion in linear time`(kind: StoreKind) throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Link",
        [
          .relationship("next", to: "Link", inverse: "previous", deleteRule: .cascade),
          .relationship("previous", to: "Link", inverse: "next"),
        ])
    ])
    let length = LongForm.size(100_000, or: 2_500)
    func growth() throws -> Double {
      try ThreadClock.growth(from: length / 10, to: length) { count in
        let folder = TemporaryFolder(isInMemory: true)
        let context = ManagedObjectContext(coordinator: try kind.coordinator(model, folder))
        let first = try context.insert("Link")
        var last = first
        for _ in 1..<count {
          let link = try context.insert("Link")
          try last.setValue(.object(link), forKey: "next")
          last = link
        }
        // Closes the chain to a cycle.
        try last.setValue(.object(first), forKey: "next")
        try context.save()
        context.undoManager = ManagedObjectContext.UndoManager()
        return (folder, context, first, count)
      } work: { input in
        let (folder, context, first, count) = input
        try context.delete(first)
        #expect(context.deletedObjects.count == count)
        context.undo()
        #expect(!context.hasChanges)
        context.redo()
        try context.save()
        #expect(try context.count(for: FetchRequest("Link")) == 0)
        withExtendedLifetime(folder) {}
      }
    }
    // Deep recursion would need more stack.
    let outcome = OnSmallStack.run(stackSize: 1 << 20, growth)
    #expect(try #require(outcome.value as? Double, "\(outcome)") < ThreadClock.greatestGrowth)
  }

  @Test func `setting a large ordered relationship takes linear time`() throws {
    let growth = try ThreadClock.growth(from: 200, to: 2_000) { count in
      let sketch = try GraphSketch()
      let context = sketch.context()
      let group = try context.insert("Group")
      let people = try (0..<count).map { _ in ManagedObject.Value.object(try context.insert("Person")) }
      return (sketch, context, group, people)
    } work: { input in
      let (sketch, context, group, people) = input
      try group.setValue(.array(people), forKey: "members")
      try group.setValue(.array(people.reversed()), forKey: "members")
      #expect(group["members"] == .array(people.reversed()))
      try group.setValue(.array([people[5]]), forKey: "members")
      guard case .object(let one) = people[0], case .object(let other) = people[5] else { return }
      #expect(one["groups"] == .set([]) && other["groups"] == .set([.object(group)]))
      try group.setValue(.array([]), forKey: "members")
      withExtendedLifetime((sketch, context)) {}
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }
}

extension ManagedObject {
  /// Returns the number of tags, which are read through the object's context; 0 without a context.
  fileprivate func fetchedOrEmpty() throws -> Int {
    if case .set(let all) = try value(forKeyPath: "tags") { return all.count }
    return 0
  }
}
