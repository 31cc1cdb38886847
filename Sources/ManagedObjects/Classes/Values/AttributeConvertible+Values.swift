public import FoundationEssentials
public import KeyedArchiving
internal import ObjectModels
public import OrderedCollections
public import Predicates

extension Bool: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .boolean }

  @inlinable public static var missingValue: Bool { false }

  @inlinable public var attributeValue: AttributeValue { .boolean(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .boolean(let value) = attributeValue else { return nil }
    self = value
  }
}

extension Int: AttributeConvertible, OrderedAttributeValue {
  @inlinable public static var attributeType: AttributeType { .integer64 }

  @inlinable public static var missingValue: Int { 0 }

  @inlinable public var attributeValue: AttributeValue { .integer(Int64(self)) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .integer(let value) = attributeValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int16: AttributeConvertible, OrderedAttributeValue {
  @inlinable public static var attributeType: AttributeType { .integer16 }

  @inlinable public static var missingValue: Int16 { 0 }

  @inlinable public var attributeValue: AttributeValue { .integer(Int64(self)) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .integer(let value) = attributeValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int32: AttributeConvertible, OrderedAttributeValue {
  @inlinable public static var attributeType: AttributeType { .integer32 }

  @inlinable public static var missingValue: Int32 { 0 }

  @inlinable public var attributeValue: AttributeValue { .integer(Int64(self)) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .integer(let value) = attributeValue else { return nil }
    self.init(exactly: value)
  }
}

extension Int64: AttributeConvertible, OrderedAttributeValue {
  @inlinable public static var attributeType: AttributeType { .integer64 }

  @inlinable public static var missingValue: Int64 { 0 }

  @inlinable public var attributeValue: AttributeValue { .integer(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .integer(let value) = attributeValue else { return nil }
    self = value
  }
}

extension Double: AttributeConvertible, OrderedAttributeValue {
  @inlinable public static var attributeType: AttributeType { .double }

  @inlinable public static var missingValue: Double { 0 }

  @inlinable public var attributeValue: AttributeValue { .double(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .double(let value) = attributeValue else { return nil }
    self = value
  }
}

extension Float: AttributeConvertible, OrderedAttributeValue {
  @inlinable public static var attributeType: AttributeType { .float }

  @inlinable public static var missingValue: Float { 0 }

  @inlinable public var attributeValue: AttributeValue { .float(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .float(let value) = attributeValue else { return nil }
    self = value
  }
}

extension Decimal: AttributeConvertible, OrderedAttributeValue {
  @inlinable public static var attributeType: AttributeType { .decimal }

  @inlinable public static var missingValue: Decimal { 0 }

  @inlinable public var attributeValue: AttributeValue { .decimal(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .decimal(let value) = attributeValue else { return nil }
    self = value
  }
}

extension String: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .string }

  @inlinable public static var missingValue: String { "" }

  @inlinable public var attributeValue: AttributeValue { .string(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .string(let value) = attributeValue else { return nil }
    self = value
  }
}

extension Date: AttributeConvertible, OrderedAttributeValue {
  @inlinable public static var attributeType: AttributeType { .date }

  @inlinable public static var missingValue: Date { Date(timeIntervalSinceReferenceDate: 0) }

  @inlinable public var attributeValue: AttributeValue { .date(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .date(let value) = attributeValue else { return nil }
    self = value
  }
}

extension Data: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .binary }

  @inlinable public static var missingValue: Data { Data() }

  @inlinable public var attributeValue: AttributeValue { .data(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .data(let value) = attributeValue else { return nil }
    self = value
  }
}

extension UUID: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .uuid }

  @inlinable public static var missingValue: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }

  @inlinable public var attributeValue: AttributeValue { .uuid(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .uuid(let value) = attributeValue else { return nil }
    self = value
  }
}

extension URL: AttributeConvertible {
  @inlinable public static var attributeType: AttributeType { .uri }

  @inlinable public static var missingValue: URL { URL(filePath: "/", directoryHint: .isDirectory) }

  @inlinable public var attributeValue: AttributeValue { .url(self) }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard case .url(let value) = attributeValue else { return nil }
    self = value
  }
}

// Foundation values, and collections of values that can be archived, are stored in transformable attributes.

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
