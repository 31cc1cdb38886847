import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import Preferences

@Suite("Preferences in memory") struct InMemoryTests {
  private static let count = PreferenceKey<Int>("count", default: 0)

  @Test func `a store in memory has its initial values, shares none, and has no file`() throws {
    let store = UserPreferences(inMemory: ["count": 3, "theme": "dark"])
    let other = UserPreferences(inMemory: [:])
    #expect(store[Self.count] == 3 && store.string(forKey: "theme") == "dark")
    #expect(!store.file.table.hasUnsaved)
    store.set(1, forKey: "size")
    store.set("light", forKey: "theme", in: .global)
    store.register(defaults: ["other": 5])
    #expect(other.dictionaryRepresentation() == [:])
    #expect(store.integer(forKey: "other") == 5)
    #expect(store.persistentDomain(store.domain) == ["count": 3, "size": 1, "theme": "dark"])
    #expect(store.searchList.allSatisfy { $0.path == nil })
    store.removePersistentDomain(store.domain)
    #expect(store.string(forKey: "theme") == "light")
  }

  @Test func `saves and updates succeed, and changes are reported`() throws {
    let store = UserPreferences(inMemory: ["count": 3])
    let changes = store.changes()
    store.set(1, forKey: "size")
    try store.synchronize()
    #expect(!store.file.table.hasUnsaved)
    #expect(
      try store.update(Self.count) { count in
        count += 1
        return count
      } == 4)
    #expect(store[Self.count] == 4)
    #expect([changes.observer.nextChange(), changes.observer.nextChange()].map { $0?.key } == ["size", "count"])
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try store.update(Self.count) { count in
        count = 9
        throw Refusal()
      }
    }
    #expect(store[Self.count] == 4)
  }

  @Test func `an update that saves the same domain is an error`() throws {
    let store = UserPreferences(inMemory: [:])
    let error = try store.update(Self.count) { _ in
      failure { () throws(PreferencesError) in try store.synchronize() }
    }
    #expect(error == .updateUnderWay(path: store.file.name))
  }
}
