import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("Files are watched only if needed") struct WatchingTests {
  /// Returns the number of folders that are watched during `body`.
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

  @Test func `a program that opens a store, reads and ends watches nothing`() throws {
    let saved = try SavedFile(["n": 1])
    let count = watchCount(in: saved) { #expect(saved.open().integer(forKey: "n") == 1) }
    #expect(count == 0)
  }

  @Test func `saves of others are seen without a call, also earlier ones`() throws {
    let saved = try SavedFile(["n": 1])
    let store = saved.open()
    #expect(store.integer(forKey: "n") == 1)
    try saved.write(["n": 2])
    #expect(eventually { store.value(forKey: "n") == 2 })
    try saved.write(["n": 3])
    #expect(eventually { store.value(forKey: "n") == 3 })
  }

  @Test func `an observer gets changes since the store was opened, and later ones`() throws {
    let saved = try SavedFile(["n": 1])
    let store = saved.open()
    try saved.write(["n": 2])
    let count = watchCount(in: saved) { _ = store.changes() }
    #expect(count > 0)
    #expect(store.integer(forKey: "n") == 2)
  }
}
