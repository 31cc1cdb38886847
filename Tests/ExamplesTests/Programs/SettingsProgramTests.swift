import Foundation
import Preferences
import PropertyLists
import TestSupport
import Testing

/// The settings of a program: their keys and defaults.
private enum Settings {
  static let userName = PreferenceKey<String>("userName", default: "")
  static let fontSize = PreferenceKey<Double>("fontSize", default: 12)
  static let clearsCache = PreferenceKey<Bool>("clearsCache", default: false)
  static let server = PreferenceKey<String>("server", default: "one")
}

extension UserPreferences {
  /// Registers the default values of the settings pages in a `Settings.bundle`.
  fileprivate func registerDefaults(ofSettings page: PropertyList) {
    var defaults: [String: PropertyList] = [:]
    for specifier in page["PreferenceSpecifiers"]?.array ?? [] {
      if let key = specifier["Key"]?.string, let value = specifier["DefaultValue"] { defaults[key] = value }
    }
    register(defaults: defaults)
  }
}

@Suite("A program with settings") struct SettingsProgramTests {
  private let folder = TemporaryFolder(isInMemory: true)

  /// The preferences of the program, as a new process reads them.
  private func preferences() -> UserPreferences {
    UserPreferences(suiteName: "org.example.notes", locations: PreferencesLocations(folder: folder.url))
  }

  private let page: PropertyList = [
    "PreferenceSpecifiers": [
      ["Type": "PSGroupSpecifier", "Title": "Account"],
      ["Type": "PSTextFieldSpecifier", "Key": "userName", "DefaultValue": "guest"],
      ["Type": "PSSliderSpecifier", "Key": "fontSize", "DefaultValue": 14.5],
      ["Type": "PSToggleSwitchSpecifier", "Key": "clearsCache", "DefaultValue": true],
      ["Type": "PSMultiValueSpecifier", "Key": "server", "DefaultValue": "two", "Values": ["one", "two"]],
    ]
  ]

  @Test func `the defaults of the settings page are registered, and not saved`() throws {
    let preferences = preferences()
    #expect(preferences[Settings.fontSize] == 12)
    preferences.registerDefaults(ofSettings: page)
    #expect(preferences.string(forKey: "userName") == "guest")
    #expect(preferences[Settings.fontSize] == 14.5 && preferences[Settings.clearsCache])
    #expect(preferences[Settings.server] == "two")
    try preferences.synchronize()
    #expect(folder.names.filter { $0.hasSuffix(".plist") }.isEmpty)
  }

  @Test func `values that are set are saved, and win over the defaults`() throws {
    let first = preferences()
    first.registerDefaults(ofSettings: page)
    first[Settings.userName] = "ada"
    first.set(false, forKey: "clearsCache")
    first.set(["one", "two"], forKey: "recent")
    try first.synchronize()
    let file = try PropertyList(contentsOf: folder.url.appending(path: "org.example.notes.plist"))
    #expect(file["userName"] == "ada" && file["fontSize"] == nil)

    let second = preferences()
    second.registerDefaults(ofSettings: page)
    #expect(second[Settings.userName] == "ada" && !second[Settings.clearsCache])
    #expect(second.stringArray(forKey: "recent") == ["one", "two"])
    #expect(second[Settings.fontSize] == 14.5)
    second.removeValue(forKey: "userName")
    #expect(second[Settings.userName] == "guest")
  }
}
