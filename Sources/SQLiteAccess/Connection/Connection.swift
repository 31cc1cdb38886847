internal import CSQLite
internal import FoundationEssentials
internal import SystemFiles

/// A connection to a database file, used by one task at a time.
///
/// Prepared statements are cached: the ``greatestStatementCount`` most recently used ones, except for very long ones.
///
/// `Failure` is the error that the methods throw: ``SQLiteError``, or the error of a module above that converts it.
@safe package final class Connection<Failure: ConnectionFailure> {
  /// The path to show in messages.
  package let path: String
  package let file: DatabaseFile
  private let mode: ConnectionMode
  let handle: OpaquePointer
  package let workLimit: WorkLimit
  /// The folder with a copy of the file. The copy is open instead of the file, so that SQLite can apply the log or
  /// journal to it. Nil if the file itself is open.
  private let copies: PrivateFolder?
  private var statements: [String: PreparedStatement<Failure>] = [:]
  private var uses = 0
  /// The key of an encrypted file.
  var key: SQLiteEncryptionKey?
  /// The function that is called for each executed statement.
  package internal(set) var trace: SQLiteTrace?
  /// The functions that are called in addition to ``trace`` for the statements of the current request.
  var observers: [SQLiteTrace] = []
  /// The number of the last request; nil for a database without a store.
  var request: Int?
  /// The object that SQLite calls for each statement; nil without a trace and without observers.
  var tracer: Tracer?
  static var greatestStatementCount: Int { 200 }
  /// The maximum length of a cached statement, in bytes of SQL. The SQL of a request with thousands of conditions is
  /// longer, and is not cached.
  private static var greatestKeptSize: Int { 1 << 15 }
  /// The number of statements executed so far.
  package var executedStatements = 0
  /// True if SQLite had to prepare a statement again because the schema had changed. The program may then have to check
  /// the tables.
  package var mayHaveOtherTables = false
  /// True during a transaction that can write.
  private(set) var isWriting = false
  /// The rows that SQL functions of the program, for example functions that triggers call, have recorded here. The
  /// program removes them.
  package var notedRows: [(entity: Int64, number: Int64)] = []

  /// The time to wait for another process that is writing, in milliseconds.
  package var busyTime: Int32 {
    didSet { unsafe sqlite3_busy_timeout(handle, busyTime) }
  }

  /// An upper bound for the size of the changed pages that a transaction has not written yet, in bytes. SQLite's page
  /// cache has a default size of 2 MB.
  private var cacheSize = 4 << 20

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - name: The path to show in messages; nil to use `path`.
  ///   - options: The time to wait for other processes, the key and the trace.
  /// - Throws: An error of opening if the file cannot be opened. SQLite reads the file only at the first statement,
  ///   which throws if the file is not a database.
  package init(
    opening path: String, named name: String?, _ mode: ConnectionMode, _ options: ConnectionOptions
  ) throws(Failure) {
    self.path = name ?? path
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw Failure(SQLiteError(.path, .cannotOpen, "not the path of a file", path: path))
    }
    if options.key != nil, !SQLiteEncryptionKey.isSupported {
      throw Failure(SQLiteError(.encryption, .misuse, SQLiteEncryptionKey.missingLibrary, path: name ?? path))
    }
    do {
      file = mode == .memory ? .inMemory : try DatabaseFile(path, named: name ?? path)
    } catch {
      throw Failure(error)
    }
    self.mode = mode
    busyTime = options.busyTime
    key = options.key
    workLimit = WorkLimit(file)
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    switch mode {
    case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
    case .readWrite, .trial: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .memory: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
    }
    var uri = mode == .memory ? ":memory:" : DatabaseFile.uri(file.path)
    var copies: PrivateFolder?
    let hasJournal = file.hasJournal
    // While a process uses the write-ahead log, the log's index (`-shm`) is next to it.
    let isShared = mode == .trial && FileSystem.exists(file.path + "-shm")
    if mode == .immutable || mode == .trial {
      if hasJournal, !isShared {
        let folder: PrivateFolder
        do { folder = try file.copy() } catch { throw Failure(error) }
        // SQLite can apply the log or journal to the copy.
        uri = DatabaseFile.uri("\(folder.path)/store")
        flags = flags & ~SQLITE_OPEN_READONLY | SQLITE_OPEN_READWRITE
        copies = .some(consume folder)
      } else if mode == .immutable {
        uri += "?immutable=1"
      }
    }
    self.copies = copies
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(uri, &opened, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe opened else {
      let message = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      unsafe sqlite3_close_v2(opened)
      throw Failure(SQLiteError(.opening, reported: code, message, path: self.path))
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, busyTime)
    unsafe workLimit.install(in: handle)
    if let key = options.key { try unlock(key) }
    request = options.request
    setTrace(options.trace)
    // Closing does not checkpoint the log: other processes may be using it, or it belongs to a temporary copy.
    if hasJournal, mode == .immutable || mode == .trial {
      unsafe sqlite_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }
    // The file is not trusted: its views and triggers may call only functions that SQLite considers harmless.
    try execute("PRAGMA trusted_schema = OFF")
    try execute("PRAGMA cell_size_check = ON")
    // A transaction is durable when it ends, even if the SQLite library was built with another default.
    if mode == .readWrite || mode == .create { try execute("PRAGMA synchronous = FULL") }
  }

  /// True if the file is encrypted.
  package var isEncrypted: Bool { key != nil }

  /// The options to open another connection to the file in the same way.
  package var options: ConnectionOptions {
    var options = ConnectionOptions(busyTime: busyTime)
    options.trace = trace
    options.request = request
    options.key = key
    return options
  }

  deinit {
    // A statement that ends now is not reported: the trace may use what this object retains.
    unsafe Tracer.uninstall(from: handle)
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  /// Executes statements, and ignores their rows.
  package func execute(_ sql: String) throws(Failure) {
    workLimit.begin(WorkLimit.Statement(growth: .pairs, size: sql.utf8.count))
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code, .running, sql) }
  }

  /// Returns a prepared statement for some SQL, from the cache if possible. The statement has no bindings, and is ready
  /// for its first step.
  ///
  /// - Parameter growth: How the work of the statement grows with the size of the file. It determines the limit on the
  ///   work.
  package func statement(
    _ sql: String, _ growth: WorkLimit.Growth = .rows
  ) throws(Failure) -> PreparedStatement<Failure> {
    uses += 1
    if let statement = statements[sql] {
      // A statement that is being stepped must not be reset, so a second one is prepared.
      guard !statement.isActive, !statement.isHeld else { return try prepare(sql, growth) }
      statement.lastUse = uses
      statement.clear()
      return statement
    }
    let statement = try prepare(sql, growth)
    if sql.utf8.count > Self.greatestKeptSize { return statement }
    if statements.count >= Self.greatestStatementCount { forgetOldStatements() }
    statement.lastUse = uses
    statements[sql] = statement
    return statement
  }

  /// Prepares SQL that is one statement, without the cache.
  package func prepare(_ sql: String, _ growth: WorkLimit.Growth = .rows) throws(Failure) -> PreparedStatement<Failure>
  {
    let work = WorkLimit.Statement(growth: growth, size: sql.utf8.count)
    workLimit.begin(work)
    var reader = try StatementReader(sql, self)
    guard let handle = unsafe try reader.next(self) else {
      throw misuse("expected a statement, found none", sql)
    }
    let statement = unsafe PreparedStatement(handle, self, work)
    if let other = unsafe try reader.next(self) {
      unsafe sqlite3_finalize(other)
      throw misuse("expected one statement, found more", sql)
    }
    return statement
  }

  /// Removes the least recently used half of the cached statements.
  private func forgetOldStatements() {
    let uses = statements.values.map(\.lastUse).sorted()
    let middle = uses[uses.count / 2]
    statements = statements.filter { $0.value.lastUse > middle }
  }

  /// Returns the number that SQLite increments with each change of the schema.
  package func schemaVersion() throws(Failure) -> Int64 { try number("PRAGMA schema_version") }

  /// Calls `body` to change rows of `sqlite_schema`, and reloads the schema afterwards.
  ///
  /// `body` must not execute SQL that comes from the file, because `sqlite_schema` is not protected during the call.
  package func changingSchema(_ body: () throws(Failure) -> Void) throws(Failure) {
    unsafe sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    defer { unsafe sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }
    try execute("PRAGMA writable_schema = ON")
    do {
      try body()
      // The new schema version makes every connection reload the schema, also this one after a rollback.
      try execute("PRAGMA schema_version = \(try schemaVersion() + 1)")
    } catch {
      try? execute("PRAGMA writable_schema = OFF")
      throw error
    }
    try execute("PRAGMA writable_schema = RESET")
  }

  /// Sets the size of the page cache.
  ///
  /// - Parameter size: The value of `PRAGMA cache_size`: a number of pages, or the size in KiB if it is negative.
  package func setCacheSize(_ size: Int64) throws(Failure) {
    try execute("PRAGMA cache_size = \(size)")
    let bytes = size < 0 ? -1024 * size : size * (try number("PRAGMA page_size"))
    cacheSize = max(cacheSize, 2 * Int(bytes))
  }

  /// Writes the pages of the write-ahead log to the file, and truncates the log, if no other connection prevents it.
  /// Does not wait for other connections: the log then remains, and a later checkpoint writes it.
  package func checkpointWithoutWaiting() {
    let time = busyTime
    busyTime = 0
    try? execute("PRAGMA wal_checkpoint(TRUNCATE)")
    busyTime = time
  }

  /// Returns a number that changes if another connection commits: https://sqlite.org/pragma.html#pragma_data_version
  package func dataVersion() throws(Failure) -> Int64 { try number("PRAGMA data_version") }

  /// Returns the integer in the first row of a statement; 0 for NULL, and for an empty result.
  package func number(_ sql: String) throws(Failure) -> Int64 {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The number of rows that the last statement changed.
  package var changeCount: Int { Int(unsafe sqlite3_changes64(handle)) }

  /// True if a transaction is open.
  package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// True if the path now leads to another file, or if the file does not exist anymore.
  package var hasMoved: Bool {
    var result: Int32 = 0
    let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &result)
    return code == SQLITE_OK && result != 0
  }

  /// Checks that the file is still at its path.
  ///
  /// - Throws: ``SQLiteResultCode/moved`` if the file was removed or replaced.
  package func checkHasNotMoved() throws(Failure) {
    if hasMoved { throw Failure(SQLiteError(.moved, .moved, "the file was removed or replaced", path: path)) }
  }

  /// Returns the error for a result code that SQLite has just returned.
  ///
  /// - Parameter start: The offset of the prepared statement in `sql`, in bytes.
  func failure(_ code: Int32, _ origin: SQLiteError.Origin, _ sql: String?, start: Int = 0) -> Failure {
    Failure(error(code, origin, sql, start: start))
  }

  /// See ``failure(_:_:_:start:)``.
  func error(_ code: Int32, _ origin: SQLiteError.Origin, _ sql: String?, start: Int = 0) -> SQLiteError {
    var message = unsafe String(cString: sqlite3_errmsg(handle))
    if code & 0xFF == SQLITE_INTERRUPT { message = workLimit.message }
    if code & 0xFF == SQLITE_BUSY, message == "database is locked" {
      message = "another connection has locked the file"
    }
    var error = SQLiteError(origin, reported: code, message, path: path)
    error.sql = sql
    let offset = unsafe sqlite3_error_offset(handle)
    if origin == .preparing, offset >= 0 { error.offset = start + Int(offset) }
    error.isReadOnly = mode == .readOnly
    error.isWriting = isWriting
    if code & 0xFF == SQLITE_NOTADB { error.beginning = file.beginning(count: 4096) }
    return error
  }

  /// Returns the error for a wrong use of this package.
  func misuse(_ message: String, _ sql: String?, _ code: SQLiteResultCode = .misuse) -> Failure {
    var error = SQLiteError(.running, code, message, path: path)
    error.sql = sql
    return Failure(error)
  }
}

/// Functions that begin and end transactions.
extension Connection {
  /// Calls `body` in a transaction, and rolls back if it throws. In an open transaction, only calls `body`.
  package func transaction<Result>(
    _ kind: SQLiteTransactionKind, end: TransactionEnd = .commit, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isInTransaction { return try body() }
    try begin(kind)
    do {
      let result = try body()
      try self.end(end)
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Begins a transaction that lasts until ``end(_:)`` or ``rollBack()``. Calls of ``transaction(_:end:_:)`` become
  /// part of it.
  package func begin(_ kind: SQLiteTransactionKind) throws(Failure) {
    isWriting = kind != .deferred
    workLimit.unwrittenSize = isWriting ? cacheSize : 0
    do {
      try execute(kind.sql)
      if kind != .deferred { try checkHasNotMoved() }
    } catch {
      rollBack()
      throw error
    }
  }

  /// Commits the transaction, or reverts its changes. If this throws, call ``rollBack()``, because the transaction may
  /// still be open.
  package func end(_ end: TransactionEnd) throws(Failure) {
    try execute(end.rawValue)
    noteEnd()
  }

  /// Rolls the transaction back, unless an error has ended it already.
  package func rollBack() {
    if isInTransaction { try? execute("ROLLBACK") }
    noteEnd()
  }

  private func noteEnd() {
    isWriting = false
    workLimit.unwrittenSize = 0
  }
}
