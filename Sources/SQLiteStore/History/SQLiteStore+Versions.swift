package import ManagedObjects

/// The version numbers of rows (`Z_OPT`), which show which rows another program has changed.
extension SQLiteStore {
  /// Returns the version number of each row.
  ///
  /// - Complexity: O(*n*) in the number of rows.
  package func rowVersions() throws(ManagedObjectError) -> [RowKey: Int64] {
    try reading { state throws(ManagedObjectError) in try state.rowVersions() }
  }

  /// Returns the number of the last transaction in the history, or 0 if it is empty; nil if the store has no history.
  package func lastHistoryNumber() throws(ManagedObjectError) -> Int64? {
    try reading { state throws(ManagedObjectError) in try state.historyReading()?.lastNumber() }
  }
}

/// Functions that explain the statements of history requests, for tests.
extension SQLiteStore {
  /// Returns the texts of SQLite's query plan for a request.
  package func plan(of request: HistoryRequest) throws(ManagedObjectError) -> [String] {
    try withState { state throws(ManagedObjectError) in
      try state.plan(HistoryQuery(request, HistoryReading.allNumbers, state, FileSchema(state.database)).selection).map(
        \.text)
    }
  }
}

extension StoreState {
  /// Returns the version number of each row whose entity is in the model.
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

extension SQLiteStore {
  /// Returns the columns of an entity whose changes the history records, for tests.
  package func historyColumns(of entity: String) throws(ManagedObjectError) -> HistoryColumns? {
    guard let index = model[entity]?.index else { return nil }
    return try withState { state throws(ManagedObjectError) in
      try state.historyColumns.columns(state.schema, state.database)[index]
    }
  }
}
