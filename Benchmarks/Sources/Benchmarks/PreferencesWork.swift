import Foundation
import Preferences

/// A line of the table of preferences.
enum PreferencesWork: String, CaseIterable {
  case integer = "`integer(forKey:)`"
  case string = "`string(forKey:)`"
  case missing = "`integer(forKey:)`, no value"
  case typedKey = "`preferences[Keys.fontSize]`"
  case twoThreads = "`integer(forKey:)` in 2 threads at once"
  case fourThreads = "`integer(forKey:)` in 4 threads at once"
  case set = "`set(_:forKey:)`"
  case setMany = "set 10 000 keys, until they are on the disk"
  case setSlowly = "set 10 000 keys in a second, processor time"
  case open = "open a domain of 10 000 keys, read one"
  case process = "a process that opens a domain of 20 keys, reads one and ends"

  /// The implementations that support the work.
  var implementations: [Implementation] {
    // Foundation saves only when `synchronize()` is called.
    self == .setSlowly ? [.ours] : [.ours, .foundation]
  }

  /// Does the work in this process, which uses the folder for its preferences files only.
  func measure(_ implementation: Implementation, in folder: URL) throws -> Measurement? {
    switch implementation {
    case .ours: try measure(OurSettings.self, folder)
    case .foundation: try measure(FoundationSettings.self, folder)
    default: nil
    }
  }

  /// Measures the work in new processes.
  func measureInProcesses(_ implementation: Implementation) throws -> Measurement? {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("preferences-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var environment = ProcessInfo.processInfo.environment
    environment["XDG_CONFIG_HOME"] = folder.path
    var best: Measurement?
    // A process can measure opening a domain only once. The first process creates the domain.
    for _ in 0..<(self == .open ? 8 : 1) {
      let next = try Measurement.inProcess(
        [rawValue, implementation.rawValue, folder.path], environment: environment)
      if let next, next.seconds < best?.seconds ?? .infinity { best = next }
    }
    return best
  }
}

extension PreferencesWork {
  /// The number of keys in the domain that is read.
  private static let readCount = 1000
  /// The number of times that each key is read or set. It is higher with several threads, because waking them takes up
  /// to a millisecond.
  private var passes: Int { self == .twoThreads || self == .fourThreads ? 1000 : 100 }
  private static let setCount = 10_000

  private static let keys = (0..<setCount).map { "setting\($0)" }
  private static let typedKeys = keys.map { PreferenceKey<Int>($0, default: 12) }

  private func measure<Store: SettingsStore>(_ type: Store.Type, _ folder: URL) throws -> Measurement? {
    switch self {
    case .integer, .string, .missing, .typedKey, .twoThreads, .fourThreads, .set: try measureSingle(Store.self)
    case .setMany, .setSlowly: try measureMany(Store.self, folder)
    case .open: try measureOpening(Store.self, folder)
    case .process: try measureProcess(Store.self)
    }
  }

  /// Measures the time of one read or one set. All keys take turns, so that no single key stays in a cache.
  private func measureSingle<Store: SettingsStore>(_ type: Store.Type) throws -> Measurement {
    let store = try Store(domain: "benchmark")
    let keys = Self.keys.prefix(Self.readCount)
    for (number, key) in keys.enumerated() {
      if self == .string { store.set("value \(number)", forKey: key) } else { store.set(number, forKey: key) }
    }
    try store.synchronize()
    let missing = keys.map { "no" + $0 }
    var measurement = Measurement.measure {
      var sum = 0
      switch self {
      case .string: repeated { for key in keys { sum &+= store.string(forKey: key)?.utf8.count ?? 0 } }
      case .missing: repeated { for key in missing { sum &+= store.integer(forKey: key) } }
      case .typedKey:
        let keys = Self.typedKeys.prefix(Self.readCount)
        repeated { for key in keys { sum &+= store.value(for: key) } }
      case .twoThreads, .fourThreads:
        DispatchQueue.concurrentPerform(iterations: self == .twoThreads ? 2 : 4) { _ in
          var sum = 0
          repeated { for key in keys { sum &+= store.integer(forKey: key) } }
          keep(sum)
        }
      case .set: for pass in 0..<passes { for key in keys { store.set(pass, forKey: key) } }
      default: repeated { for key in keys { sum &+= store.integer(forKey: key) } }
      }
      keep(sum)
      return 0
    }
    measurement.seconds /= Double(passes * keys.count)
    return measurement
  }

  @inline(__always)
  private func repeated(_ body: () -> Void) { for _ in 0..<passes { body() } }

  /// Measures the time of many sets and one save of all of them, and counts the saves.
  private func measureMany<Store: SettingsStore>(_ type: Store.Type, _ folder: URL) throws -> Measurement {
    let before = residentMemory(peak: false)
    var measurement = Measurement(seconds: .infinity, peakMemory: 0, saves: 0)
    for repetition in 0..<(self == .setSlowly ? 1 : 5) {
      let domain = "many\(repetition)"
      let store = try Store(domain: domain)
      // The first save of a domain creates the file, which takes other steps than replacing it.
      store.set("there", forKey: "first")
      try store.synchronize()
      let counter = SaveCounter(folder.appendingPathComponent(domain + ".plist"), events: Store.savingEvents)
      let start = self == .setSlowly ? Self.processorTime : Self.time
      for (number, key) in Self.keys.enumerated() {
        store.set(number, forKey: key)
        if self == .setSlowly, number % 100 == 99 { usleep(10_000) }
      }
      try store.synchronize()
      let end = self == .setSlowly ? Self.processorTime : Self.time
      measurement.seconds = min(measurement.seconds, end - start)
      measurement.saves = max(measurement.saves ?? 0, counter.count())
    }
    measurement.peakMemory = residentMemory(peak: true) - before
    return measurement
  }

  /// Measures the time until the first value has been read.
  private func measureOpening<Store: SettingsStore>(_ type: Store.Type, _ folder: URL) throws -> Measurement? {
    let domain = "large"
    guard FileManager.default.fileExists(atPath: folder.appendingPathComponent(domain + ".plist").path) else {
      let store = try Store(domain: domain)
      for (number, key) in Self.keys.enumerated() {
        if number % 2 == 0 { store.set(number, forKey: key) } else { store.set("value \(number)", forKey: key) }
      }
      try store.synchronize()
      return nil
    }
    let before = residentMemory(peak: false)
    let start = Self.time
    let store = try Store(domain: domain)
    guard store.integer(forKey: "setting5000") == 5000 else { throw CocoaError(.fileReadCorruptFile) }
    let end = Self.time
    return Measurement(seconds: end - start, peakMemory: residentMemory(peak: true) - before)
  }

  /// Measures the time from start to exit of another program, which only opens the store and reads a value.
  private func measureProcess<Store: SettingsStore>(_ type: Store.Type) throws -> Measurement {
    let store = try Store(domain: "benchmark")
    for (number, key) in Self.keys.prefix(20).enumerated() { store.set(number, forKey: key) }
    try store.synchronize()
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent(Store.program).path
    var measurement = Measurement(seconds: .infinity, peakMemory: 0)
    for _ in 0..<100 {
      let start = Self.time
      try Self.run(program)
      measurement.seconds = min(measurement.seconds, Self.time - start)
    }
    return measurement
  }

  /// Runs a program with the minimum that the system needs.
  private static func run(_ program: String) throws {
    var arguments = [strdup(program), nil]
    defer { free(arguments[0]) }
    var process: pid_t = 0
    var status: Int32 = 0
    guard posix_spawn(&process, program, nil, nil, &arguments, environ) == 0,
      waitpid(process, &status, 0) == process, status == 0
    else { throw CocoaError(.executableLoad) }
  }

  private static var time: Double { seconds(of: CLOCK_MONOTONIC) }
  private static var processorTime: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  private static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
