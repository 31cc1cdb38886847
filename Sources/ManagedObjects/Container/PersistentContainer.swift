public import FoundationEssentials
internal import ObjectModels
internal import SystemFiles

/// All that a program needs to keep objects: a model, stores, and contexts to work in.
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
/// Any number of tasks can use it.
public final class PersistentContainer: Sendable {
  /// The stores.
  public let coordinator: PersistentStoreCoordinator

  /// The model.
  public var model: ManagedObjectModel { coordinator.model }

  /// Opens stores.
  ///
  /// - Throws: ``ManagedObjectError``: what opening a store throws, for the first one that fails, with its
  ///   ``ManagedObjectError/fileURL``.
  public init(model: ManagedObjectModel, stores: [PersistentStoreDescription]) throws(ManagedObjectError) {
    coordinator = PersistentStoreCoordinator(model: model)
    for description in stores { try coordinator.add(try description.open(model)) }
  }

  /// A context of its own for whoever asks.
  public func newContext() -> sending ManagedObjectContext { ManagedObjectContext(coordinator: coordinator) }

  /// Works in a context of its own, in the task of the caller. The context is gone at the end; what is to be kept is
  /// saved before.
  public func performAndWait<Result: Sendable, Failure: Error>(
    _ body: (ManagedObjectContext) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(newContext())
  }

  /// Works in a context of its own, outside of the caller's actor. The context is gone at the end; what is to be kept
  /// is saved before.
  @concurrent
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await body(newContext())
  }

  /// Works in a context of its own and saves it, in the task of the caller.
  ///
  /// If somebody else meanwhile saved an object that this work changes, or one with the same values of a uniqueness
  /// constraint, the work is done again in a new context, which has what they saved. What the function does outside of
  /// the context it may do several times.
  ///
  /// ```swift
  /// try container.updateAndWait { context in
  ///   for counter in try context.fetch(Counter.self) { counter.value += 1 }
  /// }
  /// ```
  ///
  /// - Throws: what the function throws, and nothing is saved then; what ``ManagedObjectContext/save()`` throws.
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

  /// Works in a context of its own and saves it, outside of the caller's actor. See ``updateAndWait(_:)``.
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

  /// The folder of a program's stores if it has no better location: one with the program's name in
  /// `$XDG_DATA_HOME`, or in `~/.local/share` without that; on Apple's systems in `~/Library/Application Support`. Nil
  /// for a user without a home folder.
  ///
  /// The folders of Linux are those of the XDG Base Directory Specification. The folder may not exist yet; a store
  /// makes it.
  public static var defaultFolder: URL? {
    func absolute(_ path: String?) -> URL? {
      guard let path, path.hasPrefix("/") else { return nil }
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    let home = absolute(CurrentProcess.homeFolder)
    #if canImport(Darwin)
      let data = home?.appending(path: "Library/Application Support", directoryHint: .isDirectory)
    #else
      let data =
        absolute(CurrentProcess.environmentValue("XDG_DATA_HOME"))
        ?? home?.appending(path: ".local/share", directoryHint: .isDirectory)
    #endif
    return data?.appending(path: ProcessInfo.processInfo.processName, directoryHint: .isDirectory)
  }
}

/// Decides whether work is done again after a conflict.
private struct Repetition {
  private static let greatestCount = 100
  private var count = 0
  /// The objects that the store had instead of those of the last attempt.
  private var stored: [StoreRow?]?

  /// False if the same objects are in the way once more: what the work makes does not fit, whoever else saves.
  mutating func isWorthwhile(after error: ManagedObjectError) -> Bool {
    guard error.code == .merge || error.code == .constraintMerge, count < Self.greatestCount else { return false }
    let rows = error.conflicts.map(\.stored)
    guard rows != stored else { return false }
    stored = rows
    count += 1
    return true
  }
}
