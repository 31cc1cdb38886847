import ManagedObjects
import TestSupport
import Testing

@Suite("Undo") struct UndoTests {
  private func prepared(_ steps: String = "") throws -> (
    GraphSketch, ManagedObjectContext, ManagedObjectContext.UndoManager
  ) {
    let sketch = try GraphSketch()
    let context = sketch.context()
    try sketch.run(steps, in: context)
    try sketch.save(context)
    let undoManager = ManagedObjectContext.UndoManager()
    context.undoManager = undoManager
    return (sketch, context, undoManager)
  }

  @Test func `changes before processPendingChanges form a group`() throws {
    let (sketch, context, undoManager) = try prepared("Employee a")
    #expect(!undoManager.canUndo && !undoManager.canRedo)
    try sketch.run("a.age=1; a.salary=1", in: context)
    context.processPendingChanges()
    try sketch.run("a.age=2", in: context)
    context.undo()
    #expect(try sketch.state(of: context) == "a a.age=1 a.salary=1")
    context.undo()
    #expect(try sketch.state(of: context) == "a" && !context.hasChanges && !undoManager.canUndo)
    context.undo()
    context.redo()
    #expect(try sketch.state(of: context) == "a a.age=1 a.salary=1")
    context.redo()
    #expect(try sketch.state(of: context) == "a a.age=2 a.salary=1" && !undoManager.canRedo)
    context.redo()
    #expect(try sketch.state(of: context) == "a a.age=2 a.salary=1")
  }

  @Test func `a program can nest groups`() throws {
    let (sketch, context, undoManager) = try prepared("Employee a")
    undoManager.beginUndoGrouping()
    try sketch.run("a.age=1", in: context)
    context.processPendingChanges()
    undoManager.beginUndoGrouping()
    #expect(undoManager.groupingLevel == 2)
    try sketch.run("a.age=2", in: context)
    try context.save()
    undoManager.endUndoGrouping()
    try sketch.run("a.salary=3", in: context)
    undoManager.endUndoGrouping()
    undoManager.endUndoGrouping()
    #expect(undoManager.groupingLevel == 0)
    try sketch.run("a.salary=4", in: context)
    context.undo()
    #expect(try sketch.state(of: context) == "a a.age=2 a.salary=3")
    context.undo()
    #expect(try sketch.state(of: context) == "a" && !undoManager.canUndo)
  }

  @Test func `unregistered changes keep the redo stack`() throws {
    let (sketch, context, undoManager) = try prepared("Employee a")
    try sketch.run("a.age=1", in: context)
    context.processPendingChanges()
    undoManager.enableUndoRegistration()
    undoManager.disableUndoRegistration()
    undoManager.disableUndoRegistration()
    try sketch.run("a.salary=1", in: context)
    undoManager.enableUndoRegistration()
    #expect(!undoManager.isUndoRegistrationEnabled)
    try sketch.run("a.salary=2", in: context)
    undoManager.enableUndoRegistration()
    #expect(undoManager.isUndoRegistrationEnabled)
    context.undo()
    #expect(try sketch.state(of: context) == "a a.salary=2" && !undoManager.canUndo)
    undoManager.disableUndoRegistration()
    try sketch.run("a.salary=3", in: context)
    undoManager.enableUndoRegistration()
    context.redo()
    #expect(try sketch.state(of: context) == "a a.age=1 a.salary=3")
  }

  @Test func `groups have action names`() throws {
    let (sketch, context, undoManager) = try prepared("Employee a")
    try sketch.run("a.age=1", in: context)
    undoManager.setActionName("Birthday")
    context.processPendingChanges()
    try sketch.run("a.salary=1", in: context)
    #expect(undoManager.undoActionName == "")
    undoManager.setActionName("Rise")
    #expect(undoManager.undoActionName == "Rise" && undoManager.redoActionName == "")
    context.undo()
    #expect(undoManager.undoActionName == "Birthday" && undoManager.redoActionName == "Rise")
    context.undo()
    #expect(undoManager.undoActionName == "" && undoManager.redoActionName == "Birthday")
    context.redo()
    #expect(undoManager.undoActionName == "Birthday")
  }

  @Test(arguments: [1, 3, 0]) func `levelsOfUndo limits the number of groups`(count: Int) throws {
    let (sketch, context, undoManager) = try prepared("Employee a")
    undoManager.levelsOfUndo = count
    for age in 1...5 {
      try sketch.run("a.age=\(age)", in: context)
      context.processPendingChanges()
    }
    for _ in 0..<10 { context.undo() }
    #expect(try sketch.state(of: context) == ["a", "a a.age=4", "", "a a.age=2"][count])
    for _ in 0..<10 { context.redo() }
    #expect(try sketch.state(of: context) == "a a.age=5")
    undoManager.levelsOfUndo = 1
    context.undo()
    context.undo()
    #expect(try sketch.state(of: context) == "a a.age=4")
  }

  @Test func `a new change clears the redo stack`() throws {
    let (sketch, context, undoManager) = try prepared("Employee a")
    try sketch.run("a.age=1", in: context)
    context.undo()
    #expect(undoManager.canRedo)
    try sketch.run("a.salary=1", in: context)
    #expect(!undoManager.canRedo)
    context.redo()
    #expect(try sketch.state(of: context) == "a a.salary=1")
  }

  @Test(arguments: [true, false])
  func `saved changes can be undone and saved again`(isChildThere: Bool) throws {
    let (sketch, context, _) = try prepared("Person a; Note n; n.author=a; Card 1; a.card=1; Group g; g.members=a")
    let child = isChildThere ? ManagedObjectContext(parent: context) : nil
    let before = try sketch.stored()
    try sketch.run("delete a; Note m; g.name=g", in: context)
    try context.save()
    #expect(try sketch.stored() == "g m")
    context.undo()
    #expect(try sketch.state(of: context) == before)
    try context.save()
    #expect(try sketch.stored() == before)
    if let child { #expect(try sketch.state(of: child) == before) }
    context.redo()
    try context.save()
    #expect(try sketch.stored() == "g m")
    context.undo()
    try context.save()
    #expect(try sketch.stored() == before)
    #expect(!context.hasChanges)
  }

  @Test func `undoing a deletion restores both sides of relationships`() throws {
    let (sketch, context, _) = try prepared(
      "Person a; Person b; a.friends=b; Note n; Note m; n.author=a; n.next=m; Tag x; n.tags=x; Group g; g.members=b,a")
    let before = try sketch.state(of: context)
    for label in ["a", "b", "n", "m", "x", "g"] {
      try sketch.run("delete \(label)", in: context)
      #expect(try context.fetch(FetchRequest("Note")).allSatisfy { !$0.isDeleted })
      context.undo()
      #expect(try sketch.state(of: context) == before)
      #expect(!context.hasChanges)
    }
  }

  @Test func `undoing many insertions takes linear time`() throws {
    let growth = try ThreadClock.growth(from: 250, to: 2_000) { count in
      let sketch = try GraphSketch()
      let context = sketch.context()
      let person = try context.insert("Person")
      func insertGroups() throws {
        for _ in 0..<count { try context.insert("Group").setValue(.array([.object(person)]), forKey: "members") }
      }
      try insertGroups()
      try context.save()
      context.undoManager = ManagedObjectContext.UndoManager()
      // A change that is kept, in a slot after the one of the groups.
      try person.setValue(.string("x"), forKey: "name")
      context.processPendingChanges()
      try insertGroups()
      return (sketch, context, person, count)
    } work: { input in
      let (sketch, context, person, count) = input
      context.undo()
      #expect(context.updatedObjects == [person] && context.insertedObjects.isEmpty)
      #expect(sketch.targetObjects(person, "groups").count == count)
    }
    #expect(growth < ThreadClock.greatestGrowth)
  }

  @Test
  func `two contexts can share an undo manager`() throws {
    let (sketch, context, undoManager) = try prepared("Person a; Person b")
    let other = sketch.context()
    other.undoManager = undoManager
    try sketch.run("delete a", in: context)
    context.processPendingChanges()
    other.undo()
    #expect(!other.hasChanges && context.deletedObjects.count == 1)
    try sketch.run("b.age=1", in: other)
    #expect(other.hasChanges)
    other.undo()
    #expect(try !other.hasChanges && sketch.state(of: other) == "a b" && sketch.state(of: context) == "b")
  }

  @Test func `reset, rollback and removing the undo manager clear the stacks`() throws {
    let (sketch, context, undoManager) = try prepared("Employee a")
    try sketch.run("a.age=1", in: context)
    context.rollback()
    #expect(!undoManager.canUndo)
    try sketch.run("a.age=1", in: context)
    context.undo()
    context.reset()
    #expect(!undoManager.canUndo && !undoManager.canRedo)
    try sketch.run("a.age=1", in: context)
    context.undoManager = nil
    context.undo()
    #expect(try sketch.state(of: context) == "a a.age=1")
    context.undoManager = undoManager
    undoManager.removeAllActions()
    context.undo()
    #expect(try sketch.state(of: context) == "a a.age=1")
  }
}
