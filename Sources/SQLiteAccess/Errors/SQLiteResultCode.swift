internal import CSQLite

/// A result code of SQLite: https://sqlite.org/rescode.html
///
/// The extended code says more about an error than its primary code: ``constraintUnique`` is a kind of ``constraint``.
///
/// ```swift
/// if error.code.primary == .constraint { print("the row violates a constraint") }
/// ```
public struct SQLiteResultCode: RawRepresentable, Hashable, Sendable {
  /// The extended result code.
  public let rawValue: Int32

  /// Creates a result code.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  private init(_ primary: Int32, _ detail: Int32 = 0) { rawValue = primary | detail << 8 }

  /// The code without its details: the low 8 bits.
  public var primary: SQLiteResultCode { SQLiteResultCode(rawValue & 0xFF) }

  /// The statement is invalid, or a function that it calls failed.
  public static let error = SQLiteResultCode(SQLITE_ERROR)
  /// The operation was aborted: its transaction was rolled back, or the row of a blob was changed.
  public static let aborted = SQLiteResultCode(SQLITE_ABORT)
  /// Another connection has locked the file.
  public static let busy = SQLiteResultCode(SQLITE_BUSY)
  /// Another statement of this connection, or a connection with a shared cache, has locked a table.
  public static let locked = SQLiteResultCode(SQLITE_LOCKED)
  /// The database is read-only.
  public static let readOnly = SQLiteResultCode(SQLITE_READONLY)
  /// The file was removed or replaced after it was opened (`SQLITE_READONLY_DBMOVED`).
  public static let moved = SQLiteResultCode(SQLITE_READONLY, 4)
  /// The statement was interrupted, or exceeded its work limit.
  public static let interrupted = SQLiteResultCode(SQLITE_INTERRUPT)
  /// A file cannot be read or written.
  public static let inputOutput = SQLiteResultCode(SQLITE_IOERR)
  /// A file cannot be written (`SQLITE_IOERR_WRITE`).
  public static let writing = SQLiteResultCode(SQLITE_IOERR, 3)
  /// A file cannot be synced to the disk (`SQLITE_IOERR_FSYNC`).
  public static let syncing = SQLiteResultCode(SQLITE_IOERR, 4)
  /// A file cannot be truncated (`SQLITE_IOERR_TRUNCATE`).
  public static let truncating = SQLiteResultCode(SQLITE_IOERR, 6)
  /// The file is damaged.
  public static let corrupt = SQLiteResultCode(SQLITE_CORRUPT)
  /// The disk is full.
  public static let full = SQLiteResultCode(SQLITE_FULL)
  /// The file cannot be opened.
  public static let cannotOpen = SQLiteResultCode(SQLITE_CANTOPEN)
  /// A lock cannot be taken because of a race with other connections.
  public static let protocolError = SQLiteResultCode(SQLITE_PROTOCOL)
  /// A text, a blob or the result of a statement is too large.
  public static let tooBig = SQLiteResultCode(SQLITE_TOOBIG)
  /// A row violates a constraint. The extended code says which.
  public static let constraint = SQLiteResultCode(SQLITE_CONSTRAINT)
  /// A value violates a `CHECK` constraint.
  public static let constraintCheck = SQLiteResultCode(SQLITE_CONSTRAINT, 1)
  /// A row refers to a row that does not exist, or another row refers to it.
  public static let constraintForeignKey = SQLiteResultCode(SQLITE_CONSTRAINT, 3)
  /// A `NOT NULL` column has no value.
  public static let constraintNotNull = SQLiteResultCode(SQLITE_CONSTRAINT, 5)
  /// Another row has the same primary key.
  public static let constraintPrimaryKey = SQLiteResultCode(SQLITE_CONSTRAINT, 6)
  /// A trigger rejects the row.
  public static let constraintTrigger = SQLiteResultCode(SQLITE_CONSTRAINT, 7)
  /// Another row has the same values in a unique index.
  public static let constraintUnique = SQLiteResultCode(SQLITE_CONSTRAINT, 8)
  /// Another row has the same row ID.
  public static let constraintRowID = SQLiteResultCode(SQLITE_CONSTRAINT, 10)
  /// A value does not have the type of its column in a `STRICT` table.
  public static let constraintDataType = SQLiteResultCode(SQLITE_CONSTRAINT, 12)
  /// A value has the wrong type.
  public static let mismatch = SQLiteResultCode(SQLITE_MISMATCH)
  /// A function was called in a wrong state or with a wrong argument.
  public static let misuse = SQLiteResultCode(SQLITE_MISUSE)
  /// A parameter or a column does not exist, or bytes are outside of a blob.
  public static let range = SQLiteResultCode(SQLITE_RANGE)
  /// The file is not a database.
  public static let notADatabase = SQLiteResultCode(SQLITE_NOTADB)
}
