import Foundation
import ManagedObjects
import ManagedObjectsSamples
import TestSupport
import Testing

@Suite("Object IDs") struct ObjectNameTests {
  private let sketch: GraphSketch

  init() throws { sketch = try GraphSketch() }

  @Test func `an object ID is temporary until the first save, then permanent`() throws {
    let context = sketch.context()
    let note = try context.insert("Note")
    let temporary = note.objectID
    #expect(temporary.isTemporary && temporary.storeIdentifier == nil)
    #expect(temporary.uriRepresentation.hasPrefix("x-coredata:///Note/t"))
    #expect(try context.object(with: temporary) === note)
    try context.save()
    let permanent = note.objectID
    #expect(!permanent.isTemporary && permanent != temporary)
    #expect(permanent.storeIdentifier == sketch.coordinator.stores[0].identifier)
    #expect(try context.object(with: permanent) === note)
    try note.setValue(.string("changed"), forKey: "title")
    try context.save()
    #expect(note.objectID == permanent)
  }

  @Test(arguments: [0, 1, 2]) func `a permanent ID can be obtained before a save`(depth: Int) throws {
    var contexts = [sketch.context()]
    for _ in 0..<depth { contexts.append(ManagedObjectContext(parent: contexts[contexts.count - 1])) }
    let context = contexts[depth]
    let person = try context.insert("Person")
    try person.setValue(.string("a"), forKey: "name")
    let note = try context.insert("Note")
    try note.setValue(.string("n"), forKey: "title")
    try note.setValue(.object(person), forKey: "author")
    try context.obtainPermanentIDs(for: [note, note])
    let id = note.objectID
    #expect(!id.isTemporary && person.objectID.isTemporary && note.isInserted)
    #expect(try context.object(with: id) === note)
    #expect(sketch.targetObjects(person, "notes") == [note], "relationships know it")
    #expect(errorCode { _ = try sketch.context().existingObject(with: id) } == .referentialIntegrity)
    for context in contexts.reversed() { try context.save() }
    #expect(note.objectID == id && sketch.targetObjects(person, "notes") == [note])
    let other = sketch.context()
    #expect(try other.existingObject(with: id)["author"] != .null)
    #expect(try sketch.stored() == "a n n.author=a")
  }

  @Test func `an ID obtained in a child context is also the ID in its parent`() throws {
    let root = sketch.context()
    let child = ManagedObjectContext(parent: root)
    let note = try child.insert("Note")
    try child.save()
    let inRoot = try #require(root.insertedObjects.first)
    #expect(note.objectID == inRoot.objectID && note.objectID.isTemporary)
    try child.obtainPermanentIDs(for: [note])
    #expect(!note.objectID.isTemporary && inRoot.objectID == note.objectID)
    try root.save()
    #expect(inRoot.objectID == note.objectID && !root.hasChanges)
  }

  @Test(arguments: [0, 1, 2], [false, true])
  func `predicates and IDs made before a save find the same objects after it`(depth: Int, hasUndo: Bool) throws {
    var contexts = [sketch.context()]
    for _ in 0..<depth { contexts.append(ManagedObjectContext(parent: contexts[contexts.count - 1])) }
    let context = contexts[depth]
    if hasUndo { for context in contexts { context.undoManager = ManagedObjectContext.UndoManager() } }
    var people: [ManagedObject] = []
    for name in ["a", "b", "c"] {
      let (person, note) = (try context.insert("Person"), try context.insert("Note"))
      try person.setValue(.string(name), forKey: "name")
      try note.setValue(.string("of \(name)"), forKey: "title")
      try note.setValue(.object(person), forKey: "author")
      people.append(person)
    }
    try context.obtainPermanentIDs(for: [people[2]])
    let predicates = try people.map { try ManagedPredicate(format: "author == %@", $0) }
    let two = try ManagedPredicate(format: "author IN %@ OR author == NULL", [people[0], people[1]])
    let ids = people.map(\.objectID)
    for _ in 0...depth + 1 {
      for (person, (predicate, id)) in zip(people, zip(predicates, ids)) {
        let note = try #require(try context.fetch(FetchRequest("Note", where: predicate)).first)
        #expect(try predicate.evaluate(with: note) && two.evaluate(with: note) == (id != ids[2]))
        #expect(try context.existingObject(with: id) === person && context.registeredObject(for: id) === person)
        #expect(try context.count(for: FetchRequest("Note", where: predicate)) == 1)
        #expect(try context.count(for: FetchRequest("Note", where: two)) == 2)
      }
      for context in contexts.reversed() where context.hasChanges {
        try context.save()
        break
      }
    }
    #expect(try contexts[0].count(for: FetchRequest("Note", where: two)) == 2)
    let stranger = sketch.context()
    #expect(try stranger.count(for: FetchRequest("Note", where: predicates[0])) == 0)
    #expect(try stranger.count(for: FetchRequest("Note", where: predicates[2])) == 1)
  }

  @Test func `temporary IDs still find their objects after a save`() throws {
    let context = sketch.context()
    let other = sketch.context()
    var random = SeededGenerator(seed: 14)
    var notes: [ManagedObject] = []
    for _ in 0..<200 {
      notes.append(try context.insert("Note"))
      if Bool.random(using: &random) { _ = try other.insert("Tag") }
    }
    let ids = notes.map(\.objectID)
    for indices in [0..<50, 150..<200, 60..<150] {
      for index in indices.shuffled(using: &random) { try context.obtainPermanentIDs(for: [notes[index]]) }
      if indices.lowerBound == 150 { try other.save() }
    }
    try context.save()
    for (note, id) in zip(notes, ids) { #expect(context.registeredObject(for: id) === note) }
    #expect(context.registeredObject(for: try other.insert("Note").objectID) == nil)
  }

  @Test func `a context obtains permanent IDs only for its own objects`() throws {
    let note = try sketch.context().insert("Note")
    #expect(errorCode { try sketch.context().obtainPermanentIDs(for: [note]) } == .invalidState)
    let kept = sketch.context()
    let other = try kept.insert("Note")
    #expect(errorCode { try sketch.context().obtainPermanentIDs(for: [other]) } == .invalidState)
  }

  @Test func `the URI of an object ID leads back to the object`() throws {
    let context = sketch.context()
    try sketch.run("Person a; Employee e", in: context)
    try sketch.save(context)
    for object in try context.fetch(FetchRequest("Person")) {
      let uri = object.objectID.uriRepresentation
      let store = sketch.coordinator.stores[0].identifier
      #expect(uri == "x-coredata://\(store)/\(object.entity.name)/p\(object.objectID.key.number)")
      let id = try #require(sketch.coordinator.objectID(forURI: uri))
      #expect(id == object.objectID && id.hashValue == object.objectID.hashValue)
      #expect(try context.existingObject(with: id) === object)
    }
  }

  @Test(arguments: [
    "", "x-coredata://", "x-coredata:///Note/p1", "x-coredata://STORE/Note/t1", "x-coredata://STORE/Note/p1",
    "x-coredata:///Note/t0", "x-coredata:///Note/t-1", "x-coredata:///Note/t99999999999999999999",
    "x-coredata:///Nothing/t1", "x-coredata:///Note/t1/2", "http://example.org/Note/p1", "x-coredata:///Note/",
  ])
  func `invalid URIs have no object ID`(uri: String) throws {
    #expect(sketch.coordinator.objectID(forURI: uri) == nil)
  }

  @Test func `two coordinators of a file share object IDs`() throws {
    let folder = TemporaryFolder(isInMemory: true)
    let file = folder.url.appending(path: "store.xml")
    let context = try ManagedObjectContext(XMLStore(file, model: NaiveGraph.model))
    let note = try context.insert("Note")
    try note.setValue(.string("hello"), forKey: "title")
    try context.save()
    let other = try ManagedObjectContext(XMLStore(file, model: NaiveGraph.model))
    let found = try other.existingObject(with: note.objectID)
    #expect(found["title"] == .attribute(.string("hello")))
    #expect(found.objectID == note.objectID && Set([found.objectID, note.objectID]).count == 1)
    #expect(try other.fetch(FetchRequest("Note")) == [found])
    let predicate = try ManagedPredicate(format: "SELF == %@", found)
    #expect(try other.fetch(FetchRequest("Note", where: predicate)) == [found])
  }

  @Test func `an object ID of an unknown store is an error`() throws {
    let context = try GraphSketch().context()
    let note = try context.insert("Note")
    try context.save()
    let other = try GraphSketch().context()
    #expect(errorCode { _ = try other.object(with: note.objectID) } == .invalidState)
    #expect(errorCode { _ = try other.existingObject(with: note.objectID) } == .invalidState)
    #expect(other.registeredObject(for: note.objectID) == nil)
  }

  @Test func `an object keeps its ID after its context is released`() throws {
    var context: ManagedObjectContext? = sketch.context()
    let note = try #require(try context?.insert("Note"))
    try context?.save()
    let id = note.objectID
    context = nil
    #expect(note.managedObjectContext == nil)
    #expect(note.objectID == id && note.objectID.uriRepresentation == id.uriRepresentation)
  }

  private struct Bookmark: Codable, Equatable {
    var note: ManagedObjectID
  }

  @Test func `a permanent ID is encoded as its URI and decoded with the coordinator`() throws {
    let context = sketch.context()
    let note = try context.insert("Note")
    #expect(throws: EncodingError.self) { _ = try JSONEncoder().encode(Bookmark(note: note.objectID)) }
    try context.save()
    let bookmark = Bookmark(note: note.objectID)
    let data = try JSONEncoder().encode(bookmark)
    let text = try JSONDecoder().decode([String: String].self, from: data)
    #expect(text == ["note": note.objectID.uriRepresentation])
    let decoder = JSONDecoder()
    decoder.userInfo[.persistentStoreCoordinator] = sketch.coordinator
    let decoded = try decoder.decode(Bookmark.self, from: data)
    #expect(decoded == bookmark)
    #expect(try sketch.context().object(with: decoded.note).objectID == note.objectID)
  }

  @Test func `an ID is not decoded without the coordinator of its store`() throws {
    let context = sketch.context()
    let note = try context.insert("Note")
    try context.save()
    let data = try JSONEncoder().encode(Bookmark(note: note.objectID))
    #expect(throws: DecodingError.self) { _ = try JSONDecoder().decode(Bookmark.self, from: data) }
    let decoder = JSONDecoder()
    decoder.userInfo[.persistentStoreCoordinator] = try GraphSketch().coordinator
    #expect(throws: DecodingError.self) { _ = try decoder.decode(Bookmark.self, from: data) }
    decoder.userInfo[.persistentStoreCoordinator] = sketch.coordinator
    for text in ["", "Note/p1", note.objectID.uriRepresentation + "/", "x-coredata://"] {
      let data = try JSONEncoder().encode(["note": text])
      #expect(throws: DecodingError.self) { _ = try decoder.decode(Bookmark.self, from: data) }
    }
  }
}
