import Foundation
import TestSupport
import Testing

/// Programs that use a store while eight other processes change it. With a large count they run for minutes.
@Suite("Programs that share a store with eight writers") struct FollowingWritersTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var file: URL { folder.url.appending(path: "store.sqlite") }
  private static let writers = 8
  /// The number of saves by each process. `PLIST_LONG=all` takes ten minutes.
  private static let rounds = LongForm.size(all: 50_000, 100, or: 6)

  /// Creates the counters, starts a program, and then the writers.
  ///
  /// - Returns: the lines of the program, without the first one.
  private func run(_ program: [String]) throws -> [String] {
    #expect(try Program.run("sqlite-store-probe", [file.path, "count", "0", "0"]).status == 0)
    let main = try ChildProcess("sqlite-store-probe", [file.path] + program)
    #expect(eventually { main.text.hasPrefix("ready\n") || main.ended != nil })
    let writers = try (1...Self.writers).map {
      try ChildProcess("sqlite-store-probe", [file.path, "count", "\($0)", "\(Self.rounds)"])
    }
    for writer in writers { #expect(writer.waitUntilExit() == .exited(0), "\(writer.errors)") }
    #expect(main.waitUntilExit() == .exited(0), "\(main.errors)")
    return main.text.split(separator: "\n").dropFirst().map(String.init)
  }

  /// Checks that each counter has the number of its saves.
  private func expectCounts(ofProgram count: Int) throws {
    let counts = try PlainSQLite(file).run("SELECT ZNAME, ZCOUNT FROM ZCOUNTER ORDER BY ZNAME")
    let own = [["0", "\(count)"]] + (1...Self.writers).map { ["\($0)", "\(Self.rounds)"] }
    #expect(counts == own + [["all", "\(count + Self.writers * Self.rounds)"]])
    #expect(try PlainSQLite(file).defects() == [])
  }

  /// Checks that the memory of a program has not grown since the first fifth of its work.
  private func expectFlatMemory(_ line: String) throws {
    let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
    try #require(numbers.count == 2)
    // The caches of SQLite and of the allocator are filled later in short runs.
    #expect(numbers[1] < numbers[0] + 4 << 20, "\(line)")
  }

  @Test func `a main context that follows the writers shows the sum of all saves`() throws {
    let total = (Self.writers + 1) * Self.rounds
    let lines = try run(["follow", "\(Self.rounds)", "\(total)"])
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[0].hasSuffix("steps back 0"), "\(lines)")
    try expectCounts(ofProgram: Self.rounds)
    try expectFlatMemory(lines[1])
  }

  @Test func `the tasks of a server lose no update, and read sums that agree`() throws {
    let tasks = 4
    let lines = try run(["serve", "\(tasks)", "\(Self.rounds)"])
    try #require(lines.count == 2, "\(lines)")
    #expect(lines[0] == "differences 0")
    try expectCounts(ofProgram: tasks * Self.rounds)
    try expectFlatMemory(lines[1])
  }
}
