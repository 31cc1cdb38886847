internal import PropertyLists

/// A key with the type of its value and a default value.
///
/// ```swift
/// enum Keys {
///   static let fontSize = PreferenceKey<Int>("fontSize", default: 12)
///   static let theme = PreferenceKey<Theme>("theme", default: .light)
/// }
/// preferences[Keys.fontSize] += 1
/// ```
public struct PreferenceKey<Value: PreferenceValue & Sendable>: Sendable {
  /// The key.
  public let name: String
  /// The hash of the key in a ``TableKey``, computed once instead of on each read.
  @usableFromInline let hash: UInt64
  /// The value that is used if the key has no value of type `Value`.
  public let defaultValue: Value

  /// Creates a key with a default value.
  ///
  /// - Parameter name: the key, at least one character. Values cannot be set for an empty key.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    hash = TableKey(name).hash
    self.defaultValue = defaultValue
  }

  /// Creates a key without a default value.
  public init<Wrapped>(_ name: String) where Value == Wrapped? { self.init(name, default: nil) }

  /// Converts a stored value to the type of the key. Returns the default if nothing is stored, or a value of another
  /// type.
  func value(of stored: PropertyList?) -> Value { stored.flatMap { Value.preferenceValue(from: $0) } ?? defaultValue }
}
