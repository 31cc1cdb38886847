internal import Predicates

/// Attribute values from literals: `note["title"] = "Letters"`.
extension ManagedObject.Value: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self = .attribute(.string(value)) }
}

extension ManagedObject.Value: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .attribute(.integer(value)) }
}

extension ManagedObject.Value: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self = .attribute(.double(value)) }
}

extension ManagedObject.Value: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .attribute(.boolean(value)) }
}
