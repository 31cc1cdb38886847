import FoundationEssentials
import Preferences
import PropertyLists
import SharedFiles
import Synchronization
import SystemFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Uses preferences in another process, for tests: `preferences-probe [--as USER GROUP] FOLDER SUITE VERB …`.
@main
struct Probe {
  static func main() async throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--as", arguments.count > 3 {
      try becomeUser(arguments[1], group: arguments[2])
      arguments.removeFirst(3)
    }
    guard arguments.count >= 3 else { throw Usage() }
    let rest = arguments.dropFirst(3)
    let locations =
      arguments[0] == "-" ? PreferencesLocations.standard : PreferencesLocations(folder: URL(filePath: arguments[0]))
    let held = arguments[2] == "starved" ? takeAllDescriptors() : []
    let preferences = try UserPreferences(suiteName: DomainName(arguments[1]), locations: locations, arguments: [])
    for descriptor in held { close(descriptor) }
    switch arguments[2] {
    // Sets keys to strings, and ends without an explicit save.
    case "set": set(rest, preferences)
    case "exit":
      set(rest, preferences)
      exit(0)
    // Sets another key in a function that is registered before the first key is set, and called after the values were
    // saved.
    case "atexit":
      atExit.withLock { $0 = preferences }
      guard atexit({ Probe.atExit.withLock { $0?.set("2", forKey: "late") } }) == 0 else { throw Usage() }
      set(rest, preferences)
      exit(0)
    // Sets keys after closing standard input, output and error, and continues to print while it saves.
    case "silent":
      for descriptor: Int32 in 0...2 { close(descriptor) }
      FileSystem.intercept { call, _ in
        for descriptor: Int32 in 0...2 where call == .write || call == .read { _ = write(descriptor, "printed", 7) }
        return nil
      }
      set(rest, preferences)
      try save(preferences)
    // Prints a line when the keys are set, and keeps running. `starved` has no free descriptor when it opens the
    // domain.
    case "live", "starved":
      set(rest, preferences)
      say("set")
      while true { pause() }
    // Locks the file of the domain, prints a line, and keeps the lock.
    case "lock":
      guard let path = path(of: preferences), let lock = try LockedFile(path, until: .now + .seconds(10)) else {
        throw Usage()
      }
      say("locked")
      while true {
        pause()
        // The lock is held until here.
        _ = try lock.isUnchanged()
      }
    // Increments a key, and prints its new value, or the error.
    case "count": say(count(rest.first ?? "", preferences))
    #if os(Linux)
      case "fork":
        guard let path = path(of: preferences) else { throw Usage() }
        try Forks(preferences, path: path).run(rest.first)
    #endif
    case "crash": try Crash(rest).run(preferences)
    case "work": try Work(rest).run(preferences)
    // Works on a system on which creating hard links is slow, prints a line when it is done, and keeps running.
    case "stay":
      FileSystem.intercept { call, _ in
        if call == .link { usleep(20_000) }
        return nil
      }
      try Work(rest).run(preferences)
      say("done")
      while true { pause() }
    // Prints the keys whose values are removed, and keeps running.
    case "watch":
      let changes = preferences.changes()
      say("watching")
      var gone: Set<String> = []
      for await change in changes {
        if change.newValue == nil {
          gone.insert(change.key)
        } else if gone.remove(change.key) == nil {
          continue
        }
        say("gone: \(gone.sorted().joined(separator: " "))")
      }
    default: throw Usage()
    }
  }

  private static let atExit = Mutex<UserPreferences?>(nil)

  private static func set(_ arguments: ArraySlice<String>, _ preferences: UserPreferences) {
    for index in stride(from: arguments.startIndex, to: arguments.endIndex - 1, by: 2) {
      preferences.set(arguments[index + 1], forKey: arguments[index])
    }
  }

  private static func save(_ preferences: UserPreferences) throws { try preferences.synchronize() }

  /// Increments a key. Returns its new value, or the error.
  private static func count(_ key: String, _ preferences: UserPreferences) -> String {
    do throws(PreferencesError) {
      let number = try preferences.update(PreferenceKey<Int>(key, default: 0)) { number in
        number += 1
        return number
      }
      return String(number)
    } catch {
      return "\(error)"
    }
  }

  /// Changes from root to another user.
  private static func becomeUser(_ user: String, group: String) throws {
    guard let user = uid_t(user), let group = gid_t(group), setgroups(0, nil) == 0, setgid(group) == 0,
      setuid(user) == 0
    else { throw Usage() }
  }

  /// The path of the domain's file.
  private static func path(of preferences: UserPreferences) -> String? {
    preferences.searchList.first { $0.source == .application(preferences.domain.name, .any) }?.path
  }

  private static func takeAllDescriptors() -> [Int32] {
    #if canImport(Glibc)
      // The maximum number of descriptors can take too long to open.
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      return Array(sequence(first: dup(0)) { $0 < 0 ? nil : dup(0) }.filter { $0 >= 0 })
    #else
      return []
    #endif
  }

  static func say(_ text: String) { try? FileOutput.standard.write(Data("\(text)\n".utf8)) }
}

struct Usage: Error {}
