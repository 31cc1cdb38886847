import ManagedObjects
import ManagedObjectsSamples
import Testing

/// Records the calls of its hooks.
class Diary: ManagedObject {
  @Attribute var title: String?
  @Attribute var stamp = 0
  @Relationship(deleteRule: .cascade, minimumCount: 0) var pages: Set<Page>

  /// The functions that a test runs in the hooks.
  struct Hooks {
    var log: [String] = []
    var willSave: ((Diary) -> Void)?
    var didSave: ((Diary) -> Void)?
    var prepareForDeletion: ((Diary) -> Void)?
    var awakeFromInsert: ((Diary) -> Void)?
    var awakeFromFetch: ((Diary) -> Void)?
    var willTurnIntoFault: ((Diary) -> Void)?
  }

  @TaskLocal static var hooks = HookBox()

  final class HookBox: @unchecked Sendable {
    var value = Hooks()
  }

  private func note(_ event: String) { Diary.hooks.value.log.append("\(event) \(title ?? "-")") }

  override func awakeFromInsert() { Diary.hooks.value.awakeFromInsert?(self) }

  override func awakeFromFetch() { Diary.hooks.value.awakeFromFetch?(self) }

  override func willSave() {
    note("willSave")
    Diary.hooks.value.willSave?(self)
  }

  override func didSave() {
    note("didSave")
    Diary.hooks.value.didSave?(self)
  }

  override func prepareForDeletion() { Diary.hooks.value.prepareForDeletion?(self) }

  override func willTurnIntoFault() { Diary.hooks.value.willTurnIntoFault?(self) }

  override func validateForInsert() throws(ManagedObjectError) {
    note("validateForInsert")
    try super.validateForInsert()
  }

  override func validateForUpdate() throws(ManagedObjectError) {
    note("validateForUpdate")
    try super.validateForUpdate()
  }

  override func validateForDelete() throws(ManagedObjectError) {
    note("validateForDelete")
    try super.validateForDelete()
  }

  override func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
    if key == "title", value == .string("forbidden") {
      throw ManagedObjectError(.validation, "this title is forbidden", objectID: objectID, key: key)
    }
  }
}

final class Page: ManagedObject {
  @Attribute var number = 0
  @Relationship(inverse: \Diary.pages) var diary: Diary?
}

@Suite("Order of save hooks") struct SaveOrderTests {
  static let model: ManagedObjectModel = {
    do { return try ManagedObjectModel(Diary.self, Page.self) } catch { fatalError("\(error)") }
  }()

  static func coordinator() throws -> PersistentStoreCoordinator {
    let coordinator = PersistentStoreCoordinator(model: model)
    try coordinator.add(InMemoryStore(model: model))
    return coordinator
  }

  /// Runs a test with a new context and new hooks.
  static func run(_ body: (ManagedObjectContext, Diary.HookBox) throws -> Void) throws {
    let box = Diary.HookBox()
    try Diary.$hooks.withValue(box) { try body(ManagedObjectContext(coordinator: coordinator()), box) }
  }

  @Test func `a save calls willSave, then validates, then calls didSave`() throws {
    try Self.run { context, hooks in
      let changed = try context.insert(Diary.self)
      changed.title = "changed"
      let gone = try context.insert(Diary.self)
      gone.title = "gone"
      try context.save()
      hooks.value.log = []
      changed.stamp = 1
      try context.delete(gone)
      let new = try context.insert(Diary.self)
      new.title = "new"
      try context.save()
      #expect(
        hooks.value.log == [
          "willSave changed", "willSave gone", "willSave new", "validateForUpdate changed", "validateForDelete gone",
          "validateForInsert new", "didSave changed", "didSave gone", "didSave new",
        ])
      hooks.value.log = []
      try context.save()
      #expect(hooks.value.log.isEmpty, "there is nothing to save")
    }
  }

  @Test func `willSave can change its object and others`() throws {
    try Self.run { context, hooks in
      let first = try context.insert(Diary.self)
      first.title = "first"
      let second = try context.insert(Diary.self)
      second.title = "second"
      try context.save()
      hooks.value.log = []
      hooks.value.willSave = { diary in
        diary.stamp += 1
        if diary === first, second.stamp == 0 { second.stamp = 1 }
        if diary === second, first.stamp == 2 { first.stamp = 3 }
      }
      first.stamp = 1
      try context.save()
      // A change that an object makes to itself does not cause a second call, but a change by another object does.
      #expect(first.stamp == 4 && second.stamp == 2)
      #expect(
        hooks.value.log.filter { $0.hasPrefix("will") } == ["willSave first", "willSave second", "willSave first"])
      let other = ManagedObjectContext(coordinator: context.coordinator)
      #expect(try other.fetch(Diary.self).map(\.stamp) == [4, 2])
    }
  }

  @Test func `willSave can insert and delete objects`() throws {
    try Self.run { context, hooks in
      let diary = try context.insert(Diary.self)
      let old = try context.insert(Page.self)
      diary.add(old, to: \.pages)
      try context.save()
      hooks.value.willSave = { diary in
        guard diary.pages.contains(old), !old.isDeleted else { return }
        try? context.delete(old)
        if let page = try? context.insert(Page.self) { diary.add(page, to: \.pages) }
      }
      diary.stamp = 1
      try context.save()
      let other = ManagedObjectContext(coordinator: context.coordinator)
      let pages = try other.fetch(Page.self)
      #expect(pages.count == 1 && pages.first?.diary?.pages == Set(pages))
    }
  }

  @Test func `endless changes in willSave are an error`() throws {
    try Self.run { context, hooks in
      let first = try context.insert(Diary.self)
      let second = try context.insert(Diary.self)
      hooks.value.willSave = { diary in
        let other = diary === first ? second : first
        other.stamp += 1
      }
      #expect(errorCode { try context.save() } == .invalidState)
      #expect(first.isInserted && context.hasChanges)
      hooks.value.willSave = nil
      try context.save()
      #expect(!context.hasChanges)
    }
  }

  @Test func `a value that willSave restores is not an endless change`() throws {
    try Self.run { context, hooks in
      _ = try context.insert(Diary.self)
      hooks.value.willSave = { diary in
        diary.title = nil
        diary.title = "computed"
      }
      try context.save()
      #expect(try context.fetch(Diary.self).map(\.title) == ["computed"])
    }
  }

  @Test func `setting NaN again is not a change`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Sample", [.attribute("value", .double), .attribute("name", .string)])
    ])
    let context = try ManagedObjectContext(InMemoryStore(model: model))
    let sample = try context.insert("Sample")
    try sample.setValue(.double(.nan), forKey: "value")
    try context.save()
    #expect(!context.hasChanges)
    try sample.setValue(.double(-.nan), forKey: "value")
    #expect(!context.hasChanges && !sample.hasPersistentChangedValues)
    try sample.setValue(.string("x"), forKey: "name")
    #expect(Set(sample.changedValues().keys) == ["name"])
  }

  @Test(arguments: ["willSave", "didSave"])
  func `a save in a hook is an error and the outer save succeeds`(hook: String) throws {
    try Self.run { context, hooks in
      _ = try context.insert(Diary.self)
      var codes: [ManagedObjectError.Code?] = []
      let save: (Diary) -> Void = { _ in codes.append(errorCode { try context.save() }) }
      if hook == "willSave" { hooks.value.willSave = save } else { hooks.value.didSave = save }
      try context.save()
      #expect(codes == [.invalidState])
      #expect(!context.hasChanges)
      let other = ManagedObjectContext(coordinator: context.coordinator)
      #expect(try other.count(Diary.self) == 1)
    }
  }

  @Test(arguments: [true, false]) func `willSave can reset or roll back the context`(isReset: Bool) throws {
    try Self.run { context, hooks in
      let first = try context.insert(Diary.self)
      let second = try context.insert(Diary.self)
      hooks.value.willSave = { _ in if isReset { context.reset() } else { context.rollback() } }
      try context.save()
      #expect(first.managedObjectContext == nil && second.managedObjectContext == nil && !context.hasChanges)
      #expect(try context.count(Diary.self) == 0)
    }
  }

  @Test func `a failed save leaves the store and the changes as they are`() throws {
    try Self.run { context, _ in
      let kept = try context.insert(Diary.self)
      kept.title = "kept"
      let gone = try context.insert(Diary.self)
      try context.save()
      kept.title = "forbidden"
      try context.delete(gone)
      let new = try context.insert(Diary.self)
      new.title = "new"
      do throws(ManagedObjectError) {
        try context.save()
        Issue.record("it was saved")
      } catch {
        #expect(error.code == .validation && error.key == "title" && error.objectID == kept.objectID)
      }
      #expect(kept.isUpdated && gone.isDeleted && new.isInserted && new.objectID.isTemporary)
      let other = ManagedObjectContext(coordinator: context.coordinator)
      #expect(try other.fetch(Diary.self).map(\.title) == ["kept", nil])
      kept.title = "allowed"
      try context.save()
      other.reset()
      #expect(try other.fetch(Diary.self).map(\.title) == ["allowed", "new"])
    }
  }

  @Test func `values set in awakeFromFetch are not changes`() throws {
    try Self.run { context, hooks in
      let diary = try context.insert(Diary.self)
      diary.title = "stored"
      try context.save()
      hooks.value.awakeFromFetch = { $0.title = "awake" }
      let other = ManagedObjectContext(coordinator: context.coordinator)
      other.undoManager = ManagedObjectContext.UndoManager()
      let found = try #require(try other.fetch(Diary.self).first)
      #expect(found.title == "awake")
      #expect(!other.hasChanges && !found.hasPersistentChangedValues && other.undoManager?.canUndo == false)
      found.stamp = 1
      #expect(Set(found.changedValues().keys) == ["stamp"])
    }
  }

  @Test func `values set in awakeFromInsert are the initial values`() throws {
    try Self.run { context, hooks in
      hooks.value.awakeFromInsert = { $0.title = "fresh" }
      let undoManager = ManagedObjectContext.UndoManager()
      context.undoManager = undoManager
      let diary = try context.insert(Diary.self)
      #expect(diary.title == "fresh" && diary.isInserted)
      context.undo()
      #expect(diary.managedObjectContext == nil && !context.hasChanges)
      context.redo()
      #expect(diary.title == "fresh" && diary.isInserted)
    }
  }

  @Test func `objects that delete each other are deleted once`() throws {
    try Self.run { context, hooks in
      let first = try context.insert(Diary.self)
      let second = try context.insert(Diary.self)
      try context.save()
      var calls = 0
      hooks.value.prepareForDeletion = { diary in
        calls += 1
        try? context.delete(diary)
        try? context.delete(diary === first ? second : first)
      }
      try context.delete(first)
      #expect(calls == 2 && first.isDeleted && second.isDeleted)
      try context.save()
      #expect(try context.count(Diary.self) == 0)
    }
  }
}
