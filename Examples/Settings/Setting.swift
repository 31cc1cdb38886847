import Preferences
import PropertyLists

/// A preference key without its value type, so that settings of all types fit in one list.
struct Setting: Sendable {
  let name: String
  /// Returns the text of a stored value; nil if the value is not valid for the setting.
  private let text: @Sendable (PropertyList) -> String?
  private let defaultText: String
  /// Returns the stored value for text from the command line; nil if the text is not a valid value.
  private let parse: @Sendable (String) throws -> PropertyList?

  init<Value: PreferenceValue & CustomStringConvertible>(_ key: PreferenceKey<Value>) {
    name = key.name
    defaultText = key.defaultValue.description
    text = { Value.preferenceValue(from: $0)?.description }
    parse = { try Value.preferenceValue(from: .string($0))?.storedPreference() }
  }

  /// Returns a line with the effective value and its source.
  func line(_ preferences: UserPreferences) -> String {
    guard let (value, source) = preferences.effectiveValue(forKey: name), let text = text(value) else {
      return "\(name) = \(defaultText) (default)"
    }
    return "\(name) = \(text) (\(source))"
  }

  /// Returns a line with the change; nil if the text of the effective value did not change.
  func line(_ change: PreferenceChange) -> String? {
    let old = change.oldValue.flatMap(text) ?? defaultText
    guard let new = change.newValue.flatMap(text), let source = change.source else {
      return old == defaultText ? nil : "\(name): \(old) → \(defaultText) (default)"
    }
    return old == new ? nil : "\(name): \(old) → \(new) (\(source))"
  }

  func set(_ text: String, in preferences: UserPreferences) throws { try change(to: value(text), in: preferences) }

  func reset(in preferences: UserPreferences) throws { try change(to: nil, in: preferences) }

  /// Throws if the text is not a valid value of the setting.
  func check(_ text: String) throws { _ = try value(text) }

  private func value(_ text: String) throws -> PropertyList {
    guard let value = try parse(text) else { throw SettingsError.notAValue(text, of: name) }
    return value
  }

  private func change(to value: PropertyList?, in preferences: UserPreferences) throws {
    if preferences.isForced(forKey: name) { throw SettingsError.forced(name) }
    preferences.set(value, forKey: name)
    // Changes are saved without this call, but it throws if the save fails, which the user should see.
    try preferences.synchronize()
  }
}
