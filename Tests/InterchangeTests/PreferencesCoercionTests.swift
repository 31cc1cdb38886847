import Foundation
import OrderedCollections
import Preferences
import PropertyLists
import TestSupport
import Testing

/// Calls the accessors of this package and of Foundation's `UserDefaults` for the same values in one process.
@Suite("Conversions of stored values by accessors") struct PreferencesCoercionTests {
  /// A store that never saves, because its values are registered.
  private static func preferences(_ values: [String: PropertyList]) throws -> UserPreferences {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let preferences = UserPreferences(
      suiteName: DomainName("coercions"), locations: PreferencesLocations(folder: folder), arguments: [])
    preferences.register(defaults: values)
    return preferences
  }

  @Test(arguments: Coercion.table) func `conversions match the table`(_ coercion: Coercion) throws {
    let preferences = try Self.preferences(["key": coercion.stored])
    for accessor in Coercion.Accessor.allCases {
      #expect(preferences.answer(accessor) == coercion.expected[accessor], "\(accessor)")
    }
  }

  /// Foundation is not asked for a URL in data, because it crashes if there is none.
  @Test(arguments: Coercion.table)
  func `conversions match Foundation, or are listed differences`(_ coercion: Coercion) throws {
    let defaults = try #require(UserDefaults(suiteName: "coercions-\(UUID().uuidString)"))
    defaults.set(coercion.stored.foundationObject, forKey: "key")
    for accessor in Coercion.Accessor.allCases where accessor != .url || coercion.stored.kind != .data {
      switch CoercionDifference.all[coercion.stored]?[accessor] {
      case nil: #expect(try defaults.answer(accessor) == coercion.expected[accessor], "\(accessor)")
      case .answer(let answer):
        #expect(try defaults.answer(accessor) == answer, "\(accessor)")
        #expect(answer != coercion.expected[accessor], "\(accessor): this is no difference")
      case .endsProcess: break
      }
    }
  }

  @Test func `each difference is listed once in the table`() {
    let stored = Set(Coercion.table.map(\.stored))
    #expect(stored.count == Coercion.table.count)
    for value in CoercionDifference.all.keys { #expect(stored.contains(value), "\(value) is not in the table") }
    let listed = CoercionDifference.list.flatMap { difference in
      difference.stored.flatMap { stored in
        difference.answers.keys.map { PropertyList.array([stored, .string($0.rawValue)]) }
      }
    }
    #expect(Set(listed).count == listed.count)
  }

  @Test(
    "Foundation crashes on text that begins with a character beyond 16 bits",
    arguments: ["🙂", "𝟙"], [Coercion.Accessor.integer, .double, .float])
  func foundationEndsTheProcessOverTextThatBegins(_ text: String, _ accessor: Coercion.Accessor) throws {
    let folder = TemporaryFolder()
    let program = try Program.run(
      "foundation-preferences-probe", ["foundation-number", "suite", accessor.rawValue, text],
      environment: ["XDG_CONFIG_HOME": folder.url.path, "SWIFT_BACKTRACE": "enable=no"])
    #expect(program.wasKilled)
  }

  /// These cannot be set, but a file can contain them.
  @Test(arguments: [PropertyList.uid(.init(5)), .null])
  func `values that only the binary format has are nil`(_ value: PropertyList) throws {
    let folder = TemporaryFolder()
    let contents: PropertyList = ["key": value, "other": 1]
    try contents.data(format: .binary).write(to: URL(filePath: folder.path("binary.plist")))
    let preferences = UserPreferences(
      suiteName: DomainName("binary"), locations: PreferencesLocations(folder: folder.url), arguments: [])
    #expect(preferences.value(forKey: "key") == value)
    let expected: [Coercion.Accessor: PropertyList] = [.bool: false, .integer: 0, .double: 0.0, .float: .float(0)]
    for accessor in Coercion.Accessor.allCases {
      #expect(preferences.answer(accessor) == expected[accessor], "\(accessor)")
    }
  }

  @Test func `a missing value is 0, false or nil`() throws {
    let preferences = try Self.preferences([:])
    let defaults = try #require(UserDefaults(suiteName: "nothing-\(UUID().uuidString)"))
    let expected: [Coercion.Accessor: PropertyList] = [.bool: false, .integer: 0, .double: 0.0, .float: .float(0)]
    for accessor in Coercion.Accessor.allCases {
      #expect(preferences.answer(accessor) == expected[accessor], "\(accessor)")
      #expect(try defaults.answer(accessor) == expected[accessor], "\(accessor)")
    }
  }
}

extension UserPreferences {
  fileprivate func answer(_ accessor: Coercion.Accessor) -> PropertyList? {
    switch accessor {
    case .bool: .boolean(bool(forKey: "key"))
    case .integer: .integer(.init(integer(forKey: "key")))
    case .double: .real(double(forKey: "key"))
    case .float: .float(float(forKey: "key"))
    case .string: string(forKey: "key").map { .string($0) }
    case .data: data(forKey: "key").map { .data($0) }
    case .date: date(forKey: "key").map { .date($0) }
    case .array: array(forKey: "key").map { .array($0) }
    case .stringArray: stringArray(forKey: "key").map { .array($0.map { .string($0) }) }
    case .dictionary: dictionary(forKey: "key").map { .dictionary($0) }
    case .url: url(forKey: "key").map { .string($0.answer) }
    }
  }
}

extension UserDefaults {
  fileprivate func answer(_ accessor: Coercion.Accessor) throws -> PropertyList? {
    switch accessor {
    case .bool: .boolean(bool(forKey: "key"))
    case .integer: .integer(.init(integer(forKey: "key")))
    case .double: .real(double(forKey: "key"))
    case .float: .float(float(forKey: "key"))
    case .string: string(forKey: "key").map { .string($0) }
    case .data: data(forKey: "key").map { .data($0) }
    case .date: (object(forKey: "key") as? Date).map { .date($0) }
    case .array: try array(forKey: "key").map { try Self.list($0) }
    case .stringArray: stringArray(forKey: "key").map { .array($0.map { .string($0) }) }
    case .dictionary: try dictionary(forKey: "key").map { try Self.list($0) }
    case .url: url(forKey: "key").map { .string($0.answer) }
    }
  }

  private static func list(_ container: Any) throws -> PropertyList {
    try PropertyList(PropertyListSerialization.data(fromPropertyList: container, format: .xml, options: 0))
  }
}

extension URL {
  fileprivate var answer: String {
    let url = absoluteURL
    guard url.isFileURL else { return url.absoluteString }
    return "file \(url.path)\(url.hasDirectoryPath && url.path != "/" ? "/" : "")"
  }
}

extension PropertyList {
  /// The value as an object of Foundation's.
  var foundationObject: Any {
    switch self {
    case .string(let text): text
    case .integer(let integer): Int(exactly: integer).map { $0 as Any } ?? UInt64(exactly: integer) as Any
    case .real(let value): value
    case .float(let value): value
    case .boolean(let value): value
    case .date(let date): date
    case .data(let data): data
    case .array(let elements): elements.map(\.foundationObject)
    case .dictionary(let entries):
      Dictionary(uniqueKeysWithValues: entries.elements.map { ($0.key, $0.value.foundationObject) })
    case .uid, .null: NSNull()
    }
  }
}
