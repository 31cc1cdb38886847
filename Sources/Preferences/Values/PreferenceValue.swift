public import KeyedArchiving
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
