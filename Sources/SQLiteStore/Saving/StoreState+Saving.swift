internal import ManagedObjects
internal import SQLQueries

/// Functions that save changes.
extension StoreState {
  /// Saves changes in one transaction. Returns the keys of the rows outside the save that change, and of the rows that
  /// get other values than those in the save.
  ///
  /// - Parameter keepsChanges: False to roll back at the end.
  mutating func apply(_ changes: StoreChanges, keepsChanges: Bool) throws(ManagedObjectError) -> [RowKey] {
    if changes.isEmpty, !hasNewMetadata { return [] }
    let newKeys = changes.inserted.map(\.key)
    let (rowIndices, deleted) = try checkedKeys(changes)
    var numbers = numbers
    let saved: (mended: Set<RowKey>, historyNumber: Int64?)
    do {
      saved = try database.transaction(.immediate, end: keepsChanges ? .commit : .rollback) {
        () throws(ManagedObjectError) in
        try checkTables()
        try checkObstacles()
        if !newKeys.isEmpty { try numbers.use(newKeys, schema, database) }
        if hasNewMetadata { try MetadataTable.write(metadata, database) }
        let saving = SaveTransaction(changes, self, rowIndices: rowIndices, deleted: deleted)
        try saving.write()
        return (saving.mended, saving.historyNumber)
      }
    } catch {
      // Remembers the primary keys that other connections have taken, even though the save failed.
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

  /// Adds the current rows of the file to a merge error, and sorts its conflicts: updated rows come before deleted
  /// ones. Returns other errors as they are.
  private mutating func completed(_ error: ManagedObjectError) throws(ManagedObjectError) -> ManagedObjectError {
    guard error.code == .merge else { return error }
    var error = error
    error.conflicts = error.conflicts.filter { $0.object != nil } + error.conflicts.filter { $0.object == nil }
    let keys = error.conflicts.map { ($0.object ?? $0.snapshot)?.key }
    let found = try wholeRows(keys.compactMap(\.self))
    for index in keys.indices { error.conflicts[index].stored = keys[index].flatMap { found[$0] } }
    return error
  }

  /// Returns rows with all values, including those that ``rows(_:)`` leaves unread.
  mutating func wholeRows(_ keys: [RowKey]) throws(ManagedObjectError) -> [RowKey: StoreRow] {
    try database.transaction(.deferred) { () throws(ManagedObjectError) in
      var whole: [RowKey: StoreRow] = [:]
      for (entity, var rows) in Dictionary(grouping: try self.rows(keys).compactMap(\.self), by: \.key.entityIndex) {
        try rows.readRest(schema.slotColumns[Int(entity)].indices, schema.model) {
          slot, keys throws(ManagedObjectError) in
          try values(ofSlot: slot, keys)
        }
        for row in rows { whole[row.key] = row }
      }
      return whole
    }
  }

  /// Checks the rows of a save. Returns the index of each inserted or updated row, with the inserted rows counted
  /// first, and the index of each deleted row.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if a key is not valid for a row of the store, or occurs twice,
  ///   ``ManagedObjectError/Code/invalidValue`` if a row has a wrong number of values.
  private func checkedKeys(
    _ changes: StoreChanges
  ) throws(ManagedObjectError) -> (rowIndices: RowPositions, deleted: RowPositions) {
    var rowIndices = RowPositions(capacity: changes.inserted.count + changes.updated.count)
    var deleted = RowPositions(capacity: changes.deleted.count)
    for (kind, rows) in [changes.inserted, changes.updated, changes.deleted].enumerated() {
      for (rowIndex, row) in rows.enumerated() {
        let index = Int(row.key.entityIndex)
        guard row.key.store == storeNumber, row.key.number > 0, schema.slotColumns.indices.contains(index),
          schema.tableIndices[index] >= 0
        else { throw ManagedObjectError(.invalidState, "a row has a key that does not belong to this store") }
        if schema.model.records[index].definition.isAbstract {
          throw ManagedObjectError(
            .invalidState, "the entity \(schema.model.entity(at: index).name) is abstract, and cannot have objects",
            objectID: objectID(row.key))
        }
        let isNew =
          switch kind {
          case 0: rowIndices.insert(rowIndex, for: row.key)
          case 1: rowIndices.insert(changes.inserted.count + rowIndex, for: row.key)
          default: !rowIndices.contains(row.key) && deleted.insert(rowIndex, for: row.key)
          }
        guard isNew else {
          throw ManagedObjectError(.invalidState, "the changes contain a row twice", objectID: objectID(row.key))
        }
        guard row.values.count == schema.slotColumns[index].count else {
          throw ManagedObjectError(
            .invalidValue,
            "the row has \(row.values.count) values, but the entity has \(schema.slotColumns[index].count) slots",
            objectID: objectID(row.key))
        }
      }
    }
    return (rowIndices, deleted)
  }

  func objectID(_ key: RowKey) -> ManagedObjectID {
    ManagedObjectID(key, model: schema.model, storeIdentifier: metadata.identifier)
  }
}
