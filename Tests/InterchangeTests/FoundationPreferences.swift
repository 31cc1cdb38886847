import Foundation
import OrderedCollections
import Preferences
import PropertyLists
import TestSupport
import Testing

/// A folder of preferences. Foundation uses it in separate processes, because the environment gives its path.
struct FoundationPreferences: Sendable {
  let folder = TemporaryFolder(isInMemory: true)
  /// The folder of the files, if it is not the folder itself.
  var configuration: String { folder.path(subfolder) }
  private let subfolder: String
  /// The program to run.
  var program = Program.executable("foundation-preferences-probe")

  init(subfolder: String = "") { self.subfolder = subfolder }

  /// The store of a domain in the folder.
  func store(_ name: DomainName, arguments: [String] = []) -> UserPreferences {
    UserPreferences(
      suiteName: name, locations: PreferencesLocations(folder: URL(filePath: configuration), host: "here"),
      arguments: arguments)
  }

  /// The names in the folder, without backups of the last saves.
  var names: [String] { folder.names.filter { !$0.hasSuffix(".last") } }

  func file(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: folder.path(name))) }

  @discardableResult
  func run(_ arguments: String..., input: PropertyList? = nil) throws -> Program {
    let result = try runToAnyEnd(arguments, input: input)
    try #require(result.status == 0 && !result.wasKilled, "\(arguments): \(result.errors)")
    return result
  }

  /// Like `run`, for a program that can fail or be killed.
  func runToAnyEnd(_ arguments: [String], input: PropertyList? = nil) throws -> Program {
    try Program.run(
      program, arguments, input: try input?.data(format: .binary) ?? Data(),
      environment: [
        "XDG_CONFIG_HOME": configuration, "XDG_CONFIG_DIRS": folder.path("system"), "SWIFT_BACKTRACE": "enable=no",
      ])
  }

  /// Foundation's values of a domain, sorted by key.
  func foundationValues(_ suite: String) throws -> PropertyList {
    sorted(try PropertyList(run("foundation-get", suite).output))
  }
}

/// Expects equal values, and lists the differences.
func expectSame(
  _ values: PropertyList, _ expected: PropertyList, _ what: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let (values, expected) = (sorted(values), sorted(expected))
  for key in Set((values.dictionary ?? [:]).keys).union((expected.dictionary ?? [:]).keys) {
    #expect(values[key] == expected[key], "\(key.debugDescription)", sourceLocation: sourceLocation)
  }
  #expect(values == expected, what, sourceLocation: sourceLocation)
}

/// The same values with all entries sorted by key, because Foundation has no order.
func sorted(_ value: PropertyList) -> PropertyList {
  switch value {
  case .array(let elements): return .array(elements.map(sorted))
  case .dictionary(let entries):
    var result: PropertyList = [:]
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) { result.dictionary?[key] = sorted(value) }
    return result
  default: return value
  }
}

/// The values of a domain as a property list, sorted by key.
func sorted(_ values: OrderedDictionary<String, PropertyList>?) -> PropertyList { sorted(.dictionary(values ?? [:])) }
