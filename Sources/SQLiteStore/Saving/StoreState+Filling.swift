internal import ManagedObjects
internal import PropertyLists
internal import SQLQueries

/// The keys of the rows that fill a new store, in batches.
struct StoreFilling {
  /// The keys of all rows, sorted.
  private let keys: [RowKey]

  init(_ keys: [RowKey]) { self.keys = keys }

  /// Returns true if one of the rows has the key.
  ///
  /// - Complexity: O(log *n*).
  func contains(_ key: RowKey) -> Bool {
    let index = keys.partitioningIndex { $0 >= key }
    return index < keys.count && keys[index] == key
  }

  /// Checks that each key is valid and occurs once.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if a key is not valid for a row of the store, or occurs twice.
  fileprivate func check(_ state: StoreState) throws(ManagedObjectError) {
    for (keyIndex, key) in keys.enumerated() {
      let index = Int(key.entityIndex)
      guard key.store == state.storeNumber, key.number > 0, state.schema.table(ofEntity: index) != nil,
        !state.schema.model.records[index].definition.isAbstract
      else { throw ManagedObjectError(.invalidState, "a row has a key that does not belong to this store") }
      if keyIndex > 0, keys[keyIndex - 1] == key {
        throw ManagedObjectError(.invalidState, "a key occurs twice", objectID: state.objectID(key))
      }
    }
  }

  /// The greatest number of rows in a batch.
  private static let greatestCount = 1000
  /// The greatest size of the rows in a batch, in bytes. It is estimated from the previous batch.
  private static let greatestSize = 4 << 20

  /// Calls `body` with the keys of each batch. All keys of a batch have the same entity.
  ///
  /// - Parameter body: Returns the size of the rows in bytes, which determines the number of rows in the next batch.
  fileprivate func forEachBatch(
    _ body: (ArraySlice<RowKey>) throws(ManagedObjectError) -> Int
  ) throws(ManagedObjectError) {
    var count = 16
    var start = 0
    while start < keys.count {
      var end = start
      while end < keys.count, end - start < count, keys[end].entityIndex == keys[start].entityIndex { end += 1 }
      let size = try body(keys[start..<end])
      count = min(2 * count, Self.greatestCount, max(1, (end - start) * Self.greatestSize / max(size, 1)))
      start = end
    }
  }
}

extension StoreState {
  /// Inserts rows into an empty store, in one transaction: first the columns of all rows, then the relationships.
  ///
  /// - Parameters:
  ///   - keys: The keys of all rows, sorted.
  ///   - read: Returns rows with keys of the new store. See ``SQLiteStore/fill(_:read:)``.
  mutating func fill(
    _ keys: [RowKey], read: (ArraySlice<RowKey>, RowPart) throws(ManagedObjectError) -> [StoreRow]
  ) throws(ManagedObjectError) {
    let filling = StoreFilling(keys)
    try filling.check(self)
    var numbers = numbers
    try database.transaction(.immediate) { () throws(ManagedObjectError) in
      try checkTables()
      try checkObstacles()
      try numbers.use(keys, schema, database)
      if hasNewMetadata { try MetadataTable.write(metadata, database) }
      try filling.forEachBatch { keys throws(ManagedObjectError) in
        let rows = try read(keys, .columns)
        let part = try transaction(rows, filling)
        try part.checkConstraints([])
        for row in rows { try part.insertRow(row) }
        return rows.reduce(0) { $0 + $1.size }
      }
      try filling.forEachBatch { keys throws(ManagedObjectError) in
        let slots = keys.first.map { links(ofEntity: Int($0.entityIndex)) } ?? []
        if slots.isEmpty { return 0 }
        let rows = try read(keys, .links(slots))
        let part = try transaction(rows, filling)
        for row in rows { try part.link(row, nil) }
        if let error = ManagedObjectError(all: part.ownerErrors) { throw error }
        return rows.reduce(0) { $0 + $1.size }
      }
    }
    numbers.confirm(keys, schema)
    self.numbers = numbers
    hasNewMetadata = false
  }

  private func transaction(_ rows: [StoreRow], _ filling: StoreFilling) throws(ManagedObjectError) -> SaveTransaction {
    database.notedRows = []
    var changes = StoreChanges()
    changes.inserted = rows
    var rowIndices = RowPositions(capacity: rows.count)
    for (index, row) in rows.enumerated() {
      guard filling.contains(row.key), rowIndices.insert(index, for: row.key),
        row.values.count == schema.slotColumns[Int(row.key.entityIndex)].count
      else { throw ManagedObjectError(.invalidState, "a row has an unexpected key, or a wrong number of values") }
    }
    return SaveTransaction(changes, self, rowIndices: rowIndices, deleted: RowPositions(capacity: 0), filling: filling)
  }

  /// Returns the slots of the relationships that must be written after all rows: to-many and one-to-one relationships,
  /// which are also stored in other rows or in join tables.
  private func links(ofEntity entity: Int) -> [Int] {
    schema.slotColumns[entity].indices.filter { slot in
      switch schema.slotColumns[entity][slot] {
      case .none, .attribute, .composite: return false
      case .toMany: return true
      case .toOne(_, _, let destination):
        guard let side = schema.sides[entity][slot] else { return false }
        return schema.slotColumns[destination.lowerBound][side.inverseSlot].toOne != nil
      }
    }
  }
}

extension StoreRow {
  /// The approximate size of the row's values, in bytes.
  fileprivate var size: Int {
    values.reduce(0) { size, value in
      switch value {
      case .attribute(.data(let data)): size + data.count
      case .attribute(.string(let text)): size + text.utf8.count
      case .attribute, .unread: size
      case .toOne, .toMany, .orderedToMany: size + 16 * value.count
      }
    }
  }
}
