internal import ManagedObjects
internal import OrderedCollections
internal import SQLQueries

/// Requests.
extension StoreState {
  mutating func perform(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> StoreFetchResult {
    try request.check(for: entity)
    if request.resultType == .dictionaries { return .dictionaries(try dictionaries(request, of: entity)) }
    let selection = selection(of: entity)
    let query = selection.flatMap { self.query(for: request, of: entity, $0) }
    guard let selection, let query, query.isComplete else { return try evaluate(request, of: entity, query) }
    // A statement that is too large is executed in memory.
    guard let (statement, arguments) = try prepared(query) else { return try evaluate(request, of: entity, nil) }
    defer { statement.clear() }
    do { return try result(of: statement, request, entity, selection) } catch {
      if arguments.hasFailed { return try evaluate(request, of: entity, nil) }
      throw error
    }
  }

  /// The columns of the table of an entity; nil if the store has no objects of it.
  mutating func selection(of entity: ManagedObjectModel.Entity) -> RowSelection? {
    schema.table(ofEntity: entity.index).flatMap { selection($0.entities) }
  }

  /// The statement of a request; nil if there is none.
  func query(
    for request: FetchRequest, of entity: ManagedObjectModel.Entity, _ selection: RowSelection
  ) -> StoreQuery? {
    StoreQuery(request, request.entities(entity), rowColumns: selection.list, schema, storeNumber, SQLiteDialect())
  }

  private var functionContext: FunctionContext {
    FunctionContext(entityIndices: schema.entityIndices, storeNumber: storeNumber, externalData: reading.externalData)
  }

  /// Nil if SQLite takes no such statement.
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
  ) throws(ManagedObjectError) -> StoreFetchResult {
    switch request.resultType {
    case .count:
      guard try statement.step() else { return .count(0) }
      return .count(request.windowCount(of: Int(statement.integer(0))))
    case .objectIDs:
      var keys: [RowKey] = []
      try statement.forEachRow { () throws(ManagedObjectError) in
        let number = statement.integer(0)
        guard let index = schema.entityIndices[statement.integer(1)], selection.entities.contains(index),
          number > 0
        else {
          throw ManagedObjectError(
            .invalidValue,
            "\(entity.name): the row \(number) is of the entity \(statement.integer(1)), which is none there")
        }
        keys.append(RowKey(store: storeNumber, entityIndex: index, number: number))
      }
      return .keys(keys)
    case .objects, .dictionaries: return .rows(try rows(statement, selection))
    }
  }

  /// The statement of a request for dictionaries; nil if there is none that says all of it.
  func projection(_ request: FetchRequest, of entity: ManagedObjectModel.Entity) -> ProjectionQuery? {
    ProjectionQuery(request, request.entities(entity), schema, storeNumber, SQLiteDialect())
  }

  /// Dictionaries are made by a statement, or in memory of rows that a statement finds.
  private mutating func dictionaries(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> [OrderedDictionary<String, RowValue>] {
    if let projection = projection(request, of: entity), let (statement, _) = try prepared(projection.query) {
      defer { statement.clear() }
      do {
        if let all = try projection.dictionaries(statement, request, reading, functionContext) { return all }
      } catch {
        // A sum with too many digits for SQLite, or a function without a result.
        guard error.isFailedStatement else { throw error }
      }
    }
    // All statements see the same state.
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
  /// - Parameter query: finds the rows that may fit; nil for all of the entity.
  private mutating func evaluate(
    _ request: FetchRequest, of entity: ManagedObjectModel.Entity, _ query: StoreQuery?
  ) throws(ManagedObjectError) -> StoreFetchResult {
    // All statements see the same state.
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

extension FetchRequest {
  /// The entities whose own objects count.
  func entities(_ entity: ManagedObjectModel.Entity) -> Range<Int> {
    includesSubentities ? entity.index..<entity.record.endOfSubentities : entity.index..<entity.index + 1
  }
}
