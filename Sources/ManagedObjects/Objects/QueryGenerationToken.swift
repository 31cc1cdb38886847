internal import Synchronization

/// A query generation: the state of the stores at one time. Contexts can read it while other contexts and processes
/// save.
///
/// ```swift
/// try context.setQueryGenerationFrom(.current)
/// let notes = try context.fetch(request)                 // pins the context
/// try report.setQueryGenerationFrom(context.queryGenerationToken)
/// let count = try report.count(for: request)             // equals notes.count
/// ```
///
/// A token from ``ManagedObjectContext/queryGenerationToken`` can be passed to other tasks. The generation lasts until
/// its last token is released. Each context that reads it retains a token.
public final class QueryGenerationToken: Sendable {
  /// The generation that is the newest when a context reads next.
  public static let current = QueryGenerationToken()

  /// The snapshots of a coordinator's stores; nil for ``current``.
  let generation: Generation?

  final class Generation: Sendable {
    let coordinator: PersistentStoreCoordinator
    /// The snapshots of the stores that the coordinator had when the generation was created.
    private let all: [any PersistentStore]
    /// A coordinator with the snapshots of the stores that the coordinator had at the last read.
    private let present: Mutex<PersistentStoreCoordinator>

    init(_ coordinator: PersistentStoreCoordinator) throws(ManagedObjectError) {
      self.coordinator = coordinator
      let snapshots = PersistentStoreCoordinator(model: coordinator.model)
      for store in coordinator.stores { try snapshots.add(store.snapshot()) }
      all = snapshots.stores
      present = Mutex(snapshots)
    }

    /// Returns a coordinator with the snapshots of the stores that the coordinator still has. It may have a removed
    /// store again later, for example after a file could not be replaced.
    func snapshots() throws(ManagedObjectError) -> PersistentStoreCoordinator {
      let stores = coordinator.stores
      func isPresent(_ snapshot: any PersistentStore) -> Bool { stores.contains { $0.number == snapshot.number } }
      return try present.withLock { present throws(ManagedObjectError) in
        let known = present.stores
        // All known snapshots are present, and no other is.
        if known.allSatisfy(isPresent), known.count == all.count || known.count == all.count(where: isPresent) {
          return present
        }
        // Other contexts may use the earlier coordinator.
        let snapshots = PersistentStoreCoordinator(model: coordinator.model)
        for snapshot in all where isPresent(snapshot) { try snapshots.add(snapshot) }
        present = snapshots
        return snapshots
      }
    }
  }

  private init() { generation = nil }

  /// Creates a token for the present state of all stores.
  ///
  /// - Throws: the errors of ``PersistentStore/snapshot()``.
  init(of coordinator: PersistentStoreCoordinator) throws(ManagedObjectError) {
    generation = try Generation(coordinator)
  }
}

/// Functions that set the query generation that a context reads.
extension ManagedObjectContext {
  /// Pins the context to one state of the stores: the query generation of a token. Fetches, counts, faults and
  /// relationships see this state, even if other contexts and processes save meanwhile.
  ///
  /// ```swift
  /// try context.setQueryGenerationFrom(.current)
  /// for note in try context.fetch(request) { print(note.title, note.tags.count) }
  /// try context.setQueryGenerationFrom(nil)
  /// ```
  ///
  /// With ``QueryGenerationToken/current``, the context is pinned to the generation that is the newest when it reads
  /// next. From then on, ``queryGenerationToken`` is a token that pins other contexts of the coordinator to the same
  /// generation. With nil, the context reads the newest objects again. Objects that have been read keep their
  /// values: call ``refreshAllObjects()`` to read them again in the new generation. Unsaved changes stay.
  ///
  /// Some methods advance a pinned context, as if ``QueryGenerationToken/current`` were set: ``save()``, also if the
  /// stores reject the changes, ``reset()`` and ``mergeChanges(from:)``. So does a merge because of
  /// ``mergesChangesAutomatically``. Batch requests change the newest objects, and do not advance the context. A save
  /// finds a conflict for an object that was saved elsewhere since the generation, as for any outdated object.
  ///
  /// The stores are pinned one after another, not at the same instant. Stores that are added later are not read until
  /// the context advances; a removed store is not read unless it is added again. While an SQLite store is pinned, its
  /// write-ahead log grows with each save and cannot be emptied, so do not keep a generation for long in a program that
  /// saves often. Pinned stores of other kinds keep replaced rows in memory.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for a context with a ``parent``, and for a token of another
  ///   coordinator; ``ManagedObjectError/Code/unsupportedRequest`` if a store cannot keep an old state, such as an
  ///   SQLite file without a write-ahead log; the errors of opening a store. The context then keeps its generation.
  public func setQueryGenerationFrom(_ token: QueryGenerationToken?) throws(ManagedObjectError) {
    if parent != nil {
      throw ManagedObjectError(
        .invalidState, "a context with a parent reads the parent's objects, and cannot have a query generation")
    }
    switch token?.generation {
    case let generation? where generation.coordinator !== coordinator:
      throw ManagedObjectError(.invalidState, "the query generation belongs to the stores of another coordinator")
    // Checks now that the stores support generations. The context is pinned only when it reads next.
    case nil where token != nil: _ = try QueryGenerationToken(of: coordinator)
    default: break
    }
    queryGenerationToken = token
  }

  /// Returns the coordinator whose stores this context reads: its own coordinator, or the one of its query generation.
  /// The context must not have a parent. If the generation is ``QueryGenerationToken/current``, pins the context.
  func source() throws(ManagedObjectError) -> PersistentStoreCoordinator {
    guard var token = queryGenerationToken else { return coordinator }
    if token.generation == nil {
      token = try QueryGenerationToken(of: coordinator)
      queryGenerationToken = token
    }
    return try token.generation?.snapshots() ?? coordinator
  }

  /// Unpins a context with a query generation until it reads next.
  func advanceGeneration() { if queryGenerationToken != nil { queryGenerationToken = .current } }
}
