import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("Concurrent reading") struct SharedValueTests {
  private static let key = TableKey("key")
  private let table = DomainTable()

  init() { _ = table.set(1, forKey: Self.key) }

  /// Work on its own thread.
  private struct Activity {
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
      Thread { [done] in
        body()
        done.signal()
      }.start()
    }

    func waitForEnd() -> Bool { done.waitForSignal() }
  }

  /// A read of the table that continues until it is released, and calls `end` before it ends.
  private func look(begins: DispatchSemaphore, mayEnd: DispatchSemaphore, end: () -> Void = {}) -> Bool {
    while true {
      // Other tests may briefly occupy all slots.
      guard let claim = ReadClaim(.shared) else { continue }
      let result = table.read(Self.key, claim) { _ in
        begins.signal()
        let isSignaled = mayEnd.waitForSignal()
        end()
        return isSignaled
      }
      return (result ?? nil) ?? false
    }
  }

  /// True while a change waits for reads or is running.
  private var isBeingChanged: Bool {
    guard let claim = ReadClaim(.shared) else { return false }
    return table.read(Self.key, claim) { _ in true } == nil
  }

  @Test func `two threads can read at the same moment`() {
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let successes = Atomic(0)
    withExtendedLifetime(successes) {
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        let isSuccess = number == 0 ? look(begins: first, mayEnd: second) : look(begins: second, mayEnd: first)
        successes.add(isSuccess ? 1 : 0, ordering: .relaxed)
      }
    }
    #expect(successes.load(ordering: .relaxed) == 2)
  }

  @Test func `a change waits for running reads, and later reads see it`() {
    let (begins, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let table = table
    let events = Events()
    let reading = Activity { _ = look(begins: begins, mayEnd: mayEnd) { events.append("read") } }
    begins.wait()
    let changing = Activity {
      _ = table.set(2, forKey: Self.key)
      events.append("change")
    }
    #expect(eventually { isBeingChanged || !events.all.isEmpty })
    let lateBegins = DispatchSemaphore(value: 0)
    let late = Activity {
      lateBegins.signal()
      #expect(table.value(forKey: Self.key) == 2)
      events.append("late read")
    }
    lateBegins.wait()
    mayEnd.signal()
    #expect(reading.waitForEnd() && changing.waitForEnd() && late.waitForEnd())
    #expect(events.all.first == "read", "\(events.all)")
  }

  /// Events of several threads, in their order.
  private final class Events: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }

    func append(_ name: String) { names.withLock { $0.append(name) } }
  }

  @Test func `more reads at once than slots work too`() throws {
    let file = try SavedFile(["n": 5])
    let store = file.open()
    withClaims(4) {
      #expect(!Self.isRoom)
      #expect(table.value(forKey: Self.key) == 1)
      #expect(store.integer(forKey: "n") == 5)
    }
    #expect(Self.isRoom)
  }

  private static var isRoom: Bool {
    if let claim = ReadClaim(.shared) {
      _ = consume claim
      return true
    }
    return false
  }

  private func withClaims(_ count: Int, _ body: () -> Void) {
    guard count > 0 else { return body() }
    // Other tests may use a slot for a moment.
    for _ in 0..<1000 {
      guard let claim = ReadClaim(.shared) else { continue }
      withClaims(count - 1, body)
      _ = consume claim
      return
    }
    Issue.record("no room")
  }

  @Test func `no read sees an incomplete change of values, domains or suites`() throws {
    let file = SavedFile()
    let store = file.open()
    let suite: PersistentDomain = PersistentDomain(DomainName("com.example.suite"))
    let texts = ["a", "b"].map { String(repeating: $0, count: 1000) }
    let lists = texts.map { text in PropertyList.array(Array(repeating: .string(text), count: 10)) }
    store.register(defaults: ["list": lists[0]])
    let isDone = Atomic(false)
    let errors = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      guard thread == 0 else {
        while !isDone.load(ordering: .acquiring) {
          if let value = store.value(forKey: "list"), !lists.contains(value) { errors.add(1, ordering: .relaxed) }
          if let text = store.string(forKey: "text"), !texts.contains(text) { errors.add(1, ordering: .relaxed) }
          if store.integer(forKey: "kept") > 1 { errors.add(1, ordering: .relaxed) }
        }
        return
      }
      for turn in 0..<300 {
        store.set(lists[turn % 2], forKey: "list")
        store.set(texts[turn % 2], forKey: "text")
        store.set(texts[turn % 2], forKey: "text", in: suite)
        store.set(1, forKey: "kept")
        for number in 0..<10 { store.set(.integer(.init(turn)), forKey: "other \(number * turn)") }
        if turn % 10 == 0 { store.addSuite(named: suite.name) }
        if turn % 10 == 5 { store.removeSuite(named: suite.name) }
        if turn % 50 == 0 { store.setPersistentDomain(store.domain, to: ["text": .string(texts[0])]) }
        store.removeValue(forKey: "text")
      }
      isDone.store(true, ordering: .releasing)
    }
    #expect(errors.load(ordering: .relaxed) == 0)
    try store.synchronize()
  }

  @Test func `setting a value is not slower if thousands of other keys are observed`() throws {
    let file = SavedFile()
    let store = file.open()
    func time() -> Duration {
      ThreadClock.least(of: 5) { for turn in 0..<200 { store.set(.integer(.init(turn)), forKey: "key") } }
    }
    let alone = time()
    let sequences = (0..<5000).map { store.changes(forKey: "other \($0)") }
    let watched = time()
    // With a wide margin: checking each of them takes hundreds of times as long.
    #expect(watched < alone * 10, "\(alone) \(watched)")
    #expect(sequences.allSatisfy { $0.observer.nextChange() == nil })
    try store.synchronize()
  }
}
