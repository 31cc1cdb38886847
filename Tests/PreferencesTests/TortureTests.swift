import Foundation
import OrderedCollections
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

/// Processes that save to one domain all the time, while its file is damaged, or the processes are stopped.
///
/// By default this is one round with few values. The environment variable `PREFERENCES_ROUNDS` sets the number of
/// rounds, on the disk. A round takes some seconds.
@Suite("Acknowledged values survive", .serialized) struct TortureTests {
  static let rounds = ManyProcessesTests.rounds
  private static let writers = rounds == nil ? 3 : 4
  private static let values = rounds == nil ? 150 : 400
  private static let events = rounds == nil ? 2 : 5

  @Test(arguments: 0..<(rounds ?? 1)) func `repeated replacement of the file by garbage`(_ round: Int) throws {
    let crowd = try Crowd(Self.writers, values: Self.values, counters: 20, isInMemory: Self.rounds == nil)
    var random = SeededGenerator(seed: UInt64(round))
    var kept: [Data] = []
    for number in 0..<Self.events {
      try crowd.waitForReadableFile()
      usleep(.random(in: 0..<100_000, using: &random))
      // An unreadable file is replaced at the next save, so a process must have something left to save.
      guard crowd.isBusy else { break }
      // Written long ago, or just now.
      let garbage = Data("garbage \(number) {".utf8)
      if number % 2 == 0 {
        try crowd.file.write(garbage)
      } else {
        try garbage.write(to: crowd.file.url, options: .atomic)
      }
      kept.append(garbage)
    }
    try crowd.waitForReadableFile()
    try crowd.finish()
    // One file may have come while an earlier one was put back.
    let names = crowd.file.names.filter { $0.contains(".unreadable-") || $0.contains(".replaced-") }
    let aside = try names.map { try Data(contentsOf: crowd.file.location.appending(path: $0)) }
    #expect(Set(aside) == Set(kept))
    #expect(aside.count == kept.count)
  }

  @Test(arguments: 0..<(rounds ?? 1))
  func `repeated truncation of the file to any length`(_ round: Int) throws {
    let crowd = try Crowd(Self.writers, values: Self.values, counters: 20, isInMemory: Self.rounds == nil)
    var random = SeededGenerator(seed: UInt64(round))
    for number in 0..<Self.events {
      try crowd.waitForReadableFile()
      usleep(.random(in: 0..<100_000, using: &random))
      guard crowd.isBusy else { break }
      let size = try #require(crowd.file.bytes).count
      // A process can have put back an empty file for a moment.
      let length = number == 0 || size == 0 ? 0 : Int.random(in: 0..<size, using: &random)
      try #require(truncate(crowd.file.path, off_t(length)) == 0)
    }
    try crowd.waitForReadableFile()
    try crowd.finish()
    // A file that was truncated after another had replaced it is lost with its replacement.
    #expect(crowd.file.namesSetAside.count <= Self.events)
  }

  @Test(arguments: 0..<(rounds ?? 1))
  func `stopped processes, also while they hold the lock`(_ round: Int) throws {
    let crowd = try Crowd(Self.writers, values: Self.values, counters: 20, isInMemory: Self.rounds == nil)
    var random = SeededGenerator(seed: UInt64(round))
    for _ in 0..<Self.events * 4 {
      let process = try #require(crowd.processes.randomElement(using: &random))
      process.signal(SIGSTOP)
      usleep(.random(in: 0..<200_000, using: &random))
      process.signal(SIGCONT)
    }
    try crowd.finish()
    #expect(crowd.file.namesSetAside == [])
  }

  @Test(arguments: 0..<(rounds ?? 1))
  func `saves by a program that replaces the file without a lock also survive`(_ round: Int) throws {
    let crowd = try Crowd(Self.writers, values: Self.values, counters: 20, isInMemory: Self.rounds == nil)
    var random = SeededGenerator(seed: UInt64(round))
    let edits = Self.events * 10
    for number in 0..<edits {
      try crowd.waitForReadableFile()
      usleep(.random(in: 0..<20_000, using: &random))
      // A process must not save between reading and replacing the file, because the editor does not check for that. A
      // save that is in progress continues afterwards.
      for process in crowd.processes { process.signal(SIGSTOP) }
      for process in crowd.processes { process.waitUntilStopped() }
      var contents = try #require(try crowd.file.contents())
      contents["editor.\(number)"] = .integer(.init(number))
      try PropertyList.dictionary(contents).data(format: .binary).write(to: crowd.file.url, options: .atomic)
      for process in crowd.processes { process.signal(SIGCONT) }
    }
    // A save that finds an editor's file in place of the one it had read has shown its own file for a moment.
    try crowd.finish(others: (0..<edits).map { "editor.\($0)" }, mayGoForAMoment: true)
    #expect(crowd.file.namesSetAside == [])
  }
}

/// Processes that set their own values and increment shared counters, and one that watches.
private final class Crowd {
  let file: SavedFile
  let processes: [ChildProcess]
  private let watcher: ChildProcess
  private let values: Int
  private let counters: Int

  init(_ count: Int, values: Int, counters: Int, isInMemory: Bool) throws {
    (self.values, self.counters) = (values, counters)
    let file = SavedFile(below: "preferences", isInMemory: isInMemory)
    try FileManager.default.createDirectory(at: file.location, withIntermediateDirectories: true)
    try file.write(["there": 1])
    self.file = file
    let watcher = try file.start("watch")
    self.watcher = watcher
    try #require(eventually { watcher.text == "watching\n" })
    processes = try (0..<count).map { number in
      try file.start("stay", "\(number)", "\(values)", "\(counters)", "5", Self.journal(number, file))
    }
  }

  private static func journal(_ number: Int, _ file: SavedFile) -> String { file.folder.path("journals-\(number)") }

  /// Returns true if a process has values left to set.
  var isBusy: Bool { processes.contains { $0.text != "done\n" && $0.ended == nil } }

  /// Waits until the file is a preferences file, as it is again soon after it was damaged.
  func waitForReadableFile() throws {
    let (file, processes) = (file, processes)
    let isReadable = eventually {
      for process in processes where process.ended != nil { return false }
      return (try? file.contents()) ?? nil != nil
    }
    try #require(isReadable, "\(processes.map(\.errors)) \(file.names)")
  }

  /// Waits for the end of all work, and checks the acknowledged values.
  func finish(others: [String] = [], mayGoForAMoment: Bool = false) throws {
    for process in processes {
      let isDone = eventually { process.text == "done\n" || process.ended != nil }
      #expect(isDone && process.ended == nil, "\(process.errors)")
    }
    var safe: Set<String> = ["there"]
    safe.formUnion(others)
    var counted: [Int: Int] = [:]
    for number in processes.indices {
      for line in try String(contentsOfFile: Self.journal(number, file), encoding: .utf8).split(separator: "\n") {
        if line.hasPrefix("v ") { safe.insert("\(number).\(line.dropFirst(2))") }
        if line.hasPrefix("c "), let counter = Int(line.dropFirst(2)) { counted[counter, default: 0] += 1 }
      }
    }
    // Values that were put back after the last damage are saved a moment later.
    let file = file
    let isAll = eventually { safe.isSubset(of: Set((try? file.contents())??.keys.map { $0 } ?? [])) }
    let contents = try #require(try file.contents())
    #expect(isAll, "\(safe.subtracting(contents.keys).sorted()) of \(safe.count) are missing")
    #expect(safe.count >= processes.count * values)
    for counter in 0..<counters { #expect(contents["counter.\(counter)"]?.int == counted[counter]) }
    let watcher = watcher
    let isAllThere = { watcher.text == "watching\n" || mayGoForAMoment && watcher.text.hasSuffix("\ngone: \n") }
    #expect(eventually(isAllThere), "what went, as the watcher saw it: \(watcher.text)")
    for process in processes + [watcher] { process.kill() }
    #expect(watcher.errors.split(separator: "\n").allSatisfy { $0.contains("cannot be read") }, "\(watcher.errors)")
  }
}
