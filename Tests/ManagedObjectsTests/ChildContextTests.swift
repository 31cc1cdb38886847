import ManagedObjects
import Testing

@Suite("Child contexts") struct ChildContextTests {
  /// Returns contexts from the root down, on a store with the result of some steps.
  private func contexts(
    _ count: Int, _ steps: String = "", _ kind: StoreKind = .memory
  ) throws -> (GraphSketch, [ManagedObjectContext]) {
    let sketch = try GraphSketch(kind)
    let first = sketch.context()
    try sketch.run(steps, in: first)
    try sketch.save(first)
    var contexts = [sketch.context()]
    while contexts.count < count { contexts.append(ManagedObjectContext(parent: contexts[contexts.count - 1])) }
    return (sketch, contexts)
  }

  @Test(arguments: StoreKind.saving)
  func `a child saves into its parent, and the root saves into the store`(kind: StoreKind) throws {
    let (sketch, contexts) = try contexts(3, "", kind)
    let (root, child, grandchild) = (contexts[0], contexts[1], contexts[2])
    try sketch.run("Person a; Note n; n.author=a", in: grandchild)
    let note = try sketch.object("n", in: grandchild)
    try grandchild.save()
    #expect(!grandchild.hasChanges && child.insertedObjects.count == 2 && !root.hasChanges)
    #expect(try sketch.state(of: child) == "a n n.author=a" && sketch.state(of: root) == "")
    try child.save()
    #expect(!child.hasChanges && root.insertedObjects.count == 2 && note.objectID.isTemporary)
    #expect(try sketch.state(of: root) == "a n n.author=a" && sketch.stored() == "")
    try root.save()
    #expect(try sketch.stored() == "a n n.author=a")
    #expect(!note.objectID.isTemporary && !note.hasChanges)
    for context in contexts { #expect(try context.object(with: note.objectID)["title"] == .attribute(.string("n"))) }
    #expect(sketch.targetObjects(note, "author").map { $0["name"] } == [.attribute(.string("a"))])
    #expect(try sketch.state(of: grandchild) == "a n n.author=a")
  }

  @Test(arguments: StoreKind.saving) func `a child fetches the unsaved changes of its parent`(kind: StoreKind) throws {
    let (sketch, contexts) = try contexts(2, "Person a; Note n; Tag x", kind)
    let (root, child) = (contexts[0], contexts[1])
    try sketch.run("a.age=3; n.author=a; delete x; Tag y; n.tags=y", in: root)
    #expect(try sketch.state(of: child) == "a a.age=3 n n.author=a n.tags=y y")
    let old = try child.fetch(FetchRequest("Person", where: ManagedPredicate(format: "age == 3")))
    #expect(old.count == 1 && !child.hasChanges)
    #expect(try child.count(for: FetchRequest("Tag")) == 1)
    #expect(try child.fetch(FetchRequest("Note", where: ManagedPredicate(format: "author.age > 2"))).count == 1)
    #expect(try sketch.stored() == "a n x")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let setup: String
    let parent: String
    let child: String
    let result: String?
  }

  static let rows = [
    Row(
      testDescription: "different attributes", setup: "Employee a", parent: "a.age=1", child: "a.salary=2",
      result: "a a.age=1 a.salary=2"),
    Row(
      testDescription: "one attribute", setup: "Employee a", parent: "a.age=1", child: "a.age=2", result: "a a.age=2"),
    Row(
      testDescription: "a to-many relationship, additions in both",
      setup: "Person a; Note n; Note m; Note o; n.author=a", parent: "m.author=a", child: "o.author=a",
      result: "a m m.author=a n n.author=a o o.author=a"),
    Row(
      testDescription: "one to-one relationship", setup: "Person a; Person b; Person c; Note n; n.author=a",
      parent: "n.author=b", child: "n.author=c", result: "a b c n n.author=c"),
    Row(
      testDescription: "an ordered relationship", setup: "Group g; Person a; Person b", parent: "a.age=1",
      child: "Person c; g.members=c,b,a", result: "a a.age=1 b c g g.members=c,b,a"),
    Row(
      testDescription: "an ordered relationship, additions in both", setup: "Group g; Person a; Person b",
      parent: "g.members=a", child: "g.members=b", result: "a b g g.members=a,b"),
    Row(
      testDescription: "a deletion in the child", setup: "Person a; Group g; g.members=a", parent: "a.age=1",
      child: "delete a", result: "g"),
    Row(
      testDescription: "a deletion in the child, a reference in the parent", setup: "Person a; Group g",
      parent: "g.members=a", child: "delete a", result: "g"),
    Row(
      testDescription: "a deletion in both", setup: "Person a; Group g; g.members=a", parent: "delete a",
      child: "delete a", result: "g"),
    Row(
      testDescription: "a deletion in the parent, a change in the child", setup: "Person a; Note n", parent: "delete a",
      child: "a.age=1", result: nil),
    Row(
      testDescription: "a cascade in the child", setup: "Person a; Note n; n.author=a; Card 1; a.card=1",
      parent: "a.age=1",
      child: "delete a", result: ""),
  ]

  @Test(arguments: rows, StoreKind.saving)
  func `a save of a child merges its changes with those of its parent`(row: Row, kind: StoreKind) throws {
    let (sketch, contexts) = try contexts(2, row.setup, kind)
    let (root, child) = (contexts[0], contexts[1])
    let known = try sketch.readAll(in: child)
    defer { withExtendedLifetime(known) {} }
    try sketch.run(row.parent, in: root)
    try sketch.run(row.child, in: child)
    guard let result = row.result else {
      let before = try sketch.state(of: root)
      #expect(errorCode { try child.save() } == .referentialIntegrity)
      #expect(child.hasChanges)
      #expect(try sketch.state(of: root) == before)
      return
    }
    try child.save()
    #expect(try sketch.state(of: root) == result)
    try root.save()
    #expect(try sketch.stored() == result)
    try child.refreshAllObjects()
    #expect(try sketch.state(of: child) == result)
  }

  @Test func `a child with an invalid object saves nothing into its parent`() throws {
    let root = try ObjectValidationTests.context()
    let child = ManagedObjectContext(parent: root)
    let thing = try child.insert("Thing")
    try thing.setValue(.integer(11), forKey: "most")
    #expect(errorCode { try child.save() } == .numberTooLarge)
    #expect(!root.hasChanges && child.hasChanges)
  }

  @Test(arguments: [false, true], [false, true])
  func `a child deletes an object that refers to one that it read earlier`(isSaved: Bool, hasOrder: Bool) throws {
    let (sketch, contexts) = try contexts(2, "Person a")
    let (root, child) = (contexts[0], contexts[1])
    let person = try sketch.object("a", in: child)
    #expect(sketch.targetObjects(person, "notes").isEmpty && sketch.targetObjects(person, "groups").isEmpty)
    try sketch.run(hasOrder ? "Group n; n.members=a" : "Note n; n.author=a", in: root)
    if isSaved { try sketch.save(root) }
    let entity = hasOrder ? "Group" : "Note"
    for object in try child.fetch(FetchRequest(entity)) { try child.delete(object) }
    try child.save()
    #expect(try sketch.state(of: root) == "a")
    try root.save()
    #expect(try sketch.stored() == "a")
    try child.refreshAllObjects()
    #expect(try sketch.state(of: child) == "a")
  }

  @Test func `the rules no action and deny apply if a child deletes an unsaved object of its parent`() throws {
    for rule in [RelationshipDescription.DeleteRule.noAction, .deny] {
      let model = try ManagedObjectModel(entities: [
        EntityDescription(
          "Box", [.relationship("items", to: "Item", inverse: "box", isToMany: true, deleteRule: rule)]),
        EntityDescription("Item", [.relationship("box", to: "Box", inverse: "items")]),
      ])
      let root = try PersistentContainer(model: model, stores: [.inMemory]).newContext()
      let child = ManagedObjectContext(parent: root)
      let item = try root.insert("Item")
      try root.save()
      let box = try root.insert("Box")
      try item.setValue(.object(box), forKey: "box")
      for box in try child.fetch(FetchRequest("Box")) { try child.delete(box) }
      guard rule == .noAction else {
        #expect(errorCode { try child.save() } == .deleteDenied)
        continue
      }
      try child.save()
      #expect(item["box"] == .null && box.managedObjectContext == nil)
      try root.save()
    }
  }

  @Test(arguments: StoreKind.saving)
  func `a parent undoes the save of a child in one step`(kind: StoreKind) throws {
    let (sketch, contexts) = try contexts(2, "Person a; Note n; Tag x; n.tags=x", kind)
    let (root, child) = (contexts[0], contexts[1])
    let undoManager = ManagedObjectContext.UndoManager()
    root.undoManager = undoManager
    try sketch.run("a.age=1; n.author=a; delete x; Tag y; n.tags+=y", in: child)
    try child.save()
    #expect(try sketch.state(of: root) == "a a.age=1 n n.author=a n.tags=y y")
    root.undo()
    #expect(try sketch.state(of: root) == "a n n.tags=x x" && !undoManager.canUndo && !root.hasChanges)
    root.redo()
    #expect(try sketch.state(of: root) == "a a.age=1 n n.author=a n.tags=y y")
    try root.save()
    #expect(try sketch.stored() == "a a.age=1 n n.author=a n.tags=y y")
    root.undo()
    try root.save()
    #expect(try sketch.stored() == "a n n.tags=x x")
  }

  @Test(arguments: StoreKind.saving)
  func `an object that a child inserts and deletes is never stored`(kind: StoreKind) throws {
    let (sketch, contexts) = try contexts(2, "", kind)
    let (root, child) = (contexts[0], contexts[1])
    let note = try child.insert("Note")
    try child.save()
    try child.delete(note)
    try child.save()
    #expect(!root.hasChanges && note.managedObjectContext == nil)
    try root.save()
    #expect(try sketch.stored() == "")
  }

  @Test(arguments: StoreKind.saving)
  func `a child changes its object again before the root is saved`(kind: StoreKind) throws {
    let (sketch, contexts) = try contexts(2, "", kind)
    let (root, child) = (contexts[0], contexts[1])
    try sketch.run("Person a; Note n", in: child)
    let (person, note) = (try sketch.object("a", in: child), try sketch.object("n", in: child))
    try child.save()
    try note.setValue(.object(person), forKey: "author")
    #expect(note.isUpdated)
    try child.save()
    try root.save()
    #expect(try sketch.stored() == "a n n.author=a")
    try person.setValue(.integer(7), forKey: "age")
    try child.save()
    try root.save()
    #expect(try sketch.stored() == "a a.age=7 n n.author=a")
  }

  @Test(arguments: StoreKind.saving)
  func `a rollback or reset of a parent removes its unsaved objects from a child`(kind: StoreKind) throws {
    let (sketch, contexts) = try contexts(2, "Person a", kind)
    let (root, child) = (contexts[0], contexts[1])
    try sketch.run("Note n; a.age=2", in: root)
    let note = try #require(try child.fetch(FetchRequest("Note")).first)
    root.rollback()
    try child.refresh(note, mergeChanges: true)
    #expect(note["title"] == .null && note.isInaccessible)
    try child.refreshAllObjects()
    #expect(try sketch.state(of: child) == "a")
    root.reset()
    #expect(try sketch.state(of: child) == "a")
  }

  @Test func `a child retains its parent, and a parent does not retain its child`() throws {
    let sketch = try GraphSketch()
    var root: ManagedObjectContext? = sketch.context()
    weak let weakRoot = root
    var child: ManagedObjectContext? = root.map { ManagedObjectContext(parent: $0) }
    weak let weakChild = child
    root = nil
    #expect(weakRoot != nil)
    _ = try child?.insert("Note")
    try child?.save()
    child = nil
    #expect(weakChild == nil && weakRoot == nil)
  }
}
