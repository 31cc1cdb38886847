import Foundation
import Preferences

/// The measured operations of a store of preferences.
protocol SettingsStore: Sendable {
  /// Opens a domain whose file is in `$XDG_CONFIG_HOME`.
  init(domain: String) throws

  func integer(forKey key: String) -> Int
  func string(forKey key: String) -> String?
  /// Returns the value of a typed key, or of its name if the store has no typed keys.
  func value(for key: PreferenceKey<Int>) -> Int

  func set(_ value: Int, forKey key: String)
  func set(_ value: String, forKey key: String)
  /// Returns after all values are on disk.
  func synchronize() throws

  /// The events in the folder that occur once for each save.
  static var savingEvents: Int32 { get }

  /// The program that opens a domain and reads one value.
  static var program: String { get }
}

struct OurSettings: SettingsStore {
  private let preferences: UserPreferences

  init(domain: String) throws { preferences = UserPreferences(suiteName: try DomainName(domain), arguments: []) }

  func integer(forKey key: String) -> Int { preferences.integer(forKey: key) }
  func string(forKey key: String) -> String? { preferences.string(forKey: key) }
  func value(for key: PreferenceKey<Int>) -> Int { preferences[key] }

  func set(_ value: Int, forKey key: String) { preferences.set(value, forKey: key) }
  func set(_ value: String, forKey key: String) { preferences.set(value, forKey: key) }
  func synchronize() throws { try preferences.synchronize() }

  // Each save renames a new file, which replaces the old one.
  static let savingEvents = Int32(IN_MOVED_TO)

  static let program = "OpenPreferences"
}

struct FoundationSettings: SettingsStore {
  // Documented as thread-safe, but the type is marked `Sendable` only on Apple systems.
  private nonisolated(unsafe) let defaults: UserDefaults

  init(domain: String) throws {
    guard let defaults = UserDefaults(suiteName: domain) else { throw CocoaError(.fileReadUnknown) }
    self.defaults = defaults
  }

  func integer(forKey key: String) -> Int { defaults.integer(forKey: key) }
  func string(forKey key: String) -> String? { defaults.string(forKey: key) }
  func value(for key: PreferenceKey<Int>) -> Int { defaults.object(forKey: key.name) as? Int ?? key.defaultValue }

  func set(_ value: Int, forKey key: String) { defaults.set(value, forKey: key) }
  func set(_ value: String, forKey key: String) { defaults.set(value, forKey: key) }
  func synchronize() throws { if !defaults.synchronize() { throw CocoaError(.fileWriteUnknown) } }

  // Each save truncates and writes the file.
  static let savingEvents = Int32(IN_CLOSE_WRITE)

  static let program = "OpenUserDefaults"
}
