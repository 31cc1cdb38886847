/// A prepared statement, which a program executes many times with different values.
///
/// ```swift
/// let insert = try database.prepare("INSERT INTO note (key, title) VALUES (:key, :title)")
/// for note in notes {
///   try insert.bind(note.key, to: ":key")
///   try insert.bind(note.title, to: ":title")
///   try insert.run()
/// }
/// ```
///
/// A value stays bound until another one is bound. Executing a statement ends its previous execution. The rows of the
/// previous execution can then no longer be read.
public final class SQLiteStatement {
  let statement: PreparedStatement<SQLiteError>
  private let database: SQLiteDatabase
  /// For each parameter, true if it has a value.
  private var hasValue: [Bool]
  /// The number of the current execution. Rows of other executions cannot be read.
  private(set) var execution = 0
  /// The number of the current row, counted over all executions; 0 before the first row and after the last.
  private(set) var rowNumber = 0
  private var nextRowNumber = 0
  /// The index of the column with each name; nil as the index if several columns have the name. The whole dictionary is
  /// nil before its first use.
  private var columnIndices: [String: Int32?]?

  init(_ statement: PreparedStatement<SQLiteError>, _ database: SQLiteDatabase) {
    self.statement = statement
    self.database = database
    hasValue = Array(repeating: false, count: Int(statement.parameterCount))
    statement.isHeld = true
  }

  deinit {
    statement.clear()
    statement.isHeld = false
  }

  /// The text of the statement.
  public var sql: String { statement.sql }

  /// True if the statement does not change the database.
  public var isReadOnly: Bool { statement.isReadOnly }

  /// The names of the columns of the rows; empty if the statement has no rows.
  public var columnNames: [String] { (0..<statement.columnCount).map(statement.columnName) }

  /// The number of parameters.
  public var parameterCount: Int { hasValue.count }

  /// Binds a value to a parameter.
  ///
  /// - Parameter index: The index of the parameter, which starts at 1, as in SQL.
  /// - Throws: ``SQLiteResultCode/range`` if the parameter does not exist, and ``SQLiteResultCode/misuse`` if rows are
  ///   being read.
  public func bind(_ value: some SQLiteConvertible, at index: Int) throws(SQLiteError) {
    guard index > 0, index <= hasValue.count else {
      throw statement.misuse("expected a parameter from 1 to \(hasValue.count), found \(index)", .range)
    }
    if statement.isActive { throw statement.misuse("a value cannot be bound while rows are being read") }
    let parameter = Int32(index)
    switch value.sqliteValue {
    case .null: try statement.bindNull(parameter)
    case .integer(let value): try statement.bind(parameter, value)
    case .real(let value): try statement.bind(parameter, value)
    case .text(let value): try statement.bind(parameter, value)
    case .blob(let value): try statement.bind(parameter, value)
    }
    hasValue[index - 1] = true
  }

  /// Binds a value to a named parameter.
  ///
  /// - Parameter name: The name with its first character, as in the statement: `:key`, `@key` or `$key`.
  /// - Throws: ``SQLiteResultCode/range`` if the parameter does not exist, and ``SQLiteResultCode/misuse`` if rows are
  ///   being read.
  public func bind(_ value: some SQLiteConvertible, to name: String) throws(SQLiteError) {
    guard let parameter = statement.parameter(named: name) else {
      throw statement.misuse("the statement has no parameter \(name)", .range)
    }
    try bind(value, at: Int(parameter))
  }

  /// Binds a value to each parameter, in order.
  ///
  /// ```swift
  /// try insert.bind([.text(note.key), .text(note.title)])
  /// ```
  ///
  /// - Throws: ``SQLiteResultCode/range`` if the numbers of values and of parameters differ, and
  ///   ``SQLiteResultCode/misuse`` if rows are being read.
  public func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
    guard values.count == hasValue.count else {
      throw statement.misuse("expected \(hasValue.count) values, found \(values.count)", .range)
    }
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  /// Executes the statement, and ignores its rows.
  ///
  /// - Throws: ``SQLiteResultCode/misuse`` if a parameter has no value, and the errors of the statement.
  public func run() throws(SQLiteError) {
    let execution = try begin()
    while try step(execution) {}
  }

  /// Begins to execute the statement.
  ///
  /// - Returns: The rows. A statement that changes the database does so when the first row is read.
  /// - Throws: ``SQLiteResultCode/misuse`` if a parameter has no value.
  public func rows() throws(SQLiteError) -> SQLiteRows { SQLiteRows(self, execution: try begin()) }

  private func begin() throws(SQLiteError) -> Int {
    try database.checkTransaction(sql: sql)
    if let index = hasValue.firstIndex(of: false) {
      let name = statement.parameterName(Int32(index + 1)).map { " (\($0))" } ?? ""
      throw statement.misuse("parameter \(index + 1)\(name) has no value")
    }
    statement.reset()
    execution += 1
    rowNumber = 0
    columnIndices = nil
    return execution
  }

  /// Advances to the next row of an execution.
  func step(_ execution: Int) throws(SQLiteError) -> Bool {
    guard execution == self.execution else { throw statement.misuse("the statement was executed again") }
    try database.checkTransaction(sql: sql)
    rowNumber = 0
    guard try statement.step() else {
      // Another step would execute the statement again.
      self.execution += 1
      return false
    }
    nextRowNumber += 1
    rowNumber = nextRowNumber
    return true
  }

  /// Ends an execution before its last row, which ends its read transaction too.
  func end(_ execution: Int) {
    guard execution == self.execution else { return }
    statement.reset()
    self.execution += 1
    rowNumber = 0
  }

  /// Returns the index of a column.
  func column(named name: String) throws(SQLiteError) -> Int32 {
    if columnIndices == nil {
      columnIndices = Dictionary(
        (0..<statement.columnCount).map { (statement.columnName($0), $0) }, uniquingKeysWith: { _, _ in nil })
    }
    guard let found = columnIndices?[name] else {
      throw statement.misuse("expected a column \(name), found \(columnNames.joined(separator: ", "))", .range)
    }
    guard let column = found else { throw statement.misuse("several columns have the name \(name)", .range) }
    return column
  }
}
