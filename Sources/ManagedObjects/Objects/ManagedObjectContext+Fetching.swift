internal import ObjectModels
public import OrderedCollections
internal import Predicates
internal import PropertyLists

/// Functions that fetch objects, and read their rows.
extension ManagedObjectContext {
  /// Reads rows from the parent or the stores. Returns nil for each key without a row.
  func readRows(_ keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow?] {
    guard let parent else {
      return try source().rows(keys).map { row throws(ManagedObjectError) in
        guard let row else { return nil }
        return try completed(row)
      }
    }
    var rows = [StoreRow?](repeating: nil, count: keys.count)
    var unknown: [Int] = []
    let objects = keys.map { parent.registered[parent.current($0)] }
    try parent.readFaults(objects.compactMap(\.self))
    for (index, object) in objects.enumerated() {
      if let object { rows[index] = try parent.row(of: object, keys[index]) } else { unknown.append(index) }
    }
    guard !unknown.isEmpty else { return rows }
    for (index, row) in zip(unknown, try parent.readRows(unknown.map { keys[$0] })) { rows[index] = row }
    return rows
  }

  /// Reads rows, and sets the values of objects from them.
  ///
  /// - Parameter object: Returns the object for a row that was found; nil to skip the row. If reading fails, no object
  ///   has been changed.
  func takeRows(_ keys: [RowKey], _ object: (RowKey) -> ManagedObject?) throws(ManagedObjectError) {
    guard parent == nil else {
      for row in try readRows(keys) { if let row { object(row.key)?.take(row) } }
      return
    }
    for rows in try source().pagedRows(keys) {
      for row in rows.first { object(row.key)?.take(try completed(row)) }
      for (index, key) in rows.keys.enumerated() { object(key)?.take(rows, index) }
    }
  }

  /// Completes a row that a store returned: sets transient properties to their default values.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if the number of values does not fit the entity.
  func completed(_ row: consuming StoreRow) throws(ManagedObjectError) -> StoreRow {
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
  private func row(of object: ManagedObject, _ key: RowKey) throws(ManagedObjectError) -> StoreRow? {
    if object.status.isDeleted { return nil }
    if object.isFault { object.fire() }
    try object.complete()
    if object.status.isInaccessible { return nil }
    return StoreRow(key: key, version: object.version, values: object.valuesCopy)
  }

  /// Reads the value of a slot from the parent or the stores. Returns nil for each object that does not exist.
  func readValues(ofSlot slot: Int, _ keys: [RowKey]) throws(ManagedObjectError) -> [RowValue?] {
    guard let parent else { return try source().values(ofSlot: slot, keys) }
    let objects = keys.map { parent.object(for: $0) }
    try parent.readFaults(objects)
    if objects.first?.shape.relationships[slot] != nil { try parent.readUnread(slot, of: objects) }
    return objects.map { object in
      let value = object.value(ofSlot: slot)
      return object.status.isInaccessible ? nil : value
    }
  }

  /// Fetches the objects that match a request, in its order. Unsaved changes are included, unless
  /// ``FetchRequest/includesPendingChanges`` is false.
  ///
  /// The store evaluates the request with the saved values. Only objects with unsaved changes, and those whose key
  /// paths lead to such changes, are evaluated with the values in this context. So the cost of unsaved changes depends
  /// on their number, and not on the number of objects in the store. For requests that can read any object, such as
  /// those with fetched properties or with a key path on a constant object, all objects of the entity are read if there
  /// are unsaved changes.
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
    beginOperation()
    defer { endOperation() }
    var request = request
    request.resultType = .objects
    let entity = try entity(of: &request)
    if request.fetchBatchSize > 0 { request.includesPropertyValues = false }
    let objects = try find(request, entity)
    let size = request.fetchBatchSize
    makeBatches(
      of: objects, request,
      sizes: size > 0 ? Array(repeating: size, count: objects.count / size + 1) : FaultBatch.firstSizes)
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
    request.resultType = .objectIDs
    let entity = try entity(of: &request)
    request.resultType = .objects
    return objectIDs(try keys(request, entity))
  }

  /// Returns the object IDs for keys.
  func objectIDs(_ keys: some Sequence<RowKey>) -> [ManagedObjectID] {
    var store: (number: StoreNumber, identifier: String?) = (.none, nil)
    return keys.map { key in
      if key.store != store.number { store = (key.store, coordinator.store(key.store)?.identifier) }
      return ManagedObjectID(key, model: model, storeIdentifier: store.identifier)
    }
  }

  /// Returns the number of objects that match a request. The request's offset and limit apply.
  ///
  /// - Throws: the errors of ``fetch(_:)``.
  public func count(for request: FetchRequest) throws(ManagedObjectError) -> Int {
    var request = request
    let entity = try entity(of: &request)
    request.resultType = .objects
    return try count(request, entity)
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
    guard case .dictionaries(let dictionaries) = try root.source().fetchFromStores(request, of: entity) else {
      return []
    }
    return dictionaries
  }

  /// Checks a request and returns its entity. In the request's predicate, replaces the keys of objects that have new
  /// keys, for example because they were saved.
  func entity(of request: inout FetchRequest) throws(ManagedObjectError) -> ManagedObjectModel.Entity {
    guard let entity = model.entity(named: request.entityName) else {
      throw ManagedObjectError(.undefinedKey, "the model has no entity \(request.entityName.quoted)")
    }
    try request.check(for: entity)
    if let unknown = request.affectedStores?.subtracting(coordinator.stores.map(\.identifier)).min() {
      throw ManagedObjectError(
        .invalidState, "the request names the store \(unknown.quoted), which the coordinator does not have")
    }
    request.predicate = request.predicate.map { presentPredicate($0) }
    return entity
  }

  /// Returns the objects that match a request in the parent or the stores, without the unsaved changes of this context.
  func findBelow(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [ManagedObject] {
    if let parent {
      var request = request
      request.propertiesToFetch = nil
      return try parent.find(request, entity).map { found throws(ManagedObjectError) in
        let object = object(found: found.key)
        if object.needsRow, !found.needsRow, !found.status.isInaccessible {
          try found.complete()
          object.take(from: found)
        }
        return object
      }
    }
    var request = request
    if !request.includesPropertyValues, !request.refreshesRefetchedObjects { request.resultType = .objectIDs }
    if request.refreshesRefetchedObjects { request.propertiesToFetch = nil }
    let isPartial = request.propertiesToFetch != nil
    switch try source().fetchInPages(request, of: entity) {
    case .pages(let rows):
      var objects = try self.objects(rows.first, request, isPartial: isPartial)
      registered.reserveCapacity(registered.count + rows.keys.count)
      objects.reserveCapacity(rows.count)
      for (index, key) in rows.keys.enumerated() {
        let object = object(found: key)
        if isPartial {
          if object.acceptsPartialRow {
            object.take(rows, index)
            object.notePartial()
          }
        } else if object.acceptsRow {
          object.take(rows, index)
        } else if object.status.contains(.partial) || request.refreshesRefetchedObjects {
          let row = try completed(rows.row(index, slotCount: object.shape.record.slotCount))
          try register(row, as: object, refreshing: request.refreshesRefetchedObjects)
        }
        objects.append(object)
      }
      return objects
    case .result(.rows(let rows)): return try objects(rows, request, isPartial: isPartial)
    case .result(.keys(let keys)): return keys.map { object(found: $0) }
    case .result(.dictionaries), .result(.count): return []
    }
  }

  /// Returns the objects of rows that a store found.
  private func objects(
    _ rows: consuming [StoreRow], _ request: FetchRequest, isPartial: Bool
  ) throws(ManagedObjectError) -> [ManagedObject] {
    registered.reserveCapacity(registered.count + rows.count)
    var objects: [ManagedObject] = []
    objects.reserveCapacity(rows.count)
    // Moves the rows into the objects, because copying a row would access the memory of its values.
    while let row = rows.popLast() {
      let row = try completed(row)
      let object = object(found: row.key)
      if !isPartial {
        try register(row, as: object, refreshing: request.refreshesRefetchedObjects)
      } else if object.acceptsPartialRow {
        object.take(row)
        object.notePartial()
      }
      objects.append(object)
    }
    objects.reverse()
    return objects
  }

  /// Returns the object for a key that was found in the parent or a store.
  private func object(found key: RowKey) -> ManagedObject {
    forgetAlias(key)
    return object(for: key)
  }

  /// Removes a key that was found in the parent or a store from ``aliases``, because the key is valid again: the parent
  /// has undone the object's deletion, after this context had given the object a new key.
  func forgetAlias(_ key: RowKey) { if !aliases.isEmpty { aliases[key] = nil } }

  /// Sets the values of an object from its row, if the object is a fault or inaccessible. Also sets the attributes that
  /// an earlier request left out.
  ///
  /// - Parameter refreshing: true to also update an object that has values already, if the row has another version. Its
  ///   unsaved changes stay.
  func register(
    _ row: consuming StoreRow, as object: ManagedObject, refreshing: Bool
  ) throws(ManagedObjectError) {
    if object.acceptsRow {
      object.take(row)
    } else if object.status.contains(.partial), row.version == object.version {
      object.complete(from: row)
    } else if refreshing, row.version != object.version, !object.status.isInserted {
      if object.status.hasChanges {
        let row = row
        try withoutUndo { () throws(ManagedObjectError) in try merge(row, into: object, by: .objectTrump) }
      } else {
        object.take(row)
      }
      noteRefreshed(object)
    }
  }

  /// Prefetches the objects at key paths. For each relationship in a path, reads the related objects of all objects at
  /// once.
  func prefetch(
    _ paths: [String], of objects: [ManagedObject], _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) {
    if paths.isEmpty { return }
    var read: [ManagedObject] = []
    defer { setPrefetched(read) }
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
        makeBatches(of: level)
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
    try takeRows(faults.map(\.key)) { registered[$0] }
  }

  /// Reads the values of a to-many relationship that the store left out of the rows, for all objects at once.
  func readUnread(_ slot: Int, of objects: [ManagedObject]) throws(ManagedObjectError) {
    let unread = objects.filter { $0.hasValues && $0.isUnread(slot) }
    guard !unread.isEmpty else { return }
    for (object, value) in zip(unread, try readValues(ofSlot: slot, unread.map(\.key))) {
      object.setUnreadValue(value ?? object.shape.emptyValues[slot], slot)
    }
  }
}

extension ManagedObject {
  /// True if a fetched row replaces the values.
  fileprivate final var acceptsRow: Bool { isFault || status.isInaccessible && !status.hasChanges }

  /// True if a fetched row without some attributes replaces the values.
  fileprivate final var acceptsPartialRow: Bool { needsRow || status.isInaccessible && !status.hasChanges }

  /// Records that the last row did not contain all attributes, if that is so.
  fileprivate final func notePartial() {
    if shape.record.attributes.contains(where: { isUnread($0.slot) }) { status.insert(.partial) }
  }
}
