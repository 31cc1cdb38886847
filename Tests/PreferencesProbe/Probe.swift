import FoundationEssentials
import Preferences
import PropertyLists

/// What tests have another process do with preferences: `preferences-probe FOLDER SUITE VERB …`.
@main
struct Probe {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 3 else { throw Usage() }
    let preferences = try Preferences(
      suiteName: DomainName(arguments[1]), locations: PreferencesLocations(folder: URL(filePath: arguments[0])),
      arguments: [])
    let rest = arguments.dropFirst(3)
    switch arguments[2] {
    // Sets keys to texts, and ends without a word about saving.
    case "set": for (key, value) in pairs(rest) { preferences.set(value, forKey: key) }
    case "bench": bench(preferences)
    default: throw Usage()
    }
  }

  private static func pairs(_ arguments: ArraySlice<String>) -> [(String, String)] {
    stride(from: arguments.startIndex, to: arguments.endIndex - 1, by: 2).map { (arguments[$0], arguments[$0 + 1]) }
  }

  static func bench(_ d: Preferences) {
    for i in 0..<1000 { d.set(i, forKey: "key\(i)") }
    d.set("hello", forKey: "s")
    let clock = ContinuousClock()
    var sum = 0
    var t = clock.measure { for _ in 0..<2_000_000 { sum &+= d.integer(forKey: "key500") } }
    print("integer", t / 2_000_000)
    let key = PreferenceKey<Int>("key500", default: 3)
    t = clock.measure { for _ in 0..<2_000_000 { sum &+= d[key] } }
    print("typed", t / 2_000_000)
    t = clock.measure { for _ in 0..<2_000_000 { sum &+= d.string(forKey: "s")!.utf8.count } }
    print("string", t / 2_000_000)
    t = clock.measure { for _ in 0..<2_000_000 { sum &+= d.bool(forKey: "nokey") ? 1 : 0 } }
    print("miss", t / 2_000_000)
    t = clock.measure { for i in 0..<200_000 { d.set(i, forKey: "key500") } }
    print("set", t / 200_000)
    print(sum)
  }
}

struct Usage: Error {}
