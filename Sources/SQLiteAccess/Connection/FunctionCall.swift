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

    @inlinable package subscript(_ index: Int) -> SQLiteValueReference {
      unsafe SQLiteValueReference(index < count ? start?[index] : nil)
    }
  }
}

/// Functions that set the result of an SQL function. An SQL function that sets no result returns NULL.
extension FunctionCall {
  package func setResult(_ value: Int64) { unsafe sqlite3_result_int64(context, value) }

  package func setResult(_ value: Double) { unsafe sqlite3_result_double(context, value) }

  package func setResult(_ value: SQLiteValueReference) { unsafe sqlite3_result_value(context, value.value) }

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
