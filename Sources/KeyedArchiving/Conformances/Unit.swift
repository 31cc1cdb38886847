extension Archived {
  /// `NSUnit` and its subclasses, such as `NSUnitLength`. A unit is written as the class that it was found to be of.
  public struct Unit: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSUnit", aliases: dimensionNames)

    /// The class, such as `NSUnitLength`.
    public var unitClass: ArchivedClass
    /// The symbol, such as `mi`.
    public var symbol: String
    /// How values become values of the base unit; nil for units that have none.
    public var converter: UnitConverter?
    /// What Apple numbers the unit by; nil for units without a dimension.
    public var specifier: Int?

    /// A unit without a dimension.
    public init(symbol: String) { self.init(unitClass: ArchivedClass("NSUnit"), symbol: symbol) }

    /// A unit of any class.
    public init(unitClass: ArchivedClass, symbol: String, converter: UnitConverter? = nil, specifier: Int? = nil) {
      self.unitClass = unitClass
      self.symbol = symbol
      self.converter = converter
      self.specifier = specifier
    }

    /// A unit of a dimension, which is the name of a class, such as `NSUnitLength`.
    public init(dimension: String, symbol: String, converter: UnitConverter, specifier: Int = 0) {
      self.init(
        unitClass: ArchivedClass(dimension, ancestors: ["NSDimension", "NSUnit", "NSObject"]), symbol: symbol,
        converter: converter, specifier: specifier)
    }

    /// The classes of Apple's dimensions (`NSUnit.h`).
    private static let dimensionNames = [
      "NSDimension", "NSUnitAcceleration", "NSUnitAngle", "NSUnitArea", "NSUnitConcentrationMass", "NSUnitDispersion",
      "NSUnitDuration", "NSUnitElectricCharge", "NSUnitElectricCurrent", "NSUnitElectricPotentialDifference",
      "NSUnitElectricResistance", "NSUnitEnergy", "NSUnitFrequency", "NSUnitFuelEfficiency", "NSUnitIlluminance",
      "NSUnitInformationStorage", "NSUnitLength", "NSUnitMass", "NSUnitPower", "NSUnitPressure", "NSUnitSpeed",
      "NSUnitTemperature", "NSUnitVolume",
    ]

    public init(coder: KeyedUnarchiver) throws {
      unitClass = coder.currentClass ?? ArchivedClass("NSUnit")
      symbol = try coder.decode(String.self, forRawKey: "NS.symbol")
      converter = try coder.decodeIfPresent(UnitConverter.self, forRawKey: "NS.converter")
      specifier = try coder.decodeIfPresent(Int.self, forRawKey: "NS.specifier")
    }

    public func encode(with coder: KeyedArchiver) throws {
      try coder.encode(symbol, forRawKey: "NS.symbol")
      if let converter { try coder.encode(converter, forRawKey: "NS.converter") }
      if let specifier { try coder.encode(integer: specifier, forRawKey: "NS.specifier") }
    }

    public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
      try coder.reference(toValue: self, as: unitClass)
    }
  }
}
