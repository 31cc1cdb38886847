internal import ManagedObjects
internal import SQLiteAccess

/// A step of SQLite's plan for a statement: https://sqlite.org/eqp.html
public struct QueryPlanStep: Hashable, Sendable, CustomStringConvertible {
  /// The depth of the step in the tree of steps; 0 for an outermost step.
  public let level: Int
  /// SQLite's description of the step, such as `SEARCH t USING INDEX Z_Note_byTitle (ZTITLE=?)`.
  public let text: String

  /// The text, indented by two spaces for each level.
  public var description: String { String(repeating: "  ", count: level) + text }
}

extension StoreState {
  /// Returns SQLite's plan for a statement: the steps, each followed by the steps that are parts of it.
  func plan(_ sql: String) throws(ManagedObjectError) -> [QueryPlanStep] {
    let statement = try database.statement("EXPLAIN QUERY PLAN " + sql)
    var levels: [Int64: Int] = [:]
    var steps: [QueryPlanStep] = []
    try statement.forEachRow {
      let level = levels[statement.integer(1)].map { $0 + 1 } ?? 0
      levels[statement.integer(0)] = level
      steps.append(QueryPlanStep(level: level, text: statement.text(3)))
    }
    return steps
  }
}
