internal import ManagedObjects
internal import OrderedCollections
internal import SQLQueries

/// Functions that execute fetch requests.
extension StoreState {
  mutating func perform(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    try request.check(for: entity)
    return switch try performInPages(request, of: entity) {
    case .pages(let rows): .rows(rows.rows(of: schema.model))
    case .result(let result): result
    }
  }

  /// Executes a request, which the caller has checked. Returns rows in pages if SQL can express the whole request.
  mutating func performInPages(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> PagedFetchResult {
    if request.resultType == .dictionaries { return .result(.dictionaries(try dictionaries(request, of: entity))) }
    if request.resultType == .objects, let properties = request.propertiesToFetch {
      if let table = schema.table(ofEntity: entity.index) {
        let selection = RowSelection(schema, table, table.entities, storeNumber, attributes: properties.names)
        if let query = query(for: request, of: entity, selection), query.isComplete,
          let (statement, arguments) = try prepared(query)
        {
          defer { statement.clear() }
          do { return try result(of: statement, request, entity, selection) } catch {
            guard arguments.hasFailed else { throw error }
          }
        }
      }
      // A request that is executed in memory reads whole rows.
      var whole = request
      whole.propertiesToFetch = nil
      return try performInPages(whole, of: entity)
    }
    let selection = selection(of: entity)
    let query = selection.flatMap { self.query(for: request, of: entity, $0) }
    guard let selection, let query, query.isComplete else { return .result(try evaluate(request, of: entity, query)) }
    // If SQLite rejects the statement because it is too large, the request is executed in memory.
    guard let (statement, arguments) = try prepared(query) else {
      return .result(try evaluate(request, of: entity, nil))
    }
    defer { statement.clear() }
    do { return try result(of: statement, request, entity, selection) } catch {
      if arguments.hasFailed { return .result(try evaluate(request, of: entity, nil)) }
      throw error
    }
  }

  /// Returns the columns to select for rows of an entity and its subentities; nil if the store does not have the
  /// entity.
  mutating func selection(of entity: ManagedObjectModel.Entity) -> RowSelection? {
    schema.table(ofEntity: entity.index).flatMap { selection($0.entities) }
  }

  /// Returns the SQL statement of a request. If SQL cannot express the request, the statement finds the rows that may
  /// match. Returns nil if the store does not have the entity.
  func query(
    for request: FetchRequest, of entity: ManagedObjectModel.Entity, _ selection: RowSelection
  ) -> StoreQuery? {
    if fitted?.hasOtherTypes == true { return nil }
    return StoreQuery(
      request, request.entities(entity), rowColumns: selection.list, schema, storeNumber, SQLiteDialect())
  }

  var functionContext: FunctionContext {
    FunctionContext(entityIndices: schema.entityIndices, storeNumber: storeNumber, externalData: reading.externalData)
  }

  /// Returns a prepared statement with bound arguments; nil if SQLite rejects the SQL, because it is too large.
  private func prepared(_ query: StoreQuery) throws(ManagedObjectError) -> (Statement, QueryArguments)? {
    let statement: Statement
    do { statement = try database.statement(query.sql, query.readsOneTable ? .rows : .pairs) } catch {
      if error.isFailedStatement || error.isTooBig { return nil }
      throw error
    }
    let arguments = QueryArguments(query.bindings, functionContext)
    try arguments.bind(to: statement)
    return (statement, arguments)
  }

  private func result(
    of statement: Statement, _ request: FetchRequest, _ entity: ManagedObjectModel.Entity, _ selection: RowSelection
  ) throws(ManagedObjectError) -> PagedFetchResult {
    switch request.resultType {
    case .count:
      guard try statement.step() else { return .result(.count(0)) }
      return .result(.count(request.windowCount(of: Int(statement.integer(0)))))
    case .objectIDs:
      var keys: [RowKey] = []
      try statement.forEachRow { () throws(ManagedObjectError) in
        let number = statement.integer(0)
        guard let index = schema.entityIndices[statement.integer(1)], selection.entities.contains(index),
          number > 0
        else { throw RowSelection.invalidRow(number, statement.integer(1), of: entity.name) }
        keys.append(RowKey(store: storeNumber, entityIndex: index, number: number))
      }
      return .result(.keys(keys))
    case .objects, .dictionaries:
      var rows = PagedRows(storeNumber)
      try statement.forEachRow { () throws(ManagedObjectError) in try selection.append(to: &rows, statement, reading) }
      rows.finish()
      return .pages(rows)
    }
  }

  /// Returns the SQL statement of a dictionary request; nil if SQL cannot express the whole request.
  func projection(_ request: FetchRequest, of entity: ManagedObjectModel.Entity) -> ProjectionQuery? {
    if fitted?.hasOtherTypes == true { return nil }
    return ProjectionQuery(request, request.entities(entity), schema, storeNumber, SQLiteDialect())
  }

  /// Executes a dictionary request: with one SQL statement if possible, otherwise in memory on the objects that match
  /// the predicate.
  private mutating func dictionaries(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [OrderedDictionary<String, RowValue>] {
    if let projection = projection(request, of: entity), let (statement, _) = try prepared(projection.query) {
      defer { statement.clear() }
      do {
        if let all = try projection.dictionaries(statement, request, reading, functionContext) { return all }
      } catch {
        // The statement failed because the sum of integers overflows, or because an SQL function failed.
        guard error.isFailedStatement else { throw error }
      }
    }
    // The transaction makes all statements see the same state.
    return try database.transaction(.deferred) { () throws(ManagedObjectError) in
      guard case .rows(let rows) = try perform(request.requestForObjects(entity), of: entity) else { return [] }
      var projection = request
      projection.predicate = nil
      projection.sortDescriptors = []
      let source = try LoadedRows(projection, entity, rows, &self)
      return try request.dictionaries(of: source.completed(rows), in: source, entity)
    }
  }

  /// Executes a request in memory.
  ///
  /// - Parameter query: The statement that finds the rows that may match; nil to use all rows of the entity.
  private mutating func evaluate(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity, _ query: StoreQuery?
  ) throws(ManagedObjectError) -> StoreFetchResult {
    // The transaction makes all statements see the same state.
    try database.transaction(.deferred) { () throws(ManagedObjectError) in
      var candidates: [StoreRow]?
      if let query, !query.isComplete, let (statement, arguments) = try prepared(query),
        let selection = selection(of: entity)
      {
        defer { statement.clear() }
        do throws(ManagedObjectError) { candidates = try rows(statement, selection) } catch {
          guard arguments.hasFailed else { throw error }
        }
      }
      return try request.executeChecked(on: LoadedRows(request, entity, candidates, &self), of: entity)
    }
  }
}

extension [FetchRequest.FetchedValue] {
  /// The names of the fetched properties. Expressions are left out.
  fileprivate var names: Set<String> {
    Set(compactMap { if case .property(let name) = $0 { name } else { nil } })
  }
}

extension FetchRequest {
  /// Returns the indices of the entities whose objects the request fetches: `entity`, and its subentities if the
  /// request includes them.
  func entities(_ entity: ManagedObjectModel.Entity) -> Range<Int> {
    includesSubentities ? entity.index..<entity.record.endOfSubentities : entity.index..<entity.index + 1
  }
}
