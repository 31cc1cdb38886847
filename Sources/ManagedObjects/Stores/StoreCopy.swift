internal import ObjectModels
internal import OrderedCollections
internal import Predicates

extension PersistentStore {
  /// Inserts the objects of another store into this store, which must be empty, and saves them with the metadata that
  /// programs have set.
  ///
  /// ```swift
  /// let source = try XMLStore(file, model: model, isReadOnly: true)
  /// try SQLiteStore.createStore(at: newFile, model: model, configuration: nil) { store throws(ManagedObjectError) in
  ///   try store.insertObjects(of: source)
  /// }
  /// ```
  ///
  /// Objects keep their primary keys. In an XML, binary or in-memory store, all entities share one series of keys. If
  /// two objects have the same key there, all objects get new keys.
  ///
  /// All objects belong to one state of the other store, even if other processes save meanwhile. An SQLite store is
  /// filled in batches; other stores are filled in memory.
  ///
  /// - Parameters:
  ///   - source: The other store, with the same model. It must not be used by other tasks meanwhile.
  ///   - progress: Called before each batch of objects. If it throws, nothing is saved.
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for a store of another model;
  ///   ``ManagedObjectError/Code/referentialIntegrity`` if a file with external data is missing; the errors of reading
  ///   and saving.
  /// - Complexity: O(*n* log *n*) in the number of objects.
  public func insertObjects(
    of source: any PersistentStore, progress: () throws(ManagedObjectError) -> Void = {}
  ) throws(ManagedObjectError) {
    guard source.model === model || source.model == model else {
      throw ManagedObjectError(.invalidState, "the store \(source.identifier.quoted) has another model")
    }
    try withoutActuallyEscaping(progress) { progress throws(ManagedObjectError) in
      var copy = StoreCopy(source: source, target: self, progress: progress)
      try copy.run()
    }
  }
}

/// Copies all objects of a store into an empty store with the same model.
private struct StoreCopy {
  let source: any PersistentStore
  let target: any PersistentStore
  let progress: () throws(ManagedObjectError) -> Void

  /// The new key of each object, by its key in the source; empty if objects keep their primary keys.
  private var keys: [RowKey: RowKey] = [:]
  /// The keys of all objects in the source, to find references to deleted objects and drop them; nil if the target
  /// drops such references itself.
  private var existing: Set<RowKey>?

  /// For each entity, the slots of its to-many relationships. A slot is the index of a value in a row.
  private let toManySlots: [Set<Int>]

  private static let batchSize = 1000

  init(
    source: any PersistentStore, target: any PersistentStore, progress: @escaping () throws(ManagedObjectError) -> Void
  ) {
    self.source = source
    self.target = target
    self.progress = progress
    toManySlots = source.model.entities.map { entity in
      Set(entity.relationships.filter(\.isToMany).map(\.slot))
    }
  }

  mutating func run() throws(ManagedObjectError) {
    // All reads see the same state of the store.
    try (source as? any TransactionalStore)?.beginReading()
    defer { try? (source as? any TransactionalStore)?.endReading() }
    var objects: [RowKey] = []
    for entity in source.model.entities
    where entity.superentity == nil && source.model.hasEntity(entity, inConfiguration: source.configuration) {
      var request = FetchRequest(entity.name)
      request.resultType = .objectIDs
      if case .keys(let keys) = try source.fetch(request, of: entity) { objects += keys }
    }
    target.setMetadata(source.metadata)
    if let target = target as? any TransactionalStore {
      return try target.fill(objects.map(key)) { [self] keys, part throws(ManagedObjectError) in
        let keys = keys.map { RowKey(store: source.number, entityIndex: Int($0.entityIndex), number: $0.number) }
        switch part {
        case .columns: return try rows(keys, includesToMany: false).map(row)
        case .links(let slots): return try links(slots, of: keys).map(row)
        }
      }
    }
    existing = Set(objects)
    try takeKeys(objects)
    var changes = StoreChanges()
    changes.keepsDerivedValues = true
    changes.inserted.reserveCapacity(objects.count)
    for start in stride(from: 0, to: objects.count, by: Self.batchSize) {
      let batch = Array(objects[start..<min(start + Self.batchSize, objects.count)])
      changes.inserted += try rows(batch, includesToMany: true).map(row)
    }
    try target.save(changes)
  }

  /// Assigns new keys to all objects if several objects have the same primary key.
  private mutating func takeKeys(_ objects: [RowKey]) throws(ManagedObjectError) {
    if Set(objects.lazy.map(\.number)).count == objects.count { return }
    let numbers = try target.makeKeys(objects.map { Int($0.entityIndex) })
    keys = Dictionary(uniqueKeysWithValues: zip(objects, numbers))
  }

  /// Returns rows of the source, including attribute values that are in external files.
  private func rows(_ keys: [RowKey], includesToMany: Bool) throws(ManagedObjectError) -> [StoreRow] {
    try progress()
    var rows = try source.rows(keys).compactMap(\.self)
    var unread: [SlotOfEntity: [Int]] = [:]
    for (index, row) in rows.enumerated() {
      let toMany = includesToMany ? [] : toManySlots[Int(row.key.entityIndex)]
      for slot in row.values.indices where row.values[slot] == .unread && !toMany.contains(slot) {
        unread[SlotOfEntity(entity: row.key.entityIndex, slot: slot), default: []].append(index)
      }
    }
    for (slotOfEntity, indices) in unread {
      let values = try source.values(ofSlot: slotOfEntity.slot, indices.map { rows[$0].key })
      for (index, value) in zip(indices, values) {
        let value = value ?? .null
        // A value whose external file is missing cannot be copied.
        if value == .null { throw source.missingFile(ofSlot: slotOfEntity.slot, rows[index].key) }
        rows[index].values[slotOfEntity.slot] = value
      }
    }
    return rows
  }

  /// Returns rows of one entity that contain only the values of some relationships.
  private func links(_ slots: [Int], of keys: [RowKey]) throws(ManagedObjectError) -> [StoreRow] {
    try progress()
    guard let first = keys.first else { return [] }
    let count = ManagedObjectID(first, model: source.model, storeIdentifier: nil).entity.slotCount
    var rows = keys.map { StoreRow(key: $0, version: 1, values: Array(repeating: .unread, count: count)) }
    for slot in slots {
      for (index, value) in try source.values(ofSlot: slot, keys).enumerated() {
        if let value { rows[index].values[slot] = value }
      }
    }
    return rows
  }

  private struct SlotOfEntity: Hashable {
    let entity: Int32
    let slot: Int
  }

  private func key(_ key: RowKey) -> RowKey {
    keys[key] ?? RowKey(store: target.number, entityIndex: Int(key.entityIndex), number: key.number)
  }

  /// Returns a copy of a row with the keys of the target instead of those of the source. To-one references to deleted
  /// objects become nil, unless the target drops them itself.
  private func row(_ row: StoreRow) -> StoreRow {
    StoreRow(key: key(row.key), version: 1, values: row.values.map(value))
  }

  private func value(_ value: RowValue) -> RowValue {
    switch value {
    case .attribute, .unread: value
    case .toOne(let other): .toOne(other.flatMap { existing?.contains($0) == false ? nil : key($0) })
    case .toMany(let others): .toMany(Set(others.map(key)))
    case .orderedToMany(let others): .orderedToMany(OrderedSet(others.map(key)))
    }
  }
}

extension PersistentStore {
  /// Returns the error for a value whose external file is missing.
  package func missingFile(ofSlot slot: Int, _ key: RowKey) -> ManagedObjectError {
    let id = ManagedObjectID(key, model: model, storeIdentifier: nil)
    let name = id.entity.attributes.first { $0.slot == slot }?.name ?? ""
    // If this throws, the path is unknown: another program may have changed the object since it was read.
    let file = (try? (self as? any TransactionalStore)?.externalFile(ofSlot: slot, key)) ?? nil
    let location = file.map { "the file \($0.printable())" } ?? "an external file"
    return ManagedObjectError(
      .referentialIntegrity, "\(id) \(name.printable()): the value is in \(location), which is missing")
  }
}
