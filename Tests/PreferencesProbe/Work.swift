import FoundationEssentials
import Preferences
import PropertyLists
import SystemFiles

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Sets many values and increments many counters. The process can be killed at any moment, and continues when it is
/// started again: `work WRITER VALUES COUNTERS EVERY JOURNAL`.
///
/// The journal has a line for everything that the store has acknowledged: `v NUMBER` for a value; `b NUMBER` before and
/// `c NUMBER` after a counter is incremented. A line is written by one call, so a killed process leaves complete lines.
struct Work {
  private let writer: String
  private let values: Int
  private let counters: Int
  /// The number of values that are set before a synchronization.
  private let every: Int
  private let journal: String

  init(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    guard arguments.count == 5, let values = Int(arguments[1]), let counters = Int(arguments[2]),
      let every = Int(arguments[3])
    else { throw Usage() }
    (writer, self.values, self.counters, self.every, journal) = (arguments[0], values, counters, every, arguments[4])
  }

  func run(_ preferences: UserPreferences) throws {
    let lines = (try? FileSystem.read(journal)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let done = Set(lines.split(separator: "\n").map(String.init))
    let descriptor = open(journal, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard descriptor >= 0 else { throw Usage() }
    func note(_ line: String) throws {
      try FileOutput(descriptor: descriptor, name: journal).write(Data("\(line)\n".utf8))
    }
    // Values that were acknowledged to an earlier process of this writer must exist for the next one.
    for number in 0..<values where done.contains("v \(number)") {
      guard preferences.string(forKey: key(number)) == value(number) else { throw Loss(key: key(number)) }
    }
    var set: [Int] = []
    for number in 0..<max(values, counters) {
      if number < values, !done.contains("v \(number)") {
        preferences.set(value(number), forKey: key(number))
        set.append(number)
      }
      if number < counters, !done.contains("c \(number)") {
        try untilUnlocked { () throws(PreferencesError) in
          try preferences.update(forKey: "counter.\(number)") { $0 = .integer(.init(($0?.int ?? 0) + 1)) }
        } before: {
          try note("b \(number)")
        }
        try note("c \(number)")
      }
      if set.count >= every || number == max(values, counters) - 1 {
        try untilUnlocked { () throws(PreferencesError) in try preferences.synchronize() }
        for number in set { try note("v \(number)") }
        set = []
      }
    }
  }

  /// Repeats work if the machine is so busy that others locked the file for longer than a save waits, or changed it
  /// without a lock more often than a save checks.
  private func untilUnlocked(_ body: () throws(PreferencesError) -> Void, before: () throws -> Void = {}) throws {
    while true {
      try before()
      do throws(PreferencesError) { return try body() } catch {
        switch error {
        case .locked, .changedMeanwhile: continue
        default: throw error
        }
      }
    }
  }

  private func key(_ number: Int) -> String { "\(writer).\(number)" }

  /// A string of varying length with a checksum, so that torn values are detected.
  private func value(_ number: Int) -> String {
    Checked.text("\(key(number)) \(String(repeating: "x", count: (number * 37 + writer.utf8.count) % 200))")
  }
}

struct Loss: Error { let key: String }

/// A string that contains its checksum.
enum Checked {
  /// The hash of Fowler, Noll and Vo (FNV-1a), 64 bits.
  private static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
  }

  static func text(_ text: String) -> String { "\(hash(text)) \(text)" }
}
