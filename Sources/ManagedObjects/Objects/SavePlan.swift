/// The changes of a context, store by store.
struct SavePlan {
  /// What one store saves, and the objects that it is about.
  struct Part {
    let store: any PersistentStore
    var changes = StoreChanges()
    var objects: [ManagedObject] = []
    /// The rows that the store changed besides, or to other values.
    var mended: [RowKey] = []
  }

  /// The names that new objects get.
  let newKeys: [RowKey: RowKey]
  /// The names of objects that get another version.
  private(set) var raised: Set<RowKey> = []
  private var parts: [Part] = []
  /// What was saved so far.
  private(set) var saved: [Part] = []

  /// - Throws: ``ManagedObjectError/Code/externalRelationship``, ``ManagedObjectError/Code/invalidState`` if no store
  ///   takes an object.
  init(_ context: ManagedObjectContext) throws(ManagedObjectError) {
    let objects = context.changedObjects
    newKeys = try Self.makeKeys(objects.filter { $0.isInserted && $0.key.isTemporary }, context)
    var places: [StoreNumber: Int] = [:]
    for object in objects {
      let key = newKeys[object.key] ?? object.key
      guard let store = context.coordinator.store(key.store) else {
        throw ManagedObjectError(.invalidState, "the store of the object is gone", objectID: object.objectID)
      }
      if places[key.store] == nil {
        places[key.store] = parts.count
        var part = Part(store: store)
        part.changes.author = context.transactionAuthor
        part.changes.contextName = context.name
        parts.append(part)
      }
      guard let place = places[key.store] else { continue }
      parts[place].objects.append(object)
      if object.isDeleted {
        parts[place].changes.deleted.append(
          StoreRow(key: key, version: object.version, values: object.committed ?? object.values))
        continue
      }
      let values = try Self.persistentValues(of: object, key, context, newKeys)
      if object.isInserted {
        parts[place].changes.inserted.append(StoreRow(key: key, version: 1, values: values))
      } else if object.hasPersistentChangedValues {
        parts[place].changes.updated.append(StoreRow(key: key, version: object.version, values: values))
        parts[place].changes.snapshots.append(
          StoreRow(key: key, version: object.version, values: object.committed ?? object.values))
        raised.insert(key)
      }
    }
  }

  /// The values of an object that a store keeps.
  private static func persistentValues(
    of object: ManagedObject, _ key: RowKey, _ context: ManagedObjectContext, _ newKeys: [RowKey: RowKey]
  ) throws(ManagedObjectError) -> [RowValue] {
    var values = object.values
    let shape = object.shape
    for slot in values.indices where !shape.isPersistent[slot] { values[slot] = shape.emptyValues[slot] }
    for relationship in shape.record.relationships where shape.isPersistent[relationship.slot] {
      let value = context.renamed(values[relationship.slot], newKeys)
      for target in value.keys where target.store != key.store {
        throw ManagedObjectError(
          target.isTemporary ? .referentialIntegrity : .externalRelationship,
          target.isTemporary
            ? "the relationship refers to an object that was never saved"
            : "the relationship refers to an object of another store", objectID: object.objectID,
          key: relationship.definition.traits.name)
      }
      values[relationship.slot] = value
    }
    return values
  }

  /// Names for new objects, from the stores that they go to.
  ///
  /// - Parameter areLasting: true for names that somebody gets to know before the objects are saved.
  static func makeKeys(
    _ objects: [ManagedObject], _ context: ManagedObjectContext, areLasting: Bool = false
  ) throws(ManagedObjectError) -> [RowKey: RowKey] {
    guard !objects.isEmpty else { return [:] }
    var byStore: [StoreNumber: [RowKey]] = [:]
    var order: [StoreNumber] = []
    for object in objects {
      guard let store = context.storeNumber(forNew: object) else {
        throw ManagedObjectError(
          .invalidState, "no store takes objects of \(object.entity.name.quoted)", objectID: object.objectID)
      }
      if byStore[store] == nil { order.append(store) }
      byStore[store, default: []].append(object.key)
    }
    var newKeys: [RowKey: RowKey] = [:]
    newKeys.reserveCapacity(objects.count)
    for number in order {
      guard let store = context.coordinator.store(number), let keys = byStore[number] else { continue }
      let entities = keys.map { Int($0.entityIndex) }
      let made = areLasting ? try store.reserveKeys(entities) : try store.makeKeys(entities)
      for (key, new) in zip(keys, made) { newKeys[key] = new }
    }
    return newKeys
  }

  /// Saves store by store.
  mutating func save() throws(ManagedObjectError) {
    for var part in parts {
      if !part.changes.isEmpty { part.mended = try part.store.save(part.changes) }
      saved.append(part)
    }
  }
}
