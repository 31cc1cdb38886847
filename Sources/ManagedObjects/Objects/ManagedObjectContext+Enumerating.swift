internal import ObjectModels
internal import Predicates

/// Functions that pass the results of a request to a closure in batches.
extension ManagedObjectContext {
  /// Calls a function with each object that matches a request, in its order. Reads the objects in batches, and does not
  /// retain those of earlier batches.
  ///
  /// ```swift
  /// try context.enumerate(FetchRequest("Note", sortedBy: [.init("date")]), batchSize: 500) { note in
  ///   try archive.append(note)
  /// }
  /// ```
  ///
  /// The objects to visit are determined at the beginning: objects that match only later are not visited. Objects that
  /// the function deletes before their turn are left out, even if it saves or merges the deletion. If the request reads
  /// values, so are objects that other contexts or programs delete before their batch is read. Relationships to
  /// prefetch are read for each batch.
  ///
  /// The context retains objects with unsaved changes. If the function changes all objects, save from time to time, so
  /// that they can be released.
  ///
  /// - Parameters:
  ///   - request: the request. Its ``FetchRequest/fetchBatchSize`` is not used.
  ///   - batchSize: the number of objects that are read at once; at least 1.
  ///   - body: the function. If it throws, no more objects are visited.
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for a batch size less than 1; the errors of
  ///   ``fetch(_:)``; the error of the function.
  /// - Complexity: O(*n*) in the number of objects, after the request itself. Memory holds the keys of all objects, 16
  ///   bytes each, and the objects of one batch.
  public func enumerate(
    _ request: FetchRequest, batchSize: Int = 1_000, _ body: (ManagedObject) throws -> Void
  ) throws {
    guard batchSize > 0 else {
      throw ManagedObjectError(.unsupportedRequest, "the batch size must be at least 1, found \(batchSize)")
    }
    var request = request
    request.resultType = .objects
    let entity = try entity(of: &request)
    let keys = try keys(request, entity)
    let firstRemovalCount = removalCount
    for start in stride(from: 0, to: keys.count, by: batchSize) {
      let batch = keys[start..<min(start + batchSize, keys.count)].map { presentKey($0) }
      let objects = batch.map { object(for: $0) }
      makeBatches(of: objects, request, sizes: [batchSize])
      // The key of a deleted object that has left the context gives a new fault. Only its row shows the deletion.
      let readsRows = request.includesPropertyValues || removalCount != firstRemovalCount
      if readsRows { try readFaults(objects) }
      let paths = request.relationshipKeyPathsForPrefetching
      if !paths.isEmpty {
        try readFaults(objects)
        try prefetch(paths, of: objects.filter { !$0.needsRow }, entity)
      }
      for (key, read) in zip(batch, objects) {
        // The function may have reset the context, or have deleted or saved objects.
        let object = read.managedObjectContext === self ? read : object(for: presentKey(key))
        if object.needsRow, readsRows || !request.returnsObjectsAsFaults || object !== read {
          try readFaults([object])
          if object.needsRow { continue }
        }
        if object.status.isDeleted { continue }
        if !request.returnsObjectsAsFaults, object.isFault { object.fire() }
        try body(object)
      }
    }
  }
}
