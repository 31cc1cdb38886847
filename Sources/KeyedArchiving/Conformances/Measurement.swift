extension Archived {
  /// `NSMeasurement`: a value with a unit.
  ///
  /// ```swift
  /// let mile = Archived.Unit(dimension: "NSUnitLength", symbol: "mi", converter: .linear(coefficient: 1609.34))
  /// let marathon = Archived.Measurement(value: 26.2, unit: mile)
  /// ```
  public struct Measurement: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSMeasurement")

    /// The number of units.
    public var value: Double
    /// The unit.
    public var unit: Unit

    /// Creates a measurement.
    public init(value: Double, unit: Unit) {
      self.value = value
      self.unit = unit
    }

    public init(coder: KeyedUnarchiver) throws {
      value = try coder.decode(Double.self, forRawKey: "NS.value")
      unit = try coder.decode(Unit.self, forRawKey: "NS.unit")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(real: value, forRawKey: "NS.value")
      try coder.encode(unit, forRawKey: "NS.unit")
    }
  }
}
