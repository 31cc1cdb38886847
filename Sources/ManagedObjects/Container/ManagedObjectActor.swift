/// An actor with its own context, for work with objects outside the main actor.
///
/// ```swift
/// actor NoteImporter: ManagedObjectActor {
///   let container: PersistentContainer
///   lazy var context = container.newContext(isolation: self)
///
///   init(container: PersistentContainer) { self.container = container }
///
///   func add(_ titles: [String]) throws {
///     for title in titles { try context.insert(Note.self).title = title }
///     try context.save()
///   }
/// }
///
/// let importer = NoteImporter(container: container)
/// try await importer.add(["Milk", "Bread"])
/// ```
///
/// The compiler confines the context and its objects to the actor. The context keeps its objects and its unsaved
/// changes from one call to the next. For an actor without methods of its own, use
/// ``PersistentContainer/newBackgroundContext()``.
public protocol ManagedObjectActor: Actor {
  /// The container of the stores.
  nonisolated var container: PersistentContainer { get }

  /// The context of the actor. Create it with ``PersistentContainer/newContext(isolation:)``, in a lazy property.
  var context: ManagedObjectContext { get }
}

extension ManagedObjectActor {
  /// Runs a function with the context, on the actor.
  ///
  /// ```swift
  /// let count = try await importer.perform { context in try context.fetch(Note.self).count }
  /// ```
  ///
  /// Unlike in ``PersistentContainer/perform(_:)``, unsaved changes stay in the context.
  ///
  /// - Throws: the error of the function.
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(context)
  }
}

/// An actor that has a context and no other state. ``PersistentContainer/newBackgroundContext()`` creates it.
public actor BackgroundContext: ManagedObjectActor {
  public let container: PersistentContainer
  public private(set) lazy var context = container.newContext(isolation: self)

  init(container: PersistentContainer) { self.container = container }
}
