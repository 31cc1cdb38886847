internal import ManagedObjects

/// Saving.
extension StoreState {
  mutating func save(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] {
    if changes.isEmpty, !hasNewMetadata { return [] }
    let newKeys = changes.inserted.map(\.key)
    try checkKeys(changes)
    var numbers = numbers
    let saving = SaveTransaction(changes, self)
    do throws(ManagedObjectError) {
      try database.transaction(.immediate) { () throws(ManagedObjectError) in
        if !newKeys.isEmpty { try numbers.use(newKeys, schema, database) }
        if hasNewMetadata { try MetadataTable.write(metadata, database) }
        try saving.run()
      }
    } catch {
      // What others have taken is known from now on.
      self.numbers = numbers
      throw try completed(error)
    }
    numbers.confirm(newKeys, schema)
    self.numbers = numbers
    hasNewMetadata = false
    return saving.mended.sorted()
  }

  /// An error with the rows as the file has them, what was to be changed first.
  private mutating func completed(_ error: ManagedObjectError) throws(ManagedObjectError) -> ManagedObjectError {
    guard error.code == .merge else { return error }
    var error = error
    error.conflicts = error.conflicts.filter { $0.object != nil } + error.conflicts.filter { $0.object == nil }
    let keys = error.conflicts.map { ($0.object ?? $0.snapshot)?.key }
    let found = try wholeRows(keys.compactMap(\.self))
    for place in keys.indices { error.conflicts[place].stored = keys[place].flatMap { found[$0] } }
    return error
  }

  /// Rows with all that their relationships refer to.
  mutating func wholeRows(_ keys: [RowKey]) throws(ManagedObjectError) -> [RowKey: StoreRow] {
    try database.transaction(.deferred) { () throws(ManagedObjectError) in
      var rows: [RowKey: StoreRow] = [:]
      var byEntity: [Int: [RowKey]] = [:]
      for row in try self.rows(keys).compactMap(\.self) where rows.updateValue(row, forKey: row.key) == nil {
        byEntity[Int(row.key.entityIndex), default: []].append(row.key)
      }
      for (entity, keys) in byEntity {
        for (slot, place) in schema.places[entity].enumerated() {
          guard case .toMany = place else { continue }
          for (key, value) in zip(keys, try values(ofSlot: slot, keys)) {
            if let value { rows[key]?.values[slot] = value }
          }
        }
      }
      return rows
    }
  }

  /// - Throws: ``ManagedObjectError/Code/invalidState`` for keys that no row of the changes can have.
  private func checkKeys(_ changes: StoreChanges) throws(ManagedObjectError) {
    var keys: Set<RowKey> = []
    keys.reserveCapacity(changes.inserted.count + changes.updated.count + changes.deleted.count)
    for rows in [changes.inserted, changes.updated, changes.deleted] {
      for row in rows {
        let index = Int(row.key.entityIndex)
        guard row.key.store == storeNumber, row.key.number > 0, schema.places.indices.contains(index),
          schema.tableIndices[index] >= 0
        else {
          throw ManagedObjectError(.invalidState, "a row has a key that is not one of this store")
        }
        if schema.model.records[index].definition.isAbstract {
          throw ManagedObjectError(
            .invalidState, "the store has no objects of the entity \(schema.model.entities[index].name)",
            objectID: objectID(row.key))
        }
        guard keys.insert(row.key).inserted else {
          throw ManagedObjectError(.invalidState, "a row is in the changes twice", objectID: objectID(row.key))
        }
        guard row.values.count == schema.places[index].count else {
          throw ManagedObjectError(
            .invalidValue,
            "the row has \(row.values.count) values, and the entity \(schema.places[index].count) places",
            objectID: objectID(row.key))
        }
      }
    }
  }

  func objectID(_ key: RowKey) -> ManagedObjectID {
    ManagedObjectID(key, model: schema.model, storeIdentifier: metadata.identifier)
  }
}
