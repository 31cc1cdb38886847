internal import CSQLite
package import FoundationEssentials

/// The type of a value in a database, as SQLite's type code: https://sqlite.org/c3ref/c_blob.html
@usableFromInline package struct StorageClass: Equatable {
  @usableFromInline let code: Int32

  @inlinable init(code: Int32) { self.code = code }

  // The operator is not synthesized, so that other modules can inline it.
  @inlinable package static func == (first: Self, second: Self) -> Bool { first.code == second.code }

  @inlinable package static var null: StorageClass { StorageClass(code: 5) }
  @inlinable package static var integer: StorageClass { StorageClass(code: 1) }
  @inlinable package static var real: StorageClass { StorageClass(code: 2) }
  @inlinable package static var text: StorageClass { StorageClass(code: 3) }
  @inlinable package static var blob: StorageClass { StorageClass(code: 4) }
}

/// A value that SQLite returns in a row, or passes to a function.
package protocol StoredValue {
  var kind: StorageClass { get }
  var integer: Int64 { get }
  var real: Double { get }
  var text: String { get }
  var data: Data { get }
}

/// An argument of a function, or a value in the current row of a statement.
@safe package struct SQLiteValueReference: StoredValue {
  @usableFromInline let value: OpaquePointer?

  @inlinable init(_ value: OpaquePointer?) { unsafe self.value = value }

  @inlinable package var kind: StorageClass {
    unsafe value == nil ? .null : StorageClass(code: sqlite3_value_type(value))
  }
  @inlinable package var integer: Int64 { unsafe sqlite3_value_int64(value) }
  @inlinable package var real: Double { unsafe sqlite3_value_double(value) }

  /// The number of bytes of a text or a blob; 0 for other types.
  var size: Int {
    let kind = kind
    return kind == .text || kind == .blob ? Int(unsafe sqlite3_value_bytes(value)) : 0
  }

  package var text: String {
    guard let start = unsafe sqlite3_value_text(value) else { return "" }
    let count = Int(unsafe sqlite3_value_bytes(value))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// The text; nil if it is not valid UTF-8.
  package var validText: String? {
    guard let start = unsafe sqlite3_value_text(value) else { return nil }
    let count = Int(unsafe sqlite3_value_bytes(value))
    return unsafe String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  package var data: Data {
    guard let start = unsafe sqlite3_value_blob(value) else { return Data() }
    return unsafe Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
  }

  /// The object that ``PreparedStatement/bind(_:object:)`` has bound; nil for other values.
  package var object: AnyObject? {
    guard let value = unsafe value, let pointer = unsafe sqlite_object(value) else { return nil }
    return unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
  }
}
