public import ManagedObjects
internal import SQLQueries
public import SQLiteAccess

/// The SQL of a request.
public struct RequestStatement: Hashable, Sendable {
  /// The text of the statement, without values; empty if the request is executed in memory, on all rows of its entity.
  public let sql: String
  /// False if the statement finds only the rows that may match, and the rest of the request is executed in memory.
  public let isComplete: Bool
}

/// Functions that show the statements that a store executes.
extension SQLiteStore {
  /// Returns the SQL that finds the results of a request. To read related objects, and values that the request does not
  /// select, the store executes further statements.
  ///
  /// ```swift
  /// let request = FetchRequest("Note", where: try ManagedPredicate(format: "title == 'Plan'"))
  /// print(try store.statement(for: request).sql)   // SELECT … FROM "ZNOTE" …
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` if the model does not have the entity; the errors of
  ///   executing an invalid request.
  public func statement(for request: FetchRequest) throws(ManagedObjectError) -> RequestStatement {
    try withState { state throws(ManagedObjectError) in
      guard let entity = model.entity(named: request.entityName) else {
        throw ManagedObjectError(.unsupportedRequest, "the model has no entity \(request.entityName.quoted)")
      }
      try request.check(for: entity)
      if request.resultType == .dictionaries {
        let query = state.projection(request, of: entity)?.query
        return RequestStatement(sql: query?.sql ?? "", isComplete: query != nil)
      }
      let query = state.selection(of: entity).flatMap { state.query(for: request, of: entity, $0) }
      return RequestStatement(sql: query?.sql ?? "", isComplete: query?.isComplete ?? false)
    }
  }

  /// Returns SQLite's plan for the statement of a request, to find out if it uses an index.
  ///
  /// ```swift
  /// for step in try store.plan(of: request) { print(step) }   // SEARCH t USING INDEX Z_Note_byTitle (ZTITLE=?)
  /// ```
  ///
  /// - Returns: The steps, each followed by the steps that are parts of it. Empty if the request is executed in memory.
  /// - Throws: The errors of ``statement(for:)``, and those of SQLite.
  public func plan(of request: FetchRequest) throws(ManagedObjectError) -> [QueryPlanStep] {
    let sql = try statement(for: request).sql
    if sql.isEmpty { return [] }
    return try reading { state throws(ManagedObjectError) in try state.plan(sql) }
  }

  /// Sets a function that is called after each statement that the store executes; nil to call none.
  ///
  /// ```swift
  /// store.setTrace(SQLiteTrace { event in print(event.duration, event.sql) })
  /// defer { store.setTrace(nil) }
  /// ```
  ///
  /// The function must not use the store, which waits for it. A trace from the options or from the environment is
  /// replaced: see ``SQLiteStoreOptions/trace``.
  public func setTrace(_ trace: SQLiteTrace?) {
    // No error can occur.
    try? withState { state throws(ManagedObjectError) in state.database.setTrace(trace) }
  }
}

extension StatementRecorder {
  private static let keywords: Set<Substring> = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE"]

  /// Records a statement if it reads or changes rows.
  func recordStatement(_ sql: String) {
    if Self.keywords.contains(sql.prefix { $0 != " " }) { record(sql) }
  }
}
