internal import ObjectModels
internal import Predicates

/// Functions that find the rows that changes affect.
extension ResultEngine {
  func isRow(_ key: RowKey) -> Bool { prepared.entityIndices.contains(Int(key.entityIndex)) }

  /// Records the rows that are affected by changes, including rows that depend on other changed objects.
  func note(_ change: ContextChange, _ merged: MergedKeys) {
    do {
      if !merged.isComplete { waiting.isAll = true }
      var others: Set<RowKey> = []
      // The committed values of these objects may already be the new ones, so a change cannot be found by comparing
      // with them.
      let reread = Set(change.refreshed.map(\.key) + merged.saved + merged.deleted)
      for objects in [change.inserted, change.updated, change.deleted, change.refreshed] {
        for object in objects {
          if isRow(object.key) { waiting.keys.insert(object.key) }
          if reach.concerns(object.key.entityIndex) { others.insert(object.key) }
        }
      }
      for object in change.refreshed where isRow(object.key) { waiting.misplaced.insert(object.key) }
      for key in merged.deleted where context.registered[key]?.status.hasChanges == true { gone.insert(key) }
      for key in merged.deleted where reach.outlives(key.entityIndex) { waiting.isAll = true }
      for key in merged.saved + merged.deleted {
        if isRow(key) {
          waiting.keys.insert(key)
          waiting.misplaced.insert(key)
        }
        if reach.concerns(key.entityIndex) { others.insert(key) }
      }
      // An object that another context deleted is not refreshed together with its related objects, so the rows that
      // depend on it are checked after every change.
      gone = gone.filter { context.registered[$0] != nil || list[$0] != nil || all?[$0] != nil }
      for key in gone where reach.concerns(key.entityIndex) { others.insert(key) }
      let renamed = waiting.renamed
      waiting.renamed = []
      guard !others.isEmpty || !renamed.isEmpty else { return }
      if reach.isOpaque {
        waiting.isAll = true
        return
      }
      // Deleted objects are no longer in the context, so they are taken from the change.
      var gone: [RowKey: ManagedObject] = [:]
      for object in change.deleted { gone[object.key] = object }
      let keys = others.union(renamed).sorted()
      let objects = keys.map { gone[$0] ?? context.object(for: $0) }
      try context.readFaults(objects)
      for (way, end) in reach.ends {
        let here = objects.filter { end.canBe($0.entity) && !$0.needsRow }
        try noteRows(of: here, way, end, renamed: Set(renamed), reread: reread)
      }
    } catch {
      waiting.isAll = true
    }
  }

  /// Records the rows whose relationships lead to one of `objects`, if the object may have changed a value that the
  /// rows depend on, if it has a new key and the request compares the object itself, or if another context deleted it.
  private func noteRows(
    of objects: [ManagedObject], _ way: [String], _ end: RequestReach.End, renamed: Set<RowKey>, reread: Set<RowKey>
  ) throws(ManagedObjectError) {
    let others = objects.filter { object in
      let isOther = hasOtherValues(object, way, end, isReread: reread.contains(object.key))
      return isOther || end.isCompared && renamed.contains(object.key) || gone.contains(object.key)
    }
    try noteRows(leadingTo: others, end)
  }

  /// Records the rows whose relationships lead to `objects`.
  private func noteRows(leadingTo objects: [ManagedObject], _ end: RequestReach.End) throws(ManagedObjectError) {
    for object in try context.objects(leadingTo: objects, by: end.steps) where isRow(object.key) {
      waiting.keys.insert(object.key)
      waiting.misplaced.insert(object.key)
    }
  }

  /// Returns true if rows that depend on an object may have been sorted by other values of the object than it has now.
  /// Records the current values in ``seen``.
  private func hasOtherValues(
    _ object: ManagedObject, _ way: [String], _ end: RequestReach.End, isReread: Bool
  ) -> Bool {
    if object.isLost || object.status.contains(.detached) {
      // The object may be restored later, and then its values count as changed.
      seen[way, default: KeyTable()].insert(EndValues(values: nil, isOfAllRows: true), for: object.key)
      return true
    }
    let slots = end.slots(of: object)
    var now = EndValues(values: slots.map { object.value(ofSlot: $0) })
    if let before = seen[way]?[object.key] {
      let isOther = before.values != now.values || isReread && !before.isOfAllRows
      now.isOfAllRows = isOther || before.isOfAllRows
      seen[way]?[object.key] = now
      return isOther
    }
    let committed = isReread ? nil : object.committed
    let isOther = committed.map { committed in slots.map { committed[$0] } } != now.values
    now.isOfAllRows = isOther
    seen[way, default: KeyTable()].insert(now, for: object.key)
    return isOther
  }

  /// Follows the relationships of rows to the objects that the rows depend on. If other rows were sorted by different
  /// values of such an object, records all rows that depend on it. This happens if the object was read after another
  /// context saved it, but before this context merged the save.
  ///
  /// - Returns: the objects that the rows depend on. Their values stay the same as long as the caller retains them.
  func noteEnds(of rows: [ManagedObject]) throws(ManagedObjectError) -> [ManagedObject] {
    var ends: [ManagedObject] = []
    if reach.isOpaque { return ends }
    for (way, end) in reach.ends where !end.names.isEmpty {
      var level = rows
      for name in way {
        var keys: Set<RowKey> = []
        for object in level {
          guard let slot = object.shape.entity.relationship(named: name)?.slot else { continue }
          object.value(ofSlot: slot).forEachKey { keys.insert($0) }
        }
        level = keys.sorted().map { context.object(for: $0) }
        try context.readFaults(level)
        level.removeAll { $0.needsRow || $0.isLost }
        ends += level
      }
      var others: [ManagedObject] = []
      for object in level {
        var now = EndValues(values: end.slots(of: object).map { object.value(ofSlot: $0) })
        if let before = seen[way]?[object.key] {
          if before.values == now.values { continue }
          now.isOfAllRows = true
          others.append(object)
        }
        seen[way, default: KeyTable()].insert(now, for: object.key)
      }
      try noteRows(leadingTo: others, end)
    }
    return ends
  }

  /// Records the values of the objects with unsaved changes that rows depend on, at the time of a fetch. The values of
  /// other objects need not be recorded, because they are equal to the committed values.
  func noteChangedObjects() {
    seen = [:]
    guard !reach.ends.isEmpty else { return }
    for object in context.changedObjects where reach.concerns(object.key.entityIndex) {
      for (way, end) in reach.ends where end.canBe(object.entity) {
        // A deleted object may be restored later.
        let values = object.isLost ? nil : end.slots(of: object).map { object.value(ofSlot: $0) }
        seen[way, default: KeyTable()].insert(EndValues(values: values, isOfAllRows: true), for: object.key)
      }
    }
  }
}

/// The values of an object that the rows of other objects depend on.
struct EndValues {
  /// The values in the order of their slots; nil for a deleted object.
  var values: [RowValue]?
  /// True if all rows that depend on the object were sorted by ``values``; false if only some rows were.
  var isOfAllRows = false
}

extension RequestReach.End {
  /// Returns the slots of the properties of an object that rows depend on.
  fileprivate func slots(of object: ManagedObject) -> [Int] {
    names.compactMap { object.shape.entity.property(named: $0)?.slot }.sorted()
  }
}
