import Preferences

/// The settings of the program.
enum Settings {
  static let fontSize = PreferenceKey<Int>("fontSize", default: 12)
  static let lineSpacing = PreferenceKey<Double>("lineSpacing", default: 1.5)
  static let theme = PreferenceKey<Theme>("theme", default: .light)
  static let showsLineNumbers = PreferenceKey<Bool>("showsLineNumbers", default: true)
  static let author = PreferenceKey<String>("author", default: "")

  /// All settings, for commands that take the name of a setting.
  static let all = [
    Setting(fontSize), Setting(lineSpacing), Setting(theme), Setting(showsLineNumbers), Setting(author),
  ]

  static func named(_ name: String) throws -> Setting {
    guard let setting = all.first(where: { $0.name == name }) else { throw SettingsError.noSuchSetting(name) }
    return setting
  }
}

enum Theme: String, PreferenceValue, CustomStringConvertible {
  case light, dark, system

  var description: String { rawValue }
}

enum SettingsError: Error, CustomStringConvertible {
  case noSuchSetting(String)
  case notAValue(String, of: String)
  case forced(String)

  var description: String {
    switch self {
    case .noSuchSetting(let name): "the setting \"\(name)\" does not exist"
    case .notAValue(let text, let name): "\"\(text)\" is not a value of \(name)"
    case .forced(let name): "\(name) is managed on this computer and cannot be changed"
    }
  }
}
