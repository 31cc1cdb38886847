internal import CSQLite
internal import FoundationEssentials
package import ManagedObjects
internal import PropertyLists
internal import SystemFiles

/// A connection to a database file. One task at a time uses it.
///
/// Statements are prepared once and kept: the ones that were used last, up to ``greatestStatementCount``, but for very
/// long ones.
@safe package final class Database {
  /// The ways to use the file.
  package enum Mode {
    /// Nothing is written but the files that SQLite needs to read a store that others write to.
    case readOnly
    /// Nothing at all is written beside the file. Nobody may write to it meanwhile.
    case immutable
    /// The same as ``readWrite`` for changes that are all taken back. A log that was left over stays as it is.
    case trial
    case readWrite
    /// The same as ``readWrite``, but a file that is not there is made.
    case create
  }

  /// The path, for messages.
  let path: String
  package let file: DatabaseFile
  private let mode: Mode
  let handle: OpaquePointer
  let workLimit: WorkLimit
  /// The folder of a copy that is used instead of the file.
  private let copies: PrivateFolder?
  private var statements: [String: Statement] = [:]
  private var uses = 0
  static let greatestStatementCount = 200
  /// The most bytes of a statement that is kept. A request can have many thousand conditions.
  private static let greatestKeptSize = 1 << 15
  /// The number of statements that were run so far.
  var executedStatements = 0
  /// True once a statement has met tables that are not those it was prepared for.
  var mayHaveOtherTables = false
  /// True in a transaction that writes.
  private(set) var isWriting = false
  /// The rows whose derived attributes triggers have changed. See ``registerFunctions()``.
  let derivedChanges = DerivedChanges()

  /// The time to wait for another process that writes, in milliseconds.
  static let busyTime: Int32 = 30_000

  /// More than the memory in which SQLite keeps changed pages: by itself it takes 2 MB.
  private static let cacheSize = 4 << 20

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - name: the path for messages; nil for that of the file.
  ///   - busyTime: the time to wait for another process that writes, in milliseconds.
  /// - Throws: ``ManagedObjectError/Code/open``. That the file is no database shows with the first statement.
  package init(
    path: String, named name: String? = nil, _ mode: Mode, busyTime: Int32 = Database.busyTime
  ) throws(ManagedObjectError) {
    self.path = name ?? path
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw ManagedObjectError(.open, "\(path.quoted) is no path of a file")
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
    // Whoever shares a log has its index beside it.
    let isShared = mode == .trial && FileSystem.exists(file.path + "-shm")
    if mode == .immutable || mode == .trial {
      if hasJournal, !isShared {
        let folder = try file.copy()
        // SQLite changes the copy as the journal says.
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
      let message = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "no memory is left"
      unsafe sqlite3_close_v2(opened)
      var error = ManagedObjectError(.open, "cannot open \(self.path): \(message)")
      error.sqliteCode = Int(code)
      throw error
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, busyTime)
    unsafe workLimit.install(in: handle)
    // The log of a store that others use is not put into it, and that of a copy need not be.
    if hasJournal, mode == .immutable || mode == .trial {
      unsafe sqlite_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }
    // The file may lie about its own tables.
    try execute("PRAGMA trusted_schema = OFF")
    try execute("PRAGMA cell_size_check = ON")
    try registerFunctions()
    // A save is on the disk when it ends, also with a library that was built to care less.
    if mode == .readWrite || mode == .create { try execute("PRAGMA synchronous = FULL") }
  }

  /// Sets the time to wait for another process that writes.
  ///
  /// - Parameter time: in milliseconds.
  func wait(_ time: Int32) { unsafe sqlite3_busy_timeout(handle, time) }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  /// A path with no characters that mean something in an address.
  static func uri(_ path: String) -> String {
    // Two slashes at the beginning would name a host.
    var uri = path.hasPrefix("//") ? "file://" : "file:"
    // A name of a file need not be UTF-8.
    for byte in FileSystem.systemPath(path).dropLast().map(UInt8.init(bitPattern:)) {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        uri += "%" + String(byte, radix: 16, uppercase: true)
      default: uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri
  }

  /// Runs statements without results.
  package func execute(_ sql: String) throws(ManagedObjectError) {
    workLimit.work = 0
    workLimit.statement = WorkLimit.Statement(growth: .pairs, size: sql.utf8.count)
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// A statement, ready for its first step, with nothing bound.
  ///
  /// - Parameter growth: how its work grows with the file.
  package func statement(_ sql: String, _ growth: WorkLimit.Growth = .rows) throws(ManagedObjectError) -> Statement {
    uses += 1
    if let statement = statements[sql] {
      // One that is being used is not to be disturbed.
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

  /// Forgets the half of the statements that were not used for longest.
  private func forgetOldStatements() {
    let uses = statements.values.map(\.lastUse).sorted()
    let middle = uses[uses.count / 2]
    statements = statements.filter { $0.value.lastUse > middle }
  }

  /// A number that SQLite raises with each change of the tables.
  func schemaVersion() throws(ManagedObjectError) -> Int64 { try number("PRAGMA schema_version") }

  /// Runs statements that change the rows of `sqlite_schema`, and reads the schema again.
  ///
  /// Nothing else is run meanwhile that the file could have put there: the table is not protected.
  func changingSchema(_ body: () throws(ManagedObjectError) -> Void) throws(ManagedObjectError) {
    unsafe sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
    defer { unsafe sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }
    try execute("PRAGMA writable_schema = ON")
    do {
      try body()
      // Every connection reads the schema again, also this one after a rollback.
      try execute("PRAGMA schema_version = \(try schemaVersion() + 1)")
    } catch {
      try? execute("PRAGMA writable_schema = OFF")
      throw error
    }
    try execute("PRAGMA writable_schema = RESET")
  }

  /// A number that is another one after each transaction of others: https://sqlite.org/pragma.html#pragma_data_version
  func dataVersion() throws(ManagedObjectError) -> Int64 { try number("PRAGMA data_version") }

  /// The number in the only row of a statement; 0 for NULL.
  func number(_ sql: String) throws(ManagedObjectError) -> Int64 {
    let statement = try statement(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The number of rows that the last statement changed.
  var changeCount: Int { Int(unsafe sqlite3_changes64(handle)) }

  /// True between the beginning and the end of a transaction.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// True if the path leads to another file by now, or to none.
  var hasMoved: Bool {
    var result: Int32 = 0
    let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &result)
    return code == SQLITE_OK && result != 0
  }

  /// - Throws: ``ManagedObjectError/Code/save`` if the file is not at its path any more.
  func checkHasNotMoved() throws(ManagedObjectError) {
    if hasMoved { throw ManagedObjectError(.save, "somebody has removed \(path), or put another file in its place") }
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
    // SQLite has no locks on a file that is not a database, so that it can be read by other means.
    if code & 0xFF == SQLITE_NOTADB,
      let kind = StoreFileKind(ofFile: file.path),
      kind != .sqlite
    {
      error = ManagedObjectError(.storeTypeMismatch, "\(path): the file is \(kind.name ?? "XML"), not an SQLite store")
    }
    error.sqliteCode = Int(code)
    return error
  }

  /// `SQLITE_IOERR_WRITE`, `SQLITE_IOERR_FSYNC` and `SQLITE_IOERR_TRUNCATE`, which SQLite's header has as expressions.
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
    /// To read: all statements see the same state.
    case deferred = "BEGIN"
    /// To write: others wait from the beginning on.
    case immediate = "BEGIN IMMEDIATE"
    /// To change tables.
    case exclusive = "BEGIN EXCLUSIVE"
  }

  package enum TransactionEnd: String {
    case commit = "COMMIT"
    /// All is taken back.
    case rollback = "ROLLBACK"
  }

  /// Runs statements all or none. Within another transaction they are part of that.
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

  /// Begins a transaction that lasts until ``end(_:)`` or ``rollBack()``. Other transactions are part of it.
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

  /// Ends the transaction. If that fails, it goes on.
  func end(_ end: TransactionEnd) throws(ManagedObjectError) {
    try execute(end.rawValue)
    noteEnd()
  }

  /// Reverts the transaction, unless an error has ended it already.
  package func rollBack() {
    if isInTransaction { try? execute("ROLLBACK") }
    noteEnd()
  }

  private func noteEnd() {
    isWriting = false
    workLimit.unwrittenSize = 0
  }
}
