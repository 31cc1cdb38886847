import Foundation
import Observation
import Preferences
import PropertyLists
import TestSupport
import Testing

/// The code of the README and the articles.
@Suite("The documentation examples of preferences") final class PreferencesDocumentationTests {
  enum Theme: String, PreferenceValue { case light, dark }

  enum Keys {
    static let fontSize = PreferenceKey<Int>("fontSize", default: 12)
    static let theme = PreferenceKey<Theme>("theme", default: .light)
    static let launches = PreferenceKey<Int>("launches", default: 0)
    static let balance = PreferenceKey<Int>("balance", default: 25)
  }

  let folder = TemporaryFolder()
  let preferences: UserPreferences

  init() {
    let locations = PreferencesLocations(folder: folder.url)
    preferences = UserPreferences(suiteName: DomainName("com.example.notes"), locations: locations, arguments: [])
  }

  // Waits for the saves to end before the folder is removed.
  deinit { try? preferences.synchronize() }

  @Test func `Registered values, set values and typed keys`() throws {
    preferences.register(defaults: ["fontSize": 12])
    preferences.set("dark", forKey: "theme")
    #expect(preferences.integer(forKey: "fontSize") == 12)
    let (size, list) = (11, ["x"])
    preferences.register(defaults: ["size": size, "list": list, "theme": Theme.light])
    preferences.register(defaults: ["mixed": [1, "a", ["b": true]], "other": 2.5])
    #expect(preferences.integer(forKey: "size") == 11)
    #expect(preferences.stringArray(forKey: "list") == ["x"])
    #expect(preferences.array(forKey: "mixed") == [1, "a", ["b": true]])
    #expect(preferences.double(forKey: "other") == 2.5)
    preferences[Keys.fontSize] += 1
    #expect(preferences[Keys.theme] == .dark)
    preferences[Keys.theme] = .light
    #expect(preferences.string(forKey: "theme") == "light")
    #expect(preferences[Keys.fontSize] == 13)
  }

  @Test func `waiting for values and changes`() async throws {
    let values = preferences.values(for: Keys.theme)
    let changes = preferences.changes()
    preferences[Keys.theme] = .dark
    #expect(await next(1, of: values) == [.dark])
    #expect(await next(1, of: changes).map(\.newValue) == ["dark"])
  }

  @Observable
  final class EditorModel {
    @ObservationIgnored @Preference var fontSize: Int

    init(_ store: UserPreferences) { _fontSize = Preference(Keys.fontSize, store: store) }
  }

  @Test func `observing with a function, and invalidating a model`() throws {
    let isTold = DispatchSemaphore(value: 0)
    let observation = preferences.observe(Keys.fontSize) { size in
      if size == 13 { isTold.signal() }
    }
    let model = EditorModel(preferences)
    let isInvalid = DispatchSemaphore(value: 0)
    withObservationTracking {
      _ = model.fontSize
    } onChange: {
      isInvalid.signal()
    }
    preferences[Keys.fontSize] += 1
    #expect(isTold.waitForSignal())
    #expect(isInvalid.waitForSignal())
    #expect(model.fontSize == 13)
    withExtendedLifetime(observation) {}
  }

  @Test func `waiting for the disk, and updates that depend on the old value`() throws {
    preferences.set("paid", forKey: "state")
    try preferences.synchronize()
    try preferences.update(Keys.launches) { $0 += 1 }
    try preferences.update(forKey: "launches") { $0 = .integer(.init(($0?.int ?? 0) + 1)) }
    let file = try PropertyList(contentsOf: folder.url.appending(path: "com.example.notes.plist"))
    #expect(file == ["state": "paid", "launches": 2])
  }

  @Test func `changing several values together`() throws {
    let price = 20
    func pay() throws(PreferencesError) -> Bool {
      let isPaid = try preferences.update { values in
        guard values[Keys.balance] >= price else { return false }
        values[Keys.balance] -= price
        values["paid"] = .date(.now)
        return true
      }
      return isPaid
    }
    #expect(try pay())
    #expect(preferences[Keys.balance] == 5)
    #expect(try !pay())
    let number = try preferences.update(Keys.launches) { launches in
      launches += 1
      return launches
    }
    #expect(number == 1)
    try preferences.update { values in
      values[Keys.fontSize] += 1
      values[Keys.theme] = .dark
    }
    #expect(preferences[Keys.fontSize] == 13)
  }

  @Test func `the source of a value, and values in other domains`() throws {
    preferences.set("dark", forKey: "theme", in: .global)
    preferences.set(2, forKey: "display", in: PersistentDomain(preferences.domain.name, host: .current))
    let (value, source) = try #require(preferences.effectiveValue(forKey: "theme"))
    #expect(value == "dark")
    #expect(source == .global(.any))
    #expect(preferences.effectiveValue(forKey: "display")?.source == .application(preferences.domain.name, .current))
    #expect(
      preferences.searchList.map(\.source.description) == [
        "arguments", "application com.example.notes on this host", "application com.example.notes",
        "global on this host", "global", "registered",
      ])
    #expect(
      preferences.searchList.first { $0.source == .global(.any) }?.path == folder.path(".GlobalPreferences.plist"))
  }

  @Test func `Arguments of a command line`() throws {
    let arguments = ["-fontSize", "14", "-offset", "-3", "-AppleLanguages", "(en, fr)", "-verbose", "YES"]
    let preferences = UserPreferences(
      suiteName: DomainName("com.example.notes"), locations: preferences.locations, arguments: arguments)
    #expect(preferences.integer(forKey: "fontSize") == 14)
    #expect(preferences.integer(forKey: "offset") == -3)
    #expect(preferences.stringArray(forKey: "AppleLanguages") == ["en", "fr"])
    #expect(preferences.bool(forKey: "verbose"))
  }
}
