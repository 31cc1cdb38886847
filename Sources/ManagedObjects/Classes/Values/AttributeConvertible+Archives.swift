public import FoundationEssentials
public import KeyedArchiving
public import OrderedCollections

// Values of Foundation and collections of what can be archived, kept in transformable attributes.

extension Array: AttributeCoding, AttributeConvertible where Element: SecureCoding {
  public static var missingValue: [Element] { [] }
}

extension Set: AttributeCoding, AttributeConvertible where Element: SecureCoding {
  public static var missingValue: Set<Element> { [] }
}

extension OrderedSet: AttributeCoding, AttributeConvertible where Element: SecureCoding {
  public static var missingValue: OrderedSet<Element> { [] }
}

extension Dictionary: AttributeCoding, AttributeConvertible where Key: SecureCoding, Value: SecureCoding {
  public static var missingValue: [Key: Value] { [:] }
}

extension DateComponents: AttributeConvertible {
  public static var missingValue: DateComponents { DateComponents() }
}

extension IndexPath: AttributeConvertible {
  public static var missingValue: IndexPath { IndexPath() }
}

extension Calendar: AttributeCoding {}
extension DateInterval: AttributeCoding {}
extension Locale: AttributeCoding {}
extension TimeZone: AttributeCoding {}
