public import FoundationEssentials
public import KeyedArchiving
internal import OrderedCollections
public import PropertyLists

/// A type whose values preferences store.
///
/// Numbers, truth values, text, dates, data, URLs and property lists conform, and arrays, dictionaries and optionals of
/// those. Enumerations with raw values, `Codable` and `SecureCoding` types conform with no code:
///
/// ```swift
/// enum Theme: String, PreferenceValue { case light, dark }
/// struct Window: Codable, PreferenceValue { var width, height: Double }
/// ```
///
/// `Codable` types are stored as dictionaries and arrays that people can read and edit, others as keyed archives.
public protocol PreferenceValue {
  /// The value that is stored; nil if what is stored is no such value.
  static func preferenceValue(from stored: PropertyList) -> Self?

  /// What to store; nil to store nothing.
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

// A type that is several of these is stored by its raw value if it has one, else as what people can read.

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

/// Any stored value.
extension PropertyList: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> PropertyList? { stored }
  public func storedPreference() -> PropertyList? { self }
}

/// A truth value; the numbers 0 and 1 and the texts `YES`, `NO`, `true`, `false`, `1` and `0` are taken for one.
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

/// Integers: any that fits, a real without a fraction, and a text that is one, as command lines give it.
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
      throw PropertyListError(.notRepresentable, "\(self) is no integer of 64 bits")
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

/// Reals: integers are taken for the nearest one, and a text that is a number.
extension PreferenceValue where Self: BinaryFloatingPoint & LosslessStringConvertible & Codable & SecureCoding {
  @inlinable
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    // A float not by way of a double, which would round twice.
    switch stored {
    case .real(let value): Self(value)
    case .float(let value): Self(value)
    case .integer(let value): Self(value.int128)
    case .string(let text): Self(text)
    default: nil
    }
  }
}

/// Reals of other types, stored in 8 bytes. With `extension CGFloat: @retroactive PreferenceValue {}`, `CGFloat` is
/// one, which this library does not know: on Linux it is part of the whole of Foundation.
extension PreferenceValue where Self: BinaryFloatingPoint & Codable {
  public static func preferenceValue(from stored: PropertyList) -> Self? {
    Double.preferenceValue(from: stored).map { Self($0) }
  }

  public func storedPreference() throws -> PropertyList? { .real(Double(self)) }
}

extension Double: PreferenceValue {
  public func storedPreference() -> PropertyList? { .real(self) }
}

/// Stored in 4 bytes.
extension Float: PreferenceValue {
  public func storedPreference() -> PropertyList? { .float(self) }
}

/// Text; nothing else is taken for it.
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

/// As ``UserPreferences/url(forKey:)`` reads it.
extension URL: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> URL? { StoredURL.url(stored) }
  public func storedPreference() throws -> PropertyList? { try StoredURL.stored(self) }
}

/// As the text of 36 characters.
extension UUID: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> UUID? {
    stored.string.flatMap { UUID(uuidString: $0) }
  }
  public func storedPreference() -> PropertyList? { .string(uuidString) }
}

/// A length of time, stored as a real of seconds, as Apple's software stores a `TimeInterval`; integers and a text that
/// is a number are taken for seconds too.
///
/// Whole nanoseconds come back exactly up to 48 days (2^22 seconds), and whole seconds beyond that up to 2^53.
extension Duration: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Duration? {
    if case .integer(let value) = stored { return Int64(exactly: value.int128).map { .seconds($0) } }
    guard let seconds = Double.preferenceValue(from: stored), let whole = Int64(exactly: seconds.rounded(.towardZero))
    else { return nil }
    return .seconds(whole) + .nanoseconds(Int64(((seconds - Double(whole)) * 1e9).rounded()))
  }

  public func storedPreference() -> PropertyList? { .real(seconds) }
}

/// Nil is stored by storing nothing.
extension Optional: PreferenceValue where Wrapped: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Wrapped?? {
    Wrapped.preferenceValue(from: stored).map { .some($0) }
  }

  public func storedPreference() throws -> PropertyList? { try self?.storedPreference() }
}

/// An array; one element that is no `Element` makes it none. Elements that store nothing are left out.
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

/// A set, as an array in the order of its elements' stored forms.
extension Set: PreferenceValue where Element: PreferenceValue & Comparable {
  public static func preferenceValue(from stored: PropertyList) -> Set<Element>? {
    [Element].preferenceValue(from: stored).map { Set($0) }
  }

  public func storedPreference() throws -> PropertyList? { try sorted().storedPreference() }
}

/// A dictionary, in the order of its keys; one entry whose value is no `Value` makes it none.
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

/// Values of different types under their keys.
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
