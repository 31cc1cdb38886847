import Foundation
import Preferences
import PropertyLists

/// Runs Foundation's `UserDefaults`, and this package's store next to it, in a process with its own environment:
/// `foundation-preferences-probe VERB SUITE …`. The suite `-` is the program's own domain.
///
/// `XDG_CONFIG_HOME` is the folder of the files. Dictionaries are read and written as property lists.
@main
struct Probe {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 2 else { throw Usage() }
    let suite = arguments[1]
    let rest = arguments.dropFirst(2)
    switch arguments[0] {
    case "domain": print(UserPreferences.standard.domain.name)
    case "foundation-set": try set(inFoundation: suite)
    case "foundation-get": try get(fromFoundation: suite)
    case "foundation-remove":
      for key in rest { try defaults(suite).removeObject(forKey: key) }
      guard try defaults(suite).synchronize() else { throw NotSaved() }
    case "set": try set(in: suite)
    case "get": try get(from: suite)
    case "alternate": try alternate(suite)
    case "foundation-string": print(try defaults(suite).string(forKey: rest.first ?? "") ?? "nil")
    case "string": print(try preferences(suite).string(forKey: rest.first ?? "") ?? "nil")
    // Calls that may crash the process.
    case "foundation-number":
      let defaults = try defaults(suite)
      defaults.set(rest.last ?? "", forKey: "key")
      switch rest.first {
      case "integer": print(defaults.integer(forKey: "key"))
      case "float": print(defaults.float(forKey: "key"))
      default: print(defaults.double(forKey: "key"))
      }
    case "foundation-url-of-data":
      let defaults = try defaults(suite)
      defaults.set(Data("no archive".utf8), forKey: "key")
      print(defaults.url(forKey: "key")?.absoluteString ?? "nil")
    // Values that are never saved explicitly.
    case "foundation-set-unsaved": for key in rest { try defaults(suite).set(key, forKey: key) }
    case "set-unsaved": for key in rest { try preferences(suite).set(key, forKey: key) }
    // Many keys of one process, each saved separately.
    case "count":
      let preferences = try preferences(suite)
      for index in 0..<(rest.dropFirst().first.flatMap { Int($0) } ?? 0) {
        preferences.set(index, forKey: "\(rest.first ?? "")-\(index)")
        try preferences.synchronize()
      }
    default: throw Usage()
    }
  }

  private static func set(inFoundation suite: String) throws {
    let defaults = try defaults(suite)
    let values = try PropertyListSerialization.propertyList(from: try input(), format: nil)
    for (key, value) in values as? [String: Any] ?? [:] { defaults.set(value, forKey: key) }
    guard defaults.synchronize() else { throw NotSaved() }
  }

  private static func get(fromFoundation suite: String) throws {
    let values = try defaults(suite).dictionaryRepresentation()
    try output(try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0))
  }

  private static func set(in suite: String) throws {
    let preferences = try preferences(suite)
    for (key, value) in try PropertyList(try input()).dictionary ?? [:] { preferences.set(value, forKey: key) }
    try preferences.synchronize()
  }

  private static func get(from suite: String) throws {
    let preferences = try preferences(suite)
    var values: PropertyList = [:]
    for (key, value) in preferences.persistentDomain(preferences.domain) ?? [:] { values.dictionary?[key] = value }
    try output(try values.data(format: .binary))
  }

  /// Sets values alternately, so that each store must see what the other has saved. Prints values that were not seen.
  private static func alternate(_ suite: String) throws {
    let (theirs, ours) = (try defaults(suite), try preferences(suite))
    for turn in 0..<20 {
      theirs.set(turn, forKey: "theirs-\(turn)")
      theirs.removeObject(forKey: "ours-\(turn - 2)")
      guard theirs.synchronize() else { throw NotSaved() }
      try ours.synchronize()
      if ours.value(forKey: "theirs-\(turn)")?.int != turn { print("theirs-\(turn) is not seen here") }
      if ours.value(forKey: "ours-\(turn - 2)") != nil { print("ours-\(turn - 2) is not removed here") }
      ours.set(turn, forKey: "ours-\(turn)")
      ours.removeValue(forKey: "theirs-\(turn - 2)")
      try ours.synchronize()
      guard theirs.synchronize() else { throw NotSaved() }
      if theirs.object(forKey: "ours-\(turn)") as? Int != turn { print("ours-\(turn) is not seen there") }
      if theirs.object(forKey: "theirs-\(turn - 2)") != nil { print("theirs-\(turn - 2) is not removed there") }
    }
  }

  private static func defaults(_ suite: String) throws -> UserDefaults {
    if suite == "-" { return .standard }
    guard let defaults = UserDefaults(suiteName: suite) else { throw Usage() }
    return defaults
  }

  private static func preferences(_ suite: String) throws -> UserPreferences {
    switch suite {
    case "-": .standard
    case "NSGlobalDomain": UserPreferences(suiteName: .global)
    default: UserPreferences(suiteName: try DomainName(suite))
    }
  }

  private static func input() throws -> Data { try FileHandle.standardInput.readToEnd() ?? Data() }

  private static func output(_ data: Data) throws { try FileHandle.standardOutput.write(contentsOf: data) }
}

struct Usage: Error {}
struct NotSaved: Error {}
