extension Archived {
  /// `NSMeasurement`: a number of units.
  public struct Measurement: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSMeasurement")

    /// How many units.
    public var value: Double
    /// The unit.
    public var unit: Unit

    /// A number of units.
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
