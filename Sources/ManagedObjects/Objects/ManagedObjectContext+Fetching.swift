internal import ObjectModels
public import OrderedCollections
internal import Predicates
internal import PropertyLists

/// Fetching.
extension ManagedObjectContext {
  /// Reads rows from the parent or the stores. Returns nil for each key without a row.
  func readRows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    guard let parent else {
      return try coordinator.rows(keys).map { row throws(ManagedObjectError) in
        guard let row else { return nil }
        return try completed(row)
      }
    }
    var rows = [StoreRow?](repeating: nil, count: keys.count)
    var unknown: [Int] = []
    for (index, key) in keys.enumerated() {
      if let object = parent.registered[parent.current(key)] {
        rows[index] = parent.row(of: object, key)
      } else {
        unknown.append(index)
      }
    }
    guard !unknown.isEmpty else { return rows }
    for (index, row) in zip(unknown, try parent.readRows(unknown.map { keys[$0] })) { rows[index] = row }
    return rows
  }

  /// Returns a row that a store returned, with the default values of transient properties added.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if the number of values does not fit the entity.
  private func completed(_ row: consuming StoreRow) throws(ManagedObjectError) -> StoreRow {
    let index = Int(row.key.entityIndex)
    guard model.records.indices.contains(index), row.values.count == model.records[index].slotCount else {
      throw ManagedObjectError(
        .invalidValue, "a row of the store has \(row.values.count) values, which does not match its entity")
    }
    let shape = shape(index)
    if !shape.isAllPersistent { row.values = shape.completed(row.values) }
    return row
  }

  /// Returns the values of an object as a row for a child context; nil if the object is deleted or inaccessible.
  private func row(of object: ManagedObject, _ key: RowKey) -> StoreRow? {
    if object.isDeleted { return nil }
    if object.isFault { object.fire() }
    if object.isInaccessible { return nil }
    return StoreRow(key: key, version: object.version, values: object.values)
  }

  func readValues(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    guard let parent else { return try coordinator.values(ofSlot: slot, keys) }
    return keys.map { parent.object(for: $0).value(ofSlot: slot) }
  }

  /// Fetches the objects that match a request, in its order. Unsaved changes are included, unless
  /// ``FetchRequest/includesPendingChanges`` is false.
  ///
  /// Prefetched objects are retained until the next fetch that prefetches relationships.
  ///
  /// ```swift
  /// var request = FetchRequest("Note", sortedBy: [.init("date", isAscending: false)])
  /// request.fetchLimit = 10
  /// let latest = try context.fetch(request)
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model has no such entity;
  ///   ``ManagedObjectError/Code/unsupportedRequest``, with the ``ManagedObjectError/predicateError``, for a predicate
  ///   that does not fit the model; the errors of the store.
  public func fetch(_ request: FetchRequest) throws(ManagedObjectError) -> [ManagedObject] {
    var request = request
    request.resultType = .objects
    let entity = try entity(of: &request)
    if request.fetchBatchSize > 0 { request.includesPropertyValues = false }
    let objects = try find(request, entity)
    if request.fetchBatchSize > 0 { makeBatches(of: objects, size: request.fetchBatchSize) }
    try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, entity)
    if !request.returnsObjectsAsFaults {
      try readFaults(objects)
      for object in objects where object.isFault { object.fire() }
    }
    return objects
  }

  /// Returns the IDs of the objects that match a request, in its order.
  ///
  /// ```swift
  /// let ids = try context.fetchObjectIDs(FetchRequest("Note", sortedBy: [.init("title")]))
  /// ```
  ///
  /// - Throws: the errors of ``fetch(_:)``.
  public func fetchObjectIDs(_ request: FetchRequest) throws(ManagedObjectError) -> [ManagedObjectID] {
    var request = request
    request.includesPropertyValues = false
    request.relationshipKeyPathsForPrefetching = []
    return try fetch(request).map(\.objectID)
  }

  /// Returns the number of objects that match a request. The request's offset and limit apply.
  ///
  /// - Throws: the errors of ``fetch(_:)``.
  public func count(for request: FetchRequest) throws(ManagedObjectError) -> Int {
    var request = request
    let entity = try entity(of: &request)
    if parent == nil, !isConcerned(request, entity) {
      request.resultType = .count
      if case .count(let count) = try coordinator.fetchFromStores(request, of: entity) { return count }
    }
    request.resultType = .objects
    return try find(request, entity).count
  }

  /// Fetches dictionaries instead of objects: one for each object that matches the request, or one for each group.
  /// Unsaved changes are ignored, as in Core Data.
  ///
  /// ```swift
  /// var request = FetchRequest("Contact", sortedBy: [.init("city")])
  /// let count = try ManagedExpression(format: "count(SELF)")
  /// request.propertiesToFetch = [.property("city"), .expression(name: "count", count, type: .integer64)]
  /// request.propertiesToGroupBy = [.property("city")]
  /// let cities = try context.fetchDictionaries(request)
  /// let number = cities[0]["count"]                        // .attribute(.integer(1))
  /// ```
  ///
  /// - Throws: the errors of ``fetch(_:)``.
  public func fetchDictionaries(
    _ request: FetchRequest
  ) throws(ManagedObjectError) -> [OrderedDictionary<String, RowValue>] {
    var request = request
    request.resultType = .dictionaries
    let entity = try entity(of: &request)
    guard case .dictionaries(let dictionaries) = try coordinator.fetchFromStores(request, of: entity) else { return [] }
    return dictionaries
  }

  /// Checks a request and returns its entity. In the request's predicate, replaces the keys of objects that have new
  /// keys, for example because they were saved.
  func entity(of request: inout FetchRequest) throws(ManagedObjectError) -> ManagedObjectModel.Entity {
    guard let entity = model.entity(named: request.entityName) else {
      throw ManagedObjectError(.undefinedKey, "the model has no entity \(request.entityName.quoted)")
    }
    try request.check(for: entity)
    request.predicate = request.predicate.map { presentPredicate($0) }
    return entity
  }

  /// True if unsaved changes can affect the result of a request.
  private func isConcerned(_ request: FetchRequest, _ entity: ManagedObjectModel.Entity) -> Bool {
    guard request.includesPendingChanges, hasChanges else { return false }
    return !request.readsOnlyAttributes(of: entity) || listed.contains { $0.hasChanges && $0.entity.isKind(of: entity) }
  }

  /// Returns the objects that match a request, with the unsaved changes of this context.
  private func find(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [ManagedObject] {
    guard isConcerned(request, entity) else { return try findBelow(request, entity) }
    let prepared = try PreparedFetch(request, of: entity)
    var below = request
    below.fetchOffset = 0
    let changed = changedObjects.filter {
      $0.entity.isKind(of: entity) && (request.includesSubentities || $0.entity == entity)
    }
    var found: [ManagedObject]
    if request.readsOnlyAttributes(of: entity) {
      if request.fetchLimit > 0 {
        below.fetchLimit = request.fetchLimit &+ request.fetchOffset &+ changed.count
        if below.fetchLimit < request.fetchLimit { below.fetchLimit = 0 }
      }
      found = try findBelow(below, entity).filter { !$0.hasChanges }
      var mine: [ManagedObject] = []
      for object in changed where !object.isDeleted {
        if try prepared.holds(for: ObjectSubject(object: object)) { mine.append(object) }
      }
      mine.sort { $0.key.isFetchedBefore($1.key) }
      found = try joined(found, try prepared.sorted(mine) { ObjectSubject(object: $0) }, prepared)
    } else {
      // Changes of related objects can affect the result, so all objects are tested here.
      below.predicate = nil
      below.sortDescriptors = []
      below.fetchLimit = 0
      found = []
      for object in try findBelow(below, entity).filter({ !$0.hasChanges }) + changed.filter({ !$0.isDeleted })
      where try prepared.holds(for: ObjectSubject(object: object)) { found.append(object) }
      if !prepared.order.isEmpty { found.sort { $0.key.isFetchedBefore($1.key) } }
      found = try prepared.sorted(found) { ObjectSubject(object: $0) }
    }
    return request.window(found)
  }

  /// Merges two sorted lists of objects. Objects that the sort descriptors do not distinguish are in the order of their
  /// keys.
  ///
  /// - Complexity: O(*n* + *k* log *n*), where *k* is the length of the second list.
  private func joined(
    _ first: [ManagedObject], _ second: [ManagedObject], _ prepared: PreparedFetch
  ) throws(ManagedObjectError) -> [ManagedObject] {
    if prepared.order.isEmpty || first.isEmpty || second.isEmpty { return first + second }
    var result: [ManagedObject] = []
    result.reserveCapacity(first.count + second.count)
    var next = 0
    for object in second {
      // The first list may not be in the order of the objects' values: the store sorts by the values that it has now,
      // but an object may have values that it read earlier.
      let end = max(next, try insertionIndex(of: object, in: first, prepared))
      result += first[next..<end]
      result.append(object)
      next = end
    }
    return result + first[next...]
  }

  /// Returns the index at which to insert an object into a sorted list. Objects that the sort descriptors do not
  /// distinguish are in the order of their keys.
  private func insertionIndex(
    of object: ManagedObject, in sorted: [ManagedObject], _ prepared: PreparedFetch
  ) throws(ManagedObjectError) -> Int {
    if prepared.order.isEmpty { return sorted.count }
    let subject = ObjectSubject(object: object)
    return try sorted.partitioningIndex { other throws(ManagedObjectError) in
      let otherSubject = ObjectSubject(object: other)
      if try prepared.precedes(subject, otherSubject) { return true }
      return if object.key.isFetchedBefore(other.key) { try !prepared.precedes(otherSubject, subject) } else { false }
    }
  }

  /// Returns the objects that match a request in the parent or the stores, without the unsaved changes of this context.
  private func findBelow(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [ManagedObject] {
    if let parent {
      return try parent.find(request, entity).map { found in
        let object = object(found: found.key)
        if object.needsRow, !found.needsRow, !found.isInaccessible {
          object.take(StoreRow(key: found.key, version: found.version, values: found.values))
        }
        return object
      }
    }
    var request = request
    if !request.includesPropertyValues, !request.refreshesRefetchedObjects { request.resultType = .objectIDs }
    switch try coordinator.fetchFromStores(request, of: entity) {
    case .rows(var rows):
      registered.reserveCapacity(registered.count + rows.count)
      var objects: [ManagedObject] = []
      objects.reserveCapacity(rows.count)
      // Moves the rows into the objects, because copying a row would access the memory of its values.
      while let row = rows.popLast() {
        objects.append(try register(row, refreshing: request.refreshesRefetchedObjects))
      }
      objects.reverse()
      return objects
    case .keys(let keys): return keys.map { object(found: $0) }
    case .dictionaries, .count: return []
    }
  }

  /// Returns the object for a key that was found in the parent or a store. Removes the key from ``aliases``, because it
  /// is valid: the parent may have undone the object's deletion after this context had given the object a new key.
  private func object(found key: RowKey) -> ManagedObject {
    if !aliases.isEmpty { aliases[key] = nil }
    return object(for: key)
  }

  /// Returns the object of a row. Sets its values from the row if it is a fault or inaccessible.
  ///
  /// - Parameter refreshing: true to also update an object that has values already, if the row has another version. Its
  ///   unsaved changes stay.
  private func register(_ row: consuming StoreRow, refreshing: Bool) throws(ManagedObjectError) -> ManagedObject {
    let row = try completed(row)
    let object = object(found: row.key)
    if object.isFault || object.isInaccessible && !object.hasChanges {
      object.take(row)
    } else if refreshing, row.version != object.version, !object.isInserted {
      if object.hasChanges {
        let row = row
        try withoutUndo { () throws(ManagedObjectError) in try merge(row, into: object, by: .objectTrump) }
      } else {
        object.take(row)
      }
      noteRefreshed(object)
    }
    return object
  }

  /// Prefetches the objects at key paths. For each relationship in a path, reads the related objects of all objects at
  /// once.
  private func prefetch(
    _ paths: [String], of objects: [ManagedObject], _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) {
    if paths.isEmpty { return }
    var read: [ManagedObject] = []
    defer { prefetched = read }
    for path in paths {
      var level = objects
      var entities = entity
      for name in path.split(separator: ".", omittingEmptySubsequences: false) {
        guard let relationship = entities.relationship(named: String(name)) else {
          throw ManagedObjectError(
            .unsupportedRequest,
            "the entity \(entities.name.quoted) has no relationship \(name.description.quoted) to prefetch", key: path)
        }
        try readFaults(level)
        try readUnread(relationship.slot, of: level)
        var seen = RowPositions(capacity: level.count)
        var next: [ManagedObject] = []
        for object in level {
          object.value(ofSlot: relationship.slot).forEachKey { key in
            if seen.insert(next.count, for: key) { next.append(self.object(for: key)) }
          }
        }
        level = next
        try readFaults(level)
        read += level
        entities = entities.destination(of: relationship)
      }
    }
  }

  /// Reads the rows of all faults among `objects` at once.
  func readFaults(_ objects: [ManagedObject]) throws(ManagedObjectError) {
    let faults = objects.filter(\.needsRow)
    guard !faults.isEmpty else { return }
    for (object, row) in zip(faults, try readRows(faults.map(\.key))) {
      if let row { object.take(row) }
    }
  }

  /// Reads the values of a to-many relationship that the store left out of the rows, for all objects at once.
  private func readUnread(_ slot: Int, of objects: [ManagedObject]) throws(ManagedObjectError) {
    let unread = objects.filter { !$0.values.isEmpty && $0.values[slot] == .unread }
    guard !unread.isEmpty else { return }
    for (object, value) in zip(unread, try readValues(ofSlot: slot, unread.map(\.key))) {
      object.values[slot] = value ?? object.shape.emptyValues[slot]
      object.committed?[slot] = object.values[slot]
    }
  }
}
