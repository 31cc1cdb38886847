internal import FoundationEssentials
public import Predicates

/// The type of an attribute. The raw values are those in Core Data's files (`NSAttributeType`).
public enum AttributeType: Int, Hashable, Sendable, CaseIterable {
  case undefined = 0
  case integer16 = 100
  case integer32 = 200
  case integer64 = 300
  case decimal = 400
  case double = 500
  case float = 600
  case string = 700
  case boolean = 800
  case date = 900
  case binary = 1000
  case uuid = 1100
  case uri = 1200
  case transformable = 1800
  case objectID = 2000
  case composite = 2100

  /// The name in Xcode's model files.
  public var name: String {
    switch self {
    case .undefined: "Undefined"
    case .integer16: "Integer 16"
    case .integer32: "Integer 32"
    case .integer64: "Integer 64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .boolean: "Boolean"
    case .date: "Date"
    case .binary: "Binary"
    case .uuid: "UUID"
    case .uri: "URI"
    case .transformable: "Transformable"
    case .objectID: "ObjectID"
    case .composite: "Composite"
    }
  }

  /// Creates the type from its name in Xcode's model files. Returns nil for an unknown name.
  public init?(name: String) {
    guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = type
  }

  /// The Objective-C class of the values; nil for a transformable attribute, whose values can be of any class.
  public var valueClassName: String? {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binary: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .objectID: "NSManagedObjectID"
    case .composite: "NSDictionary"
    case .undefined, .transformable: nil
    }
  }

  /// The range of integers that an attribute of this type can have; nil for other types.
  public var integers: ClosedRange<Int64>? {
    switch self {
    case .integer16: Int64(Int16.min)...Int64(Int16.max)
    case .integer32: Int64(Int32.min)...Int64(Int32.max)
    case .integer64: Int64.min...Int64.max
    default: nil
    }
  }

  /// Returns a value converted to this type, or nil if that is not possible.
  ///
  /// Numbers and Booleans are converted into each other, because models created by hand mix them. A conversion to an
  /// integer or a Boolean must be exact. A conversion to another type of number may round.
  ///
  /// ```swift
  /// AttributeType.integer16.normalized(.double(3))         // .integer(3)
  /// AttributeType.integer16.normalized(.integer(40_000))   // nil: too large for 16 bits
  /// AttributeType.boolean.normalized(.integer(1))          // .boolean(true)
  /// ```
  public func normalized(_ value: AttributeValue) -> AttributeValue? {
    if value == .null { return value }
    switch self {
    case .undefined: return value
    case .integer16, .integer32, .integer64:
      guard let integer = value.wholeNumber, integers?.contains(integer) == true else { return nil }
      return .integer(integer)
    case .boolean:
      if case .boolean = value { return value }
      return switch value.wholeNumber {
      case 0: .boolean(false)
      case 1: .boolean(true)
      default: nil
      }
    case .double: return value.number.map(AttributeValue.double)
    case .float:
      if case .float = value { return value }
      // Rounds, because most decimal fractions have no exact 4-byte form.
      return value.number.map { .float(Float($0)) }
    case .decimal:
      switch value {
      case .decimal: return value
      case .integer(let integer): return .decimal(Decimal(integer))
      case .boolean(let truth): return .decimal(truth ? 1 : 0)
      case .double(let number) where number.isFinite: return .decimal(Decimal(number))
      case .float(let number) where number.isFinite: return .decimal(Decimal(Double(number)))
      default: return nil
      }
    case .string: if case .string = value { return value }
    case .date: if case .date = value { return value }
    case .binary: if case .data = value { return value }
    case .uuid: if case .uuid = value { return value }
    case .uri: if case .url = value { return value }
    case .transformable: if case .data = value { return value }
    case .composite: if case .composite = value { return value }
    case .objectID: return nil
    }
    return nil
  }

  /// Returns true if the value has this type and is in its range. Null is allowed for every type.
  @inlinable
  @inline(__always)
  public func admits(_ value: AttributeValue) -> Bool {
    switch (self, value) {
    case (.string, .string), (.boolean, .boolean), (.integer64, .integer), (.double, .double), (.float, .float),
      (.decimal, .decimal), (.date, .date), (.binary, .data), (.uuid, .uuid), (.uri, .url), (.transformable, .data):
      true
    default: admitsOther(value)
    }
  }

  /// See ``admits(_:)``. Not inlined, unlike the most frequent cases there.
  @usableFromInline
  func admitsOther(_ value: AttributeValue) -> Bool {
    switch (self, value) {
    case (.boolean, _), (.double, _), (.float, _), (.decimal, _): value == .null
    case (.integer16, .boolean), (.integer32, .boolean), (.integer64, .boolean): false
    default: normalized(value) == value
    }
  }
}

extension AttributeValue {
  /// The value as an integer; nil if it is not a whole number. Booleans are 1 and 0.
  fileprivate var wholeNumber: Int64? {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): value
    case .double(let value): Int64(exactly: value)
    case .float(let value): Int64(exactly: value)
    case .decimal(let value): Int64(value.description)
    default: nil
    }
  }

  fileprivate var number: Double? {
    switch self {
    case .boolean(let value): value ? 1 : 0
    case .integer(let value): Double(value)
    case .double(let value): value
    case .float(let value): Double(value)
    case .decimal(let value): Double(value.description)
    default: nil
    }
  }

  /// The attribute type of the value: `integer64` for all integers, `undefined` for null.
  package var type: AttributeType {
    switch self {
    case .null: .undefined
    case .boolean: .boolean
    case .integer: .integer64
    case .decimal: .decimal
    case .double: .double
    case .float: .float
    case .string: .string
    case .date: .date
    case .data: .binary
    case .uuid: .uuid
    case .url: .uri
    case .composite: .composite
    }
  }

  /// The kind of value, for messages.
  package var kindName: String {
    switch self {
    case .null: "null"
    case .boolean: "a Boolean"
    case .integer(let value): "the integer \(value)"
    case .decimal, .double, .float: "a number"
    case .string: "a string"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .composite: "a composite value"
    }
  }
}
