import Foundation
import Observation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("Observing preferences with functions") struct ObservingTests {
  private let saved = SavedFile()
  private static let size = PreferenceKey<Int>("size", default: 12)

  /// The arguments of a function's calls, which can be awaited.
  private final class Told<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])
    private let isTold = DispatchSemaphore(value: 0)

    func append(_ value: Value) {
      values.withLock { $0.append(value) }
      isTold.signal()
    }

    /// Returns all calls when there is at least one more; nil if none follows.
    func next() -> [Value]? { isTold.waitForSignal() ? all : nil }
    var all: [Value] { values.withLock { $0 } }
  }

  /// Sets a value as another process does.
  private func setElsewhere(_ value: PropertyList, _ saved: SavedFile) throws { try saved.write(["size": value]) }

  @Test func `a function is called for changes by this and other processes`() throws {
    let store = saved.open()
    let told = Told<Int>()
    let observation = store.observe(Self.size) { told.append($0) }
    store[Self.size] = 13
    #expect(told.next() == [13])
    store.set(1, forKey: "other")
    store[Self.size] = 13
    try store.synchronize()
    try setElsewhere(14, saved)
    #expect(told.next() == [13, 14])
    try FileManager.default.removeItem(at: saved.url)
    #expect(told.next() == [13, 14, 12])
    observation.invalidate()
  }

  @Test func `a function can get the initial value, and gets no value twice`() throws {
    try saved.write(["size": 5])
    let store = saved.open()
    let told = Told<Int>()
    let observation = store.observe(Self.size, initial: true) { told.append($0) }
    #expect(told.next() == [5])
    store[Self.size] = 6
    #expect(told.next() == [5, 6])
    observation.invalidate()
    try store.synchronize()
  }

  @Test(arguments: [true, false]) func `a function of the main actor is called on the main actor`(_ isInitial: Bool)
    async throws
  {
    let store = saved.open()
    let (values, value) = AsyncStream.makeStream(of: Int.self)
    let observation = store.observeOnMainActor(Self.size, initial: isInitial) { size in
      MainActor.assertIsolated()
      value.yield(size)
    }
    var iterator = values.makeAsyncIterator()
    if isInitial { #expect(await iterator.next() == 12) }
    store[Self.size] = 13
    #expect(await iterator.next() == 13)
    observation.invalidate()
    try await store.synchronize()
  }

  @Test func `a function for all keys gets the key, the values and their sources`() throws {
    let store = saved.open()
    let told = Told<PreferenceChange>()
    let observation = store.observe { told.append($0) }
    store.set("dark", forKey: "theme")
    let change = try #require(told.next()?.first)
    #expect(change.key == "theme" && change.oldValue == nil && change.newValue == "dark")
    #expect(change.source == .application(saved.domain, .any))
    try store.synchronize()
    observation.invalidate()
  }

  @Test(arguments: [true, false])
  func `no function is called after the observation ends, by a call or by its release`(_ isCalled: Bool) throws {
    let store = saved.open()
    let (ended, going) = (Told<Int>(), Told<Int>())
    var observation: PreferenceObservation? = store.observe(Self.size) { ended.append($0) }
    let other = store.observe(Self.size) { going.append($0) }
    if isCalled { observation?.invalidate() } else { observation = nil }
    store[Self.size] = 13
    #expect(going.next() == [13])
    #expect(ended.all == [])
    try store.synchronize()
    withExtendedLifetime((observation, other)) {}
  }

  @Test func `a function can set values, including the one that it observes`() throws {
    let store = saved.open()
    let told = Told<Int>()
    let observation = store.observe(Self.size) { [weak store] size in
      if size < 15 { store?[Self.size] = size + 1 }
      told.append(size)
    }
    store[Self.size] = 13
    while let all = told.next(), all.last != 15 {}
    #expect(told.all == [13, 14, 15])
    try store.synchronize()
    withExtendedLifetime(observation) {}
  }
}

@Suite("Property wrappers for preferences") struct PreferencePropertyTests {
  enum Theme: String, PreferenceValue { case light, dark }

  @Observable
  final class Model {
    @ObservationIgnored @Preference private(set) var size: Int
    @ObservationIgnored @Preference var theme: Theme

    init(_ store: UserPreferences) {
      _size = Preference(PreferenceKey("size", default: 12), store: store)
      _theme = Preference(wrappedValue: .light, "theme", store: store)
    }
  }

  /// Waits for the end of what `apply` has read.
  private func invalidation(of apply: () -> Void) -> DispatchSemaphore {
    let isInvalid = DispatchSemaphore(value: 0)
    withObservationTracking(apply) { isInvalid.signal() }
    return isInvalid
  }

  @Test func `a property reads and writes a value, with a default`() throws {
    let saved = SavedFile()
    let store = saved.open()
    let model = Model(store)
    #expect(model.size == 12 && model.theme == .light)
    model.theme = .dark
    #expect(store.string(forKey: "theme") == "dark")
    store.set(13, forKey: "size")
    #expect(model.size == 13)
    store.removeValue(forKey: "size")
    #expect(model.size == 12)
    try store.synchronize()
    #expect(try saved.contents() == ["theme": "dark"])
  }

  @Test func `a property can be nil, and is removed by nil or by its projection`() async throws {
    struct Profile {
      @Preference var nickname: String?
      @Preference var age: Int

      init(_ store: UserPreferences) {
        _nickname = Preference("nickname", store: store)
        _age = Preference(wrappedValue: 18, "age", store: store)
      }
    }
    let store = UserPreferences(inMemory: [:])
    let profile = Profile(store)
    #expect(profile.nickname == nil)
    profile.nickname = "Ann"
    #expect(store.string(forKey: "nickname") == "Ann")
    profile.nickname = nil
    #expect(store.value(forKey: "nickname") == nil)
    profile.age = 20
    #expect(profile.$age.key.name == "age" && profile.$age.store === store)
    profile.$age.removeValue()
    #expect(profile.age == 18)
    var values = profile.$age.values.makeAsyncIterator()
    #expect(await values.next() == 18)
    profile.age = 21
    #expect(await values.next() == 21)
  }

  @Test func `an observable model is invalidated when this process sets the value`() throws {
    let saved = SavedFile()
    let store = saved.open()
    let model = Model(store)
    let isInvalid = invalidation { _ = model.size }
    store.set(1, forKey: "other")
    model.theme = .dark
    #expect(isInvalid.wait(timeout: .now()) == .timedOut)
    store.set(13, forKey: "size")
    #expect(isInvalid.wait(timeout: .now()) == .success)
    try store.synchronize()
  }

  @Test func `an observable model is invalidated each time another process saves a new value`() throws {
    let saved = SavedFile()
    let store = saved.open()
    let model = Model(store)
    for size in 13...15 {
      var last = 0
      let isInvalid = invalidation { last = model.size }
      #expect(last == size - 1)
      #expect(try saved.start("exit", "size", "\(size)").waitUntilExit() == .exited(0))
      #expect(isInvalid.waitForSignal())
      #expect(model.size == size)
    }
  }
}
