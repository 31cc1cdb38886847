import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

/// Several processes that set their own values and increment shared counters. They are killed at random and started
/// again.
///
/// By default this is one round of four processes with few values. The environment variable `PREFERENCES_ROUNDS` sets
/// the number of rounds, each of eight processes with 500 values and 50 counters for each of them, on the disk. A round
/// takes about a minute.
@Suite("Many processes use one domain", .serialized) struct ManyProcessesTests {
  struct Size: Sendable {
    var values, counters, every, kills: Int
  }

  static let rounds = ProcessInfo.processInfo.environment["PREFERENCES_ROUNDS"].flatMap { Int($0) }
  static let size =
    rounds == nil
    ? Size(values: 50, counters: 10, every: 5, kills: 2) : Size(values: 500, counters: 50, every: 5, kills: 12)
  private static let writers = rounds == nil ? 4 : 8
  /// The rounds of processes that do one thing.
  private static let shortRounds = LongForm.size(3, or: 1)

  @Test(
    "acknowledged values are never lost or torn, and the file can always be read",
    arguments: 0..<(rounds ?? 1))
  func nothingThatWasSaidToBeSafeIsLost(_ round: Int) throws {
    let file = SavedFile(below: "preferences", isInMemory: Self.rounds == nil)
    var random = SeededGenerator(seed: UInt64(round))
    let reader = Reader(file)
    let writers = try (0..<Self.writers).map { try Writer($0, file, Self.size) }
    // Once at first, because all may be done before this thread continues.
    var kills = try writers[writers.count - 1].killAndRestart() ? 1 : 0
    while true {
      let running = writers.filter { $0.process.ended == nil }
      if running.isEmpty { break }
      usleep(.random(in: 0..<20_000, using: &random))
      if let writer = running.filter({ $0.killsLeft > 0 }).randomElement(using: &random), try writer.killAndRestart() {
        kills += 1
      }
    }
    for writer in writers {
      #expect(writer.process.waitUntilExit() == .exited(0), "\(writer.process.errors)")
    }
    let (errors, looks) = reader.finish()
    #expect(errors == [])
    #expect(looks > 0)
    #expect(kills > 0)
    try check(writers, file)
    try checkTemporaryFiles(file, kills: kills)
  }

  private func check(_ writers: [Writer], _ file: SavedFile) throws {
    let contents = try #require(try file.contents())
    var missing: [String] = []
    var begun: [Int: Int] = [:]
    var counted: [Int: Int] = [:]
    for writer in writers {
      for line in try writer.journal() {
        let number = try #require(Int(line.dropFirst(2)))
        switch line.first {
        case "v":
          if !Reader.isWhole(contents["\(writer.number).\(number)"]) { missing.append("\(writer.number).\(number)") }
        case "b": begun[number, default: 0] += 1
        default: counted[number, default: 0] += 1
        }
      }
    }
    #expect(missing == [])
    #expect(contents.count == Self.writers * Self.size.values + Self.size.counters)
    for number in 0..<Self.size.counters {
      let value = try #require(contents["counter.\(number)"]?.int)
      // At least the acknowledged increments, at most those that were begun.
      #expect(counted[number] == Self.writers)
      #expect((Self.writers...begun[number, default: 0]).contains(value), "counter \(number)")
    }
  }

  /// Killed processes leave at most one file each, which is removed when it is old.
  private func checkTemporaryFiles(_ file: SavedFile, kills: Int) throws {
    #expect(file.temporaryNames.count <= kills)
    for name in file.temporaryNames { try file.age(file.location.path + "/" + name) }
    #expect(try file.start("set", "last", "1").waitUntilExit() == .exited(0))
    #expect(file.names == ["\(file.domain).plist"])
  }

  @Test func `processes that create the first file at the same moment lose nothing`() throws {
    for _ in 0..<Self.shortRounds {
      let file = SavedFile(below: "to/be made")
      let processes = try (0..<6).map { try file.start("set", "key\($0)", "\($0)") }
      for process in processes { #expect(process.waitUntilExit() == .exited(0), "\(process.errors)") }
      let contents = try #require(try file.contents())
      #expect(Set(contents.keys) == Set((0..<6).map { "key\($0)" }))
      #expect(file.names == ["\(file.domain).plist"])
    }
  }

  @Test func `processes that find an unreadable file set it aside only once, and lose nothing`() throws {
    for _ in 0..<Self.shortRounds {
      let file = SavedFile()
      try file.write(SaveSituation.corrupt)
      let processes = try (0..<6).map { try file.start("set", "key\($0)", "\($0)") }
      for process in processes { #expect(process.waitUntilExit() == .exited(0), "\(process.errors)") }
      let contents = try #require(try file.contents())
      #expect(Set(contents.keys) == Set((0..<6).map { "key\($0)" }))
      #expect(file.namesSetAside.count == 1)
      #expect(file.names.count == 2)
    }
  }
}

/// A process that works, and the process that replaces it after it was killed.
private final class Writer {
  let number: Int
  private let file: SavedFile
  private let size: ManyProcessesTests.Size
  private(set) var process: ChildProcess
  private(set) var killsLeft: Int

  init(_ number: Int, _ file: SavedFile, _ size: ManyProcessesTests.Size) throws {
    self.number = number
    self.file = file
    self.size = size
    killsLeft = size.kills
    process = try Self.start(number, file, size)
  }

  private static func start(_ number: Int, _ file: SavedFile, _ size: ManyProcessesTests.Size) throws -> ChildProcess {
    try file.start(
      "work", "\(number)", "\(size.values)", "\(size.counters)", "\(size.every)", journalPath(number, file))
  }

  private static func journalPath(_ number: Int, _ file: SavedFile) -> String { file.folder.path("journals-\(number)") }

  /// - Returns: true if the process was not yet done.
  func killAndRestart() throws -> Bool {
    guard process.kill() == .killed(signal: SIGKILL) else { return false }
    killsLeft -= 1
    process = try Self.start(number, file, size)
    return true
  }

  func journal() throws -> [Substring] {
    try String(contentsOfFile: Self.journalPath(number, file), encoding: .utf8).split(separator: "\n")
  }
}

/// A thread that reads the file and a store again and again.
private final class Reader: Sendable {
  private let file: SavedFile
  private let isFinished = Atomic(false)
  private let done = DispatchSemaphore(value: 0)
  private let result = Mutex<(errors: [String], looks: Int)>(([], 0))

  init(_ file: SavedFile) {
    self.file = file
    let thread = Thread { [self] in
      read()
      done.signal()
    }
    thread.start()
  }

  func finish() -> (errors: [String], looks: Int) {
    isFinished.store(true, ordering: .releasing)
    done.wait()
    return result.withLock { $0 }
  }

  private func read() {
    let store = file.open()
    var inFile: [String: PropertyList] = [:]
    var inStore: [String: PropertyList] = [:]
    repeat {
      do {
        if let contents = try file.contents() {
          look(Dictionary(uniqueKeysWithValues: contents.map { ($0, $1) }), &inFile, "the file")
        } else if !inFile.isEmpty {
          note("the file is gone")
        }
      } catch {
        note("the file cannot be read: \(error)")
      }
      look(store.dictionaryRepresentation(), &inStore, "the store")
      // The processes are faster if this thread leaves them the processor.
      if ManyProcessesTests.rounds == nil { usleep(5000) }
    } while !isFinished.load(ordering: .acquiring)
    do {
      try store.synchronize()
      if try store.persistentDomain(store.domain)?.count != file.contents()?.count {
        note("the store has not all values of the file")
      }
    } catch {
      note("\(error)")
    }
  }

  private func look(_ values: [String: PropertyList], _ seen: inout [String: PropertyList], _ source: String) {
    for (key, value) in seen where values[key] == nil { note("\(key) with \(value) went away from \(source)") }
    for (key, value) in values {
      if key.hasPrefix("counter.") {
        if value.int ?? -1 < seen[key]?.int ?? 0 { note("\(key) went back to \(value) in \(source)") }
      } else if seen[key] == nil, !Self.isWhole(value) {
        note("\(key) is torn in \(source): \(value)")
      }
    }
    seen = values
    result.withLock { $0.looks += 1 }
  }

  private func note(_ error: String) { result.withLock { if $0.errors.count < 10 { $0.errors.append(error) } } }

  /// Returns true if a string matches its checksum (FNV-1a of Fowler, Noll and Vo, 64 bits).
  static func isWhole(_ value: PropertyList?) -> Bool {
    guard let parts = value?.string?.split(separator: " ", maxSplits: 1), parts.count == 2 else { return false }
    let hash = parts[1].utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
    return UInt64(parts[0]) == hash
  }
}
