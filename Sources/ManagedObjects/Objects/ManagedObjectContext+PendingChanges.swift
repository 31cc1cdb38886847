internal import ObjectModels
internal import Predicates

/// The objects that unsaved changes may add to the results of a request, remove from them or move within them.
struct AffectedObjects {
  /// The affected objects that are not deleted. They are tested and sorted by their values in this context.
  var objects: [ManagedObject] = []
  /// The keys of the affected objects, if they may exist in the parent or a store. If the parent or store returns
  /// objects with these keys, they are ignored.
  var keysBelow: [RowKey] = []
  /// The keys of the affected objects without unsaved changes of their own.
  var unchangedKeys: Set<RowKey> = []

  var isEmpty: Bool { objects.isEmpty && keysBelow.isEmpty }

  func contains(_ object: ManagedObject) -> Bool { contains(object.key, object) }

  /// - Parameter object: the object with the key if it is registered.
  func contains(_ key: RowKey, _ object: ManagedObject?) -> Bool {
    object?.status.hasChanges == true || !unchangedKeys.isEmpty && unchangedKeys.contains(key)
  }
}

/// Functions that execute requests with unsaved changes. The parent or the store executes the request. The objects that
/// the changes affect are then evaluated here, and merged into the result.
extension ManagedObjectContext {
  /// Returns the objects that match a request, with the unsaved changes of this context.
  ///
  /// The parent or the store evaluates the predicate for the objects that the changes do not affect, with its own
  /// values. Objects with changes, and objects whose key paths lead to changes, are evaluated here.
  ///
  /// - Complexity: that of the request without changes, and O(*k* log *n*) for *k* affected objects. If the request is
  ///   opaque (see ``RequestReach/isOpaque``) and there are changes, all objects of the entity are read.
  func find(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [ManagedObject] {
    guard let affected = try affectedObjects(request, entity) else { return try findInMemory(request, entity) }
    if affected.isEmpty { return try findBelow(request, entity) }
    return try find(request, entity, affected, object: \.self, result: \.self) { below throws(ManagedObjectError) in
      try findBelow(below, entity).filter { !affected.contains($0) }
    }
  }

  /// Returns the keys of the objects that match a request, in its order, with the unsaved changes of this context.
  ///
  /// Makes only the objects that the changes affect, and those that they are compared with to find their positions. If
  /// the request is opaque and there are changes, makes all objects of the entity.
  func keys(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [RowKey] {
    var request = request
    request.includesPropertyValues = false
    guard let affected = try affectedObjects(request, entity) else {
      return try findInMemory(request, entity).map(\.key)
    }
    if affected.isEmpty { return try keysBelow(request, entity) }
    // Retains the compared objects, so that no row is read twice.
    var compared: [ManagedObject] = []
    defer { withExtendedLifetime(compared) {} }
    func object(for key: RowKey) -> ManagedObject {
      let object = self.object(for: key)
      compared.append(object)
      return object
    }
    return try find(request, entity, affected, object: object, result: \.key) { below throws(ManagedObjectError) in
      try keysBelow(below, entity).filter { !affected.contains($0, registered[$0]) }
    }
  }

  /// Returns the keys of the objects that match a request in the parent or the stores, without the unsaved changes of
  /// this context.
  private func keysBelow(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [RowKey] {
    let found: [RowKey]
    if let parent {
      found = try parent.keys(request, entity)
    } else {
      var request = request
      request.resultType = .objectIDs
      guard case .keys(let keys) = try source().fetchFromStores(request, of: entity) else { return [] }
      found = keys
    }
    for key in found { forgetAlias(key) }
    return found
  }

  /// Returns the number of objects that match a request, with the unsaved changes of this context.
  func count(_ request: FetchRequest, _ entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> Int {
    var request = request
    request.sortDescriptors = []
    guard let affected = try affectedObjects(request, entity) else { return try findInMemory(request, entity).count }
    if affected.isEmpty { return try countBelow(request, entity) }
    var below = request
    below.fetchOffset = 0
    below.fetchLimit = 0
    below.predicate = predicate(of: request, without: affected)
    var count = try countBelow(below, entity)
    let prepared = try PreparedFetch(request, of: entity)
    for object in affected.objects where try prepared.holds(for: ObjectSubject(object: object)) { count += 1 }
    return request.windowCount(of: count)
  }

  private func countBelow(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> Int {
    if let parent { return try parent.count(request, entity) }
    var request = request
    request.resultType = .count
    guard case .count(let count) = try source().fetchFromStores(request, of: entity) else { return 0 }
    return count
  }

  /// Returns the predicate of a request, restricted to the objects that are not affected.
  func predicate(of request: FetchRequest, without affected: AffectedObjects) -> ManagedPredicate? {
    if affected.keysBelow.isEmpty { return request.predicate }
    let keys = PredicateConstant.array(affected.keysBelow.map { .object($0) })
    let others = ManagedPredicate.not(.comparing(.evaluatedObject, .in, .constant(keys)))
    return request.predicate.map { .and([others, $0]) } ?? others
  }

  /// Returns the objects that match an opaque request. Reads all objects of the entity and tests them here.
  private func findInMemory(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [ManagedObject] {
    let prepared = try PreparedFetch(request, of: entity)
    var below = request
    below.predicate = nil
    below.sortDescriptors = []
    below.fetchLimit = 0
    below.fetchOffset = 0
    let changed = changedObjects.filter {
      !$0.status.isDeleted && prepared.entityIndices.contains(Int($0.key.entityIndex))
        && isInAffectedStores($0, of: request)
    }
    var found: [ManagedObject] = []
    let objects = try findBelow(below, entity).filter { !$0.status.hasChanges } + changed
    makeBatches(of: objects)
    for object in objects where try prepared.holds(for: ObjectSubject(object: object, usesBatches: true)) {
      found.append(object)
    }
    if !prepared.order.isEmpty { found.sort { $0.key.isFetchedBefore($1.key) } }
    return request.window(try prepared.sorted(found) { ObjectSubject(object: $0, usesBatches: true) })
  }

  /// Returns the objects that unsaved changes affect: those with changes, and those whose key paths lead to changes.
  /// Returns nil if the request is opaque, so that changes can affect any object.
  func affectedObjects(
    _ request: FetchRequest, _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> AffectedObjects? {
    var affected = AffectedObjects()
    guard request.includesPendingChanges, hasChanges else { return affected }
    let reach = RequestReach(request, of: entity)
    if reach.isOpaque { return nil }
    let indices = request.includesSubentities ? entity.subtree : entity.index..<entity.index + 1
    let changed = changedObjects
    for object in changed
    where indices.contains(Int(object.key.entityIndex)) && isInAffectedStores(object, of: request) {
      if !object.status.isDeleted { affected.objects.append(object) }
      if !object.status.isInserted { affected.keysBelow.append(object.key) }
    }
    var reached: [RowKey: ManagedObject] = [:]
    for end in reach.ends.values {
      let targets = changed.filter { end.isAffected(by: $0) }
      for object in try objects(leadingTo: targets, by: end.steps)
      where indices.contains(Int(object.key.entityIndex)) && !object.status.hasChanges
        && isInAffectedStores(object, of: request)
      { reached[object.key] = object }
    }
    if reached.isEmpty { return affected }
    affected.unchangedKeys = Set(reached.keys)
    let objects = reached.values.sorted { $0.key.isFetchedBefore($1.key) }
    affected.keysBelow += objects.map(\.key)
    // Leaves out objects whose rows have been deleted, even if they have values here.
    for (object, row) in zip(objects, try readRows(objects.map(\.key))) {
      guard let row else { continue }
      try register(row, as: object, refreshing: parent == nil && request.refreshesRefetchedObjects)
      affected.objects.append(object)
    }
    return affected
  }

  /// Returns the objects whose relationships lead to `targets`, now or before unsaved changes. Follows the inverse
  /// relationships from the last step to the first. Without an inverse, fetches the objects that refer to the targets.
  ///
  /// The objects may have been deleted since the relationships were read.
  func objects(
    leadingTo targets: [ManagedObject], by steps: [RequestReach.Step]
  ) throws(ManagedObjectError) -> [ManagedObject] {
    var targets = targets
    for step in steps.reversed() where !targets.isEmpty {
      if let inverse = step.inverse {
        try readFaults(targets)
        try readUnread(inverse, of: targets)
        var keys: Set<RowKey> = []
        for target in targets where !target.needsRow {
          target.value(ofSlot: inverse).forEachKey { keys.insert($0) }
          target.committed?[inverse].forEachKey { keys.insert($0) }
        }
        // Another context can have saved further objects that refer to an object which is deleted here.
        let deleted = targets.filter { $0.status.isDeleted && !$0.status.isInserted }
        if !deleted.isEmpty { keys.formUnion(try objects(referringTo: deleted, by: step).map(\.key)) }
        targets = keys.sorted().map { object(for: $0) }
      } else {
        targets = try objects(referringTo: targets, by: step)
      }
    }
    return targets
  }

  /// Returns the objects that refer to targets in a relationship without an inverse, now or before unsaved changes.
  private func objects(
    referringTo targets: [ManagedObject], by step: RequestReach.Step
  ) throws(ManagedObjectError) -> [ManagedObject] {
    let keys = Set(targets.map(\.key))
    var found = changedObjects.filter { object in
      guard object.entity.isKind(of: step.source), let slot = object.entity.relationship(named: step.name)?.slot else {
        return false
      }
      // A relationship that was not read has not changed, and is found in the store.
      return object.values[slot].hasKey(in: keys) || object.committed?[slot].hasKey(in: keys) == true
    }
    let old = targets.filter { !$0.status.isInserted }.map { PredicateConstant.object($0.key) }
    guard !old.isEmpty, let path = PredicateKeyPath(keys: [step.name]) else { return found }
    let predicate = ManagedPredicate.comparing(
      .keyPath(path), .in, .constant(.array(old)), modifier: step.isToMany ? .any : .direct)
    var request = FetchRequest(step.source.name, where: predicate)
    request.includesPropertyValues = false
    found += try findBelow(request, step.source).filter { !$0.status.hasChanges }
    return found
  }
}

extension RequestReach.End {
  /// Returns true if the unsaved changes of an object can affect the rows that lead to it. An object without changes
  /// cannot refer to a new object, so new objects affect only rows that have changes themselves.
  fileprivate func isAffected(by object: ManagedObject) -> Bool {
    guard !object.status.isInserted, canBe(object.entity) else { return false }
    if object.isLost { return true }
    guard let committed = object.committed else { return false }
    return names.contains { name in
      guard let slot = object.entity.property(named: name)?.slot else { return false }
      return object.values[slot] != committed[slot]
    }
  }
}

extension RowValue {
  /// True if this is the value of a relationship, and contains at least one of the keys.
  fileprivate func hasKey(in keys: Set<RowKey>) -> Bool {
    switch self {
    case .toOne(let key): key.map(keys.contains) ?? false
    case .toMany(let own): !own.isDisjoint(with: keys)
    case .orderedToMany(let own): own.contains { keys.contains($0) }
    case .attribute, .unread: false
    }
  }
}
