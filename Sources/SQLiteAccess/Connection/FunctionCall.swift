internal import CSQLite
package import FoundationEssentials

/// A call of an SQL function of the program: its arguments and its result.
@safe package struct FunctionCall {
  private let context: OpaquePointer?
  package let arguments: Arguments

  init(_ context: OpaquePointer?, _ arguments: Arguments) {
    unsafe self.context = context
    self.arguments = arguments
  }

  /// The arguments of a function call.
  @safe package struct Arguments {
    /// Nil for a call without arguments.
    @usableFromInline let start: UnsafeMutablePointer<OpaquePointer?>?
    package let count: Int

    init(_ start: UnsafeMutablePointer<OpaquePointer?>?, count: Int) {
      unsafe self.start = start
      self.count = count
    }

    @inlinable package subscript(_ index: Int) -> Argument { unsafe Argument(index < count ? start?[index] : nil) }
  }

  /// An argument of a function.
  @safe package struct Argument: StoredValue {
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

    /// The address of the value.
    fileprivate var pointer: OpaquePointer? { unsafe value }
  }
}

/// Functions that set the result of an SQL function. An SQL function that sets no result returns NULL.
extension FunctionCall {
  package func setResult(_ value: Int64) { unsafe sqlite3_result_int64(context, value) }

  package func setResult(_ value: Double) { unsafe sqlite3_result_double(context, value) }

  package func setResult(_ argument: Argument) { unsafe sqlite3_result_value(context, argument.pointer) }

  package func setResult(_ bytes: [UInt8]) {
    unsafe sqlite3_result_blob64(context, bytes, UInt64(bytes.count), sqlite_transient())
  }

  package func setResult(_ data: Data) {
    unsafe data.withUnsafeBytes { bytes in
      // A null pointer would return NULL, not an empty blob.
      guard let start = bytes.baseAddress else { return unsafe sqlite3_result_zeroblob(context, 0) }
      unsafe sqlite3_result_blob64(context, start, UInt64(bytes.count), sqlite_transient())
    }
  }

  package func setResult(_ text: String) {
    let bytes = text.utf8Span.span
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
        // A null pointer would return NULL, not an empty text.
        unsafe sqlite3_result_text64(
          context, characters.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(characters.count), sqlite_transient(),
          UInt8(SQLITE_UTF8))
      }
    }
  }

  /// Makes the statement fail.
  package func fail(_ message: String) { unsafe sqlite3_result_error(context, message, -1) }

  /// Makes the statement fail because it takes too much work.
  func interrupt() { unsafe sqlite3_result_error_code(context, SQLITE_INTERRUPT) }
}

/// Functions for the state that an aggregate function keeps between the rows of a group.
extension FunctionCall {
  /// Returns the memory that SQLite keeps for the group, where the address of the group's state is stored. Returns nil
  /// if it cannot be allocated, or if `size` is 0 and it was not allocated before.
  private func memory(size: Int) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    unsafe sqlite3_aggregate_context(context, Int32(size))?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  /// Returns the state of the group. Calls `make` at the first row to create it. Returns nil after an error, which
  /// `make` has reported with ``fail(_:)``.
  package func state<State: AnyObject>(_ make: () -> State?) -> State? {
    guard let memory = unsafe memory(size: MemoryLayout<UnsafeMutableRawPointer>.size) else {
      unsafe sqlite3_result_error_nomem(context)
      return nil
    }
    if let known = unsafe memory.pointee { return unsafe Unmanaged<State>.fromOpaque(known).takeUnretainedValue() }
    guard let state = make() else { return nil }
    unsafe memory.pointee = unsafe Unmanaged.passRetained(state).toOpaque()
    return state
  }

  /// Removes the state of the group, and returns it; nil if the group has no rows.
  package func takeState<State: AnyObject>() -> State? {
    guard let memory = unsafe memory(size: 0), let known = unsafe memory.pointee else { return nil }
    unsafe memory.pointee = nil
    return unsafe Unmanaged<State>.fromOpaque(known).takeRetainedValue()
  }
}
