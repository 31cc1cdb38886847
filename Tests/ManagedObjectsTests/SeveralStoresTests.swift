import ManagedObjects
import TestSupport
import Testing

@Suite("Several stores") struct SeveralStoresTests {
  static let model: ManagedObjectModel = {
    let note = EntityDescription(
      "Note",
      [
        .attribute("title", .string), .relationship("tags", to: "Tag", inverse: "notes", isToMany: true),
        .relationship("next", to: "Note"),
      ])
    let tag = EntityDescription(
      "Tag", [.attribute("title", .string), .relationship("notes", to: "Note", inverse: "tags", isToMany: true)])
    let event = EntityDescription("Event", [.attribute("title", .string)])
    do {
      return try ManagedObjectModel(
        entities: [note, tag, event], configurations: ["Texts": ["Note", "Tag"], "Log": ["Event", "Note"]])
    } catch { fatalError("\(error)") }
  }()

  private func stores() throws -> (ManagedObjectContext, WatchedStore, WatchedStore) {
    let coordinator = PersistentStoreCoordinator(model: Self.model)
    let texts = try WatchedStore(model: Self.model, configuration: "Texts")
    let log = try WatchedStore(model: Self.model, configuration: "Log")
    try coordinator.add(texts)
    try coordinator.add(log)
    return (ManagedObjectContext(coordinator: coordinator), texts, log)
  }

  private func insert(_ entity: String, _ title: String, _ context: ManagedObjectContext) throws -> ManagedObject {
    let object = try context.insert(entity)
    try object.setValue(.string(title), forKey: "title")
    return object
  }

  @Test func `an object is saved in its assigned or first matching store`() throws {
    let (context, texts, log) = try stores()
    let tag = try insert("Tag", "tag", context)
    let event = try insert("Event", "event", context)
    let first = try insert("Note", "a", context)
    let second = try insert("Note", "b", context)
    try context.assign(second, to: log)
    #expect(errorCode { try context.assign(event, to: texts) } == .invalidState)
    try context.save()
    #expect(tag.objectID.storeIdentifier == texts.identifier && event.objectID.storeIdentifier == log.identifier)
    #expect(first.objectID.storeIdentifier == texts.identifier && second.objectID.storeIdentifier == log.identifier)
    #expect(errorCode { try context.assign(first, to: log) } == .invalidState)
    let other = ManagedObjectContext(coordinator: context.coordinator)
    let notes = try other.fetch(FetchRequest("Note", sortedBy: [.init("title", isAscending: false)]))
    #expect(notes.map(\.objectID) == [second.objectID, first.objectID])
    #expect(try other.count(for: FetchRequest("Note")) == 2)
    var request = FetchRequest("Note", sortedBy: [.init("title")])
    request.fetchLimit = 1
    request.fetchOffset = 1
    #expect(try other.fetch(request).map(\.objectID) == [second.objectID])
    #expect(errorCode { try other.assign(other.insert("Note"), to: WatchedStore(model: Self.model)) } == .invalidState)
  }

  @Test(arguments: StoreKind.allCases)
  func `a coordinator rejects a store opened with another model instance`(_ kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let store = try kind.open(folder.url.appending(path: "store"), Self.model)
    #expect(store.model === Self.model)
    let equal = try ManagedObjectModel(
      entities: Self.model.entityDescriptions, configurations: Self.model.configurations)
    #expect(errorCode { try PersistentStoreCoordinator(model: equal).add(store) } == .invalidState)
  }

  @Test func `a relationship between two stores is an error`() throws {
    let (context, _, log) = try stores()
    let note = try insert("Note", "a", context)
    let tag = try insert("Tag", "x", context)
    try context.assign(note, to: log)
    try note.setValue(.set([.object(tag)]), forKey: "tags")
    #expect(errorCode { try context.save() } == .externalRelationship)
    #expect(note.objectID.isTemporary && context.hasChanges)
    try note.setValue(.set([]), forKey: "tags")
    try context.save()
    #expect(note.objectID.storeIdentifier == log.identifier)
  }

  @Test func `saving an entity without a store is an error`() throws {
    let context = ManagedObjectContext(coordinator: PersistentStoreCoordinator(model: Self.model))
    _ = try context.insert("Note")
    #expect(errorCode { try context.save() } == .invalidState)
    #expect(try context.fetch(FetchRequest("Note")).count == 1)
    let empty = ManagedObjectContext(coordinator: context.coordinator)
    #expect(try empty.fetch(FetchRequest("Note")).isEmpty && empty.count(for: FetchRequest("Note")) == 0)
  }

  @Test func `if the second store fails, the first store is saved`() throws {
    let (context, texts, log) = try stores()
    let note = try insert("Note", "a", context)
    let event = try insert("Event", "e", context)
    log.failsToSave = true
    let error = try #require(throws: ManagedObjectError.self) { try context.save() }
    #expect(error.code == .incompleteSave && error.details.map(\.code) == [.save])
    #expect(!note.hasChanges && !note.objectID.isTemporary && event.isInserted && event.objectID.isTemporary)
    #expect(context.insertedObjects == [event] && texts.saves == 1 && log.saves == 0)
    log.failsToSave = false
    try context.save()
    #expect(!context.hasChanges && texts.saves == 1 && log.saves == 1)
  }

  @Test(arguments: [true, false])
  func `a failed save leaves the relationships of new objects as they are`(failsInStore: Bool) throws {
    let (context, texts, log) = try stores()
    let note = try insert("Note", "a", context)
    let tag = try insert("Tag", "x", context)
    try note.setValue(.set([.object(tag)]), forKey: "tags")
    let other = try insert("Note", "b", context)
    if failsInStore {
      texts.failsToSave = true
    } else {
      try context.assign(other, to: log)
      try other.setValue(.set([.object(tag)]), forKey: "tags")
    }
    #expect(errorCode { try context.save() } == (failsInStore ? .save : .externalRelationship))
    #expect(note.objectID.isTemporary && tag.objectID.isTemporary && context.insertedObjects == [note, tag, other])
    #expect(try note.value(forKey: "tags") == .set([.object(tag)]))
    #expect(context.registeredObjects == [note, tag, other])
    texts.failsToSave = false
    try other.setValue(.set([]), forKey: "tags")
    try context.save()
    let reader = ManagedObjectContext(coordinator: context.coordinator)
    let found = try reader.fetch(FetchRequest("Note", where: ManagedPredicate(format: "title == 'a'")))
    #expect(try found.map { try $0.value(forKey: "tags") } == [.set([.object(reader.object(with: tag.objectID))])])
  }

  @Test func `a child context keeps temporary IDs after an incomplete save`() throws {
    let (context, _, log) = try stores()
    let child = ManagedObjectContext(parent: context)
    let note = try insert("Note", "a", child)
    let event = try insert("Event", "e", child)
    try child.save()
    log.failsToSave = true
    #expect(errorCode { try context.save() } == .incompleteSave)
    #expect(!note.objectID.isTemporary && event.objectID.isTemporary)
    try event.setValue(.string("later"), forKey: "title")
    try child.save()
    log.failsToSave = false
    try context.save()
    #expect(!event.objectID.isTemporary)
    let titles = try ManagedObjectContext(coordinator: context.coordinator).fetch(FetchRequest("Event")).map {
      $0["title"]
    }
    #expect(titles == [.attribute(.string("later"))])
  }

  @Test func `if the only changed store fails, nothing is saved`() throws {
    let (context, texts, log) = try stores()
    let event = try insert("Event", "e", context)
    log.failsToSave = true
    #expect(errorCode { try context.save() } == .save)
    #expect(event.isInserted && texts.saves == 0)
    let note = try insert("Note", "a", context)
    texts.failsToSave = true
    #expect(errorCode { try context.save() } == .save)
    #expect(event.isInserted && note.isInserted)
  }

  @Test func `a conflict in the second store is resolved`() throws {
    let (context, texts, log) = try stores()
    let note = try insert("Note", "a", context)
    let event = try insert("Event", "e", context)
    try context.save()
    let other = ManagedObjectContext(coordinator: context.coordinator)
    other.mergePolicy = .objectTrump
    let (otherNote, otherEvent) = (try other.object(with: note.objectID), try other.object(with: event.objectID))
    try otherNote.setValue(.string("mine"), forKey: "title")
    try otherEvent.setValue(.string("mine"), forKey: "title")
    try event.setValue(.string("theirs"), forKey: "title")
    try context.save()
    try other.save()
    #expect(texts.saves == 2 && log.saves == 3 && !other.hasChanges)
    try context.refreshAllObjects()
    #expect(event["title"] == .attribute(.string("mine")) && note["title"] == .attribute(.string("mine")))
  }

  @Test func `a removed store has no objects`() throws {
    let (context, texts, _) = try stores()
    let note = try insert("Note", "a", context)
    try context.save()
    let id = note.objectID
    try note.setValue(.string("b"), forKey: "title")
    context.coordinator.remove(texts)
    #expect(errorCode { try context.save() } == .invalidState)
    context.reset()
    #expect(errorCode { _ = try context.object(with: id) } == .invalidState)
    #expect(try context.fetch(FetchRequest("Note")).isEmpty)
  }
}
