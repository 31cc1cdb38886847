package import ManagedObjects

/// The versions of rows, which reveal the changes of other programs.
extension SQLiteStore {
  /// Returns the versions of all rows.
  ///
  /// - Complexity: O(*n*) in the number of rows.
  package func rowVersions() throws(ManagedObjectError) -> [RowKey: Int64] {
    try reading { state throws(ManagedObjectError) in try state.rowVersions() }
  }

  /// Returns the number of the last transaction in the history, or 0 if it is empty; nil if the store has no history.
  package func lastHistoryNumber() throws(ManagedObjectError) -> Int64? {
    try reading { state throws(ManagedObjectError) in
      try state.hasHistory() ? HistoryReading(state).lastNumber() : nil
    }
  }
}

extension StoreState {
  /// Returns the versions of all rows of the model's entities.
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
