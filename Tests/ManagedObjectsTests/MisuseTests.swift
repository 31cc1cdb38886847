import ManagedObjects
import Testing

@Suite("Misuse of objects and contexts") struct MisuseTests {
  @Test func `a relationship rejects an object of another context`() throws {
    let sketch = try GraphSketch()
    let (mine, other) = (sketch.context(), sketch.context())
    try sketch.run("Person a; Note n; Group g; Note m; m.author=a", in: mine)
    try sketch.save(mine)
    let note = try sketch.object("n", in: mine)
    let foreign = try sketch.object("a", in: other)
    #expect(errorCode { try note.setValue(.object(foreign), forKey: "author") } == .invalidState)
    #expect(
      errorCode { try sketch.object("g", in: mine).setValue(.array([.object(foreign)]), forKey: "members") }
        == .invalidState)
    #expect(errorCode { try mine.delete(foreign) } == .invalidState)
    #expect(errorCode { try mine.refresh(foreign, mergeChanges: false) } == .invalidState)
    #expect(!mine.hasChanges && !other.hasChanges)
  }

  @Test func `a property reports an object of another context and ignores it`() throws {
    try SaveOrderTests.run { context, _ in
      let other = ManagedObjectContext(coordinator: context.coordinator)
      let diary = try context.insert(Diary.self)
      let page = try context.insert(Page.self)
      let foreign = try other.insert(Page.self)
      diary.pages = [page, foreign]
      #expect(diary.pages == [page] && context.misuse.map(\.code) == [.invalidState])
      diary.add(foreign, to: \.pages)
      diary.remove(foreign, from: \.pages)
      #expect(diary.pages == [page] && context.misuse.count == 3)
      foreign.diary = diary
      #expect(foreign.diary == nil && diary.pages == [page] && other.misuse.count == 1)
      try context.save()
      // The same object has the same key in another context.
      let same = try #require(try other.object(with: page.objectID) as? Page)
      diary.remove(same, from: \.pages)
      #expect(diary.pages == [page] && page.diary == diary && !other.updatedObjects.contains(same))
      #expect(!context.hasChanges)
    }
  }

  @Test func `a relationship rejects a deleted object`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    try sketch.run("Person a; Note n; Note m; Card 1", in: context)
    try sketch.save(context)
    let (person, note, other) = (
      try sketch.object("a", in: context), try sketch.object("n", in: context), try sketch.object("m", in: context)
    )
    try context.delete(person)
    #expect(errorCode { try note.setValue(.object(person), forKey: "author") } == .referentialIntegrity)
    #expect(errorCode { try person.setValue(.array([.object(note)]), forKey: "notes") } == .referentialIntegrity)
    try context.delete(other)
    #expect(errorCode { try note.setValue(.object(other), forKey: "next") } == .referentialIntegrity)
    try context.save()
    #expect(errorCode { try note.setValue(.object(person), forKey: "author") } == .invalidState)
    #expect(errorCode { try person.setValue(.array([]), forKey: "notes") } == .invalidState)
    #expect(try sketch.stored() == "1 n")
  }

  @Test func `a property reports a deleted object and ignores it`() throws {
    try SaveOrderTests.run { context, _ in
      let diary = try context.insert(Diary.self)
      let page = try context.insert(Page.self)
      try context.save()
      try context.delete(page)
      diary.add(page, to: \.pages)
      page.diary = diary
      #expect(diary.pages.isEmpty && context.misuse.allSatisfy { $0.code == .referentialIntegrity })
      try context.save()
      diary.remove(page, from: \.pages)
      #expect(diary.pages.isEmpty && !context.hasChanges)
    }
  }

  @Test func `a relationship rejects an object of another entity`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    try sketch.run("Person a; Employee e; Note n", in: context)
    let note = try sketch.object("n", in: context)
    #expect(errorCode { try note.setValue(.object(note), forKey: "author") } == .invalidValue)
    #expect(errorCode { try note.setValue(.array([]), forKey: "author") } == .invalidValue)
    #expect(errorCode { try note.setValue(.object(note), forKey: "tags") } == .invalidValue)
    #expect(errorCode { try note.setValue(.integer(1), forKey: "title") } == .invalidValue)
    #expect(errorCode { try note.setValue(.integer(1), forKey: "tags") } == .invalidValue)
    try note.setValue(.object(sketch.object("e", in: context)), forKey: "author")
    #expect(try sketch.state(of: context) == "a e n n.author=e")
  }

  @Test func `unknown names are errors`() throws {
    let context = try GraphSketch().context()
    let note = try context.insert("Note")
    #expect(errorCode { _ = try context.insert("Nothing") } == .undefinedKey)
    #expect(errorCode { _ = try note.value(forKey: "nothing") } == .undefinedKey)
    #expect(errorCode { try note.setValue(AttributeValue.null, forKey: "nothing") } == .undefinedKey)
    #expect(errorCode { _ = try note.value(forKeyPath: "nothing.x") } == .undefinedKey)
    #expect(errorCode { _ = try note.value(forKeyPath: "") } == .undefinedKey)
    #expect(errorCode { _ = try note.fetchedObjects(named: "nothing") } == .undefinedKey)
    #expect(note["nothing"] == nil)
    #expect(errorCode { _ = try context.insert(Diary.self) } == .undefinedKey)
    #expect(errorCode { _ = try context.fetch(Diary.self) } == .undefinedKey)
  }

  @Test func `abstract entities have no objects`() throws {
    var shape = EntityDescription("Shape", [.attribute("name", .string)])
    shape.isAbstract = true
    var circle = EntityDescription("Circle")
    circle.superentity = "Shape"
    let model = try ManagedObjectModel(entities: [shape, circle])
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(InMemoryStore(model: model))
    let context = ManagedObjectContext(coordinator: coordinator)
    #expect(errorCode { _ = try context.insert("Shape") } == .invalidValue)
    _ = try context.insert("Circle")
    try context.save()
    #expect(try context.fetch(FetchRequest("Shape")).count == 1)
    let store = coordinator.stores[0].identifier
    let id = try #require(coordinator.objectID(forURI: "x-coredata://\(store)/Shape/p1"))
    #expect(errorCode { _ = try context.existingObject(with: id) } == .referentialIntegrity)
    let foreign = try #require(NaiveGraph.model["Note"])
    #expect(errorCode { _ = try context.insert(foreign) } == .invalidState)
  }

  @Test func `deleting a deleted object is an error after the save`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    try sketch.run("Person a; Note n; n.author=a", in: context)
    try sketch.save(context)
    let person = try sketch.object("a", in: context)
    try context.delete(person)
    try context.delete(person)
    #expect(context.deletedObjects.count == 2)
    try context.save()
    #expect(errorCode { try context.delete(person) } == .invalidState)
    #expect(person["name"] == .attribute(.string("a")) && person.managedObjectContext == nil && !person.isDeleted)
    let new = try context.insert("Note")
    try context.delete(new)
    #expect(errorCode { try context.delete(new) } == .invalidState)
    #expect(!context.hasChanges)
  }

  @Test func `a change of an inaccessible object is reported and not saved`() throws {
    try SaveOrderTests.run { context, _ in
      let diary = try context.insert(Diary.self)
      diary.title = "a"
      let page = try context.insert(Page.self)
      try context.save()
      let other = ManagedObjectContext(coordinator: context.coordinator)
      try other.delete(other.object(with: diary.objectID))
      try other.save()
      try context.refresh(diary, mergeChanges: false)
      diary.title = "b"
      page.diary = diary
      #expect(diary.isInaccessible && !context.hasChanges && page.diary == nil)
      #expect(!context.misuse.isEmpty && context.misuse.allSatisfy { $0.code == .referentialIntegrity })
      try context.delete(diary)
      try context.save()
      #expect(try other.count(Diary.self) == 0)
    }
  }

  @Test func `a context keeps only the last 100 misuse reports`() throws {
    let sketch = try GraphSketch()
    let context = sketch.context()
    let number = Int.random(in: 1_000...2_000)
    let store = sketch.coordinator.stores[0].identifier
    for row in 1...number {
      let id = try #require(sketch.coordinator.objectID(forURI: "x-coredata://\(store)/Note/p\(row)"))
      #expect(try context.object(with: id)["title"] == .null)
    }
    #expect(context.misuse.count == 100)
    #expect(context.misuse.last?.objectID?.key.number == Int64(number))
  }
}
