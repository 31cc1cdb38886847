import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

/// A store in a folder of its own.
final class Store: Sendable {
  let folder = TemporaryFolder()
  let preferences: UserPreferences

  init(arguments: [String] = []) {
    preferences = UserPreferences(
      suiteName: DomainName("com.example.observed"), locations: PreferencesLocations(folder: folder.url, host: "here"),
      arguments: arguments)
  }

  // Waits for the end of the saves, before the folder goes.
  deinit { try? preferences.synchronize() }

  /// Has another process set values, and waits until it has ended.
  func setElsewhere(_ pairs: String...) throws {
    let program = try Program.run("preferences-probe", [folder.url.path, "com.example.observed", "set"] + pairs)
    #expect(program.status == 0, "\(program.errors)")
  }
}

/// The next elements of a sequence, or fewer if they do not arrive within ``hangLimit``.
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

@Suite("Changes of preferences are observed") struct ObservationTests {
  @Test
  func `A change of the key is told, with what was there before and where the new value comes from`() async throws {
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

  @Test func `Removing a value is a change to nothing, or to what is registered`() async throws {
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

  @Test("The same value again is no change, nor another order of keys, nor what is taken back before anybody asks")
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

  @Test func `A change that does not count, because an argument comes first, is not told`() async throws {
    let store = Store(arguments: ["-size", "20"])
    let changes = store.preferences.changes()
    store.preferences.set(1, forKey: "size")
    store.preferences.set(1, forKey: "end")
    #expect(await next(1, of: changes).map(\.key) == ["end"])
    #expect(store.preferences.integer(forKey: "size") == 20)
  }

  @Test func `Whoever is slow is told the latest value`() async throws {
    let store = Store()
    let changes = store.preferences.changes(forKey: "counter")
    for number in 1...1000 { store.preferences.set(number, forKey: "counter") }
    let change = try #require(await next(1, of: changes).first)
    #expect(change.oldValue == nil)
    #expect(change.newValue == 1000)
  }

  @Test func `Another store of the same domain, and suites that come and go, are observed too`() async throws {
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

  @Test func `Values of a typed key begin with the one that counts`() async throws {
    let store = Store()
    let key = PreferenceKey<Int>("size", default: 12)
    let values = store.preferences.values(for: key)
    #expect(await next(1, of: values) == [12])
    store.preferences[key] = 14
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 14)
    // What counted at the beginning is told once, also if it came to count after the sequence was made.
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

  @Test func `An observer that nobody has any more is forgotten`() throws {
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
  func `An observer of a suite that comes and goes is not kept more and more often`(_ key: String?) throws {
    let store = Store()
    let observer = PreferencesObserver(.searchList(store.preferences), key: key) { _ in }
    var observers = TableObservers()
    for _ in 0..<1000 { observers.add(observer) }
    #expect(observers.concerned(by: [TableKey("key")]).count <= 2)
  }

  @Test func `Changes that never end are told in order, while they go on`() throws {
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
  func `A change by another process is told, whether the file is replaced, written in place or removed`() async throws {
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

  @Test func `A value that this process has not saved yet stays, whatever others save`() async throws {
    let store = Store()
    let changes = store.preferences.changes(forKey: "theirs")
    try store.setElsewhere("theirs", "1", "mine", "theirs")
    store.preferences.set("mine", forKey: "mine")
    #expect(await next(1, of: changes).first?.newValue == "1")
    #expect(store.preferences.string(forKey: "mine") == "mine")
    try await store.preferences.synchronize()
    #expect(store.preferences.string(forKey: "mine") == "mine")
  }

  @Test func `A folder that is made later, and a file that a symbolic link leads to, are watched`() async throws {
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
    "A slow update of one file does not hold up what others are told of other files, and its own file is looked at after it"
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
        // It is called again, because the file is changed meanwhile.
        _ = mayEnd.waitForSignal()
        mayEnd.signal()
        $0 = 2
      }
    }
    for await _ in isUpdating.stream { break }
    // The watcher is told of both, of the one that is busy first.
    try slow.write(["n": 1, "m": 5])
    try other.write(["n": 3])
    #expect(await next(1, of: otherChanges).first?.newValue == 3)
    mayEnd.signal()
    try await update.value
    #expect(await next(1, of: slowChanges).first?.newValue == 5)
    #expect(try slow.contents() == ["n": 2, "m": 5])
  }

  @Test func `Where the system tells of no changes, files are looked at again and again`() async throws {
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
    // Not in a task: the threads of tasks belong to other tests as well.
    let observation = store.preferences.observe(forKey: "n") { change in
      _ = arrivals.withLock { $0.insert(change.newValue) }
      arrived.signal()
    }
    defer { observation.invalidate() }
    for number in 1...15 {
      // As another process does it: a file that replaces the other.
      try PropertyList.dictionary(["n": .integer(.init(number))]).write(to: file, format: .binary)
      // What the file held first may arrive as well.
      while !arrivals.withLock({ $0.contains(.integer(.init(number))) }) { try #require(arrived.waitForSignal()) }
    }
  }
}
