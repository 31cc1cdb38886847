import Testing

@testable import ManagedObjects

@Suite("Faults") struct FaultTests {
  /// Returns a context, its counting store, and the IDs of the stored objects.
  private func stored(_ steps: String) throws -> (ManagedObjectContext, WatchedStore, [ManagedObjectID]) {
    let coordinator = PersistentStoreCoordinator(model: NaiveGraph.model)
    let store = try WatchedStore(model: NaiveGraph.model)
    try coordinator.add(store)
    let first = ManagedObjectContext(coordinator: coordinator)
    try GraphSketch().run(steps, in: first)
    let objects = Array(first.insertedObjects)
    try first.save()
    return (
      ManagedObjectContext(coordinator: coordinator), store,
      objects.map(\.objectID).sorted { $0.key.number < $1.key.number }
    )
  }

  @Test func `a fault reads its row once when a value is first read`() throws {
    let (context, store, ids) = try stored("Person a")
    let person = try context.object(with: ids[0])
    #expect(person.isFault && store.rowReads == 0)
    #expect(person["name"] == .attribute(.string("a")))
    #expect(!person.isFault && store.rowReads == 1)
    #expect(person["age"] == .attribute(.integer(0)) && store.rowReads == 1)
    try context.refresh(person, mergeChanges: false)
    #expect(person.isFault && person["name"] == .attribute(.string("a")) && store.rowReads == 2)
  }

  @Test func `the rows of a fetch are not read again`() throws {
    let (context, store, _) = try stored("Person a; Person b")
    let people = try context.fetch(FetchRequest("Person"))
    #expect(people.allSatisfy { $0.isFault })
    #expect(people.map { $0["name"] } == [.attribute(.string("a")), .attribute(.string("b"))])
    #expect(store.rowReads == 0 && store.fetches == 1)
    var request = FetchRequest("Person")
    request.returnsObjectsAsFaults = false
    context.reset()
    #expect(try context.fetch(request).allSatisfy { !$0.isFault })
    #expect(store.rowReads == 0)
  }

  @Test func `an object whose row was deleted is inaccessible and has no values`() throws {
    let (context, _, ids) = try stored("Person a; Note n; n.author=a; Person c")
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let person = try context.object(with: ids[0])
    for id in ids { try other.delete(other.object(with: id)) }
    try other.save()
    #expect(person.isFault && !person.isInaccessible)
    #expect(person["name"] == .null && person["age"] == .null && person["notes"] == .set([]) && person["card"] == .null)
    #expect(!person.isFault && person.isInaccessible)
    #expect(context.misuse.map(\.code) == [.referentialIntegrity])
    #expect(errorCode { _ = try context.existingObject(with: ids[0]) } == .referentialIntegrity)
    #expect(errorCode { _ = try context.existingObject(with: ids[1]) } == .referentialIntegrity)
    #expect(errorCode { try person.setValue(.string("x"), forKey: "name") } == .referentialIntegrity)
    #expect(!context.hasChanges)
    #expect(try context.fetch(FetchRequest("Person")).isEmpty)
  }

  @Test func `an object whose row could not be read is read at the next access`() throws {
    let (context, store, ids) = try stored("Person a; Note n")
    let person = try context.object(with: ids[0])
    store.failsToRead = true
    #expect(person["name"] == .null && person["notes"] == .set([]))
    #expect(context.misuse.allSatisfy { $0.code == .operation } && !context.misuse.isEmpty)
    #expect(errorCode { try person.setValue(.string("x"), forKey: "name") } != nil)
    #expect(errorCode { _ = try context.existingObject(with: ids[0]) } == .operation)
    #expect(errorCode { _ = try context.fetch(FetchRequest("Person")) } == .operation)
    #expect(person.committedValues()["name"] == .null && person.changedValues().isEmpty)
    #expect(errorCode { try person.validateForUpdate() } == nil)
    let note = try context.insert("Note")
    #expect(errorCode { try note.setValue(.object(person), forKey: "author") } == .referentialIntegrity)
    #expect(errorCode { try context.delete(person) } == .operation)
    #expect(!person.isDeleted)
    store.failsToRead = false
    #expect(person["name"] == .attribute(.string("a")) && !person.isInaccessible)
    try note.setValue(.object(person), forKey: "author")
    try context.save()
  }

  @Test func `a change of an object that could not be read leaves no committed values`() throws {
    let (context, store, ids) = try stored("Person a")
    let person = try context.object(with: ids[0])
    let name = try #require(person.entity.attribute(named: "name"))
    store.failsToRead = true
    // As the setter of a class's property does, which cannot throw.
    person.setAttribute(.string("lost"), slot: name.slot)
    #expect(!context.hasChanges)
    store.failsToRead = false
    #expect(person["name"] == .attribute(.string("a")))
    person.setAttribute(.string("b"), slot: name.slot)
    #expect(person.changedValues() == ["name": .attribute(.string("b"))])
    #expect(person.committedValues()["name"] == .attribute(.string("a")))
    context.rollback()
    #expect(person["name"] == .attribute(.string("a")))
  }

  @Test func `an inaccessible object becomes accessible when its row is saved`() throws {
    let (context, _, ids) = try stored("Person a")
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let new = try other.insert("Person")
    try other.obtainPermanentIDs(for: [new])
    let early = try context.object(with: new.objectID)
    #expect(early["name"] == .null && early.isInaccessible)
    try new.setValue(.string("new"), forKey: "name")
    try other.save()
    #expect(try context.fetch(FetchRequest("Person")).contains(early))
    #expect(early["name"] == .attribute(.string("new")) && !early.isInaccessible && ids.count == 1)
  }

  @Test func `a refresh discards changes or merges them with new values`() throws {
    let (context, _, ids) = try stored("Employee a; Group g; Group h; Note n; g.members=a")
    let employee = try context.object(with: try #require(ids.first { $0.entity.name == "Employee" }))
    let group = try context.object(with: try #require(ids.first { $0.entity.name == "Group" }))
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let theirs = try other.object(with: employee.objectID)
    try employee.setValue(.integer(1), forKey: "age")
    #expect(employee["salary"] == .null && group["members"] == .array([.object(employee)]))
    try theirs.setValues(["age": .integer(2), "salary": .double(3)])
    try other.save()
    try context.refresh(employee, mergeChanges: true)
    #expect(employee["age"] == .attribute(.integer(1)) && employee["salary"] == .attribute(.double(3)))
    #expect(employee.isUpdated && employee.committedValues()["age"] == .attribute(.integer(2)))
    #expect(Set(employee.changedValues().keys) == ["age"])
    try context.save()
    #expect(theirs["age"] == .attribute(.integer(2)))
    try other.refresh(theirs, mergeChanges: true)
    #expect(theirs.isFault && theirs["age"] == .attribute(.integer(1)))
    try employee.setValue(.integer(5), forKey: "age")
    try context.refresh(employee, mergeChanges: false)
    #expect(employee.isFault && !employee.isUpdated && !context.hasChanges)
    #expect(employee["age"] == .attribute(.integer(1)))
    try context.delete(employee)
    try context.refresh(employee, mergeChanges: true)
    #expect(employee.isDeleted)
    let note = try context.insert("Note")
    try note.setValue(.string("new"), forKey: "title")
    try context.refresh(note, mergeChanges: false)
    #expect(note["title"] == .attribute(.string("new")), "a new object has nothing that could be read")
  }

  @Test func `a relationship that a store omits from its rows is read on first access`() throws {
    let (context, store, ids) = try stored("Person a; Note n; Note m; n.author=a; Note o; Tag x; n.tags=x")
    store.leavesOut = Set(0..<20)
    let person = try context.object(with: try #require(ids.first { $0.entity.name == "Person" }))
    let notes = try context.fetch(FetchRequest("Note", sortedBy: [.init("title")]))
    #expect(person.committedValues()["notes"] == .set([.object(notes[1])]))
    #expect(person["notes"] == .set([.object(notes[1])]))
    try context.refresh(person, mergeChanges: false)
    try notes[0].setValue(.object(person), forKey: "author")
    let both = [ManagedObject.Value.object(notes[1]), .object(notes[0])].sorted(by: before)
    #expect(person["notes"] == .set(both))
    // Another context adds a note.
    let other = ManagedObjectContext(coordinator: context.coordinator)
    try other.object(with: notes[2].objectID).setValue(
      .object(try other.object(with: person.objectID)), forKey: "author")
    try other.save()
    context.mergePolicy = .objectTrump
    try context.save()
    let last = ManagedObjectContext(coordinator: context.coordinator)
    guard case .set(let all) = try last.existingObject(with: person.objectID).value(forKey: "notes") else { return }
    #expect(all.count == 3)
  }

  private func before(_ first: ManagedObject.Value, _ second: ManagedObject.Value) -> Bool {
    guard case .object(let first) = first, case .object(let second) = second else { return false }
    return first.objectID.key < second.objectID.key
  }

  @Test func `willTurnIntoFault is called before an object becomes a fault`() throws {
    try SaveOrderTests.run { context, hooks in
      let diary = try context.insert(Diary.self)
      diary.title = "a"
      try context.save()
      var titles: [String?] = []
      hooks.value.willTurnIntoFault = { titles.append($0.title) }
      try context.refresh(diary, mergeChanges: false)
      try context.refresh(diary, mergeChanges: false)
      #expect(titles == ["a"] && diary.isFault && diary.title == "a")
    }
  }

  private final class Restless: ManagedObject {
    @Attribute var text = "a"
    @Attribute var ending = ""

    override func willTurnIntoFault() {
      if ending == "change" { text += "b" }
      if ending == "delete" { try? managedObjectContext?.delete(self) }
      if ending == "reset" { managedObjectContext?.reset() }
      if ending == "refresh" { try? managedObjectContext?.refreshAllObjects() }
    }

    override func awakeFromFetch() {
      if ending == "refresh" { try? managedObjectContext?.refresh(self, mergeChanges: false) }
      if ending == "refresh all" { try? managedObjectContext?.refreshAllObjects() }
      if ending == "forget" { managedObjectContext?.reset() }
    }

    override func validateForUpdate() {}
  }

  @Test func `changes made in willTurnIntoFault are lost`() throws {
    let model = try ManagedObjectModel(Restless.self)
    let context = try PersistentContainer(model: model, stores: [.inMemory]).newContext()
    var objects: [String: Restless] = [:]
    for ending in ["change", "delete", "reset"] {
      let object = try context.insert(Restless.self)
      object.ending = ending
      objects[ending] = object
    }
    try context.save()
    let changed = try #require(objects["change"])
    try context.refresh(changed, mergeChanges: true)
    #expect(changed.isFault && !context.hasChanges)
    try context.save()
    #expect(changed.text == "a")
    let deleted = try #require(objects["delete"])
    try context.refresh(deleted, mergeChanges: true)
    #expect(deleted.isDeleted && context.deletedObjects == [deleted])
    try context.save()
    let forgotten = try #require(objects["reset"])
    try context.refresh(forgotten, mergeChanges: true)
    #expect(forgotten.managedObjectContext == nil && !context.hasChanges)
    #expect(try context.fetch(Restless.self).count == 2)
  }

  @Test(arguments: ["refresh", "refresh all", "forget"])
  func `an object that becomes a fault in awakeFromFetch returns its values`(ending: String) throws {
    let context = try PersistentContainer(model: ManagedObjectModel(Restless.self), stores: [.inMemory]).newContext()
    let objects = try (0..<3).map { _ in try context.insert(Restless.self) }
    for object in objects { object.ending = ending }
    try context.save()
    for _ in 0..<2 {
      try context.refreshAllObjects()
      for object in objects {
        #expect(object.text == "a")
        if object.managedObjectContext != nil { object.text = "b" }
      }
      context.rollback()
    }
    #expect(try context.fetch(Restless.self).count == 3)
  }

  @Test func `prefetching reads rows once for each level of a key path`() throws {
    let (context, store, _) = try stored(
      "Person a; Person b; Note n; Note m; n.author=a; m.author=b; Tag x; Tag y; n.tags=x,y; m.tags=y")
    var request = FetchRequest("Person")
    request.relationshipKeyPathsForPrefetching = ["notes.tags"]
    let people = try context.fetch(request)
    let reads = store.rowReads
    #expect(reads == 2 && store.rowsRead == 4)
    for person in people {
      guard case .set(let notes)? = person["notes"] else { continue }
      for case .object(let note) in notes {
        guard case .set(let tags)? = note["tags"] else { continue }
        for case .object(let tag) in tags { #expect(tag["name"] != .null) }
      }
    }
    #expect(store.rowReads == reads)
    request.relationshipKeyPathsForPrefetching = ["notes.nothing"]
    #expect(errorCode { _ = try context.fetch(request) } == .undefinedKey)
    // A child context also requests all of them at once.
    let child = ManagedObjectContext(parent: ManagedObjectContext(coordinator: context.coordinator))
    request.relationshipKeyPathsForPrefetching = ["notes.tags"]
    _ = try child.fetch(request)
    #expect(store.rowReads == reads + 2)
  }

  @Test func `reading a value of one object reads the rows of its batch`() throws {
    let (context, store, _) = try stored("Person a; Person b; Person c; Person d; Person e")
    var request = FetchRequest("Person", sortedBy: [.init("name")])
    request.fetchBatchSize = 2
    let people = try context.fetch(request)
    #expect(people.count == 5 && store.rowReads == 0)
    #expect(people[2]["name"] == .attribute(.string("c")) && store.rowsRead == 2)
    #expect(people[3]["name"] == .attribute(.string("d")) && store.rowsRead == 2)
    #expect(people[0]["name"] == .attribute(.string("a")) && store.rowsRead == 4)
    #expect(people[4]["name"] == .attribute(.string("e")) && store.rowsRead == 5)
    #expect(people[1]["name"] == .attribute(.string("b")) && store.rowsRead == 5 && store.rowReads == 3)
  }

  @Test func `object IDs are fetched without rows`() throws {
    let (context, store, ids) = try stored("Person a; Person b")
    #expect(try context.fetchObjectIDs(FetchRequest("Person")) == ids)
    #expect(store.rowReads == 0)
    #expect(try context.object(with: ids[1])["name"] == .attribute(.string("b")) && store.rowReads == 1)
  }
}
