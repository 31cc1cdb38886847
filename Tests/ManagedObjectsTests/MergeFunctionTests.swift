import ManagedObjects
import TestSupport
import Testing

/// Two contexts change the same objects. The second one saves with a merge function.
@Suite("Merge functions") struct MergeFunctionTests {
  private struct Refusal: Error {}

  typealias Function = @Sendable (inout ObjectConflict) throws -> Void

  static let sum: Function = { conflict in
    guard
      case (.integer(let mine)?, .integer(let old)?, .integer(let stored)?) =
        (conflict.object?["age"], conflict.snapshot?["age"], conflict.stored?["age"])
    else { return }
    conflict.merged["age"] = .integer(stored + mine - old)
  }

  /// Returns a sketch with a saved setup, and a context whose changes conflict with those that were saved after them.
  private func conflict(
    _ kind: StoreKind, _ setup: String, theirs: String, mine: String, _ policy: MergePolicy, _ function: Function?
  ) throws -> (sketch: GraphSketch, mine: ManagedObjectContext) {
    let sketch = try GraphSketch(kind)
    let first = sketch.context()
    try sketch.run(setup, in: first)
    try sketch.save(first)
    let context = sketch.context(policy)
    context.mergeFunction = function
    _ = try sketch.readAll(in: context)
    try sketch.run(mine, in: context)
    try sketch.run(theirs, in: first)
    try sketch.save(first)
    return (sketch, context)
  }

  @Test(arguments: MergePolicy.allCases.filter { $0 != .error }, StoreKind.saving)
  func `two contexts add to a counter`(policy: MergePolicy, kind: StoreKind) throws {
    let (sketch, mine) = try conflict(
      kind, "Person a; a.age=10", theirs: "a.age=13", mine: "a.age=15", policy, Self.sum)
    try sketch.save(mine)
    #expect(try sketch.stored() == "a a.age=18")
    #expect(try sketch.state(of: mine) == "a a.age=18" && !mine.hasChanges)
    try sketch.run("a.age=20", in: mine)
    try sketch.save(mine)
    #expect(try sketch.stored() == "a a.age=20", "later changes are based on the merged value")
  }

  @Test func `many contexts add to a counter`() throws {
    let sketch = try GraphSketch(.sqlite)
    let first = sketch.context()
    try sketch.run("Person a", in: first)
    try sketch.save(first)
    let contexts = (0..<20).map { _ in sketch.context(.objectTrump) }
    for (index, context) in contexts.enumerated() {
      context.mergeFunction = Self.sum
      try sketch.run("a.age=\(index)", in: context)
    }
    for context in contexts { try sketch.save(context) }
    #expect(try sketch.stored() == "a a.age=190")
  }

  @Test(arguments: [3, 7], StoreKind.saving)
  func `the greater value wins`(stored: Int, kind: StoreKind) throws {
    let (sketch, mine) = try conflict(
      kind, "Employee a", theirs: "a.salary=\(stored); a.age=1", mine: "a.salary=5", .overwrite
    ) { conflict in
      if case (.double(let mine)?, .double(let stored)?) = (conflict.object?["salary"], conflict.stored?["salary"]) {
        conflict.policy = mine > stored ? .objectTrump : .rollback
      }
    }
    try sketch.save(mine)
    #expect(try sketch.stored() == "a a.age=1 a.salary=\(max(stored, 5))")
  }

  @Test(arguments: StoreKind.saving)
  func `merged attributes leave the merging of to-many relationships to the policy`(kind: StoreKind) throws {
    let (sketch, mine) = try conflict(
      kind, "Person a; Person b; Person c; a.age=1", theirs: "a.friends=b; a.age=2", mine: "a.friends=c; a.age=4",
      .storeTrump, Self.sum)
    try sketch.save(mine)
    let expected = "a a.age=5 a.friends=b,c b b.friends=a c c.friends=a"
    #expect(try sketch.stored() == expected)
    #expect(try sketch.state(of: mine) == expected)
  }

  @Test(arguments: StoreKind.saving)
  func `each object has a policy of its own`(kind: StoreKind) throws {
    let (sketch, mine) = try conflict(
      kind, "Person a; Person b; Person c; Person d", theirs: "a.age=1; b.age=1; delete c; delete d",
      mine: "a.age=2; b.age=2; c.age=2; d.age=2", .storeTrump
    ) { conflict in
      if let name = conflict.object?["name"], name == .string("a") || name == .string("c") {
        conflict.policy = .objectTrump
      }
      if conflict.object?["name"] == .string("c"), conflict.stored != nil { throw Refusal() }
    }
    try sketch.save(mine)
    #expect(try sketch.stored() == "a a.age=2 b b.age=1 c c.age=2")
  }

  @Test(arguments: StoreKind.saving)
  func `a deletion has a policy of its own`(kind: StoreKind) throws {
    let (sketch, mine) = try conflict(
      kind, "Person a; Person b", theirs: "a.age=1; b.age=1", mine: "delete a; delete b", .objectTrump
    ) { conflict in
      #expect(conflict.object == nil && conflict.entity.name == "Person" && conflict.constraint.isEmpty)
      if conflict.snapshot?["name"] == .string("a") { conflict.policy = .storeTrump }
    }
    try sketch.save(mine)
    #expect(try sketch.stored() == "a a.age=1")
  }

  @Test(arguments: StoreKind.saving)
  func `the save fails if a conflict has the policy error`(kind: StoreKind) throws {
    let (sketch, mine) = try conflict(
      kind, "Person a; Person b", theirs: "a.age=1; b.age=1", mine: "a.age=2; b.age=2", .error
    ) { conflict in
      if conflict.object?["name"] == .string("a") { conflict.policy = .objectTrump }
    }
    let error = thrownError { try mine.save() }
    #expect(error?.code == .merge && error?.conflicts.count == 2)
    #expect(error?.conflicts.allSatisfy { $0.snapshot != nil } == true)
    #expect(try sketch.stored() == "a a.age=1 b b.age=1")
    #expect(try sketch.state(of: mine) == "a a.age=2 b b.age=2", "no conflict was resolved")
    mine.mergeFunction = { $0.policy = .objectTrump }
    try sketch.save(mine)
    #expect(try sketch.stored() == "a a.age=2 b b.age=2")
  }

  @Test(arguments: StoreKind.saving)
  func `the save fails if the function throws`(kind: StoreKind) throws {
    let (sketch, mine) = try conflict(
      kind, "Person a; Person b", theirs: "a.age=1; b.age=1", mine: "a.age=2; b.age=2", .objectTrump
    ) { conflict in
      if conflict.object?["name"] == .string("b") { throw Refusal() }
    }
    let error = thrownError { try mine.save() }
    #expect(error?.code == .merge && error?.underlyingError is Refusal && error?.conflicts.count == 1)
    #expect(try error?.objectID == sketch.object("b", in: mine).objectID)
    #expect(try sketch.stored() == "a a.age=1 b b.age=1")
    #expect(try sketch.state(of: mine) == "a a.age=2 b b.age=2", "no conflict was resolved")
    mine.mergeFunction = { _ in throw ManagedObjectError(.dateTooLate, "too late") }
    #expect(errorCode { try mine.save() } == .dateTooLate)
  }

  @Test func `merged values must suit the attributes`() throws {
    func error(_ merged: [String: AttributeValue]) throws -> ManagedObjectError? {
      let (sketch, mine) = try conflict(.memory, "Person a", theirs: "a.age=1", mine: "a.age=2", .objectTrump) {
        $0.merged = merged
      }
      let error = thrownError { try mine.save() }
      if error != nil { #expect(try sketch.state(of: mine) == "a a.age=2" && sketch.stored() == "a a.age=1") }
      return error
    }
    let type = try #require(try error(["age": .string("x")]))
    #expect(type.code == .invalidValue && type.key == "age" && type.value == .string("x"))
    #expect(try error(["years": .integer(1)])?.code == .undefinedKey)
    #expect(try error(["friends": .integer(1)])?.code == .invalidValue)
    #expect(try error(["age": .string("x"), "name": .integer(1)])?.details.map(\.key) == ["age", "name"])
    #expect(try error(["age": .double(3)]) == nil, "numbers are converted")
  }

  @Test func `merged values are for objects that both sides changed`() throws {
    for (theirs, mine) in [("delete a", "a.age=2"), ("a.age=1", "delete a")] {
      let (_, context) = try conflict(.memory, "Person a", theirs: theirs, mine: mine, .objectTrump) {
        $0.merged["age"] = .integer(3)
      }
      #expect(errorCode { try context.save() } == .invalidState)
    }
  }

  @Test func `objects that both sides deleted are not in conflict`() throws {
    let (sketch, mine) = try conflict(
      .memory, "Person a; Person b", theirs: "delete a; b.age=1", mine: "delete a; b.age=2", .error
    ) { conflict in
      #expect(conflict.object?["name"] == .string("b"))
      conflict.policy = .objectTrump
    }
    try sketch.save(mine)
    #expect(try sketch.stored() == "b b.age=2")
  }

  private static let uniqueModel: ManagedObjectModel = {
    var entity = EntityDescription("City")
    var size = AttributeDescription("size", .integer64)
    do {
      size.traits.validations = [PropertyValidation(try ManagedPredicate(format: "SELF < 100"), warning: .code(1610))]
      entity.properties = [.attribute("name", .string), .attribute(size)]
      entity.uniquenessConstraints = [["name"]]
      return try ManagedObjectModel(entities: [entity])
    } catch {
      fatalError("\(error)")
    }
  }()

  private func cities(_ context: ManagedObjectContext) throws -> [AttributeValue] {
    try context.fetch(FetchRequest("City")).compactMap {
      if case .attribute(let size)? = $0["size"] { size } else { nil }
    }
  }

  @Test(arguments: StoreKind.saving)
  func `the policy of a constraint conflict depends on its values`(kind: StoreKind) throws {
    let folder = TemporaryFolder(isInMemory: true)
    let coordinator = try kind.coordinator(Self.uniqueModel, folder)
    let context = ManagedObjectContext(coordinator: coordinator)
    context.mergeFunction = { conflict in
      #expect(conflict.constraint == ["name"] && conflict.snapshot == nil)
      guard case (.integer(let mine)?, .integer(let stored)?) = (conflict.object?["size"], conflict.stored?["size"])
      else {
        // Both are new: the first one stays.
        conflict.policy = .storeTrump
        return
      }
      if mine == 0 { conflict.merged["size"] = .integer(1) }
      conflict.policy = mine > stored ? .objectTrump : .storeTrump
    }
    func insert(_ sizes: Int64...) throws {
      for size in sizes { try context.insert("City").setValues(["name": "Oslo", "size": .integer(size)]) }
      try context.save()
    }
    try insert(2, 9)
    #expect(try cities(context) == [.integer(2)])
    try insert(3)
    #expect(try cities(context) == [.integer(3)])
    try insert(1)
    #expect(try cities(context) == [.integer(3)])
    #expect(errorCode { try insert(0) } == .invalidState, "merged values are not for constraints")
  }

  @Test func `merged values are validated`() throws {
    let coordinator = try StoreKind.memory.coordinator(Self.uniqueModel, TemporaryFolder(isInMemory: true))
    let (mine, theirs) = (
      ManagedObjectContext(coordinator: coordinator), ManagedObjectContext(coordinator: coordinator)
    )
    mine.mergePolicy = .objectTrump
    let city = try mine.insert("City")
    try city.setValue(50, forKey: "size")
    try mine.save()
    let copy = try theirs.object(with: city.objectID)
    try copy.setValue(60, forKey: "size")
    try theirs.save()
    try city.setValue(70, forKey: "size")
    mine.mergeFunction = { $0.merged["size"] = 100 }
    let error = thrownError { try mine.save() }
    #expect(error?.code == .numberTooLarge && error?.key == "size" && error?.objectID == city.objectID)
    #expect(city["size"] == .attribute(.integer(70)))
    mine.mergeFunction = { $0.merged["size"] = 99 }
    try mine.save()
    #expect(city["size"] == .attribute(.integer(99)))
  }
}
