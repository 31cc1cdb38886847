import Foundation
import TestSupport
import Testing

/// Random edits in several contexts. After each one, the results are compared with a new fetch, and with a list that
/// applied all changes.
@Suite("Fetched results after random edits") struct FetchedResultsScriptTests {
  /// The seed of the first script. `PLIST_SEED` selects other scripts.
  private static let start =
    (ProcessInfo.processInfo.environment["PLIST_SEED"].flatMap { UInt64($0) } ?? 0) &* 100_000_000

  @Test(arguments: 0..<4) func `applying the reported changes equals a new fetch`(part: Int) async throws {
    var changeCount = 0
    let count = LongForm.size(all: 20_000, 2_500, or: 3)
    for seed in 0..<count {
      var script = try FetchedResultsScript(seed: Self.start &+ UInt64(part * 1_000_000 + seed), file: nil)
      try await script.run(steps: 12)
      changeCount += script.changeCount
    }
    #expect(changeCount > LongForm.size(4, or: 1) * count, "nothing happens in the scripts")
  }

  private static let number = ProcessInfo.processInfo.environment["PLIST_SCRIPT"].flatMap { UInt64($0) }

  /// Runs a failed script again, by the number at the beginning of its trace.
  @Test(.enabled(if: number != nil)) func `a failed script is replayed by its number`() async throws {
    var script = try FetchedResultsScript(seed: Self.number ?? 0, file: nil)
    try await script.run(steps: 12)
  }

  @Test(arguments: 0..<2)
  func `applying the reported changes of another process equals a new fetch`(part: Int) async throws {
    let folder = TemporaryFolder(isInMemory: true)
    for seed in 0..<LongForm.size(all: 5_000, 600, or: 2) {
      let file = folder.url.appending(path: "\(seed).sqlite")
      let number = Self.start &+ UInt64(10_000_000 + part * 1_000_000 + seed)
      var script = try FetchedResultsScript(seed: number, file: file)
      try await script.run(steps: 12)
      for name in folder.names { try FileManager.default.removeItem(at: folder.url.appending(path: name)) }
    }
  }
}
