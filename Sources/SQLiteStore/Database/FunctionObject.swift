internal import CSQLite
internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// An object that a statement passes to an SQL function of this package as its first argument. The function calls the
/// object to test or collect values, with the code that evaluates predicates in memory.
class FunctionObject {
  /// The error of the first function call that failed.
  private(set) var failure: ManagedObjectError?

  final func fail(_ error: ManagedObjectError) { if failure == nil { failure = error } }
  final func fail(_ error: ManagedPredicateError) { fail(ManagedObjectError(.unsupportedRequest, error.description)) }

  /// Returns true if the values of a row satisfy the condition of this object; nil after an error, which is in
  /// ``failure``. The function ``Database/FunctionName/holds`` calls this.
  func holds(_ arguments: Arguments) -> Bool? { nil }

  /// Returns the value that this object computes from the values of a row; nil after an error, which is in ``failure``.
  /// The function ``Database/FunctionName/compute`` calls this.
  func value(_ arguments: Arguments) -> SQLValue? { nil }

  /// The bytes of an empty list, to which ``add(_:to:)`` appends values; nil if this object does not collect values.
  var emptyList: [UInt8]? { nil }

  /// Adds the values of a row to a list. The function ``Database/FunctionName/collect`` calls this.
  func add(_ arguments: Arguments, to bytes: inout [UInt8]) {}

  /// The arguments of a function call.
  @safe struct Arguments {
    private let start: UnsafeMutablePointer<OpaquePointer?>
    let count: Int

    init(_ start: UnsafeMutablePointer<OpaquePointer?>, count: Int) {
      unsafe self.start = start
      self.count = count
    }

    subscript(_ index: Int) -> Argument { unsafe Argument(index < count ? start[index] : nil) }
  }

  /// An argument of a function.
  @safe struct Argument: StoredValue {
    private let value: OpaquePointer?

    init(_ value: OpaquePointer?) { unsafe self.value = value }

    @inline(__always)
    var kind: SQLValue.Kind { unsafe value == nil ? .null : SQLValue.Kind(code: sqlite3_value_type(value)) }
    @inline(__always)
    var integer: Int64 { unsafe sqlite3_value_int64(value) }
    @inline(__always)
    var real: Double { unsafe sqlite3_value_double(value) }

    /// The number of bytes of a text or a blob; 0 for other types.
    @inline(__always)
    var size: Int {
      let kind = kind
      return kind == .text || kind == .blob ? Int(unsafe sqlite3_value_bytes(value)) : 0
    }

    @inline(__always)
    var text: String {
      guard let start = unsafe sqlite3_value_text(value) else { return "" }
      let count = Int(unsafe sqlite3_value_bytes(value))
      return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    @inline(__always)
    var data: Data {
      guard let start = unsafe sqlite3_value_blob(value) else { return Data() }
      return unsafe Data(bytes: start, count: Int(sqlite3_value_bytes(value)))
    }
  }
}
