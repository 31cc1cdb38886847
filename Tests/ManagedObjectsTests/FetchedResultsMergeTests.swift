import SQLiteStore
import TestSupport
import Testing

@testable import ManagedObjects

/// Fetched results while several contexts save the same objects.
@Suite("Fetched results after merges and undo") struct FetchedResultsMergeTests {
  private let context: ManagedObjectContext
  private let other: ManagedObjectContext

  init() throws {
    let coordinator = PersistentStoreCoordinator(model: ResultsCase.model)
    try coordinator.add(InMemoryStore(model: ResultsCase.model))
    context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = .objectTrump
    other = ManagedObjectContext(coordinator: coordinator)
    other.mergePolicy = .objectTrump
  }

  private func add(_ name: String, group: ManagedObject? = nil) throws -> ManagedObject {
    let contact = try context.insert("Contact")
    try contact.setValue(.string(name), forKey: "name")
    if let group { try contact.setValue(.object(group), forKey: "group") }
    return contact
  }

  private func delete(_ objects: ManagedObject...) throws -> SavedChanges {
    var changes = SavedChanges()
    for object in objects {
      try other.delete(other.existingObject(with: object.objectID))
      changes.deleted.insert(object.objectID)
    }
    try other.save()
    return changes
  }

  @Test func `merging a deletion keeps an object that was saved again after it`() throws {
    let ada = try add("Ada")
    try context.save()
    let changes = try delete(ada)
    try ada.setValue(.string("Ada Lovelace"), forKey: "name")
    try context.save()
    let name = ada.objectID
    try context.mergeChanges(from: changes)
    #expect(ada.managedObjectContext === context && !ada.isInaccessible && ada.objectID == name)
    #expect(try context.fetch(FetchRequest("Contact")) == [ada])
  }

  @Test func `results contain an object that was saved again after its deletion is merged`() throws {
    let ada = try add("Ada")
    try context.save()
    let results = try FetchedResultsController(FetchRequest("Contact", sortedBy: [.init("name")]), in: context)
    try results.performFetch()
    let changes = try delete(ada)
    try ada.setValue(.string("Ada Lovelace"), forKey: "name")
    try context.save()
    // A change that is unsaved when the deletion is merged.
    try ada.setValue(.string("Augusta"), forKey: "name")
    try context.mergeChanges(from: changes)
    try context.save()
    #expect(results.fetchedObjects == [ada] && ada.managedObjectContext === context)
  }

  @Test(arguments: [true, false])
  func `results follow an object that was read again before a save is merged`(isTakenBackHere: Bool) throws {
    let middle = try context.insert("Group")
    try middle.setValue(.string("c"), forKey: "name")
    let (ada, bea) = (try add("Ada"), try add("Bea"))
    _ = try add("Mia", group: middle)
    let request = FetchRequest("Contact", sortedBy: [.init("group.name"), .init("name")])
    try context.save()
    let results = try FetchedResultsController(request, in: context)
    try results.performFetch()
    // The group is released, so that the next fetch of it sees the saves of other contexts.
    let name = try {
      let group = try context.insert("Group")
      for contact in [ada, bea] { try contact.setValue(.object(group), forKey: "group") }
      try group.setValue(.string("h"), forKey: "name")
      try context.save()
      return group.objectID
    }()
    #expect(results.fetchedObjects.last === bea)
    try context.refreshAllObjects()
    func rename(_ text: String) throws -> SavedChanges {
      try other.existingObject(with: name).setValue(.string(text), forKey: "name")
      try other.save()
      var changes = SavedChanges()
      changes.updated.insert(name)
      return changes
    }
    let renamed = try rename("a")
    try ada.setValue(.integer(7), forKey: "age")
    context.processPendingChanges()
    var taken = SavedChanges()
    if isTakenBackHere {
      try context.existingObject(with: name).setValue(.string("h"), forKey: "name")
    } else {
      taken = try rename("h")
    }
    try context.mergeChanges(from: renamed)
    try context.mergeChanges(from: taken)
    #expect(try results.fetchedObjects == context.fetch(request))
    #expect(results.fetchedObjects.last === bea)
  }

  @Test func `results contain an object again after the deletion of its target is undone`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let (ada, bea) = (try add("Ada"), try add("Bea"))
    try ada.setValue(.object(bea), forKey: "buddy")
    try context.save()
    try context.refreshAllObjects()
    let request = FetchRequest(
      "Contact", where: try ManagedPredicate(format: "buddy.name == 'Bea'"), sortedBy: [.init("name")])
    let results = try FetchedResultsController(request, in: context)
    try results.performFetch()
    try bea.setValue(.integer(5), forKey: "age")
    context.processPendingChanges()
    try context.delete(bea)
    context.processPendingChanges()
    #expect(results.fetchedObjects.isEmpty)
    context.undo()
    context.processPendingChanges()
    #expect(try results.fetchedObjects == [ada] && context.fetch(request) == [ada])
  }

  @Test
  func `undoing a saved deletion restores a relationship without an inverse in the store`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let (ada, bea) = (try add("Ada"), try add("Bea"))
    try ada.setValue(.object(bea), forKey: "buddy")
    try context.save()
    try context.delete(bea)
    try context.save()
    context.undo()
    try context.save()
    #expect(ada["buddy"] == .object(bea))
    let request = FetchRequest("Contact", where: try ManagedPredicate(format: "buddy.name == 'Bea'"))
    #expect(try context.fetch(request) == [ada])
    #expect(try other.fetch(request).map(\.objectID) == [ada.objectID])
  }

  @Test(arguments: [false, true])
  func `merging a deletion keeps an object whose deletion was undone`(isSaved: Bool) throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let ada = try add("Ada")
    try context.save()
    var changes = SavedChanges()
    changes.deleted = [ada.objectID]
    try context.delete(ada)
    try context.save()
    context.undo()
    if isSaved { try context.save() }
    try context.mergeChanges(from: changes)
    #expect(ada.managedObjectContext === context && ada.isInserted != isSaved)
    #expect(try context.fetch(FetchRequest("Contact")) == [ada])
  }

  @Test func `a child keeps an object that its parent saved again after a deletion`() throws {
    let group = try context.insert("Group")
    let ada = try add("Ada", group: group)
    try context.save()
    let child = ManagedObjectContext(parent: context)
    let mine = try child.existingObject(with: ada.objectID)
    let oldName = ada.objectID
    let myGroup = try child.existingObject(with: group.objectID)
    #expect(myGroup["members"] == .set([.object(mine)]))
    let results = try FetchedResultsController(FetchRequest("Contact", sortedBy: [.init("name")]), in: child)
    try results.performFetch()
    let changes = try delete(ada)
    try ada.setValue(.string("Augusta"), forKey: "name")
    try context.save()
    try context.mergeChanges(from: changes)
    try child.mergeChanges(from: changes)
    #expect(mine.managedObjectContext === child && mine.objectID == ada.objectID && mine.objectID != oldName)
    #expect(try child.fetch(FetchRequest("Contact")) == [mine] && results.fetchedObjects == [mine])
    #expect(try child.existingObject(with: oldName) === mine)
    #expect(myGroup["members"] == .set([.object(mine)]))
    try mine.setValue(.string("Ada Lovelace"), forKey: "name")
    try child.save()
    #expect(ada["name"] == .attribute(.string("Ada Lovelace")))
  }

  @Test func `a child keeps an object whose deletion its parent has undone`() throws {
    context.undoManager = ManagedObjectContext.UndoManager()
    let group = try context.insert("Group")
    let ada = try add("Ada", group: group)
    try context.save()
    let child = ManagedObjectContext(parent: context)
    let mine = try child.existingObject(with: ada.objectID)
    let myGroup = try child.existingObject(with: group.objectID)
    #expect(myGroup["members"] == .set([.object(mine)]))
    try context.delete(ada)
    try context.save()
    context.undo()
    #expect(try child.fetch(FetchRequest("Contact")) == [mine] && mine.objectID == ada.objectID)
    try context.save()
    #expect(try child.fetch(FetchRequest("Contact")) == [mine] && mine.objectID == ada.objectID)
    #expect(myGroup["members"] == .set([.object(mine)]) && mine["group"] == .object(myGroup))
    try mine.setValue(.string("Augusta"), forKey: "name")
    try child.save()
    #expect(ada["name"] == .attribute(.string("Augusta")) && group["members"] == .set([.object(ada)]))
  }
}
