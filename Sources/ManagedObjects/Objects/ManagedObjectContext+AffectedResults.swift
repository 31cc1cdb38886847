internal import ObjectModels
internal import Predicates

/// Functions that merge the objects that unsaved changes affect into the results of the parent or the stores.
extension ManagedObjectContext {
  /// Returns the results of a request that unsaved changes affect.
  ///
  /// - Parameters:
  ///   - object: Returns the object of a result.
  ///   - result: Returns the result for an object.
  ///   - findBelow: Executes a request in the parent or the stores, and leaves out the affected objects.
  func find<Result>(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity, _ affected: AffectedObjects,
    object: (Result) -> ManagedObject, result: (ManagedObject) -> Result,
    findBelow: (FetchRequest) throws(ManagedObjectError) -> [Result]
  ) throws(ManagedObjectError) -> [Result] {
    let prepared = try PreparedFetch(request, of: entity)
    var below = request
    below.fetchOffset = 0
    if request.fetchLimit > 0 { below.fetchLimit = request.windowEnd }
    let found: [Result]
    do {
      var below = below
      if below.fetchLimit > 0 {
        let (limit, overflows) = below.fetchLimit.addingReportingOverflow(affected.keysBelow.count)
        below.fetchLimit = overflows ? 0 : limit
      }
      found = try findBelow(below)
    } catch {
      guard error.predicateError != nil else { throw error }
      // The predicate may be invalid only for the old values of an affected object.
      below.predicate = predicate(of: request, without: affected)
      found = try findBelow(below)
    }
    var mine: [ManagedObject] = []
    for object in affected.objects where try prepared.holds(for: ObjectSubject(object: object)) { mine.append(object) }
    mine.sort { $0.key.isFetchedBefore($1.key) }
    let sorted = try prepared.sorted(mine) { ObjectSubject(object: $0) }
    return request.window(try joined(found, sorted, prepared, object: object, result: result))
  }

  /// Merges two sorted lists. Objects that the sort descriptors do not distinguish are in the order of their keys.
  ///
  /// - Complexity: O(*n* + *k* log *n*), where *k* is the length of the second list.
  private func joined<Result>(
    _ first: [Result], _ second: [ManagedObject], _ prepared: PreparedFetch, object: (Result) -> ManagedObject,
    result: (ManagedObject) -> Result
  ) throws(ManagedObjectError) -> [Result] {
    if prepared.order.isEmpty || first.isEmpty || second.isEmpty { return first + second.map(result) }
    var results: [Result] = []
    results.reserveCapacity(first.count + second.count)
    var next = 0
    for new in second {
      // The first list may not be in the order of the objects' values: the store sorts by the values that it has now,
      // but an object may have values that it read earlier.
      let end = max(next, try insertionIndex(of: new, in: first, prepared, object))
      results += first[next..<end]
      results.append(result(new))
      next = end
    }
    return results + first[next...]
  }

  /// Returns the index where an object must be inserted into a sorted list. Objects that the sort descriptors do not
  /// distinguish are in the order of their keys.
  private func insertionIndex<Result>(
    of object: ManagedObject, in sorted: [Result], _ prepared: PreparedFetch, _ other: (Result) -> ManagedObject
  ) throws(ManagedObjectError) -> Int {
    let subject = ObjectSubject(object: object)
    return try sorted.partitioningIndex { result throws(ManagedObjectError) in
      let other = other(result)
      let otherSubject = ObjectSubject(object: other)
      if try prepared.precedes(subject, otherSubject) { return true }
      return if object.key.isFetchedBefore(other.key) { try !prepared.precedes(otherSubject, subject) } else { false }
    }
  }
}
