public import FoundationEssentials

/// A blob in a row, which is read and written in parts, so that it need not fit into memory. Its size does not change.
///
/// ```swift
/// try database.run("INSERT INTO film (title, bytes) VALUES (\(title), zeroblob(\(size)))")
/// let blob = try database.blob(table: "film", column: "bytes", row: database.lastInsertedRowID, isWritable: true)
/// try blob.write(chunk, at: 0)
/// try blob.close()
/// ```
///
/// Outside of a transaction, closing the blob commits what was written. In a transaction, close the blob before its
/// end. Reading and writing throw after a statement has changed the row.
public final class SQLiteBlob {
  private let handle: BlobHandle<SQLiteError>
  private let database: SQLiteDatabase
  /// The number of bytes.
  public let count: Int

  fileprivate init(_ handle: BlobHandle<SQLiteError>, _ database: SQLiteDatabase) {
    self.handle = handle
    self.database = database
    count = handle.count
  }

  /// Returns the bytes in a range.
  ///
  /// - Throws: ``SQLiteResultCode/range`` if the range exceeds the blob, ``SQLiteResultCode/aborted`` if the row was
  ///   changed, ``SQLiteResultCode/misuse`` if the blob is closed.
  /// - Complexity: Proportional to the number of bytes.
  public func read(_ range: Range<Int>) throws(SQLiteError) -> Data {
    try check(range)
    return try handle.read(range)
  }

  /// Writes bytes over those at an offset.
  ///
  /// - Throws: ``SQLiteResultCode/range`` if the bytes exceed the blob, ``SQLiteResultCode/readOnly`` if the blob is
  ///   not writable, ``SQLiteResultCode/aborted`` if the row was changed, ``SQLiteResultCode/misuse`` if the blob is
  ///   closed.
  /// - Complexity: Proportional to the number of bytes.
  public func write(_ bytes: Data, at offset: Int) throws(SQLiteError) {
    // The sum cannot overflow, because an offset within the blob is small.
    if handle.isClosed { throw database.connection.misuse("the blob is closed", nil) }
    guard (0...count).contains(offset) else { throw outOfRange("offset \(offset)") }
    try check(offset..<offset + bytes.count)
    try database.checkTransaction(sql: nil)
    try handle.write(bytes, at: offset)
  }

  /// Closes the blob. Outside of a transaction, this commits what was written. Closing a blob again does nothing.
  ///
  /// A blob that is released is closed too, but an error of the commit is lost.
  ///
  /// - Throws: The errors of a commit, such as ``SQLiteResultCode/full``. The blob is closed nevertheless.
  public func close() throws(SQLiteError) { try handle.close() }

  private func check(_ range: Range<Int>) throws(SQLiteError) {
    if handle.isClosed { throw database.connection.misuse("the blob is closed", nil) }
    if range.lowerBound < 0 || range.upperBound > count { throw outOfRange("bytes \(range)") }
  }

  private func outOfRange(_ what: String) -> SQLiteError {
    database.connection.misuse("expected bytes of a blob from 0 to \(count), found \(what)", nil, .range)
  }
}

extension SQLiteDatabase {
  /// Opens a blob or a text in a row.
  ///
  /// - Parameters:
  ///   - row: The row ID, which is also the value of an `INTEGER PRIMARY KEY`.
  ///   - isWritable: True to write to the blob.
  /// - Throws: ``SQLiteResultCode/error`` if the table, column or row does not exist, or if the value is neither a
  ///   blob nor a text.
  public func blob(
    table: String, column: String, row: Int64, isWritable: Bool = false
  ) throws(SQLiteError) -> SQLiteBlob {
    try checkTransaction(sql: nil)
    guard !table.utf8.contains(0), !column.utf8.contains(0) else {
      throw connection.misuse("a name contains a null character", nil)
    }
    return SQLiteBlob(try connection.blob(table, column, row, isWritable: isWritable), self)
  }
}
