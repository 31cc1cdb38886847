extension Archived {
  /// `NSUnit` and its subclasses, such as `NSUnitLength`. A decoded unit is archived again with the same class.
  public struct Unit: SecureCoding, Hashable, Sendable {
    public static let archivedClass = ArchivedClass("NSUnit", aliases: dimensionNames)

    /// The class, such as `NSUnitLength`.
    public var unitClass: ArchivedClass
    /// The symbol, such as `mi`.
    public var symbol: String
    /// The conversion to the base unit. Nil for units without one.
    public var converter: UnitConverter?
    /// Apple's number for the unit. Nil for units without a dimension.
    public var specifier: Int?

    /// Creates a unit without a dimension.
    public init(symbol: String) { self.init(unitClass: ArchivedClass("NSUnit"), symbol: symbol) }

    /// Creates a unit of any class.
    public init(unitClass: ArchivedClass, symbol: String, converter: UnitConverter? = nil, specifier: Int? = nil) {
      self.unitClass = unitClass
      self.symbol = symbol
      self.converter = converter
      self.specifier = specifier
    }

    /// Creates a unit of a dimension, which is a class name such as `NSUnitLength`.
    ///
    /// ```swift
    /// let celsius = Archived.Unit(
    ///   dimension: "NSUnitTemperature", symbol: "°C", converter: .linear(coefficient: 1, constant: 273.15))
    /// ```
    ///
    /// - Parameters:
    ///   - dimension: the name of a subclass of `NSDimension`.
    ///   - symbol: the symbol, such as `mi`.
    ///   - converter: the conversion to the base unit of the dimension.
    ///   - specifier: Apple's number for the unit.
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
