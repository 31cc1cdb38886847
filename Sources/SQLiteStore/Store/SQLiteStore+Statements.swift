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

/// The SQL of a request, SQLite's plan for it, and what could make it faster.
public struct RequestExplanation: Hashable, Sendable, CustomStringConvertible {
  /// The statement.
  public let statement: RequestStatement
  /// The steps of SQLite's plan, each before its parts. Empty if the request is executed in memory.
  public let plan: [QueryPlanStep]
  /// What could make the request faster, each in one line. Empty if nothing is known.
  public let hints: [String]

  /// The statement, followed by the plan and the hints as SQL comments.
  public var description: String {
    let lines = plan.map { "-- \($0)" } + hints.map { "-- Hint: \($0)" }
    return ((statement.sql.isEmpty ? [] : [statement.sql + ";"]) + lines).joined(separator: "\n")
  }
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

  /// Returns the SQL of a request, SQLite's plan for it, and hints.
  ///
  /// ```swift
  /// let request = FetchRequest("Note", where: try ManagedPredicate(format: "title == 'Plan'"))
  /// print(try store.explain(request).hints)   // ["no index serves the condition: all rows of ZNOTE are read"]
  /// ```
  ///
  /// - Throws: The errors of ``plan(of:)``.
  public func explain(_ request: FetchRequest) throws(ManagedObjectError) -> RequestExplanation {
    let statement = try statement(for: request)
    let plan = try plan(of: request)
    var hints: [String] = []
    if statement.sql.isEmpty {
      hints.append("SQL cannot express the request: all objects of the entity are read and tested in memory")
    } else if !statement.isComplete {
      hints.append("SQL cannot express the whole request: objects that may match are read and tested in memory")
    }
    let scan = "SCAN " + QueryTranslation.rootAlias
    if request.predicate != nil, plan.contains(where: { $0.text == scan || $0.text.hasPrefix(scan + " ") }),
      let table = try table(ofEntityNamed: request.entityName)
    {
      hints.append("no index serves the condition: all rows of \(table) are read")
    }
    if request.fetchLimit > 0, plan.contains(where: { $0.text == "USE TEMP B-TREE FOR ORDER BY" }) {
      hints.append("no index serves the order: all rows that match are sorted before the limit applies")
    }
    return RequestExplanation(statement: statement, plan: plan, hints: hints)
  }

  private func table(ofEntityNamed name: String) throws(ManagedObjectError) -> String? {
    guard let entity = model.entity(named: name) else { return nil }
    return try withState { state throws(ManagedObjectError) in state.schema.table(ofEntity: entity.index)?.name }
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

extension ManagedObjectContext {
  /// Returns the SQL of a request, SQLite's plan for it, and hints, for each SQLite store that the request reads.
  ///
  /// Unsaved changes are not in the store, and need further statements.
  ///
  /// ```swift
  /// for explanation in try context.explain(request) { print(explanation) }
  /// ```
  ///
  /// - Throws: The errors of ``SQLiteStore/explain(_:)``.
  public func explain(_ request: FetchRequest) throws(ManagedObjectError) -> [RequestExplanation] {
    var explanations: [RequestExplanation] = []
    for case let store as SQLiteStore in coordinator.stores
    where request.affectedStores?.contains(store.identifier) != false {
      explanations.append(try store.explain(request))
    }
    return explanations
  }
}

extension StatementRecorder {
  private static let keywords: Set<Substring> = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE"]

  /// Records a statement if it reads or changes rows.
  func recordStatement(_ sql: String) {
    if Self.keywords.contains(sql.prefix { $0 != " " }) { record(sql) }
  }
}
