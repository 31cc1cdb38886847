internal import Predicates

/// The changes of a context, divided by store.
struct SavePlan {
  /// The changes for one store, and their objects.
  struct Part {
    let store: any PersistentStore
    /// True if the store keeps the saved rows in memory.
    let keepsRows: Bool
    var changes = StoreChanges()
    var objects: [ManagedObject] = []
    /// The keys of other rows that the store changed during the save, and of rows that it saved with other values than
    /// those in ``changes``.
    var mended: [RowKey] = []
  }

  /// The permanent keys of new objects, by their temporary keys.
  let newKeys: KeyReplacements
  /// The keys of objects whose version increases.
  private(set) var raised: Set<RowKey> = []
  private var parts: [Part] = []
  /// The parts that have been saved.
  private(set) var saved: [Part] = []
  /// The old values of the objects whose rows stay in memory. Their new values are copies without gaps between them,
  /// which makes reading many rows twice as fast. So the memory of the old ones must not be used for the copies.
  private var replaced: [[RowValue]] = []

  /// The objects of the parts that have not been saved.
  var unsavedObjects: some Sequence<ManagedObject> { parts.dropFirst(saved.count).lazy.flatMap(\.objects) }

  /// Divides the changes of objects by store.
  ///
  /// Replaces temporary keys in the relationships of the objects by permanent ones, so that rows share the objects'
  /// values. If this fails, the temporary keys are restored. If a save fails, the caller restores those of the
  /// ``unsavedObjects``.
  ///
  /// - Throws: ``ManagedObjectError/Code/externalRelationship`` for a relationship to another store;
  ///   ``ManagedObjectError/Code/referentialIntegrity`` for a relationship to an object that was never saved;
  ///   ``ManagedObjectError/Code/invalidState`` if no store accepts an object.
  init(_ objects: [ManagedObject], _ context: ManagedObjectContext) throws(ManagedObjectError) {
    newKeys = try Self.replaceKeys(objects, context)
    do throws(ManagedObjectError) { try divide(objects, context) } catch {
      context.restoreKeys(in: objects, newKeys)
      throw error
    }
  }

  private mutating func divide(
    _ objects: [ManagedObject], _ context: ManagedObjectContext
  ) throws(ManagedObjectError) {
    // The store of the last object, and the index of its part.
    var lastStore: StoreNumber?
    var partIndex = 0
    for object in objects {
      let key = newKeys[object.key] ?? object.key
      if key.store == lastStore {
        // The part is that of the last object.
      } else if let known = parts.firstIndex(where: { $0.store.number == key.store }) {
        partIndex = known
      } else {
        guard let store = context.coordinator.store(key.store) else {
          throw ManagedObjectError(
            .invalidState, "the store of the object was removed from the coordinator", objectID: object.objectID)
        }
        partIndex = parts.count
        var part = Part(store: store, keepsRows: !(store is any PageReading))
        part.changes.author = context.transactionAuthor
        part.changes.contextName = context.name
        parts.append(part)
      }
      lastStore = key.store
      parts[partIndex].objects.append(object)
      if object.status.isDeleted {
        parts[partIndex].changes.deleted.append(StoreRow(key: key, version: object.version, values: object.readValues))
        continue
      }
      let differs = object.differsFromCommitted
      try renameKeys(in: object, key, context)
      guard object.status.isInserted || differs else { continue }
      if parts[partIndex].keepsRows {
        replaced.append(object.values)
        object.values = object.values.map(\.self)
      }
      let values = object.shape.persistentValues(object.values)
      if object.status.isInserted {
        parts[partIndex].changes.inserted.append(StoreRow(key: key, version: 1, values: values))
      } else {
        parts[partIndex].changes.updated.append(StoreRow(key: key, version: object.version, values: values))
        parts[partIndex].changes.snapshots.append(
          StoreRow(key: key, version: object.version, values: object.readValues))
        raised.insert(key)
      }
    }
  }

  /// Replaces temporary keys in the relationships of an object by permanent ones. Throws if a relationship refers to an
  /// object of another store, or to one that was never saved.
  private func renameKeys(
    in object: ManagedObject, _ key: RowKey, _ context: ManagedObjectContext
  ) throws(ManagedObjectError) {
    for slot in object.shape.relationshipSlots {
      if let renamed = context.renaming(object.values[slot], newKeys) { object.values[slot] = renamed }
      guard object.shape.isPersistent[slot] else { continue }
      try object.values[slot].forEachKey { (target: RowKey) throws(ManagedObjectError) in
        if target.store == key.store { return }
        throw ManagedObjectError(
          target.isTemporary ? .referentialIntegrity : .externalRelationship,
          target.isTemporary
            ? "the relationship refers to an object that was never saved"
            : "the relationship refers to an object of another store", objectID: object.objectID,
          key: object.shape.relationships[slot]?.definition.traits.name)
      }
    }
  }

  /// Asks the stores for permanent keys of new objects.
  ///
  /// - Parameter areLasting: true if the program sees the keys before the objects are saved, so that the stores must
  ///   reserve them.
  static func replaceKeys(
    _ objects: [ManagedObject], _ context: ManagedObjectContext, areLasting: Bool = false
  ) throws(ManagedObjectError) -> KeyReplacements {
    var byStore: [(number: StoreNumber, keys: [RowKey])] = []
    // A cache: the indices in `byStore` by entity, which determines the store if none is assigned.
    var known = [Int?](repeating: nil, count: context.model.records.count)
    for object in objects where object.key.isTemporary && (areLasting || object.status.isInserted) {
      let entity = Int(object.key.entityIndex)
      if context.assignments.isEmpty, let index = known[entity] {
        byStore[index].keys.append(object.key)
        continue
      }
      guard let store = context.storeNumber(forNew: object) else {
        throw ManagedObjectError(
          .invalidState, "no writable store accepts objects of \(object.entity.name.quoted)", objectID: object.objectID)
      }
      let index = byStore.firstIndex { $0.number == store } ?? byStore.count
      if index == byStore.count { byStore.append((store, [])) }
      byStore[index].keys.append(object.key)
      known[entity] = index
    }
    var newKeys = KeyReplacements()
    for (number, keys) in byStore {
      guard let store = context.coordinator.store(number) else { continue }
      newKeys.reserveCapacity(newKeys.count + keys.count)
      let entities = keys.map { Int($0.entityIndex) }
      let made = areLasting ? try store.reserveKeys(entities) : try store.makeKeys(entities)
      for (key, new) in zip(keys, made) { newKeys.insert(new, for: key) }
    }
    return newKeys
  }

  /// Saves one store after another.
  mutating func saveParts() throws(ManagedObjectError) {
    for var part in parts {
      if !part.changes.isEmpty { part.mended = try part.store.save(part.changes) }
      saved.append(part)
    }
  }
}

extension ManagedObject {
  /// The committed values, with empty values for transient properties.
  fileprivate final var readValues: [RowValue] { shape.persistentValues(committed ?? values) }
}
