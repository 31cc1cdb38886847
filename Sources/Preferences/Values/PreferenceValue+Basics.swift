public import FoundationEssentials
public import KeyedArchiving
public import PropertyLists

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

/// A real; integers are taken for the nearest one, and a text that is a number.
extension Double: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Double? {
    switch stored {
    case .real(let value): value
    case .float(let value): Double(value)
    case .integer(let value): Double(value.int128)
    case .string(let text): Double(text)
    default: nil
    }
  }

  public func storedPreference() -> PropertyList? { .real(self) }
}

/// As `Double`; stored in 4 bytes.
extension Float: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Float? {
    // Not by way of a double, which would round twice.
    switch stored {
    case .float(let value): value
    case .real(let value): Float(value)
    case .integer(let value): Float(value.int128)
    case .string(let text): Float(text)
    default: nil
    }
  }

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
