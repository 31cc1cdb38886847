public import Foundation
import KeyedArchiving
import OrderedCollections
public import Preferences
import PropertyLists
import TestSupport
import Testing

/// The types of stored values.
enum Stored {
  enum Theme: String, PreferenceValue { case light, dark }
  enum Level: Int, PreferenceValue {
    case low = 1
    case high = 2
  }

  struct Window: Codable, Hashable, PreferenceValue {
    var title: String
    var width: Double
    var tags: [String] = []
    var moment: Date?
  }

  struct Options: OptionSet, PreferenceValue {
    let rawValue: Int
    static let bold = Options(rawValue: 1)
    static let italic = Options(rawValue: 2)
  }

  struct Color: SecureCoding, Hashable, PreferenceValue {
    static let archivedClass = ArchivedClass("Color")
    var name: String

    init(name: String) { self.name = name }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(name, forKey: "name") }
    init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
  }

  final class Brush: SecureCoding, PreferenceValue {
    static let archivedClass = ArchivedClass("Brush")
    let width: Int

    init(width: Int) { self.width = width }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(width, forKey: "width") }
    init(coder: KeyedUnarchiver) throws { width = try coder.decode(Int.self, forKey: "width") }
  }

  // Types that are more than one of these.

  enum CodableTheme: String, Codable, PreferenceValue { case light, dark }

  enum ArchivedTheme: String, SecureCoding, PreferenceValue {
    case light, dark
    static let archivedClass = ArchivedClass("Theme")
    func encode(with coder: KeyedArchiver) throws { try coder.encode(rawValue, forKey: "rawValue") }
    init(coder: KeyedUnarchiver) throws { self = .light }
  }

  enum EveryTheme: String, Codable, SecureCoding, PreferenceValue {
    case light, dark
    static let archivedClass = ArchivedClass("Theme")
    func encode(with coder: KeyedArchiver) throws { try coder.encode(rawValue, forKey: "rawValue") }
    init(coder: KeyedUnarchiver) throws { self = .light }
  }

  struct CodableColor: Codable, SecureCoding, Hashable, PreferenceValue {
    static let archivedClass = ArchivedClass("Color")
    var name: String

    init(name: String) { self.name = name }
    func encode(with coder: KeyedArchiver) throws { try coder.encode(name, forKey: "name") }
    init(coder: KeyedUnarchiver) throws { name = try coder.decode(String.self, forKey: "name") }
  }

  struct Unencodable: Codable, PreferenceValue {
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "not today"))
    }
  }

  struct Unarchivable: SecureCoding, PreferenceValue {
    static let archivedClass = ArchivedClass("Unarchivable")
    init() {}
    init(coder: KeyedUnarchiver) throws {}
    func encode(with coder: KeyedArchiver) throws { throw Refusal() }
  }

  struct Refusal: Error {}
}

/// A store in a folder that is removed with it.
private final class SavedStore: Sendable {
  let folder = TemporaryFolder(isInMemory: true)
  let preferences: UserPreferences

  init(arguments: [String] = []) {
    preferences = UserPreferences(
      suiteName: DomainName("com.example.keys"), locations: PreferencesLocations(folder: folder.url),
      arguments: arguments)
  }

  deinit { try? preferences.synchronize() }

  /// The value of a key in the file, after a save.
  func saved(_ key: String) throws -> PropertyList? {
    try preferences.synchronize()
    return try PropertyList(contentsOf: folder.url.appending(path: "com.example.keys.plist"))[key]
  }

  /// A store that has read the same values from another file.
  func reloaded() throws -> UserPreferences {
    try preferences.synchronize()
    let name = try DomainName(UUID().uuidString)
    try FileManager.default.copyItem(
      at: folder.url.appending(path: "com.example.keys.plist"), to: folder.url.appending(path: "\(name).plist"))
    return UserPreferences(suiteName: name, locations: PreferencesLocations(folder: folder.url), arguments: [])
  }
}

/// A value, and its stored form.
struct TypedValue: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Expects that the value has the stored form, and is read back from a file.
  let expectRoundTrip: @Sendable () throws -> Void

  init<Value: PreferenceValue & Equatable & Sendable>(_ value: Value, as stored: PropertyList, default other: Value) {
    testDescription = "\(Value.self) \(value)"
    expectRoundTrip = {
      let store = SavedStore()
      let key = PreferenceKey("key", default: other)
      #expect(store.preferences[key] == other)
      store.preferences[key] = value
      #expect(store.preferences[key] == value)
      #expect(store.preferences.value(forKey: "key") == stored)
      #expect(store.preferences.value(Value.self, forKey: "key") == value)
      #expect(try store.saved("key") == stored)
      #expect(try store.reloaded()[key] == value)

      store.preferences.removeValue(for: key)
      #expect(store.preferences[key] == other)
      try store.preferences.set(value, for: key)
      #expect(store.preferences[key] == value)
      store.preferences.set(Value?.none, forKey: "key")
      #expect(store.preferences[key] == other)
      store.preferences.set(value, forKey: "key")
      #expect(store.preferences.value(forKey: "key") == stored)
    }
  }
}

@Suite("Typed keys") struct TypedKeyTests {
  private let saved: SavedStore

  init() throws { saved = SavedStore() }

  static let values: [TypedValue] = [
    TypedValue(true, as: true, default: false), TypedValue(false, as: false, default: true),
    TypedValue(Int.min, as: .integer(.init(Int.min)), default: 0),
    TypedValue(Int.max, as: .integer(.init(Int.max)), default: 0),
    TypedValue(Int8.min, as: -128, default: 0), TypedValue(Int16.min, as: -32768, default: 0),
    TypedValue(Int32.min, as: -2_147_483_648, default: 0),
    TypedValue(Int64.min, as: .integer(.init(Int64.min)), default: 0),
    TypedValue(UInt8.max, as: 255, default: 0), TypedValue(UInt16.max, as: 65535, default: 0),
    TypedValue(UInt32.max, as: 4_294_967_295, default: 0),
    TypedValue(UInt.max, as: .integer(.init(UInt64.max)), default: 0),
    TypedValue(UInt64.max, as: .integer(.init(UInt64.max)), default: 0),
    TypedValue(1.5, as: 1.5, default: 0), TypedValue(Double.infinity, as: .real(.infinity), default: 0),
    TypedValue(Float(12.34), as: .float(12.34), default: 0),
    TypedValue("text 🙂", as: "text 🙂", default: ""), TypedValue("", as: "", default: "default"),
    TypedValue(Data([1, 2]), as: .data(Data([1, 2])), default: Data()),
    TypedValue(
      Date(timeIntervalSinceReferenceDate: 1.5), as: .date(Date(timeIntervalSinceReferenceDate: 1.5)),
      default: .distantPast),
    TypedValue(URL(filePath: "/a b"), as: "/a b", default: URL(filePath: "/")),
    TypedValue(
      UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
      as: "01020304-0506-0708-090A-0B0C0D0E0F10", default: UUID()),
    TypedValue(PropertyList.array([1, "a"]), as: [1, "a"], default: 0),
    TypedValue([1, 2, 3], as: [1, 2, 3], default: []), TypedValue([Int](), as: [], default: [1]),
    TypedValue([["a"], []], as: [["a"], []], default: []),
    TypedValue(Set([3, 1, 2]), as: [1, 2, 3], default: []),
    TypedValue(["b": 1.5, "a": 2], as: ["a": 2.0, "b": 1.5], default: [:]),
    TypedValue(["a": [Stored.Theme.dark]], as: ["a": ["dark"]], default: [:]),
    TypedValue(Int?.some(5), as: 5, default: nil), TypedValue([Int?.some(5)], as: [5], default: []),
    TypedValue(Stored.Theme.dark, as: "dark", default: .light), TypedValue(Stored.Level.high, as: 2, default: .low),
    TypedValue(Stored.Options([.bold, .italic]), as: 3, default: []),
    TypedValue(
      Stored.Window(title: "a", width: 1, tags: ["b"]), as: ["title": "a", "width": 1.0, "tags": ["b"]],
      default: .init(title: "", width: 0)),
    TypedValue([Stored.Window(title: "a", width: 0.5)], as: [["title": "a", "width": 0.5, "tags": []]], default: []),
    TypedValue(Stored.CodableTheme.dark, as: "dark", default: .light),
    TypedValue(Stored.ArchivedTheme.dark, as: "dark", default: .light),
    TypedValue(Stored.EveryTheme.dark, as: "dark", default: .light),
    TypedValue(Stored.CodableColor(name: "red"), as: ["name": "red"], default: .init(name: "")),
  ]

  @Test func `each value of a dictionary with different types is stored in its own form`() throws {
    let store = UserPreferences(inMemory: [:])
    let moment = Date(timeIntervalSinceReferenceDate: 5)
    let window: [String: any PreferenceValue] = ["width": 640, "title": "Notes", "isFull": false, "at": moment]
    store.set(window, forKey: "window")
    #expect(store.value(forKey: "window") == ["at": .date(moment), "isFull": false, "title": "Notes", "width": 640])
    store.set(["n": PropertyList.null] as [String: any PreferenceValue], forKey: "window")
    #expect(store.dictionary(forKey: "window")?["width"] == 640)
    store.set(nil as [String: any PreferenceValue]?, forKey: "window")
    #expect(store.value(forKey: "window") == nil)
  }

  @Test func `a CGFloat is stored as a real, and read from integers and text`() throws {
    let store = UserPreferences(inMemory: [:])
    store.set(CGFloat(1.5), forKey: "scale")
    #expect(store.value(forKey: "scale") == 1.5)
    let key = PreferenceKey<CGFloat>("scale", default: 1)
    #expect(store[key] == 1.5)
    store[key] = 2.25
    #expect(store.double(forKey: "scale") == 2.25)
    store.set(3, forKey: "scale")
    #expect(store[key] == 3)
    store.set("4.5", forKey: "scale")
    #expect(store[key] == 4.5)
  }

  @Test(arguments: values)
  func `typed keys store values of every type`(_ value: TypedValue) throws { try value.expectRoundTrip() }

  @Test func `objects are stored as keyed archives`() throws {
    let store = saved
    let color = PreferenceKey("color", default: Stored.Color(name: "black"))
    store.preferences[color] = Stored.Color(name: "red")
    let archive = try #require(store.preferences.data(forKey: "color"))
    #expect(try KeyedUnarchiver.unarchivedObject(of: Stored.Color.self, from: archive) == .init(name: "red"))
    #expect(try store.reloaded()[color] == .init(name: "red"))

    store.preferences.set(Stored.Brush(width: 7), forKey: "brush")
    #expect(store.preferences.value(Stored.Brush.self, forKey: "brush")?.width == 7)
    // An archive of another class does not have this type.
    store.preferences.set(.data(archive), forKey: "brush")
    #expect(store.preferences.value(Stored.Brush.self, forKey: "brush") == nil)
    let url = try #require(URL(string: "https://a.b/c"))
    let link = PreferenceKey("link", default: URL(filePath: "/"))
    store.preferences[link] = url
    #expect(store.preferences.data(forKey: "link") != nil)
    #expect(try store.reloaded()[link] == url)
  }

  @Test func `a typed key can be optional`() throws {
    let store = saved
    let name = PreferenceKey<String?>("name")
    let size = PreferenceKey<Int?>("size", default: 12)
    #expect(store.preferences[name] == nil)
    #expect(store.preferences[size] == 12)
    store.preferences[name] = "a"
    store.preferences[size] = 13
    #expect(store.preferences[name] == "a")
    #expect(try store.saved("name") == "a")
    store.preferences[name] = nil
    store.preferences[size] = nil
    #expect(store.preferences[name] == nil)
    // Nothing is stored, so the default counts.
    #expect(store.preferences[size] == 12)
    #expect(try store.saved("name") == nil)
    // A value of another type gives nil.
    store.preferences.set([1], forKey: "name")
    #expect(store.preferences[name] == nil)
  }

  /// Elements without a stored form are left out.
  @Test func `in an array of optionals, only values that are not nil are stored`() throws {
    let store = saved
    let key = PreferenceKey<[Int?]>("key", default: [])
    store.preferences[key] = [1, nil, 2]
    #expect(store.preferences[key] == [1, 2])
    let entries = PreferenceKey<[String: Int?]>("entries", default: [:])
    store.preferences[entries] = ["a": 1, "b": nil]
    #expect(store.preferences[entries] == ["a": 1])
  }

  @Test func `text of the command line is converted to numbers and other types`() throws {
    let store = SavedStore(arguments: [
      "-int", "42", "-negative", "-7", "-real", "1.5", "-float", "-2.5", "-flag", "YES", "-off", "no", "-theme",
      "dark", "-level", "2", "-list", "(1, 2)", "-url", "https://a.b/c", "-big", "18446744073709551615", "-uuid",
      "01020304-0506-0708-090A-0B0C0D0E0F10", "-window",
      "<dict><key>title</key><string>t</string>"
        + "<key>width</key><integer>3</integer><key>tags</key><array/></dict>", "-map", "{a = 1; b = 2;}",
    ]).preferences
    #expect(store[PreferenceKey("int", default: 0)] == 42)
    #expect(store[PreferenceKey("negative", default: 0)] == -7)
    #expect(store[PreferenceKey<Double>("int", default: 0)] == 42)
    #expect(store[PreferenceKey<Double>("real", default: 0)] == 1.5)
    #expect(store[PreferenceKey<Float>("float", default: 0)] == -2.5)
    #expect(store[PreferenceKey("flag", default: false)])
    #expect(!store[PreferenceKey("off", default: true)])
    #expect(store[PreferenceKey("theme", default: Stored.Theme.light)] == .dark)
    #expect(store[PreferenceKey("level", default: Stored.Level.low)] == .high)
    #expect(store[PreferenceKey<[Int]>("list", default: [])] == [1, 2])
    #expect(store[PreferenceKey<[String: Int]>("map", default: [:])] == ["a": 1, "b": 2])
    #expect(store[PreferenceKey("url", default: URL(filePath: "/"))].host() == "a.b")
    #expect(store[PreferenceKey<UInt64>("big", default: 0)] == .max)
    #expect(store[PreferenceKey("uuid", default: UUID())].uuidString == "01020304-0506-0708-090A-0B0C0D0E0F10")
    #expect(store[PreferenceKey("window", default: Stored.Window(title: "", width: 0))].width == 3)
    #expect(store[PreferenceKey<Int?>("int")] == 42)
  }

  /// A stored value, and the result of a key of each type; nil for the default.
  static let conversions: [(PropertyList, bool: Bool?, int: Int?, byte: UInt8?, double: Double?, string: String?)] = [
    (true, true, nil, nil, nil, nil), (0, false, 0, 0, 0, nil), (1, true, 1, 1, 1, nil), (2, nil, 2, 2, 2, nil),
    (-1, nil, -1, nil, -1, nil), (256, nil, 256, nil, 256, nil), (3.0, nil, 3, 3, 3, nil),
    (1.5, nil, nil, nil, 1.5, nil),
    (1e20, nil, nil, nil, 1e20, nil), (.float(2), nil, 2, 2, 2, nil),
    ("YES", true, nil, nil, nil, "YES"), ("No", false, nil, nil, nil, "No"), ("TRUE", true, nil, nil, nil, "TRUE"),
    ("1", true, 1, 1, 1, "1"), ("0", false, 0, 0, 0, "0"), ("12", nil, 12, 12, 12, "12"),
    ("-1.5", nil, nil, nil, -1.5, "-1.5"), ("1e3", nil, nil, nil, 1000, "1e3"),
    // Stricter than the accessors: a number followed by other text is not a number.
    ("12abc", nil, nil, nil, nil, "12abc"), (" 12", nil, nil, nil, nil, " 12"), ("y", nil, nil, nil, nil, "y"),
    ("", nil, nil, nil, nil, ""), ([1], nil, nil, nil, nil, nil), ([:], nil, nil, nil, nil, nil),
    (.data(Data([1])), nil, nil, nil, nil, nil),
    (.date(Date(timeIntervalSinceReferenceDate: 0)), nil, nil, nil, nil, nil),
  ]

  @Test(arguments: conversions) func `a value of another type gives the default`(
    _ stored: PropertyList, _ bool: Bool?, _ int: Int?, _ byte: UInt8?, _ double: Double?, _ string: String?
  ) throws {
    let store = saved
    store.preferences.set(stored, forKey: "key")
    for other in [true, false] { #expect(store.preferences[PreferenceKey("key", default: other)] == bool ?? other) }
    #expect(store.preferences[PreferenceKey("key", default: 77)] == int ?? 77)
    #expect(store.preferences[PreferenceKey<UInt8>("key", default: 77)] == byte ?? 77)
    #expect(store.preferences[PreferenceKey("key", default: 77.5)] == double ?? 77.5)
    #expect(store.preferences[PreferenceKey<Float>("key", default: 77.5)] == double.map { Float($0) } ?? 77.5)
    #expect(store.preferences[PreferenceKey("key", default: "default")] == string ?? "default")
    #expect(store.preferences[PreferenceKey<Int?>("key")] == int)
    #expect(store.preferences[PreferenceKey("key", default: Stored.Theme.light)] == .light)
    #expect(store.preferences[PreferenceKey("key", default: Stored.Window(title: "default", width: 0))].width == 0)
    #expect(store.preferences[PreferenceKey("key", default: Stored.Color(name: "default"))].name == "default")
    #expect(store.preferences[PreferenceKey("key", default: Set(["default"]))] == ["default"])
    if stored != [:] { #expect(store.preferences[PreferenceKey<[String: Int]>("key", default: ["a": 1])] == ["a": 1]) }
    if stored != [1] { #expect(store.preferences[PreferenceKey<[Int]>("key", default: [77])] == [77]) }
    #expect(store.preferences.value(forKey: "key") == stored)
  }

  @Test func `a container with an element of another type gives the default`() throws {
    let store = saved.preferences
    store.set([1, "two"], forKey: "list")
    #expect(store[PreferenceKey<[Int]>("list", default: [0])] == [0])
    store.set(["a": 1, "b": "two"], forKey: "map")
    #expect(store[PreferenceKey("map", default: [String: Int]())] == [:])
    try store.synchronize()
  }

  @Test func `a value that cannot be stored is reported, and the old value is kept`() throws {
    let store = saved.preferences
    var deep = PropertyList.array([])
    for _ in 0..<600 { deep = .array([deep]) }
    let failures: [() throws -> Void] = [
      { try store.set(Stored.Unencodable(), for: PreferenceKey("key", default: Stored.Unencodable())) },
      { try store.set(Stored.Unarchivable(), for: PreferenceKey("key", default: Stored.Unarchivable())) },
      { try store.set(deep, for: PreferenceKey<PropertyList>("key", default: 0)) },
      { try store.set(.null, for: PreferenceKey<PropertyList>("key", default: 0)) },
      { try store.encode(Stored.Unencodable(), forKey: "key") },
      { try store.archive(Stored.Unarchivable(), forKey: "key") },
      { try store.update(PreferenceKey<PropertyList>("key", default: 0)) { $0 = deep } },
    ]
    store.set("before", forKey: "key")
    for failure in failures {
      #expect {
        try failure()
      } throws: { error in
        if case PreferencesError.notStorable("key", let reason) = error { !reason.isEmpty } else { false }
      }
      #expect(store.value(forKey: "key") == "before")
    }
    store[PreferenceKey("key", default: Stored.Unencodable())] = Stored.Unencodable()
    #expect(store.value(forKey: "key") == "before")
    try store.synchronize()
  }

  @Test func `an empty key is an error`() throws {
    let store = saved.preferences
    #expect(throws: PreferencesError.emptyKey) { try store.set(1, for: PreferenceKey("", default: 0)) }
    #expect(throws: PreferencesError.emptyKey) { try store.set(nil, for: PreferenceKey<Int?>("")) }
    #expect(throws: PreferencesError.emptyKey) { try store.encode([1], forKey: "") }
    #expect(throws: PreferencesError.emptyKey) { try store.archive(Stored.Brush(width: 1), forKey: "") }
    #expect(throws: PreferencesError.emptyKey) { try store.update(PreferenceKey("", default: 0)) { $0 = 1 } }
    store.set(1, forKey: "")
    store.removeValue(forKey: "")
    store.register(defaults: ["": 1])
    #expect(store.value(forKey: "") == nil)
    #expect(store.persistentDomain(store.domain) == nil)
  }
}

@Suite("Values of any type") struct EncodedValueTests {
  private let saved: SavedStore

  init() throws { saved = SavedStore() }

  struct Point: Codable, Equatable { var x, y: Int }

  @Test func `Codable values are encoded and decoded`() throws {
    let store = saved
    #expect(try store.preferences.decode(Point.self, forKey: "point") == nil)
    try store.preferences.encode(Point(x: 1, y: 2), forKey: "point")
    #expect(store.preferences.value(forKey: "point") == ["x": 1, "y": 2])
    #expect(try store.preferences.decode(Point.self, forKey: "point") == Point(x: 1, y: 2))
    try store.preferences.encode(["a": [Point(x: 3, y: 4)]], forKey: "points")
    #expect(try store.reloaded().decode([String: [Point]].self, forKey: "points") == ["a": [Point(x: 3, y: 4)]])
    // A single value needs no container.
    try store.preferences.encode(5, forKey: "number")
    #expect(store.preferences.value(forKey: "number") == 5)
    #expect(try store.preferences.decode(Int.self, forKey: "number") == 5)
  }

  @Test func `archivable values are archived and unarchived`() throws {
    let store = saved
    #expect(try store.preferences.unarchive(Stored.Color.self, forKey: "color") == nil)
    try store.preferences.archive(Stored.Color(name: "red"), forKey: "color")
    #expect(try store.reloaded().unarchive(Stored.Color.self, forKey: "color") == .init(name: "red"))
    try store.preferences.archive([Stored.Color(name: "red"), .init(name: "blue")], forKey: "colors")
    #expect(
      try store.preferences.unarchive([Stored.Color].self, forKey: "colors") == [
        .init(name: "red"), .init(name: "blue"),
      ])
  }

  @Test(arguments: ["text", 5, true, [1], [:], .data(Data([1])), ["x": 1]] as [PropertyList])
  func `stored values of another type are errors`(_ stored: PropertyList) throws {
    let store = saved.preferences
    store.set(stored, forKey: "key")
    func isNotDecodable(_ error: any Error) -> Bool {
      if case PreferencesError.notDecodable("key", let reason) = error { !reason.isEmpty } else { false }
    }
    #expect(performing: { try store.decode(Point.self, forKey: "key") }, throws: isNotDecodable)
    #expect(performing: { try store.unarchive(Stored.Color.self, forKey: "key") }, throws: isNotDecodable)
    try store.archive(Stored.Color(name: "red"), forKey: "key")
    #expect(performing: { try store.unarchive(Stored.Brush.self, forKey: "key") }, throws: isNotDecodable)
    try store.synchronize()
  }

  @Test func `the compiler chooses how a value is stored`() throws {
    let store = saved.preferences
    let (integer, text, real) = (5, "text", 1.5)
    store.set(integer, forKey: "a")
    store.set(text, forKey: "b")
    store.set(real, forKey: "c")
    store.set(5, forKey: "d")
    store.set("text", forKey: "e")
    store.set(1.5, forKey: "f")
    store.set(true, forKey: "g")
    store.set([1, "two", [3.5]], forKey: "h")
    store.set(["a": 1, "b": ["c": true]], forKey: "i")
    store.set([integer], forKey: "j")
    store.set(["a": text], forKey: "k")
    store.set(Optional(integer), forKey: "l")
    store.set(PropertyList.integer(5), forKey: "m")
    store.set(nil, forKey: "a")
    store.set(Int?.none, forKey: "b")
    store.set(PropertyList?.none, forKey: "c")
    #expect(
      store.persistentDomain(store.domain) == [
        "d": 5, "e": "text", "f": 1.5, "g": true, "h": [1, "two", [3.5]], "i": ["a": 1, "b": ["c": true]], "j": [5],
        "k": ["a": "text"], "l": 5, "m": 5,
      ])
    try store.synchronize()
  }
}

/// The conformance that a program declares to use `CGFloat`.
extension CGFloat: PreferenceValue {}
