package import FoundationEssentials

/// An error of a database.
///
/// ```swift
/// do throws(SQLiteError) {
///   try database.run("INSERT INTO note (key) VALUES ('a')")
/// } catch {
///   print(error.code == .constraintUnique, error.message, error.sql ?? "")
/// }
/// ```
public struct SQLiteError: Error, Hashable, Sendable {
  /// The extended result code.
  public let code: SQLiteResultCode
  /// A description of the error in one line, without the file and the statement.
  public let message: String
  /// The path of the database file.
  public let path: String
  /// The statement that failed; nil if the error is not that of a statement.
  public internal(set) var sql: String?
  /// The offset of the error in ``sql``, in bytes of UTF-8; nil if SQLite does not report it.
  public internal(set) var offset: Int?

  /// The kind of operation that failed.
  package enum Origin: Hashable, Sendable {
    /// The path cannot be the path of a file.
    case path
    case opening
    case preparing
    case running
    /// The file was removed or replaced.
    case moved
    /// The linked SQLite library has no encryption.
    case encryption
    /// The key of an encrypted file is wrong, or cannot be changed.
    case key
    /// The results of a statement are too large for an undamaged file of this size.
    case limit
  }

  package let origin: Origin
  /// True if SQLite returned ``code``. False if this package found the error.
  package let isReported: Bool
  /// True if the connection is read-only. SQLite may still create the `-wal` and `-shm` files that it needs to share
  /// the database with other processes.
  package internal(set) var isReadOnly = false
  /// True if the error occurred in a transaction that can write.
  package internal(set) var isWriting = false
  /// The first bytes of a file that is not a database; nil after other errors.
  package internal(set) var beginning: Data?

  init(_ origin: Origin, _ code: SQLiteResultCode, _ message: String, path: String) {
    self.origin = origin
    self.code = code
    self.message = message
    self.path = path
    isReported = false
  }

  init(_ origin: Origin, reported code: Int32, _ message: String, path: String) {
    self.origin = origin
    self.code = SQLiteResultCode(rawValue: code)
    self.message = message
    self.path = path
    isReported = true
  }
}

extension SQLiteError: CustomStringConvertible {
  /// The error with its file, without the statement.
  package var line: String {
    switch origin {
    case .opening: "cannot open \(path): \(message)"
    case .moved: "\(message): \(path)"
    case .limit: "\(path) \(message)"
    case .path, .preparing, .running, .encryption, .key: "\(path): \(message)"
    }
  }

  /// The file and the message, then the result code of SQLite, the statement and the offset of the error in it:
  /// `/home/ada/notes.db: UNIQUE constraint failed: note.key (SQLite error 2067, in INSERT INTO note …)`.
  public var description: String {
    let details = [
      isReported ? "SQLite error \(code.rawValue)" : nil, sql.map { "in \($0)" }, offset.map { "offset \($0)" },
    ].compactMap(\.self)
    return details.isEmpty ? line : "\(line) (\(details.joined(separator: ", ")))"
  }
}
