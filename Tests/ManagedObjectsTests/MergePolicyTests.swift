import ManagedObjects
import TestSupport
import Testing

/// Two contexts change the same objects. The second one saves with its merge policy.
@Suite("Merge policies") struct MergePolicyTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let setup: String
    let theirs: String
    let mine: String
    /// The stored state after the saves, by policy. Nil if the save throws.
    let store: String?
    let object: String?
    let overwrite: String?
    let rollback: String?
    var error: String?

    func expected(_ policy: MergePolicy) -> String? {
      switch policy {
      case .error: error
      case .storeTrump: store
      case .objectTrump: object
      case .overwrite: overwrite
      case .rollback: rollback
      }
    }
  }

  static let rows: [Row] = [
    Row(
      testDescription: "nothing in common", setup: "Person a; Person b", theirs: "a.age=1", mine: "b.age=2",
      store: "a a.age=1 b b.age=2", object: "a a.age=1 b b.age=2", overwrite: "a a.age=1 b b.age=2",
      rollback: "a a.age=1 b b.age=2", error: "a a.age=1 b b.age=2"),
    Row(
      testDescription: "one attribute", setup: "Employee a", theirs: "a.age=1", mine: "a.age=2", store: "a a.age=1",
      object: "a a.age=2", overwrite: "a a.age=2", rollback: "a a.age=1"),
    Row(
      testDescription: "different attributes", setup: "Employee a", theirs: "a.age=1", mine: "a.salary=2",
      store: "a a.age=1 a.salary=2", object: "a a.age=1 a.salary=2", overwrite: "a a.salary=2",
      rollback: "a a.age=1"),
    Row(
      testDescription: "the same change", setup: "Employee a", theirs: "a.age=1", mine: "a.age=1", store: "a a.age=1",
      object: "a a.age=1", overwrite: "a a.age=1", rollback: "a a.age=1"),
    Row(
      testDescription: "a to-one relationship", setup: "Person a; Person b; Person c; Note n; n.author=a",
      theirs: "n.author=b", mine: "n.author=c", store: "a b c n n.author=b", object: "a b c n n.author=c",
      overwrite: "a b c n n.author=c", rollback: "a b c n n.author=b"),
    Row(
      testDescription: "a relationship here, an attribute there", setup: "Person a; Card 1", theirs: "a.age=1",
      mine: "a.card=1", store: "1 1.owner=a a a.age=1", object: "1 1.owner=a a a.age=1", overwrite: "1 1.owner=a a",
      rollback: "1 a a.age=1"),
    Row(
      testDescription: "an attribute here, a relationship there", setup: "Person a; Card 1", theirs: "a.card=1",
      mine: "a.age=1", store: "1 1.owner=a a a.age=1", object: "1 1.owner=a a a.age=1", overwrite: "1 a a.age=1",
      rollback: "1 1.owner=a a"),
    Row(
      testDescription: "a one-to-one relationship", setup: "Person a; Card 1; Card 2", theirs: "a.card=1",
      mine: "a.card=2", store: "1 1.owner=a 2 a", object: "1 2 2.owner=a a", overwrite: "1 2 2.owner=a a",
      rollback: "1 1.owner=a 2 a"),
    Row(
      testDescription: "to-many, both add", setup: "Note n; Tag x; Tag y", theirs: "n.tags+=x", mine: "n.tags+=y",
      store: "n n.tags=x,y x y", object: "n n.tags=x,y x y", overwrite: "n n.tags=y x y", rollback: "n n.tags=x x y"),
    Row(
      testDescription: "to-many, removed there, added here", setup: "Note n; Tag x; Tag y; n.tags=x",
      theirs: "n.tags=", mine: "n.tags+=y", store: "n n.tags=y x y", object: "n n.tags=y x y",
      overwrite: "n n.tags=x,y x y", rollback: "n x y"),
    Row(
      testDescription: "to-many, added there, removed here", setup: "Note n; Tag x; Tag y; n.tags=x",
      theirs: "n.tags+=y", mine: "n.tags=", store: "n n.tags=y x y", object: "n n.tags=y x y", overwrite: "n x y",
      rollback: "n n.tags=x,y x y"),
    Row(
      testDescription: "reflexive, both add", setup: "Person a; Person b; Person c", theirs: "a.friends=b",
      mine: "a.friends=c", store: "a a.friends=b,c b b.friends=a c c.friends=a",
      object: "a a.friends=b,c b b.friends=a c c.friends=a", overwrite: "a a.friends=c b c c.friends=a",
      rollback: "a a.friends=b b b.friends=a c"),
    Row(
      testDescription: "ordered, both add", setup: "Group g; Person a; Person b", theirs: "g.members+=a",
      mine: "g.members+=b", store: "a b g g.members=a,b", object: "a b g g.members=a,b",
      overwrite: "a b g g.members=b", rollback: "a b g g.members=a"),
    Row(
      testDescription: "ordered, another order here", setup: "Group g; Person a; Person b; g.members=a,b; Employee c",
      theirs: "g.name=g", mine: "g.members=b,a", store: "a b c g g.members=b,a", object: "a b c g g.members=b,a",
      overwrite: "a b c g g.members=b,a", rollback: "a b c g g.members=b,a", error: "a b c g g.members=b,a"),
    Row(
      testDescription: "moved here, the old owner changed there",
      setup: "Person a; Person b; Note n; n.author=a", theirs: "a.age=1", mine: "n.author=b",
      store: "a a.age=1 b n n.author=b", object: "a a.age=1 b n n.author=b", overwrite: "a b n n.author=b",
      rollback: "a a.age=1 b n n.author=a"),
    Row(
      testDescription: "changed here, deleted there", setup: "Employee a; Group g; g.members=a", theirs: "delete a",
      mine: "a.age=2", store: "g", object: "a a.age=2 g g.members=a", overwrite: "a a.age=2 g g.members=a",
      rollback: "g"),
    Row(
      testDescription: "changed here, deleted there by a cascade", setup: "Person a; Note n; n.author=a; Tag x",
      theirs: "delete a", mine: "n.tags=x", store: "x", object: "n n.tags=x x", overwrite: "n n.tags=x x",
      rollback: "x"),
    Row(
      testDescription: "referred to here, deleted there", setup: "Person a; Note n", theirs: "delete a",
      mine: "n.author=a", store: "n", object: "a n n.author=a", overwrite: "a n n.author=a", rollback: "n"),
    Row(
      testDescription: "both changed here, both deleted there", setup: "Person a; Note n; n.author=a; Tag x",
      theirs: "delete a", mine: "a.age=1; n.tags=x", store: "x", object: "a a.age=1 n n.author=a n.tags=x x",
      overwrite: "a a.age=1 n n.author=a n.tags=x x", rollback: "x"),
    Row(
      testDescription: "deleted here, changed there", setup: "Person a; Group g; g.members=a", theirs: "a.age=1",
      mine: "delete a", store: "a a.age=1 g g.members=a", object: "g", overwrite: "g",
      rollback: "a a.age=1 g g.members=a"),
    Row(
      testDescription: "deleted here with a cascade, changed there", setup: "Person a; Note n; n.author=a; Tag x",
      theirs: "n.tags=x", mine: "delete a", store: "n n.tags=x x", object: "x", overwrite: "x",
      rollback: "n n.tags=x x"),
    Row(
      testDescription: "deleted here, referred to there", setup: "Person a; Group g", theirs: "g.members=a",
      mine: "delete a", store: "a g g.members=a", object: "g", overwrite: "g", rollback: "a g g.members=a"),
    Row(
      testDescription: "deleted here, more for the cascade there", setup: "Person a; Note n", theirs: "n.author=a",
      mine: "delete a", store: "a n n.author=a", object: "", overwrite: "", rollback: "a n n.author=a"),
    Row(
      testDescription: "deleted here, what was referred to moved here",
      setup: "Person a; Person b; Note n; n.author=a", theirs: "a.age=1", mine: "n.author=b; delete a",
      store: "a a.age=1 b n n.author=b", object: "b n n.author=b", overwrite: "b n n.author=b",
      rollback: "a a.age=1 b n n.author=b"),
    Row(
      testDescription: "deleted on both sides", setup: "Person a; Group g; g.members=a; Tag x",
      theirs: "delete a; delete g", mine: "delete a; delete g", store: "x", object: "x", overwrite: "x", rollback: "x",
      error: "x"),
  ]

  @Test(arguments: rows, MergePolicy.allCases)
  func `a save merges the changes of two contexts with the merge policy`(row: Row, policy: MergePolicy) throws {
    // The short form has one policy of each row in a file.
    let index = try #require(Self.rows.firstIndex { $0.testDescription == row.testDescription })
    let isInFile = LongForm.isWanted || policy.rawValue == index % MergePolicy.allCases.count
    for kind in isInFile ? StoreKind.saving : [.memory] { try merge(row, policy, kind) }
  }

  private func merge(_ row: Row, _ policy: MergePolicy, _ kind: StoreKind) throws {
    let comment = Comment(rawValue: "\(kind)")
    let sketch = try GraphSketch(kind)
    let first = sketch.context()
    try sketch.run(row.setup, in: first)
    try sketch.save(first)
    let mine = sketch.context(policy)
    // Both contexts read all objects first.
    let known = try sketch.readAll(in: mine)
    let theirs = sketch.context()
    try sketch.run(row.theirs, in: theirs)
    try sketch.run(row.mine, in: mine)
    try sketch.save(theirs)
    let between = try sketch.stored()
    guard let expected = row.expected(policy) else {
      #expect(errorCode { try sketch.save(mine) } == .merge, comment)
      #expect(try sketch.stored() == between, "the store is as it was, \(comment)")
      #expect(mine.hasChanges, comment)
      mine.rollback()
      try mine.refreshAllObjects()
      #expect(try sketch.state(of: mine) == between, comment)
      return
    }
    try sketch.save(mine)
    #expect(try sketch.stored() == expected, comment)
    #expect(!mine.hasChanges, comment)
    // The values in the context match the stored ones, after it reads what it has not seen yet.
    try mine.refreshAllObjects()
    #expect(try sketch.state(of: mine) == expected, comment)
    try mine.save()
    #expect(try sketch.stored() == expected, comment)
    withExtendedLifetime(known) {}
  }

  @Test(arguments: StoreKind.saving)
  func `a merge error has the unsaved and the stored values of each object`(kind: StoreKind) throws {
    let sketch = try GraphSketch(kind)
    let first = sketch.context()
    try sketch.run("Employee a; Employee b", in: first)
    try sketch.save(first)
    let mine = sketch.context()
    try sketch.run("a.age=1; delete b", in: mine)
    try sketch.run("a.age=2; b.age=3", in: first)
    try sketch.save(first)
    do throws(ManagedObjectError) {
      try mine.save()
      Issue.record("it was saved")
    } catch {
      let slot = try #require(NaiveGraph.model["Employee"]?.property(named: "age")?.slot)
      #expect(error.code == .merge && error.conflicts.count == 2)
      let change = try #require(error.conflicts.first { $0.object != nil })
      #expect(change.object?.values[slot] == .attribute(.integer(1)))
      #expect(change.stored?.values[slot] == .attribute(.integer(2)))
      let deletion = try #require(error.conflicts.first { $0.object == nil })
      #expect(deletion.snapshot?.values[slot] == .attribute(.integer(0)))
      #expect(deletion.stored?.values[slot] == .attribute(.integer(3)))
    }
  }

  @Test(arguments: [MergePolicy.storeTrump, .objectTrump])
  func `undo does not revert merged changes`(policy: MergePolicy) throws {
    let sketch = try GraphSketch()
    let first = sketch.context()
    try sketch.run("Employee a", in: first)
    try sketch.save(first)
    let mine = sketch.context(policy)
    mine.undoManager = ManagedObjectContext.UndoManager()
    try sketch.run("a.salary=2", in: mine)
    try sketch.run("a.age=1", in: first)
    try sketch.save(first)
    try sketch.save(mine)
    mine.undo()
    #expect(try sketch.state(of: mine) == "a a.age=1")
    #expect(mine.undoManager?.canUndo == false)
  }

  @Test(arguments: StoreKind.saving)
  func `conflicts of an object are detected without a save`(kind: StoreKind) throws {
    let sketch = try GraphSketch(kind)
    let setup = sketch.context()
    try sketch.run("Person a; Person b; Person c", in: setup)
    try sketch.save(setup)
    let mine = sketch.context()
    func detect(_ label: String) throws -> MergeConflict? {
      let object = try sketch.object(label, in: mine)
      let error = thrownError { try mine.detectConflicts(for: object) }
      #expect(error == nil || error?.code == .merge && error?.objectID == object.objectID)
      return error?.conflicts.first
    }
    try sketch.run("a.age=1; b.age=1; c.age=1; Person d", in: mine)
    for label in ["a", "b", "c"] { #expect(try detect(label) == nil) }
    let theirs = sketch.context()
    try sketch.run("a.age=2; delete b", in: theirs)
    try sketch.save(theirs)
    let slot = try #require(NaiveGraph.model.entity(named: "Person")?.property(named: "age")?.slot)
    let changed = try #require(try detect("a"))
    #expect(changed.object?.values[slot] == .attribute(.integer(1)))
    #expect(changed.snapshot?.values[slot] == .attribute(.integer(0)))
    #expect(changed.stored?.values[slot] == .attribute(.integer(2)))
    let deleted = try #require(try detect("b"))
    #expect(deleted.stored == nil && deleted.object != nil)
    #expect(try detect("c") == nil)
    #expect(try detect("d") == nil)
    let other = try sketch.object("a", in: theirs)
    #expect(errorCode { try mine.detectConflicts(for: other) } == .invalidState)
    // A fault has not been read, so there is nothing to compare.
    let fault = sketch.context()
    let object = try sketch.object("a", in: fault)
    try fault.detectConflicts(for: object)
    #expect(object.isFault)
  }
}
