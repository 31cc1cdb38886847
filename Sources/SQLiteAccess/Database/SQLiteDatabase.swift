/// A connection to an SQLite database.
///
/// ```swift
/// let database = try SQLiteDatabase(path: path)
/// try database.execute(script: "CREATE TABLE IF NOT EXISTS note (key TEXT PRIMARY KEY, title TEXT NOT NULL)")
/// try database.run("INSERT INTO note (key, title) VALUES (\(key), \(title))")
/// let titles = try database.rows("SELECT title FROM note").map { try $0[0] as String }
/// ```
///
/// A connection is used by one task at a time, which the compiler checks: it is not `Sendable`. Keep it in an actor, or
/// open a connection for each task. Connections and processes can use one file at the same time.
///
/// Constraints on foreign keys are enforced. A commit is on the disk when it returns. Views and triggers of the file
/// can call only functions that are harmless, and no statement can write to `sqlite_schema`.
public final class SQLiteDatabase {
  /// The use of a file.
  public enum Access: Hashable, Sendable {
    /// Reading only. Creates no files, except those that SQLite needs if other processes may write.
    case readOnly
    /// Reading only, and writes nothing next to the file. No other process may write to the file meanwhile.
    case immutable
    /// Reading and writing an existing file.
    case readWrite
    /// Reading and writing. Creates a missing file.
    case create
  }

  /// A limit on the work of a statement.
  public enum WorkLimit: Hashable, Sendable {
    /// No limit.
    case unlimited
    /// A number of instructions of SQLite's virtual machine, which executes some 100 million in a second. The limit is
    /// checked after every 10 000 instructions.
    case instructions(Int)
    /// A limit that is generous for an undamaged file of this size. Use it for files that you do not trust: damaged or
    /// malicious files could otherwise keep SQLite busy forever.
    case sizeOfFile
  }

  let connection: Connection<SQLiteError>
  /// The number of nested transactions.
  var transactionDepth = 0
  /// A value that interrupts statements of this connection from other tasks.
  public let interruption: SQLiteInterruption

  /// Opens a file.
  ///
  /// ```swift
  /// let database = try SQLiteDatabase(path: "/home/ada/notes.db", .readOnly, workLimit: .sizeOfFile)
  /// ```
  ///
  /// - Parameters:
  ///   - journalMode: The journal that the file uses from now on; nil to keep the file's.
  ///   - busyTimeout: The time to wait while another connection has locked the file.
  ///   - workLimit: The limit on the work of each statement.
  ///   - key: The key of an encrypted file; nil for a file that is not encrypted.
  /// - Throws: ``SQLiteResultCode/cannotOpen`` if the file does not exist, or is not a regular file;
  ///   ``SQLiteResultCode/notADatabase``, also for a wrong key; ``SQLiteResultCode/busy``;
  ///   ``SQLiteResultCode/misuse`` for a key if the linked SQLite library has no encryption.
  public convenience init(
    path: String, _ access: Access = .create, journalMode: SQLiteJournalMode? = nil,
    busyTimeout: Duration = .seconds(30), workLimit: WorkLimit = .unlimited, key: SQLiteEncryptionKey? = nil
  ) throws(SQLiteError) {
    let mode: ConnectionMode =
      switch access {
      case .readOnly: .readOnly
      case .immutable: .immutable
      case .readWrite: .readWrite
      case .create: .create
      }
    try self.init(path, mode, busyTimeout, workLimit, key)
    if let journalMode { try setJournalMode(journalMode) }
  }

  /// Creates a database in memory, which disappears with this value.
  ///
  /// ```swift
  /// let database = try SQLiteDatabase.inMemory()
  /// ```
  public static func inMemory() throws(SQLiteError) -> SQLiteDatabase {
    try SQLiteDatabase(":memory:", .memory, .zero, .unlimited, nil)
  }

  private init(
    _ path: String, _ mode: ConnectionMode, _ busyTimeout: Duration, _ workLimit: WorkLimit, _ key: SQLiteEncryptionKey?
  ) throws(SQLiteError) {
    var options = ConnectionOptions(busyTimeout: busyTimeout)
    options.key = key
    connection = try Connection(opening: path, named: nil, mode, options)
    interruption = connection.makeInterruption()
    self.workLimit = workLimit
    applyWorkLimit()
    try connection.execute("PRAGMA foreign_keys = ON")
    // Reads the header of the file.
    _ = try connection.schemaVersion()
  }

  deinit { interruption.disconnect() }

  /// The limit on the work of each statement.
  public var workLimit: WorkLimit { didSet { applyWorkLimit() } }

  private func applyWorkLimit() {
    connection.workLimit.fixedLimit =
      switch workLimit {
      case .unlimited: .max
      case .instructions(let count): Int64(count)
      case .sizeOfFile: nil
      }
  }

  /// Sets the time to wait while another connection has locked the file. A statement that has waited that long throws
  /// ``SQLiteResultCode/busy``.
  public func setBusyTimeout(_ time: Duration) { connection.busyTime = ConnectionOptions.milliseconds(time) }

  /// Sets a function that is called after each executed statement; nil for none.
  ///
  /// ```swift
  /// database.setTrace(.standardError())   // sql: 0.214 ms, 3 rows: SELECT …
  /// ```
  public func setTrace(_ trace: SQLiteTrace?) { connection.setTrace(trace) }

  /// The path of the file, as it was given.
  public var path: String { connection.path }

  /// Executes all statements of a text, and ignores their rows.
  ///
  /// Use it for text that is part of the program, such as the creation of tables. The text must not contain values:
  /// ``run(_:)`` takes them.
  ///
  /// - Throws: The error of the first statement that fails. The statements before it have been executed.
  public func execute(script: String) throws(SQLiteError) {
    try checkTransaction(sql: script)
    try connection.executeScript(script)
  }

  /// Executes one statement with its values, and ignores its rows.
  ///
  /// ```swift
  /// try database.run("INSERT OR REPLACE INTO note (key, icon) VALUES (\(key), \(icon))")
  /// print(database.changeCount, database.lastInsertedRowID)
  /// ```
  ///
  /// - Throws: ``SQLiteResultCode/constraint`` if a row violates a constraint, ``SQLiteResultCode/busy``,
  ///   ``SQLiteResultCode/full`` and other errors of SQLite; ``SQLiteResultCode/range`` if the numbers of values and of
  ///   parameters differ; ``SQLiteResultCode/misuse`` if the text is not exactly one statement.
  public func run(_ sql: SQL) throws(SQLiteError) { try cached(sql).run() }

  /// Executes one statement with its values, and returns its rows.
  ///
  /// ```swift
  /// let rows = try database.rows("SELECT key, title FROM note WHERE title LIKE \(pattern)")
  /// while let row = try rows.next() { print(try row["key"] as String) }
  /// ```
  ///
  /// - Throws: The errors of ``run(_:)``. Most of them are thrown when a row is read.
  public func rows(_ sql: SQL) throws(SQLiteError) -> SQLiteRows { try cached(sql).rows() }

  /// Returns the value in the first column of the first row; nil if the statement returns no rows.
  ///
  /// ```swift
  /// let count: Int? = try database.value("SELECT COUNT(*) FROM note")
  /// ```
  ///
  /// - Throws: The errors of ``run(_:)``; ``SQLiteResultCode/mismatch`` if the value has another type.
  public func value<Value: SQLiteConvertible>(_ sql: SQL) throws(SQLiteError) -> Value? {
    guard let row = try rows(sql).next() else { return nil }
    return try .some(row[0])
  }

  /// Prepares a statement that is executed many times.
  ///
  /// - Parameter sql: One statement. If it has values, they are bound.
  /// - Throws: ``SQLiteResultCode/error`` if the statement is invalid, and the other errors of ``run(_:)``.
  public func prepare(_ sql: SQL) throws(SQLiteError) -> SQLiteStatement {
    let statement = SQLiteStatement(try connection.prepare(sql.text), self)
    if !sql.values.isEmpty { try statement.bind(sql.values) }
    return statement
  }

  /// Returns a statement from the cache of the connection.
  private func cached(_ sql: SQL) throws(SQLiteError) -> SQLiteStatement {
    let statement = SQLiteStatement(try connection.statement(sql.text), self)
    try statement.bind(sql.values)
    return statement
  }

  /// The number of rows that the last statement has inserted, changed or deleted.
  public var changeCount: Int { connection.changeCount }

  /// The row ID of the last row that this connection has inserted; 0 before the first one.
  public var lastInsertedRowID: Int64 { connection.lastInsertedRowID }
}
