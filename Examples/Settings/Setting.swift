import Preferences
import PropertyLists

/// A typed key whose type is forgotten, so that settings of all types can stand in one list.
struct Setting: Sendable {
  let name: String
  /// What a stored value means, as text; nil if it is none of the setting's.
  private let text: @Sendable (PropertyList) -> String?
  private let defaultText: String
  /// What is stored for a text from the command line; nil if it is no value.
  private let parse: @Sendable (String) throws -> PropertyList?

  init<Value: PreferenceValue & CustomStringConvertible>(_ key: PreferenceKey<Value>) {
    name = key.name
    defaultText = key.defaultValue.description
    text = { Value.preferenceValue(from: $0)?.description }
    parse = { try Value.preferenceValue(from: .string($0))?.storedPreference() }
  }

  /// The value that counts, and where it comes from.
  func line(_ preferences: UserPreferences) -> String {
    guard let (value, source) = preferences.effectiveValue(forKey: name), let text = text(value) else {
      return "\(name) = \(defaultText) (default)"
    }
    return "\(name) = \(text) (\(source))"
  }

  /// What has changed; nil if it means the same as before.
  func line(_ change: PreferenceChange) -> String? {
    let old = change.oldValue.flatMap(text) ?? defaultText
    guard let new = change.newValue.flatMap(text), let source = change.source else {
      return old == defaultText ? nil : "\(name): \(old) → \(defaultText) (default)"
    }
    return old == new ? nil : "\(name): \(old) → \(new) (\(source))"
  }

  func set(_ text: String, in preferences: UserPreferences) throws { try change(to: value(text), in: preferences) }

  func reset(in preferences: UserPreferences) throws { try change(to: nil, in: preferences) }

  /// Checks that a text is a value of the setting.
  func check(_ text: String) throws { _ = try value(text) }

  private func value(_ text: String) throws -> PropertyList {
    guard let value = try parse(text) else { throw SettingsError.notAValue(text, of: name) }
    return value
  }

  private func change(to value: PropertyList?, in preferences: UserPreferences) throws {
    if preferences.isForced(forKey: name) { throw SettingsError.forced(name) }
    preferences.set(value, forKey: name)
    // It would be saved without this. But whoever asks for a change is to hear if it cannot be saved.
    try preferences.synchronize()
  }
}
