internal import ObjectModels
internal import Predicates
internal import SystemFiles

/// The progress of an asynchronous fetch.
public struct FetchProgress: Hashable, Sendable {
  /// The number of objects whose values have been read.
  public let completedCount: Int
  /// The number of objects that the request found.
  public let totalCount: Int

  /// The fraction of the objects whose values have been read, from 0 to 1. It is 1 for an empty result.
  public var fractionCompleted: Double { totalCount == 0 ? 1 : Double(completedCount) / Double(totalCount) }
}

/// Functions that fetch objects asynchronously. They do not occupy the caller's actor, report their progress, and can
/// be cancelled.
extension ManagedObjectContext {
  /// Fetches the objects that match a request, in its order. The store is searched outside the caller's actor. The
  /// values are then read in batches on the caller's actor, which can do other work between them.
  ///
  /// ```swift
  /// let search = Task { @MainActor in
  ///   try await context.fetch(request) { bar.value = $0.fractionCompleted }
  /// }
  /// stopButton.action = { search.cancel() }
  /// ```
  ///
  /// The results include the changes that are unsaved when the fetch begins. The store is searched on the caller's
  /// actor if such changes affect the results, or if the context has a parent. The program can use the context during
  /// the fetch: objects that it inserts or changes meanwhile may be missing, and objects that it deletes are left out.
  ///
  /// If the task is cancelled, the fetch ends before the next batch. An SQLite store also ends a statement that is
  /// running; other stores finish their search first.
  ///
  /// - Parameters:
  ///   - request: the request. Its ``FetchRequest/fetchBatchSize`` is not used.
  ///   - batchSize: the number of objects whose values are read at once; at least 1.
  ///   - progress: a function that is called on the caller's actor when the number of objects is known, and after each
  ///     batch.
  /// - Throws: `CancellationError` if the task is cancelled; ``ManagedObjectError/Code/unsupportedRequest`` for a batch
  ///   size less than 1; the errors of ``fetch(_:)-(FetchRequest)``.
  public nonisolated(nonsending) func fetch(
    _ request: FetchRequest, batchSize: Int = 1_000, progress: (FetchProgress) -> Void
  ) async throws -> [ManagedObject] {
    guard batchSize > 0 else {
      throw ManagedObjectError(.unsupportedRequest, "the batch size must be at least 1, found \(batchSize)")
    }
    var request = request
    request.resultType = .objects
    let entity = try entity(of: &request)
    let keys = try await search(request, entity)
    progress(FetchProgress(completedCount: 0, totalCount: keys.count))
    var found: [ManagedObject] = []
    found.reserveCapacity(keys.count)
    var related: [ManagedObject] = []
    for start in stride(from: 0, to: keys.count, by: batchSize) {
      await Task.yield()
      try Task.checkCancellation()
      let end = min(start + batchSize, keys.count)
      found += try readBatch(keys[start..<end], request, entity)
      related += prefetched
      progress(FetchProgress(completedCount: end, totalCount: keys.count))
    }
    if !request.relationshipKeyPathsForPrefetching.isEmpty { setPrefetched(related) }
    return found.filter { !$0.status.isDeleted && $0.managedObjectContext === self }
  }

  /// Returns the objects with the given keys, in their order, with the values and related objects that a request reads.
  private func readBatch(
    _ keys: ArraySlice<RowKey>, _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [ManagedObject] {
    var objects = keys.map { object(for: presentKey($0)) }
    makeBatches(of: objects, request, sizes: [objects.count])
    let paths = request.relationshipKeyPathsForPrefetching
    if request.includesPropertyValues || !request.returnsObjectsAsFaults || !paths.isEmpty {
      try readFaults(objects)
      // Another context has deleted these objects since the store was searched.
      objects.removeAll(where: \.needsRow)
    }
    try prefetch(paths, of: objects, entity)
    if !request.returnsObjectsAsFaults { for object in objects where object.isFault { object.fire() } }
    return objects
  }

  /// Returns the keys of the objects that match a request.
  private nonisolated(nonsending) func search(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) async throws -> [RowKey] {
    try Task.checkCancellation()
    do {
      if parent == nil, try affectedObjects(request, entity)?.isEmpty == true {
        let keys = try await Self.search(request, entity, source())
        for key in keys { forgetAlias(key) }
        return keys
      }
      return try CancellableReading.$isOn.withValue(true) { try keys(request, entity) }
    } catch {
      // After a cancellation, the error of the interrupted statement does not matter.
      try Task.checkCancellation()
      throw error
    }
  }

  @concurrent
  private static func search(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity, _ coordinator: PersistentStoreCoordinator
  ) async throws -> [RowKey] {
    var request = request
    request.resultType = .objectIDs
    let found = try CancellableReading.$isOn.withValue(true) { try coordinator.fetchFromStores(request, of: entity) }
    guard case .keys(let keys) = found else { return [] }
    return keys
  }
}
