internal import CSQLite
public import FoundationEssentials

/// The key of a database that SQLCipher encrypts: https://www.zetetic.net/sqlcipher/
///
/// ```swift
/// guard let key = SQLiteEncryptionKey(passphrase: passphrase) else { return }
/// let store = try SQLiteStore(file, model: model, options: SQLiteStoreOptions(encryptionKey: key))
/// ```
///
/// The key is overwritten in memory when the last reference to it is released. Copies that the program or the SQLite
/// library makes are not overwritten: see SQLCipher's `PRAGMA cipher_memory_security`. Descriptions, errors and traces
/// do not contain the key.
@safe public final class SQLiteEncryptionKey: Sendable, CustomStringConvertible, CustomReflectable {
  /// The key as a literal in SQL, without a null character at the end.
  private nonisolated(unsafe) let literal: UnsafeMutableBufferPointer<UInt8>

  /// True if the linked SQLite library is SQLCipher, so that keys can be used.
  ///
  /// ```swift
  /// if !SQLiteEncryptionKey.isSupported { print("Link the program with libsqlcipher.") }
  /// ```
  public static let isSupported: Bool = {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      unsafe sqlite3_finalize(statement)
      unsafe sqlite3_close_v2(database)
    }
    // SQLite ignores pragmas that it does not have.
    guard unsafe sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      unsafe sqlite3_prepare_v2(database, "PRAGMA cipher_version", -1, &statement, nil) == SQLITE_OK
    else { return false }
    return unsafe sqlite3_step(statement) == SQLITE_ROW
  }()

  /// Creates a key that SQLCipher derives from a passphrase. This takes some hundred milliseconds for each connection.
  ///
  /// - Returns: Nil if the passphrase is empty or contains a null character.
  public init?(passphrase: String) {
    let quote = UInt8(ascii: "'")
    let size = passphrase.utf8.reduce(2) { $0 + ($1 == quote ? 2 : 1) }
    if passphrase.isEmpty || passphrase.utf8.contains(0) { return nil }
    unsafe literal = .allocate(capacity: size)
    var end = 0
    func append(_ byte: UInt8) {
      unsafe literal.initializeElement(at: end, to: byte)
      end += 1
    }
    append(quote)
    for byte in passphrase.utf8 {
      append(byte)
      if byte == quote { append(quote) }
    }
    append(quote)
  }

  /// Creates a key of random bytes, which is used as it is.
  ///
  /// - Parameter bytes: 32 bytes, or 48 bytes if the last 16 are the salt of the file.
  /// - Returns: Nil for any other number of bytes.
  public init?(bytes: Data) {
    guard [32, 48].contains(bytes.count) else { return nil }
    // SQLCipher's form: "x'…'" with the quotation marks of a name.
    unsafe literal = .allocate(capacity: 2 * bytes.count + 5)
    var end = 0
    func append(_ byte: UInt8) {
      unsafe literal.initializeElement(at: end, to: byte)
      end += 1
    }
    for byte in "\"x'".utf8 { append(byte) }
    for byte in bytes {
      for digit in [byte >> 4, byte & 15] { append(digit < 10 ? 48 + digit : 87 + digit) }
    }
    for byte in "'\"".utf8 { append(byte) }
  }

  static let missingLibrary =
    "the linked SQLite library has no encryption: link the program with SQLCipher (libsqlcipher) instead of libsqlite3"

  deinit {
    unsafe sqlite_erase(literal.baseAddress, literal.count)
    unsafe literal.deallocate()
  }

  public var description: String { "SQLiteEncryptionKey" }

  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

  /// Executes a statement that ends with the key. The text of the statement is overwritten afterwards.
  ///
  /// - Parameter beginning: The statement up to the key.
  /// - Returns: The result code of SQLite.
  func execute(_ beginning: String, in handle: OpaquePointer) -> Int32 {
    let start = beginning.utf8.count
    let size = unsafe start + literal.count + 1
    let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size)
    defer {
      unsafe sqlite_erase(text.baseAddress, size)
      unsafe text.deallocate()
    }
    unsafe text.initialize(repeating: 0)
    for (index, byte) in beginning.utf8.enumerated() { unsafe text[index] = byte }
    for index in unsafe 0..<literal.count { unsafe text[start + index] = literal[index] }
    return unsafe text.withMemoryRebound(to: CChar.self) { unsafe sqlite3_exec(handle, $0.baseAddress, nil, nil, nil) }
  }
}

/// Functions that open encrypted files, and change their key.
extension Connection {
  /// Sets the key of the file, and checks it by reading the schema. Call this before any other statement.
  ///
  /// - Throws: An error with the origin ``SQLiteError/Origin/key`` if the key is wrong or the file is not encrypted.
  func unlock(_ key: SQLiteEncryptionKey) throws(Failure) {
    let code = unsafe key.execute("PRAGMA key = ", in: handle)
    if code != SQLITE_OK { throw keyFailure(code, "the encryption key cannot be set") }
    let result = unsafe sqlite3_exec(handle, "SELECT COUNT(*) FROM sqlite_schema", nil, nil, nil)
    if result == SQLITE_OK { return }
    if result & 0xFF != SQLITE_NOTADB { throw failure(result, .opening, nil) }
    let isPlain = file.beginning(count: 16) == Data("SQLite format 3\0".utf8)
    throw keyFailure(
      result,
      isPlain ? "the file is not encrypted: open it without a key" : "the key is wrong, or the file is not a database")
  }

  /// Encrypts the file with another key, in one transaction.
  ///
  /// - Throws: ``SQLiteResultCode/busy`` if another connection uses the file.
  package func changeKey(to key: SQLiteEncryptionKey) throws(Failure) {
    let code = withoutTrace { unsafe key.execute("PRAGMA rekey = ", in: handle) }
    if code != SQLITE_OK { throw keyFailure(code, "the key cannot be changed") }
    self.key = key
  }

  private func keyFailure(_ code: Int32, _ message: String) -> Failure {
    Failure(SQLiteError(.key, reported: code, message, path: path))
  }
}
