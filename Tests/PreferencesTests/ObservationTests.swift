import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

/// A store in its own folder.
final class Store: Sendable {
  let folder = TemporaryFolder()
  let preferences: UserPreferences

  init(arguments: [String] = []) {
    preferences = UserPreferences(
      suiteName: DomainName("com.example.observed"), locations: PreferencesLocations(folder: folder.url, host: "here"),
      arguments: arguments)
  }

  // Waits for the saves to end before the folder is removed.
  deinit { try? preferences.synchronize() }

  /// Sets values in another process, and waits for its end.
  func setElsewhere(_ pairs: String...) throws {
    let program = try Program.run("preferences-probe", [folder.url.path, "com.example.observed", "set"] + pairs)
    #expect(program.status == 0, "\(program.errors)")
  }
}

/// Returns the next elements of a sequence, or fewer if they do not arrive within ``hangLimit``.
func next<Changes: AsyncSequence & Sendable>(
  _ count: Int, of changes: Changes
) async -> [Changes.Element] where Changes.Element: Sendable, Changes.Failure == Never {
  let collecting = Task {
    var elements: [Changes.Element] = []
    var iterator = changes.makeAsyncIterator()
    while elements.count < count, let element = await iterator.next(isolation: nil) { elements.append(element) }
    return elements
  }
  let timeout = Task {
    try await Task.sleep(for: .seconds(hangLimit))
    collecting.cancel()
  }
  defer { timeout.cancel() }
  return await collecting.value
}

@Suite("Observing preferences with sequences") struct ObservationTests {
  @Test
  func `a change is reported with the old value and the source of the new one`() async throws {
    let store = Store()
    store.preferences.set(1, forKey: "size")
    let changes = store.preferences.changes(forKey: "size")
    store.preferences.set("other", forKey: "name")
    store.preferences.set(2, forKey: "size")
    let change = try #require(await next(1, of: changes).first)
    #expect(change.key == "size")
    #expect(change.oldValue == 1)
    #expect(change.newValue == 2)
    #expect(change.source == .application(DomainName("com.example.observed"), .any))
  }

  @Test func `removing a value changes it to nil, or to the registered value`() async throws {
    let store = Store()
    store.preferences.register(defaults: ["size": 10])
    store.preferences.set(1, forKey: "size")
    store.preferences.set(1, forKey: "name")
    let size = store.preferences.changes(forKey: "size")
    let name = store.preferences.changes(forKey: "name")
    store.preferences.removeValue(forKey: "size")
    store.preferences.removeValue(forKey: "name")
    let change = await next(1, of: size).first
    #expect(change?.newValue == 10)
    #expect(change?.source == .registration)
    let removed = try #require(await next(1, of: name).first)
    #expect(removed.newValue == nil)
    #expect(removed.source == nil)
  }

  @Test("an equal value, another key order, and a change that is reverted early are not reported")
  func equalValues() async throws {
    let store = Store()
    store.preferences.set(["a": [1, 2.5]], forKey: "same")
    store.preferences.set(1, forKey: "back")
    store.preferences.set(["x": 1, "y": [["z": 2, "w": 3]]], forKey: "order")
    let changes = store.preferences.changes()
    store.preferences.set(["y": [["w": 3, "z": 2]], "x": 1], forKey: "order")
    store.preferences.set(["a": [1, 2.5]], forKey: "same")
    store.preferences.set(2, forKey: "back")
    store.preferences.set(1, forKey: "back")
    store.preferences.set(true, forKey: "end")
    #expect(await next(1, of: changes).map(\.key) == ["end"])
  }

  @Test func `a change that an argument overrides is not reported`() async throws {
    let store = Store(arguments: ["-size", "20"])
    let changes = store.preferences.changes()
    store.preferences.set(1, forKey: "size")
    store.preferences.set(1, forKey: "end")
    #expect(await next(1, of: changes).map(\.key) == ["end"])
    #expect(store.preferences.integer(forKey: "size") == 20)
  }

  @Test func `a slow observer gets the latest value`() async throws {
    let store = Store()
    let changes = store.preferences.changes(forKey: "counter")
    for number in 1...1000 { store.preferences.set(number, forKey: "counter") }
    let change = try #require(await next(1, of: changes).first)
    #expect(change.oldValue == nil)
    #expect(change.newValue == 1000)
  }

  @Test func `changes by another store, and of added and removed suites, are reported`() async throws {
    let store = Store()
    let other = UserPreferences(
      suiteName: DomainName("com.example.observed"), locations: store.preferences.locations, arguments: [])
    let suite = UserPreferences(
      suiteName: DomainName("com.example.suite"), locations: store.preferences.locations, arguments: [])
    suite.set("suite", forKey: "from")
    let changes = store.preferences.changes()
    other.set(1, forKey: "shared")
    store.preferences.addSuite(named: DomainName("com.example.suite"))
    #expect(await next(2, of: changes).map(\.key) == ["shared", "from"])
    suite.set("again", forKey: "from")
    #expect(await next(1, of: changes).first?.newValue == "again")
    store.preferences.removeSuite(named: DomainName("com.example.suite"))
    #expect(await next(1, of: changes).map(\.newValue) == [nil])
    try await suite.synchronize()
  }

  @Test func `the sequence of a typed key begins with the effective value`() async throws {
    let store = Store()
    let key = PreferenceKey<Int>("size", default: 12)
    let values = store.preferences.values(for: key)
    #expect(await next(1, of: values) == [12])
    store.preferences[key] = 14
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 14)
    // The initial value is reported once, even if it became effective after the sequence was created.
    #expect(values.changes.observer.nextChange() == nil)
    store.preferences[key] = 15
    #expect(await iterator.next() == 15)
  }

  @Test func `The sequence ends when its task is cancelled`() async throws {
    let store = Store()
    let changes = store.preferences.changes()
    let task = Task { () -> Int in
      var count = 0
      for await _ in changes { count += 1 }
      return count
    }
    task.cancel()
    #expect(await task.value == 0)
  }

  @Test func `a released observer is removed`() throws {
    let store = Store()
    weak var observer: PreferencesObserver?
    do {
      let changes = store.preferences.changes()
      observer = changes.observer
      #expect(observer != nil)
    }
    #expect(observer == nil)
  }

  @Test(arguments: [nil, "key"])
  func `adding and removing a suite repeatedly does not accumulate observers`(_ key: String?) throws {
    let store = Store()
    let observer = PreferencesObserver(.searchList(store.preferences), key: key) { _ in }
    var observers = TableObservers()
    for _ in 0..<1000 { observers.add(observer) }
    #expect(observers.concerned(by: [TableKey("key")]).count <= 2)
  }

  @Test func `endless changes are reported in order while they continue`() throws {
    let store = Store()
    let changes = store.preferences.changes()
    var told: [Int] = []
    for number in 0..<1000 {
      for half in 0...1 { store.preferences.set(true, forKey: "\(2 * number + half)") }
      told += [try #require(changes.observer.nextChange().flatMap { Int($0.key) })]
    }
    while let change = changes.observer.nextChange() { told += [try #require(Int(change.key))] }
    #expect(told == Array(0..<2000))
  }

  @Test
  func `a change by another process is reported, if the file is replaced, overwritten or removed`() async throws {
    let store = Store()
    let changes = store.preferences.changes()
    try store.setElsewhere("size", "5")
    #expect(await next(1, of: changes).first?.newValue == "5")
    let file = URL(filePath: store.folder.path("com.example.observed.plist"))
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: PropertyList.dictionary(["size": 6]).data(format: .xml))
    try handle.close()
    #expect(await next(1, of: changes).first?.newValue == 6)
    try FileManager.default.removeItem(at: file)
    let removed = try #require(await next(1, of: changes).first)
    #expect(removed.oldValue == 6)
    #expect(removed.newValue == nil)
  }

  @Test func `an unsaved value of this process stays when others save`() async throws {
    let store = Store()
    let changes = store.preferences.changes(forKey: "theirs")
    try store.setElsewhere("theirs", "1", "mine", "theirs")
    store.preferences.set("mine", forKey: "mine")
    #expect(await next(1, of: changes).first?.newValue == "1")
    #expect(store.preferences.string(forKey: "mine") == "mine")
    try await store.preferences.synchronize()
    #expect(store.preferences.string(forKey: "mine") == "mine")
  }

  @Test func `a folder that is created later, and the target of a link, are watched`() async throws {
    let folder = TemporaryFolder()
    let far = TemporaryFolder()
    let url = folder.url.appending(path: "not/there/yet")
    let preferences = UserPreferences(
      suiteName: DomainName("late"), locations: PreferencesLocations(folder: url), arguments: [])
    let changes = preferences.changes()
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let target = far.url.appending(path: "target.plist")
    try PropertyList.dictionary(["a": 1]).write(to: target, format: .xml)
    try FileManager.default.createSymbolicLink(at: url.appending(path: "late.plist"), withDestinationURL: target)
    #expect(await next(1, of: changes).first?.newValue == 1)
    try PropertyList.dictionary(["a": 2]).write(to: target, format: .xml)
    #expect(await next(1, of: changes).first?.newValue == 2)
  }

  @Test(
    "a slow update of one file does not delay changes of others"
  )
  func slowUpdate() async throws {
    let slow = SavedFile()
    let other = SavedFile("com.example.other")
    try slow.write(["n": 1])
    let (slowStore, otherStore) = (slow.open(), other.open())
    let (slowChanges, otherChanges) = (slowStore.changes(forKey: "m"), otherStore.changes(forKey: "n"))
    let (isUpdating, mayEnd) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    let update = Task.detached {
      try await slowStore.update(forKey: "n") {
        isUpdating.continuation.yield()
        // The closure is called again, because the file has changed in the meantime.
        _ = mayEnd.waitForSignal()
        mayEnd.signal()
        $0 = 2
      }
    }
    for await _ in isUpdating.stream { break }
    // The watcher gets both changes, the one of the busy file first.
    try slow.write(["n": 1, "m": 5])
    try other.write(["n": 3])
    #expect(await next(1, of: otherChanges).first?.newValue == 3)
    mayEnd.signal()
    try await update.value
    #expect(await next(1, of: slowChanges).first?.newValue == 5)
    #expect(try slow.contents() == ["n": 2, "m": 5])
  }

  @Test func `without file notifications, files are checked repeatedly`() async throws {
    let file = try SavedFile(["n": 1])
    let changes = Interception.ofAllCalls(in: file.folder.url.path) {
      $0.call == .watch ? ENOSPC : nil
    } during: {
      file.open().changes(forKey: "n")
    }
    for number in 2...3 {
      try file.write(["n": .integer(.init(number))])
      #expect(await next(1, of: changes).first?.newValue == .integer(.init(number)))
    }
  }

  @Test func `Each change by another process arrives, one after another`() throws {
    let store = Store()
    let file = URL(filePath: store.folder.path("com.example.observed.plist"))
    try PropertyList.dictionary(["n": 0]).write(to: file, format: .binary)
    let arrivals = Mutex<Set<PropertyList?>>([])
    let arrived = DispatchSemaphore(value: 0)
    // Not in a task, because tasks share their threads with other tests.
    let observation = store.preferences.observe(forKey: "n") { change in
      _ = arrivals.withLock { $0.insert(change.newValue) }
      arrived.signal()
    }
    defer { observation.invalidate() }
    for number in 1...15 {
      // Like another process: a file that replaces the other.
      try PropertyList.dictionary(["n": .integer(.init(number))]).write(to: file, format: .binary)
      // The first contents of the file may also be reported.
      while !arrivals.withLock({ $0.contains(.integer(.init(number))) }) { try #require(arrived.waitForSignal()) }
    }
  }
}
