import Foundation
import ManagedObjects
import SQLiteStore
import TestSupport
import Testing

@Suite("A process killed while it saves an SQLite store", .serialized) struct KilledSaveTests {
  let folder = TemporaryFolder(isInMemory: true)
  var file: URL { folder.url.appending(path: "store.sqlite") }

  @Test(arguments: ["WAL", "DELETE"], [false, true])
  func `acknowledged saves survive, and the next process continues`(journal: String, tracksHistory: Bool) throws {
    var random = SeededGenerator(seed: 15)
    var acknowledged = 0
    let rounds = LongForm.size(150, or: 2)
    for round in 0..<rounds {
      let process = try ChildProcess("sqlite-store-probe", [file.path, "chain"] + (tracksHistory ? ["history"] : []))
      let begun = eventually { process.text.contains("\n") || process.ended != nil }
      try #require(begun && process.ended == nil, "\(process.errors)")
      usleep(.random(in: 0..<30_000, using: &random))
      #expect(process.kill() == .killed(signal: SIGKILL), "\(process.errors)")
      let last = process.text.split(separator: "\n").compactMap { Int($0) }.last ?? 0
      // Each save continues the count, also in a new process.
      #expect(last > acknowledged)
      acknowledged = last
      let defects = try PlainSQLite(file).defects() + (tracksHistory ? PlainSQLite(file).historyDefects() : [])
      #expect(defects == [], "round \(round)")
      let state = try ChainState.read(file)
      #expect(state.last == acknowledged || state.last == acknowledged + 1, "round \(round)")
      try #require(state.lines == ChainState.expected(state.last), "round \(round)")
      acknowledged = state.last
      if round == 0, journal == "DELETE" {
        #expect(try PlainSQLite(file).column("PRAGMA journal_mode = DELETE") == ["delete"])
      }
    }
    #expect(acknowledged >= rounds)
  }

  @Test func `the next process opens a store whose creation was killed`() throws {
    var random = SeededGenerator(seed: 16)
    for _ in 0..<LongForm.size(60, or: 2) {
      let process = try ChildProcess("sqlite-store-probe", [file.path, "open"])
      _ = eventually { FileManager.default.fileExists(atPath: file.path) || process.ended != nil }
      usleep(.random(in: 0..<3_000, using: &random))
      process.kill()
      let next = try ChildProcess("sqlite-store-probe", [file.path, "open"])
      #expect(next.waitUntilExit() == .exited(0), "\(next.errors)")
      #expect(try PlainSQLite(file).defects() == [])
      #expect(try SQLiteStore.model(inFile: file)["Link"] != nil)
      for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
    }
  }
}
