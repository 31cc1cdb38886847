internal import CSQLite
internal import FoundationEssentials
internal import ManagedObjects
internal import PropertyLists
internal import SystemFiles

/// A connection to a database file. One task at a time uses it.
///
/// Statements are prepared once and kept: the ones that were used last, up to ``greatestStatementCount``.
@safe final class Database {
  /// What may be done with the file.
  enum Mode {
    /// Nothing is written, but what SQLite needs to read a file that others write to.
    case readOnly
    /// Nothing at all is written beside the file. Nobody may write to it meanwhile.
    case immutable
    case readWrite
    /// As ``readWrite``; makes the file if there is none.
    case create
  }

  /// The path, for messages.
  let path: String
  let handle: OpaquePointer
  let workLimit: WorkLimit
  /// The folder of a copy that is used instead of the file.
  private let copies: PrivateFolder?
  private var statements: [String: Statement] = [:]
  private var uses = 0
  static let greatestStatementCount = 200
  /// How many statements were run so far.
  var executedStatements = 0
  /// The rows whose derived attributes triggers have changed. See ``registerFunctions()``.
  let derivedChanges = DerivedChanges()

  /// How long to wait for another process that writes, in milliseconds.
  private static let busyTime: Int32 = 30_000

  /// Opens a file.
  ///
  /// - Throws: ``ManagedObjectError/Code/open``. That the file is no database shows with the first statement.
  init(path: String, _ mode: Mode) throws(ManagedObjectError) {
    self.path = path
    workLimit = WorkLimit(path: path)
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw ManagedObjectError(.open, "\(path.quoted) is no path of a file")
    }
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    switch mode {
    case .readOnly, .immutable: flags |= SQLITE_OPEN_READONLY
    case .readWrite: flags |= SQLITE_OPEN_READWRITE
    case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    }
    var uri = Self.uri(path)
    var copies: PrivateFolder?
    if mode == .immutable {
      if Self.hasJournal(path) {
        let folder = try Self.copy(path)
        // Of the copy, SQLite makes what the journal says.
        uri = Self.uri("\(folder.path)/store")
        flags = flags & ~SQLITE_OPEN_READONLY | SQLITE_OPEN_READWRITE
        copies = .some(consume folder)
      } else {
        uri += "?immutable=1"
      }
    }
    self.copies = copies
    var opened: OpaquePointer?
    let code = unsafe sqlite3_open_v2(uri, &opened, flags, nil)
    guard code == SQLITE_OK, let handle = unsafe opened else {
      let message = unsafe opened.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "no memory is left"
      unsafe sqlite3_close_v2(opened)
      var error = ManagedObjectError(.open, "cannot open \(path): \(message)")
      error.sqliteCode = Int(code)
      throw error
    }
    unsafe self.handle = handle
    unsafe sqlite3_busy_timeout(handle, Self.busyTime)
    unsafe workLimit.install(in: handle)
    // What the file says about its own tables is not to be believed.
    try execute("PRAGMA trusted_schema = OFF")
    try execute("PRAGMA cell_size_check = ON")
    try registerFunctions()
    // What is saved is on the disk, whatever the library was made to do by itself.
    if mode == .readWrite || mode == .create { try execute("PRAGMA synchronous = FULL") }
  }

  /// How long to wait for another process that writes.
  ///
  /// - Parameter time: in milliseconds.
  func wait(_ time: Int32) { unsafe sqlite3_busy_timeout(handle, time) }

  deinit {
    statements = [:]
    unsafe sqlite3_close_v2(handle)
  }

  /// A path with no characters that mean something in an address.
  private static func uri(_ path: String) -> String {
    // Two slashes at the beginning would name a host.
    var uri = path.hasPrefix("//") ? "file://" : "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        uri += "%" + String(byte, radix: 16, uppercase: true)
      default: uri.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return uri
  }
}

/// A file that is read together with its journal, and left as it is.
extension Database {
  /// What SQLite keeps in files beside a store: changes that are not in it yet, or what a transaction has overwritten
  /// that never ended.
  private static let journals = ["-wal", "-journal"]

  private static func hasJournal(_ path: String) -> Bool {
    journals.contains { (FileSystem.sizeOfRegularFile(path + $0) ?? 0) > 0 }
  }

  /// Copies a file and its journals into a folder of their own.
  private static func copy(_ path: String) throws(ManagedObjectError) -> PrivateFolder {
    let folder: PrivateFolder
    do throws(FileError) { folder = try PrivateFolder() } catch {
      throw ManagedObjectError(.open, "cannot open \(path): \(error.message)")
    }
    do {
      for suffix in [""] + journals where suffix.isEmpty || FileSystem.exists(path + suffix) {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: "\(folder.path)/store\(suffix)")
      }
    } catch {
      throw ManagedObjectError(.open, "cannot open \(path): it cannot be copied: \(error)")
    }
    return folder
  }
}

extension Database {
  /// Runs statements without results.
  func execute(_ sql: String) throws(ManagedObjectError) {
    workLimit.work = 0
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(code) }
  }

  /// A statement, ready for its first step, with nothing bound.
  func statement(_ sql: String) throws(ManagedObjectError) -> Statement {
    uses += 1
    if let statement = statements[sql] {
      // One that is being used is not to be disturbed.
      guard !statement.isActive else { return try prepare(sql) }
      statement.lastUse = uses
      statement.clear()
      return statement
    }
    let statement = try prepare(sql)
    if statements.count >= Self.greatestStatementCount { forgetOldStatements() }
    statement.lastUse = uses
    statements[sql] = statement
    return statement
  }

  private func prepare(_ sql: String) throws(ManagedObjectError) -> Statement {
    var prepared: OpaquePointer?
    workLimit.work = 0
    let code = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else { throw failure(code, sql) }
    return unsafe Statement(statement, self)
  }

  /// Forgets the half of the statements that were not used for longest.
  private func forgetOldStatements() {
    let uses = statements.values.map(\.lastUse).sorted()
    let middle = uses[uses.count / 2]
    statements = statements.filter { $0.value.lastUse > middle }
  }

  /// Forgets all statements: after a change of tables.
  func forgetStatements() { statements = [:] }

  /// How many rows the last statement changed.
  var changeCount: Int { Int(unsafe sqlite3_changes64(handle)) }

  /// True between the beginning and the end of a transaction.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// True if the path leads to another file by now, or to none.
  private var hasMoved: Bool {
    var result: Int32 = 0
    let code = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &result)
    return code == SQLITE_OK && result != 0
  }

  func failure(_ code: Int32, _ sql: String? = nil) -> ManagedObjectError {
    var message = unsafe String(cString: sqlite3_errmsg(handle))
    if code & 0xFF == SQLITE_INTERRUPT { message = WorkLimit.message }
    if let sql, code & 0xFF == SQLITE_ERROR { message += " in \(sql.prefix(200))" }
    var error = ManagedObjectError(Self.code(code), "\(path): \(message)")
    error.sqliteCode = Int(code)
    return error
  }

  private static func code(_ code: Int32) -> ManagedObjectError.Code {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .locked
    case SQLITE_NOTADB, SQLITE_CANTOPEN: .open
    case SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY: .save
    case SQLITE_INTERRUPT: .timeout
    default: .sqlite
    }
  }
}

/// Transactions.
extension Database {
  enum TransactionKind: String {
    /// To read: all statements see the same state.
    case deferred = "BEGIN"
    /// To write: others wait from the beginning on.
    case immediate = "BEGIN IMMEDIATE"
    /// To change tables.
    case exclusive = "BEGIN EXCLUSIVE"
  }

  /// Runs statements all or none. Within another transaction they are part of that.
  func transaction<Result>(
    _ kind: TransactionKind, _ body: () throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
    if isInTransaction { return try body() }
    try execute(kind.rawValue)
    do throws(ManagedObjectError) {
      if kind != .deferred, hasMoved {
        throw ManagedObjectError(.save, "somebody has removed \(path), or put another file in its place")
      }
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Some errors have ended the transaction already.
      if isInTransaction { try? execute("ROLLBACK") }
      throw error
    }
  }
}
