internal import Predicates

/// Attribute values from literals: `dictionary["total"] == 821`.
extension RowValue: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self = .attribute(.string(value)) }
}

extension RowValue: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .attribute(.integer(value)) }
}

extension RowValue: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self = .attribute(.double(value)) }
}

extension RowValue: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .attribute(.boolean(value)) }
}
