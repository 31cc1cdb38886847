internal import Synchronization

/// Records the statements that stores execute for the current task.
package final class StatementRecorder: Sendable {
  /// The recorder of the current task; nil if its statements are not recorded.
  @TaskLocal private static var taskRecorder: StatementRecorder?
  /// The number of recorders that are in use in the process. While it is 0, stores need not look for the recorder of
  /// the task.
  private static let useCount = Atomic<Int>(0)

  /// The recorder of the current task; nil if its statements are not recorded.
  package static var current: StatementRecorder? {
    useCount.load(ordering: .relaxed) == 0 ? nil : taskRecorder
  }

  private let recorded = Mutex<[String]>([])
  private let outer: StatementRecorder?

  fileprivate init() { outer = Self.current }

  /// Records a statement, also in the recorder of an enclosing function.
  package func record(_ sql: String) {
    recorded.withLock { $0.append(sql) }
    outer?.record(sql)
  }

  /// Runs a function, and returns its result and the statements that stores executed for it.
  fileprivate static func record<Result>(_ body: () throws -> Result) rethrows -> (Result, [String]) {
    let recorder = StatementRecorder()
    useCount.add(1, ordering: .relaxed)
    defer { useCount.subtract(1, ordering: .relaxed) }
    let result = try $taskRecorder.withValue(recorder) { try body() }
    return (result, recorder.recorded.withLock { $0 })
  }
}

extension ManagedObjectContext {
  /// Runs a function, and throws if SQL stores executed more statements for it than expected. Use it in tests, to find
  /// a loop that reads objects one by one.
  ///
  /// ```swift
  /// try context.withStatementLimit(3) {
  ///   for person in try context.fetch(Person.self) { print(person.name, person.notes.count) }
  /// }
  /// ```
  ///
  /// Statements that read or change rows count, in all stores and contexts that the function uses in its task.
  /// Statements for transactions and settings do not, and stores in memory and in XML or binary files have none.
  ///
  /// - Parameters:
  ///   - limit: The greatest number of statements.
  ///   - body: The function. It is not interrupted.
  /// - Returns: The result of the function.
  /// - Throws: ``ManagedObjectError/Code/statementLimitExceeded`` with the ``ManagedObjectError/statements``; the error
  ///   of the function.
  @discardableResult
  public func withStatementLimit<Result>(_ limit: Int, _ body: () throws -> Result) throws -> Result {
    let (result, statements) = try StatementRecorder.record(body)
    if statements.count <= limit { return result }
    var error = ManagedObjectError(
      .statementLimitExceeded,
      "expected at most \(limit) statement\(limit == 1 ? "" : "s"), found \(statements.count)")
    error.statements = statements
    throw error
  }
}
