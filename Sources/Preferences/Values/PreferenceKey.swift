internal import PropertyLists

/// A key together with the type of its value and what counts when there is none.
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
  /// That of its ``TableKey``, made once and not each time a value is read.
  @usableFromInline let hash: UInt64
  /// What counts when there is no value, or one that is none of `Value`.
  public let defaultValue: Value

  /// A key with what counts when there is no value.
  ///
  /// - Parameter name: at least one character; nothing can be set for an empty key.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    hash = TableKey(name).hash
    self.defaultValue = defaultValue
  }

  /// A key that may have no value.
  public init<Wrapped>(_ name: String) where Value == Wrapped? { self.init(name, default: nil) }

  /// The value that counts when this is stored, or nothing.
  func value(of stored: PropertyList?) -> Value { stored.flatMap { Value.preferenceValue(from: $0) } ?? defaultValue }
}
