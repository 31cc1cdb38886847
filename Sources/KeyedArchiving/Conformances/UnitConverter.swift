extension Archived {
  /// `NSUnitConverter` and its subclasses: the conversion of a unit's values to the base unit of its dimension.
  ///
  /// ```swift
  /// let miles = Archived.UnitConverter.linear(coefficient: 1609.344)  // to meters
  /// let fahrenheit = Archived.UnitConverter.linear(coefficient: 5 / 9, constant: 459.67 * 5 / 9)  // to kelvins
  /// ```
  public enum UnitConverter: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass(
      "NSUnitConverter", aliases: [linearClass.name, reciprocalClass.name])

    /// Multiplies a value by the coefficient, then adds the constant.
    case linear(coefficient: Double, constant: Double = 0)
    /// Divides a constant by a value. The associated value is the constant.
    case reciprocal(Double)
    /// Leaves a value unchanged.
    case identity

    private static let linearClass = ArchivedClass("NSUnitConverterLinear", ancestors: ["NSUnitConverter", "NSObject"])
    private static let reciprocalClass = ArchivedClass(
      "NSUnitConverterReciprocal", ancestors: ["NSUnitConverter", "NSObject"])

    public init(coder: KeyedUnarchiver) throws {
      switch coder.currentClass.map({ ClassName.normalized($0.name) }) {
      case Self.archivedClass.name: self = .identity
      case Self.reciprocalClass.name: self = .reciprocal(try coder.decode(Double.self, forRawKey: "NS.reciprocal"))
      default:
        self = .linear(
          coefficient: try coder.decode(Double.self, forRawKey: "NS.coefficient"),
          constant: try coder.decode(Double.self, forRawKey: "NS.constant"))
      }
    }

    public func encode(with coder: KeyedArchiver) throws {
      switch self {
      case .linear(let coefficient, let constant):
        try coder.encode(real: coefficient, forRawKey: "NS.coefficient")
        try coder.encode(real: constant, forRawKey: "NS.constant")
      case .reciprocal(let value): try coder.encode(real: value, forRawKey: "NS.reciprocal")
      case .identity: break
      }
    }

    public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
      switch self {
      case .linear: try coder.reference(toValue: self, as: Self.linearClass)
      case .reciprocal: try coder.reference(toValue: self, as: Self.reciprocalClass)
      case .identity: try coder.reference(toValue: self, as: Self.archivedClass)
      }
    }
  }
}
