internal import CSQLite
internal import FoundationEssentials
package import ManagedObjects
internal import PropertyLists
internal import SystemFiles

/// A connection to a database file, used by one task at a time.
///
/// Prepared statements are cached: the ``greatestStatementCount`` most recently used ones, except for very long ones.
@safe package final class Database {
  /// A way to open the file.
  package enum Mode {
    /// Read-only. Creates no files, except those that SQLite needs if other processes may write to the file.
    case readOnly
    /// Read-only. Writes nothing next to the file. No other process may write to it while it is open.
    case immutable
    /// The same as ``readWrite``, for changes that are all rolled back. A leftover write-ahead log stays as it is.
    case trial
    case readWrite
    /// The same as ``readWrite``, but creates a missing file.
    case create
  }

  /// The path to show in messages.
  let path: String
  package let file: DatabaseFile
  private let mode: Mode
  let handle: OpaquePointer
  let workLimit: WorkLimit
  /// The folder with a copy that is open instead of the file, so that SQLite can apply the log or journal to it; nil if
  /// the file itself is open.
  private let copies: PrivateFolder?
  private var statements: [String: Statement] = [:]
  private var uses = 0
  static let greatestStatementCount = 200
  /// The maximum length of a cached statement, in bytes of SQL. The SQL of a request with thousands of conditions is
  /// longer, and is not cached.
  private static let greatestKeptSize = 1 << 15
  /// The number of statements executed so far.
  var executedStatements = 0
  /// True if SQLite had to prepare a statement again because the schema had changed. ``SQLiteStore`` then checks the
  /// tables.
  var mayHaveOtherTables = false
  /// True during a transaction that can write.
  private(set) var isWriting = false
  /// The rows whose derived attributes were changed by Core Data's triggers, which call a function of this connection.
  let derivedChanges = DerivedChanges()

  /// The default time to wait for another process that is writing, in milliseconds.
  static let busyTime: Int32 = 30_000

  /// An upper bound for the size of the changed pages that a transaction has not written yet, in bytes. SQLite's page
  /// cache has a default size of 2 MB.
  private static let cacheSize = 4 << 20

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - name: The path to show in messages; nil to use `path`.
  ///   - busyTime: The time to wait for another process that is writing, in milliseconds.
  /// - Throws: ``ManagedObjectError/Code/open`` if the file cannot be opened. SQLite reads the file only at the first
  ///   statement, which throws if the file is not a database.
  package init(
    path: String, named name: String? = nil, _ mode: Mode, busyTime: Int32 = Database.busyTime
  ) throws(ManagedObjectError) {
    self.path = name ?? path
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw ManagedObjectError(.open, "\(path.quoted) is not the path of a file")
    }
    file = try DatabaseFile(path, named: name ?? path)
    self.mode = mode
    workLimit = WorkLimit(file)
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    switch mode {
    case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
    case .readWrite, .trial: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var uri = Self.uri(file.path)
    var copies: PrivateFolder?
    let hasJournal = file.hasJournal
    // While a process uses the write-ahead log, the log's index (`-shm`) is next to it.
    let isShared = mode == .trial && FileSystem.exists(file.path + "-shm")
    if mode == .immutable || mode == .trial {
      if hasJournal, !isShared {
        let folder = try file.copy()
        // SQLite can apply the log or journal to the copy.
        uri = Self.uri("\(folder.path)/store")
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
      var error = ManagedObjectError(.open, "cannot open \(self.path): \(message)")
      error.sqliteCode = Int(code)
      throw error
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, busyTime)
    unsafe workLimit.install(in: handle)
    // Closing does not checkpoint the log: other processes may be using it, or it belongs to a temporary copy.
    if hasJournal, mode == .immutable || mode == .trial {
      unsafe sqlite_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }
    // The file is not trusted: its views and triggers may call only functions that SQLite considers harmless.
    try execute("PRAGMA trusted_schema = OFF")
    try execute("PRAGMA cell_size_check = ON")
    try registerFunctions()
    // A save is durable when it ends, even if the SQLite library was built with another default.
    if mode == .readWrite || mode == .create { try execute("PRAGMA synchronous = FULL") }
  }

  /// Sets the time to wait for another process that is writing.
  ///
  /// - Parameter time: The time in milliseconds.
  func wait(_ time: Int32) { unsafe sqlite3_busy_timeout(handle, time) }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  /// Returns a `file:` URI for a path. Escapes the characters that have a meaning in a URI.
  static func uri(_ path: String) -> String {
    // A URI that begins with two slashes would name a host.
    var uri = path.hasPrefix("//") ? "file://" : "file:"
    // File names may be invalid UTF-8.
    for byte in FileSystem.systemPath(path).dropLast().map(UInt8.init(bitPattern:)) {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        uri += "%" + String(byte, radix: 16, uppercase: true)
      default: uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri
  }

  /// Executes statements that return no rows.
  package func execute(_ sql: String) throws(ManagedObjectError) {
    workLimit.work = 0
    workLimit.statement = WorkLimit.Statement(growth: .pairs, size: sql.utf8.count)
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// Returns a prepared statement for some SQL, from the cache if possible. It has no bindings, and is ready for its
  /// first step.
  ///
  /// - Parameter growth: The growth of the statement's work with the size of the file. It determines the limit.
  package func statement(_ sql: String, _ growth: WorkLimit.Growth = .rows) throws(ManagedObjectError) -> Statement {
    uses += 1
    if let statement = statements[sql] {
      // A statement that is being stepped must not be reset, so a second one is prepared.
      guard !statement.isActive else { return try prepare(sql, growth) }
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

  private func prepare(_ sql: String, _ growth: WorkLimit.Growth) throws(ManagedObjectError) -> Statement {
    var prepared: OpaquePointer?
    let work = WorkLimit.Statement(growth: growth, size: sql.utf8.count)
    workLimit.work = 0
    workLimit.statement = work
    let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else { throw failure(code, sql) }
    return unsafe Statement(statement, self, work)
  }

  /// Removes the least recently used half of the cached statements.
  private func forgetOldStatements() {
    let uses = statements.values.map(\.lastUse).sorted()
    let middle = uses[uses.count / 2]
    statements = statements.filter { $0.value.lastUse > middle }
  }

  /// Returns the number that SQLite increments with each change of the schema.
  func schemaVersion() throws(ManagedObjectError) -> Int64 { try number("PRAGMA schema_version") }

  /// Calls `body` to change rows of `sqlite_schema`, and reloads the schema afterwards.
  ///
  /// `body` must not execute SQL that comes from the file, because `sqlite_schema` is not protected during the call.
  func changingSchema(_ body: () throws(ManagedObjectError) -> Void) throws(ManagedObjectError) {
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

  /// Returns a number that changes if another connection commits: https://sqlite.org/pragma.html#pragma_data_version
  func dataVersion() throws(ManagedObjectError) -> Int64 { try number("PRAGMA data_version") }

  /// Returns the integer in the first row of a statement; 0 for NULL, and for an empty result.
  func number(_ sql: String) throws(ManagedObjectError) -> Int64 {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The number of rows that the last statement changed.
  var changeCount: Int { Int(unsafe sqlite3_changes64(handle)) }

  /// True if a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// True if the path now leads to another file, or if the file does not exist anymore.
  var hasMoved: Bool {
    var result: Int32 = 0
    let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &result)
    return code == SQLITE_OK && result != 0
  }

  /// Checks that the file is still at its path.
  ///
  /// - Throws: ``ManagedObjectError/Code/save`` if the file was removed or replaced.
  func checkHasNotMoved() throws(ManagedObjectError) {
    if hasMoved { throw ManagedObjectError(.save, "the file was removed or replaced: \(path)") }
  }

  func failure(_ code: Int32, _ sql: String? = nil) -> ManagedObjectError {
    var message = unsafe String(cString: sqlite3_errmsg(handle))
    if code & 0xFF == SQLITE_INTERRUPT { message = WorkLimit.message }
    if code & 0xFF == SQLITE_BUSY { message = "another process has the file locked" }
    if let sql, code & 0xFF == SQLITE_ERROR { message += " in \(sql.prefix(200))" }
    var error = ManagedObjectError(self.code(code), "\(path): \(message)")
    if mode == .readOnly, [SQLITE_CANTOPEN, SQLITE_READONLY].contains(code & 0xFF) {
      error.remedy = .openingWithoutWriting
    }
    // Closing a file would release the locks that SQLite has on it. SQLite has none on a file that is not a database,
    // so the file can be read here.
    if code & 0xFF == SQLITE_NOTADB,
      let kind = StoreFileKind(ofFile: file.path),
      kind != .sqlite
    {
      error = ManagedObjectError(.storeTypeMismatch, "\(path): the file is \(kind.name ?? "XML"), not an SQLite store")
    }
    error.sqliteCode = Int(code)
    return error
  }

  /// The result codes `SQLITE_IOERR_WRITE`, `SQLITE_IOERR_FSYNC` and `SQLITE_IOERR_TRUNCATE`. Swift does not import
  /// them, because they are macros with expressions.
  private static let failuresOfWriting: [Int32] = [3, 4, 6].map { SQLITE_IOERR | $0 << 8 }

  private func code(_ code: Int32) -> ManagedObjectError.Code {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .locked
    case SQLITE_NOTADB: .open
    case SQLITE_CANTOPEN, SQLITE_READONLY: isWriting ? .save : .open
    case SQLITE_FULL: .save
    case SQLITE_IOERR: isWriting || Self.failuresOfWriting.contains(code) ? .save : .sqlite
    case SQLITE_INTERRUPT: .timeout
    default: .sqlite
    }
  }
}

/// Transactions.
extension Database {
  package enum TransactionKind: String {
    /// For reading: all statements see the same state.
    case deferred = "BEGIN"
    /// For writing: other writers wait from the beginning.
    case immediate = "BEGIN IMMEDIATE"
    /// For schema changes: if the file does not use a write-ahead log, other connections cannot read either.
    case exclusive = "BEGIN EXCLUSIVE"
  }

  package enum TransactionEnd: String {
    case commit = "COMMIT"
    /// Reverts all changes.
    case rollback = "ROLLBACK"
  }

  /// Calls `body` in a transaction, and rolls back if it throws. In an open transaction, only calls `body`.
  package func transaction<Result>(
    _ kind: TransactionKind, end: TransactionEnd = .commit, _ body: () throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
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
  package func begin(_ kind: TransactionKind) throws(ManagedObjectError) {
    isWriting = kind != .deferred
    workLimit.unwrittenSize = isWriting ? Self.cacheSize : 0
    do {
      try execute(kind.rawValue)
      if kind != .deferred { try checkHasNotMoved() }
    } catch {
      rollBack()
      throw error
    }
  }

  /// Commits the transaction, or reverts its changes. If this throws, the transaction stays open.
  func end(_ end: TransactionEnd) throws(ManagedObjectError) {
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
