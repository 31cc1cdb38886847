public import FoundationEssentials
public import KeyedArchiving

/// A value that can be passed for `%@`, `%K` or `%d` in the text of a predicate.
///
/// Strings, numbers, dates, data, UUIDs, URLs, and arrays, sets and optionals of them conform to it. For a type of your
/// own, return the value that objects have:
///
/// ```swift
/// enum Priority: Int, PredicateArgument {
///   case low = 1, high
///   var predicateExpression: ManagedExpression { rawValue.predicateExpression }
/// }
///
/// print(try ManagedPredicate(format: "priority == %@", Priority.high))   // priority == 2
/// ```
public protocol PredicateArgument {
  /// The expression that represents the value in the predicate.
  var predicateExpression: ManagedExpression { get }
}

extension ManagedExpression: PredicateArgument {
  public var predicateExpression: ManagedExpression { self }
}

extension PredicateConstant: PredicateArgument {
  public var predicateExpression: ManagedExpression { .constant(self) }
}

extension AttributeValue: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(self) }
}

extension String: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.string(self)) }
}

extension Bool: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.boolean(self)) }
}

extension PredicateArgument where Self: FixedWidthInteger {
  /// The expression of the integer. An integer that does not fit in `Int64` becomes a decimal number.
  public var predicateExpression: ManagedExpression {
    .value(Int64(exactly: self).map { .integer($0) } ?? .decimal(Decimal(string: "\(self)") ?? .nan))
  }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Double: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.double(self)) }
}

extension Float: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.float(self)) }
}

extension Decimal: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.decimal(self)) }
}

extension Date: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.date(self)) }
}

extension Data: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.data(self)) }
}

extension UUID: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.uuid(self)) }
}

extension URL: PredicateArgument {
  public var predicateExpression: ManagedExpression { .value(.url(self)) }
}

/// A key is an argument that represents the object with this key.
extension RowKey: PredicateArgument {
  public var predicateExpression: ManagedExpression { .constant(.object(self)) }
}

extension OpaqueObject: PredicateArgument {
  public var predicateExpression: ManagedExpression { .constant(.opaque(self)) }
}

/// An array is a list: `{a, b, c}`.
extension Array: PredicateArgument where Element: PredicateArgument {
  public var predicateExpression: ManagedExpression { .aggregate(map(\.predicateExpression)) }
}

/// A set is a list in any order: `{a, b, c}`.
extension Set: PredicateArgument where Element: PredicateArgument {
  public var predicateExpression: ManagedExpression { .aggregate(map(\.predicateExpression)) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
  public var predicateExpression: ManagedExpression { self?.predicateExpression ?? .constant(.null) }
}
