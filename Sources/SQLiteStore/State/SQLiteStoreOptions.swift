public import SQLiteAccess
internal import SystemFiles

/// Options of the connection of an SQLite store to its file.
///
/// ```swift
/// let options = SQLiteStoreOptions(busyTimeout: .seconds(2), pragmas: ["cache_size": "-20000"])
/// let notes = PersistentStoreDescription.sqlite(file, options: options)
/// ```
public struct SQLiteStoreOptions: Sendable {
  /// The time that a statement waits while another connection has locked the file, in steps of a millisecond. After it,
  /// the request or the save throws ``ManagedObjectError/Code/locked`` (`NSPersistentStoreTimeoutOption`).
  public var busyTimeout: Duration

  /// The pragmas of the connection: names in lower case, and values (`NSSQLitePragmasOption`). Opening the store throws
  /// ``ManagedObjectError/Code/invalidValue`` for a name that is not in this list, and for a value that the pragma does
  /// not allow.
  ///
  /// | pragma | values | effect |
  /// |---|---|---|
  /// | `analysis_limit` | 0 or more rows | rows of each index that ``SQLiteStore/analyze()`` reads; 0 for all |
  /// | `cache_size` | pages, or KiB if negative | memory for pages; SQLite's default is 2 MB |
  /// | `journal_mode` | `WAL`, `DELETE`, `TRUNCATE`, `PERSIST` | the journal; a new store has `WAL` |
  /// | `journal_size_limit` | bytes, or -1 | the size that a log or journal is truncated to after use |
  /// | `mmap_size` | bytes | the part of the file that is read by mapping it into memory |
  /// | `secure_delete` | `ON`, `OFF`, `FAST` | overwrites deleted values with zeros; `FAST` where that is cheap |
  /// | `synchronous` | `NORMAL`, `FULL`, `EXTRA` | when a save waits for the disk; the default is `FULL` |
  /// | `temp_store` | `DEFAULT`, `FILE`, `MEMORY` | where the temporary data of large requests is |
  /// | `threads` | 0 to 64 | additional threads for sorting |
  /// | `wal_autocheckpoint` | 1 or more pages | the size of the log that starts a checkpoint |
  ///
  /// With `synchronous` `NORMAL`, saves do not wait for the disk. After a power failure or a crash of the system, the
  /// last saves can be missing, although ``SQLiteStore/save(_:)`` has returned. The file stays consistent, because this
  /// value is allowed only with the journal mode `WAL`. A crash of the program loses nothing.
  ///
  /// The journal mode `WAL` belongs to the file: setting another one throws ``ManagedObjectError/Code/locked`` while
  /// another connection uses the file. Connections without the setting keep the mode
  /// that the file has.
  ///
  /// With `mmap_size`, a program that truncates the file while it is mapped, or a disk that fails, ends this process
  /// with a signal instead of an error. Set it only for files that no other program damages.
  public var pragmas: [String: String]

  /// A function that is called for each statement that the store executes, also while it is opened
  /// (`-com.apple.CoreData.SQLDebug`). ``SQLiteStore/setTrace(_:)`` changes it later.
  ///
  /// If this is nil, the environment variable `SQL_DEBUG` of the process can make all stores print a line for each
  /// statement to standard error:
  ///
  /// | `SQL_DEBUG` | a line |
  /// |---|---|
  /// | 1 | `sql: request 12, 0.214 ms, 3 rows: SELECT …` |
  /// | 2 | `sql: Notes.sqlite, request 12, 0.214 ms, 3 rows: SELECT …` |
  /// | 3 | the same as 2, with the values of the parameters in the statement |
  public var trace: SQLiteTrace?

  /// The key of an encrypted store; nil for a store that is not encrypted. A new store is encrypted with the key.
  ///
  /// The program must be linked with SQLCipher; otherwise opening the store throws
  /// ``ManagedObjectError/Code/encryptionUnavailable``. A wrong key is the error
  /// ``ManagedObjectError/Code/wrongEncryptionKey``.
  public var encryptionKey: SQLiteEncryptionKey?

  /// Creates options.
  public init(
    busyTimeout: Duration = .seconds(30), pragmas: [String: String] = [:], trace: SQLiteTrace? = nil,
    encryptionKey: SQLiteEncryptionKey? = nil
  ) {
    self.encryptionKey = encryptionKey
    self.busyTimeout = busyTimeout
    self.pragmas = pragmas
    self.trace = trace
  }

  /// The trace that the environment variable `SQL_DEBUG` selects.
  private static let defaultTrace: SQLiteTrace? = {
    switch CurrentProcess.environmentValue("SQL_DEBUG") {
    case "1": .standardError()
    case "2": .standardError(namesFile: true)
    case "3": .standardError(includesValues: true, namesFile: true)
    default: nil
    }
  }()

  var connectionOptions: ConnectionOptions {
    var options = ConnectionOptions(busyTimeout: busyTimeout)
    options.trace = trace ?? Self.defaultTrace
    options.request = SQLiteTrace.nextRequest()
    options.key = encryptionKey
    return options
  }
}
