internal import CSQLite
internal import FoundationEssentials

/// An open blob in a row. The caller checks ranges.
@safe final class BlobHandle<Failure: ConnectionFailure> {
  /// Nil after the blob was closed.
  private var handle: OpaquePointer?
  private let connection: Connection<Failure>

  fileprivate init(_ handle: OpaquePointer, _ connection: Connection<Failure>) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit { unsafe sqlite3_blob_close(handle) }

  var isClosed: Bool { unsafe handle == nil }

  /// Closes the blob, even if this throws. Outside of a transaction, this commits what was written.
  func close() throws(Failure) {
    let closed = unsafe handle
    unsafe handle = nil
    try check(unsafe sqlite3_blob_close(closed))
  }

  var count: Int { Int(unsafe sqlite3_blob_bytes(handle)) }

  func read(_ range: Range<Int>) throws(Failure) -> Data {
    var data = Data(count: range.count)
    let code = unsafe data.withUnsafeMutableBytes { bytes in
      unsafe sqlite3_blob_read(handle, bytes.baseAddress, Int32(range.count), Int32(range.lowerBound))
    }
    try check(code)
    return data
  }

  func write(_ data: Data, at offset: Int) throws(Failure) {
    let code = unsafe data.withUnsafeBytes { bytes in
      unsafe sqlite3_blob_write(handle, bytes.baseAddress, Int32(bytes.count), Int32(offset))
    }
    try check(code)
  }

  private func check(_ code: Int32) throws(Failure) {
    if code != SQLITE_OK { throw connection.failure(code, .running, nil) }
  }
}

extension Connection {
  func blob(_ table: String, _ column: String, _ row: Int64, isWritable: Bool) throws(Failure) -> BlobHandle<Failure> {
    var opened: OpaquePointer?
    let code = unsafe sqlite3_blob_open(handle, "main", table, column, row, isWritable ? 1 : 0, &opened)
    guard code == SQLITE_OK, let blob = unsafe opened else { throw failure(code, .running, nil) }
    return unsafe BlobHandle(blob, self)
  }

  /// The row ID of the last row that this connection has inserted.
  var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }
}
