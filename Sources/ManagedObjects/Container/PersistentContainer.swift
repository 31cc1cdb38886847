public import FoundationEssentials
internal import ObjectModels
internal import ProgramFolders

/// The stores of a program with their model. Creates contexts to work with the objects.
///
/// ```swift
/// let model = try ManagedObjectModel(Person.self, Note.self)
/// let container = try PersistentContainer(model: model, stores: [.binary(file)])
/// let count = try await container.perform { context in
///   let note = try context.insert(Note.self)
///   note.content = "Hello"
///   try context.save()
///   return try context.count(for: FetchRequest("Note"))
/// }
/// ```
///
/// Any number of tasks can use a container at the same time.
public final class PersistentContainer: Sendable {
  /// The coordinator of the stores.
  public let coordinator: PersistentStoreCoordinator
  private let main = MainContextOwner()

  /// The model of the stores.
  public var model: ManagedObjectModel { coordinator.model }

  /// Opens stores.
  ///
  /// - Throws: the ``ManagedObjectError`` of the first store that cannot be opened, with its
  ///   ``ManagedObjectError/fileURL``.
  public init(model: ManagedObjectModel, stores: [PersistentStoreDescription]) throws(ManagedObjectError) {
    coordinator = PersistentStoreCoordinator(model: model)
    for description in stores { try coordinator.add(try description.open(model)) }
  }

  /// Returns a new context.
  ///
  /// ```swift
  /// let context = container.newContext()
  /// let people = try context.fetch(Person.self, sortedBy: .ascending(\.name))
  /// ```
  public func newContext() -> sending ManagedObjectContext { ManagedObjectContext(coordinator: coordinator) }

  /// Returns a new context that is confined to an actor. At the end of each turn of the actor, the context reports
  /// changes to observers. It also merges the changes of other contexts if
  /// ``ManagedObjectContext/mergesChangesAutomatically`` is true, and saves if ``ManagedObjectContext/autosaves`` is
  /// true.
  ///
  /// ```swift
  /// @MainActor func showNotes() throws {
  ///   let context = container.newContext(isolation: MainActor.shared)
  ///   context.mergesChangesAutomatically = true
  ///   show(try context.fetch(Note.self))
  /// }
  /// ```
  ///
  /// To write an actor with its own context, see ``ManagedObjectActor``.
  public func newContext(isolation: isolated any Actor) -> ManagedObjectContext {
    ManagedObjectContext(coordinator, turn: ContextTurn(isolation))
  }

  /// The context of the main actor. It is created on first access.
  ///
  /// ```swift
  /// @MainActor func addNote() throws {
  ///   let context = container.mainContext
  ///   context.mergesChangesAutomatically = true
  ///   try context.insert(Note.self).title = "Milk"
  ///   try context.save()
  /// }
  /// ```
  ///
  /// By default, the context neither merges the changes of other contexts nor saves automatically. See
  /// ``ManagedObjectContext/mergesChangesAutomatically`` and ``ManagedObjectContext/autosaves``.
  @MainActor public var mainContext: ManagedObjectContext { main.context(of: self) }

  /// Returns an actor with a new context, for work outside the main actor.
  ///
  /// ```swift
  /// let importer = container.newBackgroundContext()
  /// try await importer.perform { context in
  ///   try context.insert(Note.self).title = "Milk"
  ///   try context.save()
  /// }
  /// ```
  public func newBackgroundContext() -> BackgroundContext { BackgroundContext(container: self) }

  /// Runs a function with a new context, in the caller's task. The context is released when the function returns, so
  /// the function must save its changes. If it returns without saving them, or rolling them back,
  /// ``PersistentStoreCoordinator/misuseHandler`` is called.
  ///
  /// ```swift
  /// let names = try container.performAndWait { context in
  ///   try context.fetch(Person.self).map(\.name).sorted()
  /// }
  /// print(names)                                           // ["Ada", "Emmy"]
  /// ```
  ///
  /// - Throws: the error of the function.
  public func performAndWait<Result: Sendable, Failure: Error>(
    _ body: (ManagedObjectContext) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let context = newContext()
    let result = try body(context)
    reportDiscarded(context)
    return result
  }

  /// Runs a function with a new context, outside the caller's actor. The context is released when the function returns,
  /// so the function must save its changes. If it returns without saving them, or rolling them back,
  /// ``PersistentStoreCoordinator/misuseHandler`` is called.
  ///
  /// - Throws: the error of the function.
  @concurrent
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let context = newContext()
    let result = try await body(context)
    reportDiscarded(context)
    return result
  }

  /// Reports the unsaved changes of a context that is released.
  private func reportDiscarded(_ context: ManagedObjectContext) {
    guard context.hasChanges else { return }
    let objects = context.changedObjects
    let examples = objects.prefix(3).map { object in
      "\(object) (\(object.status.isInserted ? "inserted" : object.status.isDeleted ? "deleted" : "updated"))"
    }
    let list = examples.joined(separator: ", ") + (objects.count > 3 ? ", …" : "")
    let error = ManagedObjectError(
      .invalidState,
      "a function of perform or performAndWait returned without saving its context, so the changes of \(objects.count) "
        + "\(objects.count == 1 ? "object" : "objects") are lost: \(list). Call save(), or rollback() to discard them")
    context.report(error)
  }

  /// Runs a function with a new context and saves the context, in the caller's task.
  ///
  /// The function is called again with a new context if another context or process meanwhile saves one of the changed
  /// objects, or an object with the same values for a uniqueness constraint. The new context includes those changes.
  /// Side effects of the function may therefore occur several times.
  ///
  /// ```swift
  /// try container.updateAndWait { context in
  ///   for counter in try context.fetch(Counter.self) { counter.value += 1 }
  /// }
  /// ```
  ///
  /// - Throws: the error of the function, after which nothing is saved, or the error of
  ///   ``ManagedObjectContext/save()``.
  public func updateAndWait<Result: Sendable>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    var repetition = Repetition()
    while true {
      do {
        return try attempt(body)
      } catch let error as ManagedObjectError where repetition.isWorthwhile(after: error) {
        continue
      }
    }
  }

  private func attempt<Result: Sendable>(_ body: (ManagedObjectContext) throws -> Result) throws -> Result {
    try performAndWait { context in
      let result = try body(context)
      try context.save()
      return result
    }
  }

  /// Runs a function with a new context and saves the context, outside the caller's actor. See ``updateAndWait(_:)``.
  ///
  /// ```swift
  /// try await container.update { context in
  ///   try context.insert(Person.self).name = "Emmy"
  /// }
  /// ```
  @concurrent
  public func update<Result: Sendable>(
    _ body: @Sendable (ManagedObjectContext) async throws -> Result
  ) async throws -> Result {
    var repetition = Repetition()
    while true {
      do {
        return try await attempt(body)
      } catch let error as ManagedObjectError where repetition.isWorthwhile(after: error) {
        try Task.checkCancellation()
      }
    }
  }

  private func attempt<Result: Sendable>(
    _ body: @Sendable (ManagedObjectContext) async throws -> Result
  ) async throws -> Result {
    try await perform { context in
      let result = try await body(context)
      try context.save()
      return result
    }
  }

  /// The default folder for a program's stores. Nil if it cannot be determined, because the user has no home folder.
  ///
  /// On Linux, it is the folder with the program's name in `$XDG_DATA_HOME`, as in the XDG Base Directory
  /// Specification. If this variable is not set to an absolute path, the folder is in `~/.local/share` instead. On
  /// Apple's systems, it is in `~/Library/Application Support`. The folder may not exist yet; file stores create it.
  ///
  /// For a folder with another name, or for another kind of files, use `StandardFolders` of the library ProgramFolders.
  ///
  /// ```swift
  /// guard let folder = PersistentContainer.defaultFolder else { return }
  /// let container = try PersistentContainer(model: model, stores: [.xml(folder.appending(path: "notes.xml"))])
  /// ```
  public static var defaultFolder: URL? {
    let folders = try? StandardFolders.current.forProgram(ProcessInfo.processInfo.processName)
    return try? folders?.url(for: .applicationSupport)
  }
}

/// The owner of ``PersistentContainer/mainContext``. It releases the context on the main actor, because objects of the
/// context may be in use there.
@MainActor private final class MainContextOwner {
  private var context: ManagedObjectContext?

  nonisolated init() {}

  isolated deinit {}

  func context(of container: PersistentContainer) -> ManagedObjectContext {
    if let context { return context }
    let context = container.newContext(isolation: MainActor.shared)
    self.context = context
    return context
  }
}

/// A counter that decides if ``PersistentContainer/updateAndWait(_:)`` calls its function again after a conflict.
private struct Repetition {
  private static let greatestCount = 100
  private var count = 0
  /// The stored rows in the conflicts of the last attempt; nil before the first conflict.
  private var stored: [StoreRow?]?

  /// Returns true if another attempt may succeed, because another save caused the conflicts of the error. Returns false
  /// for an error without conflicts, for the same conflicts as in the last attempt, and after 100 attempts.
  mutating func isWorthwhile(after error: ManagedObjectError) -> Bool {
    guard error.code == .merge || error.code == .constraintMerge, count < Self.greatestCount else { return false }
    let rows = error.conflicts.map(\.stored)
    guard rows != stored else { return false }
    stored = rows
    count += 1
    return true
  }
}
