public import FoundationEssentials
public import KeyedArchiving
internal import OrderedCollections
public import PropertyLists

/// A type whose values can be stored as preferences.
///
/// Numbers, Booleans, text, dates, data, URLs and property lists conform, and arrays, dictionaries and optionals of
/// those. Enumerations with raw values, `Codable` types and `SecureCoding` types conform without code:
///
/// ```swift
/// enum Theme: String, PreferenceValue { case light, dark }
/// struct Window: Codable, PreferenceValue { var width, height: Double }
/// ```
///
/// `Codable` types are stored as dictionaries and arrays that people can read and edit. `SecureCoding` types are stored
/// as keyed archives.
public protocol PreferenceValue {
  /// Converts a stored value; returns nil if it is not a value of this type.
  static func preferenceValue(from stored: PropertyList) -> Self?

  /// Returns the value to store; nil to store nothing.
  ///
  /// - Throws: an error if the value cannot be stored.
  func storedPreference() throws -> PropertyList?
}

extension PreferenceValue where Self: RawRepresentable, RawValue: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    RawValue.preferenceValue(from: stored).flatMap { Self(rawValue: $0) }
  }

  public func storedPreference() throws -> PropertyList? { try rawValue.storedPreference() }
}

extension PreferenceValue where Self: Codable {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    try? PropertyListDecoder().decode(Self.self, from: stored)
  }

  public func storedPreference() throws -> PropertyList? { try PropertyListEncoder().encodeToPropertyList(self) }
}

extension PreferenceValue where Self: SecureCoding {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    stored.data.flatMap { try? KeyedUnarchiver.unarchivedObject(of: Self.self, from: $0) }
  }

  public func storedPreference() throws -> PropertyList? { .data(try KeyedArchiver.archivedData(withRootObject: self)) }
}

// A type with several of these conformances is stored by its raw value if it has one, else as dictionaries and arrays.

extension PreferenceValue where Self: RawRepresentable & Codable, RawValue: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    RawValue.preferenceValue(from: stored).flatMap { Self(rawValue: $0) }
  }

  public func storedPreference() throws -> PropertyList? { try rawValue.storedPreference() }
}

extension PreferenceValue where Self: RawRepresentable & SecureCoding, RawValue: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    RawValue.preferenceValue(from: stored).flatMap { Self(rawValue: $0) }
  }

  public func storedPreference() throws -> PropertyList? { try rawValue.storedPreference() }
}

extension PreferenceValue where Self: RawRepresentable & Codable & SecureCoding, RawValue: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    RawValue.preferenceValue(from: stored).flatMap { Self(rawValue: $0) }
  }

  public func storedPreference() throws -> PropertyList? { try rawValue.storedPreference() }
}

extension PreferenceValue where Self: Codable & SecureCoding {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    try? PropertyListDecoder().decode(Self.self, from: stored)
  }

  public func storedPreference() throws -> PropertyList? { try PropertyListEncoder().encodeToPropertyList(self) }
}

/// A property list of any kind, which is stored unchanged.
extension PropertyList: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> PropertyList? { stored }
  public func storedPreference() -> PropertyList? { self }
}

/// A Boolean. The numbers 0 and 1 and the strings `YES`, `NO`, `true`, `false`, `1` and `0` are converted.
extension Bool: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Bool? {
    switch stored {
    case .boolean(let value): return value
    case .integer(let value): return value == 1 ? true : value == 0 ? false : nil
    case .string(let text):
      switch text.lowercased() {
      case "yes", "true", "1": return true
      case "no", "false", "0": return false
      default: return nil
      }
    default: return nil
    }
  }

  public func storedPreference() -> PropertyList? { .boolean(self) }
}

/// Integers. A stored integer must be in the range of the type. Reals without a fraction are converted. Strings that
/// contain an integer are converted too, because values from a command line are strings.
extension PreferenceValue where Self: FixedWidthInteger & Codable & SecureCoding {
  @inlinable
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    switch stored {
    case .integer(let value): Self(exactly: value)
    case .real(let value): Self(exactly: value)
    case .float(let value): Self(exactly: value)
    case .string(let text): Self(text)
    default: nil
    }
  }

  public func storedPreference() throws -> PropertyList? {
    guard let integer = PropertyList.Integer(exactly: self) else {
      throw PropertyListError(.notRepresentable, "\(self) does not fit into 64 bits")
    }
    return .integer(integer)
  }
}

extension Int: PreferenceValue {}
extension Int8: PreferenceValue {}
extension Int16: PreferenceValue {}
extension Int32: PreferenceValue {}
extension Int64: PreferenceValue {}
extension UInt: PreferenceValue {}
extension UInt8: PreferenceValue {}
extension UInt16: PreferenceValue {}
extension UInt32: PreferenceValue {}
extension UInt64: PreferenceValue {}

/// Floating-point types. Integers are converted to the nearest number, and strings that contain a number are converted.
extension PreferenceValue where Self: BinaryFloatingPoint & LosslessStringConvertible & Codable & SecureCoding {
  @inlinable
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    // A float is not converted to a double first, because that would round twice.
    switch stored {
    case .real(let value): Self(value)
    case .float(let value): Self(value)
    case .integer(let value): Self(value.int128)
    case .string(let text): Self(text)
    default: nil
    }
  }
}

/// Other floating-point types, which are stored in 8 bytes. `extension CGFloat: @retroactive PreferenceValue {}` makes
/// `CGFloat` conform. This library cannot do that, because on Linux, `CGFloat` is only in the complete Foundation.
extension PreferenceValue where Self: BinaryFloatingPoint & Codable {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    Double.preferenceValue(from: stored).map { Self($0) }
  }

  public func storedPreference() throws -> PropertyList? { .real(Double(self)) }
}

extension Double: PreferenceValue {
  public func storedPreference() -> PropertyList? { .real(self) }
}

/// A float is stored in 4 bytes.
extension Float: PreferenceValue {
  public func storedPreference() -> PropertyList? { .float(self) }
}

/// Text. Other types are not converted.
extension String: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> String? { stored.string }
  public func storedPreference() -> PropertyList? { .string(self) }
}

extension Data: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Data? { stored.data }
  public func storedPreference() -> PropertyList? { .data(self) }
}

extension Date: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Date? { stored.date }
  public func storedPreference() -> PropertyList? { .date(self) }
}

/// A URL in the form that ``UserPreferences/url(forKey:)`` reads.
extension URL: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> URL? { StoredURL.url(stored) }
  public func storedPreference() throws -> PropertyList? { try StoredURL.stored(self) }
}

/// A UUID, which is stored as text of 36 characters.
extension UUID: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> UUID? {
    stored.string.flatMap { UUID(uuidString: $0) }
  }
  public func storedPreference() -> PropertyList? { .string(uuidString) }
}

/// A duration, which is stored as a real number of seconds, like a `TimeInterval` in Apple's software. Integers, and
/// strings that contain a number, are read as seconds.
///
/// Whole nanoseconds are preserved exactly up to 48 days (2^22 seconds), and whole seconds up to 2^53.
extension Duration: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Duration? {
    if case .integer(let value) = stored { return Int64(exactly: value.int128).map { .seconds($0) } }
    guard let seconds = Double.preferenceValue(from: stored), let whole = Int64(exactly: seconds.rounded(.towardZero))
    else { return nil }
    return .seconds(whole) + .nanoseconds(Int64(((seconds - Double(whole)) * 1e9).rounded()))
  }

  public func storedPreference() -> PropertyList? { .real(seconds) }
}

/// An optional. Nothing is stored for nil.
extension Optional: PreferenceValue where Wrapped: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Wrapped?? {
    Wrapped.preferenceValue(from: stored).map { .some($0) }
  }

  public func storedPreference() throws -> PropertyList? { try self?.storedPreference() }
}

/// An array. If an element cannot be converted, neither can the array. Elements that store nothing, such as nil, are
/// not stored.
extension Array: PreferenceValue where Element: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> [Element]? {
    guard case .array(let elements) = stored else { return nil }
    var values: [Element] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      guard let value = Element.preferenceValue(from: element) else { return nil }
      values.append(value)
    }
    return values
  }

  public func storedPreference() throws -> PropertyList? { .array(try compactMap { try $0.storedPreference() }) }
}

/// A set, which is stored as a sorted array.
extension Set: PreferenceValue where Element: PreferenceValue & Comparable {
  public static func preferenceValue(from stored: PropertyList) -> Set<Element>? {
    [Element].preferenceValue(from: stored).map { Set($0) }
  }

  public func storedPreference() throws -> PropertyList? { try sorted().storedPreference() }
}

/// A dictionary, which is stored in the order of its keys. If a value cannot be converted, neither can the dictionary.
extension Dictionary: PreferenceValue where Key == String, Value: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> [String: Value]? {
    guard case .dictionary(let entries) = stored else { return nil }
    var values: [String: Value] = [:]
    values.reserveCapacity(entries.count)
    for (key, stored) in entries {
      guard let value = Value.preferenceValue(from: stored) else { return nil }
      values[key] = value
    }
    return values
  }

  public func storedPreference() throws -> PropertyList? {
    var entries = OrderedDictionary<String, PropertyList>()
    for (key, value) in sorted(by: { $0.key < $1.key }) { entries[key] = try value.storedPreference() }
    return .dictionary(entries)
  }
}

/// A dictionary with values of different types.
struct MixedValues: PreferenceValue {
  private let values: [String: any PreferenceValue]

  init(_ values: [String: any PreferenceValue]) { self.values = values }

  static func preferenceValue(from stored: PropertyList) -> MixedValues? {
    stored.dictionary.map { entries in MixedValues(Dictionary(uniqueKeysWithValues: entries.map { ($0, $1) })) }
  }

  func storedPreference() throws -> PropertyList? {
    var entries = OrderedDictionary<String, PropertyList>()
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { entries[key] = try value.storedPreference() }
    return .dictionary(entries)
  }
}
