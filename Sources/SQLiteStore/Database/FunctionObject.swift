internal import CSQLite
internal import FoundationEssentials
internal import ManagedObjects
internal import SQLQueries

/// An object that is bound to a statement for the functions that are registered with SQLite: they test and collect
/// values by the code that evaluates predicates in memory.
class FunctionObject {
  /// The reason why a function could not say its result.
  private(set) var failure: ManagedObjectError?

  final func fail(_ error: ManagedObjectError) { if failure == nil { failure = error } }
  final func fail(_ error: ManagedPredicateError) { fail(ManagedObjectError(.unsupportedRequest, error.description)) }

  /// The result of ``Database/FunctionName/holds`` for a row; nil if there is none, ``failure`` says why.
  func holds(_ arguments: Arguments) -> Bool? { nil }

  /// The bytes of a list of no values, for ``Database/FunctionName/collect``; nil for an object that makes no lists.
  var emptyList: [UInt8]? { nil }

  /// Adds the values of a row to the bytes of a list.
  func add(_ arguments: Arguments, to bytes: inout [UInt8]) {}

  /// The values of arguments, which begin at an address.
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

    /// The bytes of a text or of data; 0 for all else.
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
