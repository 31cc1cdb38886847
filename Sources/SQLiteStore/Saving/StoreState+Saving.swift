internal import ManagedObjects

/// Saving.
extension StoreState {
  /// - Parameter keepsChanges: false to take everything back at the end.
  mutating func save(_ changes: StoreChanges, keepsChanges: Bool = true) throws(ManagedObjectError) -> [RowKey] {
    if changes.isEmpty, !hasNewMetadata { return [] }
    let newKeys = changes.inserted.map(\.key)
    let (places, deleted) = try checkedKeys(changes)
    var numbers = numbers
    let saved: (mended: Set<RowKey>, historyNumber: Int64?)
    do throws(ManagedObjectError) {
      saved = try database.transaction(.immediate, end: keepsChanges ? .commit : .rollback) {
        () throws(ManagedObjectError) in
        try checkTables()
        try checkObstacles()
        if !newKeys.isEmpty { try numbers.use(newKeys, schema, database) }
        if hasNewMetadata { try MetadataTable.write(metadata, database) }
        let saving = SaveTransaction(changes, self, places: places, deleted: deleted)
        try saving.run()
        return (saving.mended, saving.historyNumber)
      }
    } catch {
      // The numbers that others have taken are known from now on.
      self.numbers = numbers
      throw try completed(error)
    }
    if keepsChanges {
      numbers.confirm(newKeys, schema)
      self.numbers = numbers
      hasNewMetadata = false
      if let number = saved.historyNumber { noteOwnTransaction(number) }
    }
    return saved.mended.sorted()
  }

  /// An error with the rows as the file has them, changed ones first.
  private mutating func completed(_ error: ManagedObjectError) throws(ManagedObjectError) -> ManagedObjectError {
    guard error.code == .merge else { return error }
    var error = error
    error.conflicts = error.conflicts.filter { $0.object != nil } + error.conflicts.filter { $0.object == nil }
    let keys = error.conflicts.map { ($0.object ?? $0.snapshot)?.key }
    let found = try wholeRows(keys.compactMap(\.self))
    for place in keys.indices { error.conflicts[place].stored = keys[place].flatMap { found[$0] } }
    return error
  }

  /// Rows with all that they come without.
  mutating func wholeRows(_ keys: [RowKey]) throws(ManagedObjectError) -> [RowKey: StoreRow] {
    try database.transaction(.deferred) { () throws(ManagedObjectError) in
      var rows: [RowKey: StoreRow] = [:]
      var byEntity: [Int: [RowKey]] = [:]
      for row in try self.rows(keys).compactMap(\.self) where rows.updateValue(row, forKey: row.key) == nil {
        byEntity[Int(row.key.entityIndex), default: []].append(row.key)
      }
      for (entity, keys) in byEntity {
        for slot in schema.places[entity].indices {
          let unread = keys.filter { rows[$0]?.values[slot] == .unread }
          for (key, value) in zip(unread, try values(ofSlot: slot, unread)) {
            if let value { rows[key]?.values[slot] = value }
          }
        }
      }
      return rows
    }
  }

  /// The places of new rows and of rows with new values, in that order, and the rows that go.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` for keys that no row of the changes can have.
  private func checkedKeys(
    _ changes: StoreChanges
  ) throws(ManagedObjectError) -> (places: RowPositions, deleted: RowPositions) {
    var places = RowPositions(capacity: changes.inserted.count + changes.updated.count)
    var deleted = RowPositions(capacity: changes.deleted.count)
    for (kind, rows) in [changes.inserted, changes.updated, changes.deleted].enumerated() {
      for (place, row) in rows.enumerated() {
        let index = Int(row.key.entityIndex)
        guard row.key.store == storeNumber, row.key.number > 0, schema.places.indices.contains(index),
          schema.tableIndices[index] >= 0
        else {
          throw ManagedObjectError(.invalidState, "a row has a key that is not one of this store")
        }
        if schema.model.records[index].definition.isAbstract {
          throw ManagedObjectError(
            .invalidState, "the store has no objects of the entity \(schema.model.entity(at: index).name)",
            objectID: objectID(row.key))
        }
        let isNew =
          switch kind {
          case 0: places.insert(place, for: row.key)
          case 1: places.insert(changes.inserted.count + place, for: row.key)
          default: !places.contains(row.key) && deleted.insert(place, for: row.key)
          }
        guard isNew else {
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
    return (places, deleted)
  }

  func objectID(_ key: RowKey) -> ManagedObjectID {
    ManagedObjectID(key, model: schema.model, storeIdentifier: metadata.identifier)
  }
}
