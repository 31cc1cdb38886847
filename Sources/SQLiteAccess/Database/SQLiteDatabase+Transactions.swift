/// Functions that run closures in transactions.
extension SQLiteDatabase {
  /// Calls a function in a transaction. If the function throws, all its changes are rolled back.
  ///
  /// A transaction in another one becomes a savepoint: if its function throws and the outer function catches the error,
  /// only the changes of the inner one are rolled back.
  ///
  /// ```swift
  /// try database.transaction {
  ///   try database.run("UPDATE account SET balance = balance - \(amount) WHERE name = \(from)")
  ///   try database.run("UPDATE account SET balance = balance + \(amount) WHERE name = \(to)")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - kind: The locks at the beginning. Ignored for a savepoint.
  ///   - body: The function. If SQLite rolls the transaction back because of an error, such as a full disk, all further
  ///     statements of the function throw.
  /// - Returns: The result of the function.
  /// - Throws: The error of the function; ``SQLiteError`` if the transaction cannot begin or be committed.
  public func transaction<Result>(
    _ kind: SQLiteTransactionKind = .immediate, _ body: () throws -> Result
  ) throws -> Result {
    if transactionDepth > 0 { return try savepoint(body) }
    guard !connection.isInTransaction else {
      throw connection.misuse(
        "cannot begin a transaction: one is already open that was begun with a BEGIN statement; commit it or roll it "
          + "back first", nil)
    }
    try connection.begin(kind)
    transactionDepth = 1
    defer { transactionDepth = 0 }
    do {
      let result = try body()
      try checkTransaction(sql: nil)
      try connection.end(.commit)
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }

  private func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try checkTransaction(sql: nil)
    let name = "transaction_\(transactionDepth)".sqlName
    try connection.execute("SAVEPOINT \(name)")
    transactionDepth += 1
    defer { transactionDepth -= 1 }
    do {
      let result = try body()
      try checkTransaction(sql: nil)
      try connection.execute("RELEASE \(name)")
      return result
    } catch {
      // An error such as a full disk has rolled the whole transaction back.
      if connection.isInTransaction { try connection.execute("ROLLBACK TO \(name); RELEASE \(name)") }
      throw error
    }
  }

  /// True in a transaction.
  public var isInTransaction: Bool { connection.isInTransaction }

  /// Checks that a transaction is still open. Statements after its end would otherwise be committed one by one.
  func checkTransaction(sql: String?) throws(SQLiteError) {
    if transactionDepth > 0, !connection.isInTransaction {
      throw connection.misuse("the transaction has ended already, because of an error or an SQL statement", sql)
    }
  }
}
