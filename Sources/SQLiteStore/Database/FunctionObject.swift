internal import ManagedObjects
internal import SQLQueries
internal import SQLiteAccess

/// An object that a statement passes to an SQL function of this package as its first argument. The function calls the
/// object, which tests, computes or collects values with the code that evaluates predicates in memory.
class FunctionObject {
  typealias Arguments = FunctionCall.Arguments
  typealias Argument = SQLiteValueReference

  /// The error of the first function call that failed.
  private(set) var failure: ManagedObjectError?

  final func fail(_ error: ManagedObjectError) { if failure == nil { failure = error } }
  final func fail(_ error: ManagedPredicateError) { fail(ManagedObjectError(.unsupportedRequest, error.description)) }

  /// Returns true if the values of a row satisfy the condition of this object; nil after an error, which ``failure``
  /// then contains. The function ``Database/FunctionName/holds`` calls this.
  func holds(_ arguments: Arguments) -> Bool? { nil }

  /// Returns the value that this object computes from the values of a row; nil after an error, which ``failure`` then
  /// contains. The function ``Database/FunctionName/compute`` calls this.
  func value(_ arguments: Arguments) -> SQLValue? { nil }

  /// The bytes of an empty list for ``add(_:to:)``; nil if this object does not collect values.
  var emptyList: [UInt8]? { nil }

  /// Adds the values of a row to a list. The function ``Database/FunctionName/collect`` calls this.
  func add(_ arguments: Arguments, to bytes: inout [UInt8]) {}
}
