package import ManagedObjects

/// The versions of rows, which show the changes of other programs.
extension SQLiteStore {
  /// The versions of all rows.
  ///
  /// - Complexity: O(*n*) in the number of rows.
  package func rowVersions() throws(ManagedObjectError) -> [RowKey: Int64] {
    try reading { state throws(ManagedObjectError) in try state.rowVersions() }
  }

  /// The number of the last save in the history, 0 without a save; nil for a store without a history.
  package func lastHistoryNumber() throws(ManagedObjectError) -> Int64? {
    try reading { state throws(ManagedObjectError) in
      try state.hasHistory() ? HistoryReading(state).lastNumber() : nil
    }
  }
}

extension StoreState {
  /// The versions of all rows of the entities that the model has.
  func rowVersions() throws(ManagedObjectError) -> [RowKey: Int64] {
    var versions: [RowKey: Int64] = [:]
    for table in schema.tables {
      let statement = try database.statement("SELECT Z_PK, Z_ENT, \(table.version) FROM \(table.name.sqlName)")
      try statement.forEachRow {
        guard let index = schema.entityIndices[statement.integer(1)], table.entities.contains(index) else { return }
        versions[RowKey(store: storeNumber, entityIndex: index, number: statement.integer(0))] = statement.integer(2)
      }
    }
    return versions
  }
}
