internal import ObjectModels
internal import OrderedCollections
internal import Predicates

/// Conflicts of a save with what somebody else has saved, settled by the merge policy.
///
/// Both sides of each relationship agree afterwards, also where the other side was in no conflict.
extension ManagedObjectContext {
  /// Changes objects so that the next attempt of a save can do better.
  func resolve(_ conflicts: [MergeConflict]) throws(ManagedObjectError) {
    // What was changed back is not saved, so that nobody has looked whether others have saved it.
    for object in listed where object.isUpdated && object.values == object.committed {
      if object.status.contains(.refusing) { continue }
      unlist(object)
      turnIntoFault(object)
    }
    var lost: [ManagedObject] = []
    for conflict in conflicts where conflict.constraint.isEmpty && conflict.stored == nil {
      if let object = object(of: conflict) { lost.append(object) }
    }
    try resolveLosses(lost)
    for conflict in conflicts where conflict.constraint.isEmpty {
      guard let stored = conflict.stored, let object = object(of: conflict) else { continue }
      if object.isDeleted {
        try resolveDeletion(of: object, stored)
      } else {
        try merge(stored, into: object, by: mergePolicy)
      }
    }
    try resolveConstraints(conflicts.filter { !$0.constraint.isEmpty })
  }

  /// True if what the store has goes before what the context has.
  private var storePrevails: Bool { mergePolicy == .storeTrump || mergePolicy == .rollback }

  /// The object of this context that a conflict is about.
  func object(of conflict: MergeConflict) -> ManagedObject? {
    guard let key = (conflict.object ?? conflict.snapshot ?? conflict.stored)?.key else { return nil }
    // New objects have the key of the failed attempt in the conflict.
    return registered[key] ?? registered[attemptedKeys[key] ?? key]
  }

  // Objects that were changed on both sides.

  /// Puts what somebody else has saved under the changes of an object.
  ///
  /// - Parameter policy: which change prevails where both sides changed a property. What is added to a to-many
  ///   relationship does not contradict what others add to it.
  func merge(_ stored: StoreRow, into object: ManagedObject, by policy: MergePolicy) throws(ManagedObjectError) {
    let mine = object.values
    let old = object.committed ?? mine
    object.version = stored.version
    object.committed = stored.values
    if object.isDeleted { return try keepDeletion(of: object, since: old) }
    var values = stored.values
    for slot in values.indices {
      if !object.shape.isPersistent[slot] {
        values[slot] = mine[slot]
        object.committed?[slot] = old[slot]
        continue
      }
      let isChanged = mine[slot] != old[slot]
      guard isChanged || policy == .overwrite, mine[slot] != .unread else { continue }
      if case .unread = stored.values[slot] {
        values[slot] = try readValues(ofSlot: slot, [object.key])[0] ?? object.shape.emptyValues[slot]
        object.committed?[slot] = values[slot]
      }
      switch policy {
      case .rollback: continue
      case .overwrite: values[slot] = mine[slot]
      case .storeTrump, .objectTrump, .error:
        switch values[slot] {
        case .attribute, .toOne: if policy == .storeTrump, values[slot] != old[slot] { continue }
        case .toMany, .orderedToMany, .unread: break
        }
        values[slot] = merged(mine[slot], since: old[slot], with: values[slot])
      }
    }
    try give(values, to: object, stored: object.committed ?? values)
    if policy == .rollback { dropEqualChanges(of: object) }
  }

  /// Lets an object be read again that was read before somebody else saved it.
  private func forgetUnchanged(_ object: ManagedObject) { if !object.hasChanges { turnIntoFault(object) } }

  /// Makes an object unchanged that has the values of its row.
  private func dropEqualChanges(of object: ManagedObject) {
    if object.hasPersistentChangedValues { return }
    unlist(object)
    turnIntoFault(object)
  }

  /// Gives an object values, and makes the objects agree that it refers to now, and that it referred to before.
  ///
  /// - Parameters:
  ///   - stored: what its row has.
  ///   - isReferring: false if nothing refers to the object so far.
  private func give(
    _ values: [RowValue], to object: ManagedObject, stored: [RowValue], isReferring: Bool = true
  ) throws(ManagedObjectError) {
    for slot in values.indices {
      guard let relationship = object.shape.relationships[slot], object.shape.isPersistent[slot] else {
        if object.values[slot] != values[slot] { object.change(slot, to: values[slot]) }
        continue
      }
      if case .unread = values[slot] {
        object.values[slot] = .unread
        continue
      }
      let wanted = OrderedKeys(values[slot].keys)
      let mine = isReferring ? Set(object.values[slot].keys) : []
      let theirs = Set(stored[slot].keys)
      let touched = mine.union(theirs).union(wanted).filter {
        !(mine.contains($0) && theirs.contains($0) && wanted.contains($0))
      }.sorted().map { self.object(for: $0) }
      // They may have been saved together with the object.
      for target in touched where target !== object { forgetUnchanged(target) }
      try readFaults(touched)
      let gone = Set(touched.filter { $0.needsRow || $0.isInaccessible || $0.isDeleted }.map(\.key))
      let keys = wanted.subtracting(gone)
      let inverse = object.shape.inverseSlots[slot]
      if let inverse {
        for target in touched where !gone.contains(target.key) && !keys.contains(target.key) {
          drop(object.key, from: target, inverse)
        }
      }
      let value = relationship.value(keys)
      if object.values[slot] != value { object.change(slot, to: value) }
      guard let inverse else { continue }
      for target in touched where keys.contains(target.key) {
        if case .toOne(let owner?) = target.value(ofSlot: inverse), owner != object.key {
          forgetUnchanged(self.object(for: owner))
        }
        enter(object, into: target, inverse, from: slot)
      }
    }
  }

  // Objects that were deleted on one side.

  /// Somebody else deleted objects.
  private func resolveLosses(_ objects: [ManagedObject]) throws(ManagedObjectError) {
    var saved: [ManagedObject] = []
    for object in objects {
      if object.isDeleted || storePrevails { letGo(object) } else { saved.append(object) }
    }
    try saveAgain(saved)
  }

  /// Ends the membership of an object that its store does not have any more.
  private func letGo(_ object: ManagedObject) {
    if !object.isDeleted {
      for relationship in object.shape.record.relationships {
        guard let inverse = object.shape.inverseSlots[relationship.slot] else { continue }
        let slot = relationship.slot
        for key in Set(object.values[slot].keys + (object.committed?[slot].keys ?? [])).sorted() {
          guard let target = registered[key], target !== object, !target.isDeleted else { continue }
          if target.hasChanges { drop(object.key, from: target, inverse) } else { turnIntoFault(target) }
        }
      }
    }
    detach(object)
    object.status.insert(.inaccessible)
  }

  /// Makes objects that are gone from their store new ones.
  private func saveAgain(_ objects: [ManagedObject]) throws(ManagedObjectError) {
    guard !objects.isEmpty else { return }
    var names = KeyReplacements()
    for object in objects {
      let old = object.key
      let key = RowKey.temporary(entityIndex: Int(old.entityIndex))
      names[old] = key
      rename(object, to: key, keepsOld: true)
      assignments[key] = old.store
      object.version = 0
      object.committed = nil
      object.status.subtract([.updated, .inaccessible])
      object.status.insert(.inserted)
    }
    tellChildren(names)
    // Those with an inverse are made again below.
    changeReferences(names)
    registered.visit { rename(in: $0, names) }
    for object in objects {
      let empty = object.shape.emptyValues
      try give(object.values, to: object, stored: empty, isReferring: false)
    }
  }

  /// Does what delete rules say about objects that somebody else has made refer to a deleted one.
  ///
  /// - Parameter old: what the object had before. What it has now is ``ManagedObject/committed``.
  private func keepDeletion(of object: ManagedObject, since old: [RowValue]) throws(ManagedObjectError) {
    let stored = object.committed ?? old
    var new = object.shape.emptyValues
    for relationship in object.shape.record.relationships where stored[relationship.slot] != .unread {
      let slot = relationship.slot
      let keys = Set(stored[slot].keys).subtracting(old[slot].keys)
      for key in keys.sorted() { forgetUnchanged(self.object(for: key)) }
      new[slot] = .toMany(keys)
      let mine = object.values[slot]
      object.values[slot] = mine == old[slot] ? stored[slot] : merged(mine, since: old[slot], with: stored[slot])
    }
    for target in followRules(of: object, wasNew: false, new) where target.managedObjectContext === self {
      try delete(target)
    }
  }

  /// Somebody else changed an object that is deleted here.
  private func resolveDeletion(of object: ManagedObject, _ stored: StoreRow) throws(ManagedObjectError) {
    let old = object.committed ?? object.values
    let storedValues = object.shape.completed(stored.values)
    object.version = stored.version
    object.committed = storedValues
    guard storePrevails else {
      try keepDeletion(of: object, since: old)
      return try object.validateDeleteRules()
    }
    unlist(object)
    object.values = storedValues
    var values = storedValues
    for relationship in object.shape.record.relationships {
      guard let inverse = object.shape.inverseSlots[relationship.slot] else { continue }
      // Objects that refer to another one by now go on doing so.
      let kept = values[relationship.slot].keys.filter { key in
        guard case .toOne(let other?)? = registered[key]?.value(ofSlot: inverse) else { return true }
        return other == object.key
      }
      values[relationship.slot] = relationship.value(OrderedKeys(kept))
    }
    try give(values, to: object, stored: storedValues, isReferring: false)
    dropEqualChanges(of: object)
  }

  // Uniqueness constraints.

  /// The values of a constraint that several changed objects have.
  private struct SharedValues: Hashable {
    let constraint: [String]
    let values: [RowValue]
  }

  private func resolveConstraints(_ conflicts: [MergeConflict]) throws(ManagedObjectError) {
    var groups: OrderedDictionary<SharedValues, [ManagedObject]> = [:]
    for conflict in conflicts {
      guard let object = object(of: conflict) else { continue }
      guard let stored = conflict.stored else {
        let values = conflict.constraint.map { name in
          object.shape.entity.property(named: name).map { object.value(ofSlot: $0.slot) } ?? .null
        }
        groups[SharedValues(constraint: conflict.constraint, values: values), default: []].append(object)
        continue
      }
      if storePrevails {
        try giveUp(object)
      } else if object.isInserted, object.key.entityIndex == stored.key.entityIndex {
        try unite(object, with: stored)
      } else {
        let other = self.object(for: stored.key)
        try delete(other)
        try other.validateDeleteRules()
      }
    }
    // Of several changed objects one stays: the first if the store prevails, else the last.
    for objects in groups.values {
      let live = objects.filter { $0.hasChanges && !$0.isDeleted && $0.managedObjectContext === self }
      for object in storePrevails ? live.dropFirst() : live.dropLast() { try giveUp(object) }
    }
  }

  /// Makes a new object the one that the store has. If the context has that already, it gets what the new one has, and
  /// the new one is gone.
  ///
  /// A property that the new object has nothing in keeps what is stored, unless the policy is to overwrite all.
  private func unite(_ object: ManagedObject, with stored: StoreRow) throws(ManagedObjectError) {
    let known = registered[stored.key]
    if let known {
      forgetUnchanged(known)
      try readFaults([known])
      if known.isFault { known.fire() }
      if undoManager != nil { aliases[object.key] = stored.key }
      detach(object)
      object.status.insert(.inaccessible)
    } else {
      object.version = stored.version
      object.committed = object.shape.completed(stored.values)
      object.status.remove(.inserted)
      object.status.insert(.updated)
    }
    let names: KeyReplacements = [object.key: stored.key]
    root.permanentKeys.insert(names.pairs)
    follow(names)
    let target = known ?? object
    let empty = object.shape.emptyValues
    var values = target.values
    for slot in values.indices where object.shape.isPersistent[slot] {
      let mine = renamed(object.values[slot], names)
      values[slot] = known == nil ? stored.values[slot] : target.value(ofSlot: slot)
      guard mergePolicy == .overwrite || mine != empty[slot] else { continue }
      if case .unread = values[slot] {
        values[slot] = try readValues(ofSlot: slot, [stored.key])[0] ?? empty[slot]
        target.committed?[slot] = values[slot]
      }
      values[slot] = mergePolicy == .overwrite ? mine : merged(mine, since: empty[slot], with: values[slot])
    }
    try give(values, to: target, stored: target.committed ?? target.values)
  }

  /// Drops a new object, or the changes of another one.
  private func giveUp(_ object: ManagedObject) throws(ManagedObjectError) {
    guard object.hasChanges, !object.isDeleted, object.managedObjectContext === self else { return }
    if object.isInserted { return try delete(object) }
    guard let row = try readRows([object.key])[0] else { return letGo(object) }
    try merge(row, into: object, by: .rollback)
  }
}

extension ManagedObjectModel.Entity.Relationship {
  /// The value of a relationship that refers to objects. Of several, a to-one relationship takes the first.
  fileprivate func value(_ keys: OrderedKeys) -> RowValue {
    if !definition.isToMany { return .toOne(keys.first) }
    return definition.isOrdered ? .orderedToMany(keys) : .toMany(Set(keys))
  }
}
