import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("Files are watched when that is needed") struct WatchingTests {
  /// How many folders are watched by what is done.
  private func watchCount(in saved: SavedFile, during body: () -> Void) -> Int {
    let count = Mutex(0)
    Interception.ofCalls(in: saved.folder.url.path) {
      if $0.call == .watch { count.withLock { $0 += 1 } }
      return nil
    } during: {
      body()
    }
    return count.withLock { $0 }
  }

  @Test func `Nothing is watched by a program that opens a store, reads and ends`() throws {
    let saved = try SavedFile(["n": 1])
    let count = watchCount(in: saved) { #expect(saved.open().integer(forKey: "n") == 1) }
    #expect(count == 0)
  }

  @Test func `What others save is seen without a call, also what they saved before the file is watched`() throws {
    let saved = try SavedFile(["n": 1])
    let store = saved.open()
    #expect(store.integer(forKey: "n") == 1)
    try saved.write(["n": 2])
    #expect(eventually { store.value(forKey: "n") == 2 })
    try saved.write(["n": 3])
    #expect(eventually { store.value(forKey: "n") == 3 })
  }

  @Test func `Who observes is told at once of what was saved since the store was opened, and of what comes`() throws {
    let saved = try SavedFile(["n": 1])
    let store = saved.open()
    try saved.write(["n": 2])
    let count = watchCount(in: saved) { _ = store.changes() }
    #expect(count > 0)
    #expect(store.integer(forKey: "n") == 2)
  }
}
