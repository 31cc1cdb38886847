import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

/// Many threads that use every function of a store at once. Best run with the thread sanitizer: `swift test
/// --sanitize=thread --filter StressTests`.
@Suite("Many threads use one domain") struct StressTests {
  private static let threads = 6
  private static let turns = LongForm.size(60, or: 15)

  /// Runs `body` on separate threads, and returns when all are done.
  private func onThreads(_ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let done = DispatchGroup()
    for number in 0..<Self.threads {
      done.enter()
      let thread = Thread {
        body(number)
        done.leave()
      }
      thread.start()
    }
    done.wait()
  }

  @Test("no set or counted value is lost while others read, save, observe and open stores")
  func nothingThatAThreadSetOrCountedIsLost() throws {
    let file = SavedFile()
    let other = DomainName("com.example.other")
    let store = file.open()
    let errors = Mutex<[PreferencesError]>([])
    let reader = Task {
      var seen = 0
      for await _ in store.changes() { seen += 1 }
      return seen
    }
    onThreads { thread in
      do throws(PreferencesError) {
        for turn in 0..<Self.turns {
          store.set(.integer(.init(turn)), forKey: "own.\(thread)")
          store.set("\(turn)", forKey: "all")
          if store.integer(forKey: "own.\(thread)") != turn { throw .emptyKey }
          try store.update(forKey: "count") { $0 = .integer(.init(($0?.int ?? 0) + 1)) }
          switch (turn + thread) % 7 {
          case 0: try store.synchronize()
          case 1:
            // Another store of the same domain, and the changes that it gets.
            let second = file.open()
            let changes = second.changes(forKey: "all")
            second.set(.integer(.init(turn)), forKey: "second.\(thread)")
            _ = changes.observer.nextChange()
          case 2:
            store.addSuite(named: other)
            store.set(true, forKey: "there.\(thread)", in: PersistentDomain(other))
          case 3: store.removeSuite(named: other)
          case 4:
            store.removeValue(forKey: "removed")
            store.register(defaults: ["registered.\(thread)": 1])
          case 5: store.set([1, 2], forKey: "removed")
          default: _ = (store.dictionaryRepresentation(), store.effectiveValue(forKey: "all"), store.searchList)
          }
        }
      } catch {
        errors.withLock { $0.append(error) }
      }
    }
    #expect(errors.withLock { $0 } == [])
    try store.synchronize()
    reader.cancel()
    let contents = try #require(try file.contents())
    #expect(contents["count"]?.int == Self.threads * Self.turns)
    for thread in 0..<Self.threads {
      #expect(contents["own.\(thread)"]?.int == Self.turns - 1)
      #expect(contents["second.\(thread)"] != nil)
      #expect(store.value(forKey: "there.\(thread)", in: PersistentDomain(other)) == true)
    }
    #expect(Set(contents.keys) == Set(store.persistentDomain(store.domain)?.keys.map { $0 } ?? []))
    #expect(file.temporaryNames == [])
  }

  @Test("an update and a simultaneous set happen one after the other")
  func updateAndSet() throws {
    let file = SavedFile()
    let store = file.open()
    for turn in 1...LongForm.size(50, or: 10) {
      store.set(0, forKey: "n")
      let done = DispatchGroup()
      done.enter()
      let thread = Thread {
        store.set(100, forKey: "n")
        done.leave()
      }
      // Set during the update, whose closure is then called again.
      let isFirst = Atomic(true)
      try store.update(forKey: "n") { value in
        if isFirst.exchange(false, ordering: .relaxed) {
          thread.start()
          if turn % 2 == 0 { done.wait() }
        }
        value = .integer(.init((value?.int ?? 0) + 1))
      }
      done.wait()
      let result = store.integer(forKey: "n")
      #expect(turn % 2 == 0 ? result == 101 : [100, 101].contains(result))
      try store.synchronize()
      #expect(try file.contents()?["n"]?.int == result)
    }
  }

  @Test func `stores of one domain that are opened and released have each other's values`() throws {
    let file = SavedFile()
    let errors = Mutex<[String]>([])
    onThreads { thread in
      for turn in 0..<Self.turns {
        let store = file.open()
        let key = "key.\(thread)"
        if turn > 0, store.integer(forKey: key) != turn - 1 { errors.withLock { $0.append("\(thread) \(turn)") } }
        store.set(.integer(.init(turn)), forKey: key)
        if turn % 8 == thread { try? store.synchronize() }
      }
    }
    #expect(errors.withLock { $0 } == [])
    let isSaved = try eventually { () throws in
      try (0..<Self.threads).allSatisfy { try file.contents()?["key.\($0)"]?.int == Self.turns - 1 }
    }
    #expect(isSaved)
    // Waits for the save to end before the folder is removed.
    try file.open().synchronize()
  }
}
