/// Limiting the number of statements.
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
