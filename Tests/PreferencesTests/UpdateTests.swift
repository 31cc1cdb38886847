import Foundation
import OrderedCollections
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("Updates") struct UpdateTests {
  private let file = SavedFile()

  private enum Keys {
    static let count = PreferenceKey<Int>("count", default: 10)
    static let name = PreferenceKey<String>("name", default: "nobody")
  }

  private struct Refusal: Error, Equatable { let count: Int }

  @Test func `an update returns the result of its closure`() throws {
    let store = file.open()
    let typed = try store.update(Keys.count) { count in
      count += 1
      return "was \(count - 1)"
    }
    #expect(typed == "was 10")
    #expect(try store.update(forKey: "count") { $0?.int } == 11)
    #expect(try store.update { values in values[Keys.count] } == 11)
    #expect(try store.update(forKey: "none") { $0 } == .some(nil))
  }

  @Test func `keys are listed as of the update, with its own changes`() throws {
    try file.write(["b": 1, "a": 2])
    let store = file.open()
    store.set(3, forKey: "c")
    let keys = try store.update { values in
      let before = values.keys
      values["a"] = nil
      values["d"] = 4
      return [before, values.keys]
    }
    #expect(keys == [["a", "b", "c"], ["b", "c", "d"]])
  }

  @Test func `the closure runs again if another thread sets a new key after the keys were listed`() throws {
    let store = file.open()
    var calls = 0
    let keys = try store.update { values in
      let keys = values.keys
      calls += 1
      if calls == 1 {
        let isSet = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          store.set(1, forKey: "new")
          isSet.signal()
        }
        isSet.wait()
      }
      values["count"] = .integer(.init(keys.count))
      return keys
    }
    #expect(keys == ["new"] && calls == 2)
    #expect(store.integer(forKey: "count") == 1)
    try store.synchronize()
  }

  @Test func `an update can be awaited, and throws the closure's error`() async throws {
    let store = file.open()
    let number = try await store.update(Keys.count) { count in
      count += 1
      return count
    }
    #expect(number == 11)
    try await store.update(forKey: "name") { $0 = "somebody" }
    #expect(try await store.update { values in values.keys } == ["count", "name"])
    await #expect(throws: Refusal(count: 11)) { try await store.update(Keys.count) { throw Refusal(count: $0) } }
    await #expect(throws: PreferencesError.emptyKey) { try await store.update(forKey: "") { $0 = 1 } }
    store.set(true, forKey: "flag")
    try await store.synchronize()
    #expect(try file.contents() == ["count": 11, "name": "somebody", "flag": true])
  }

  @Test func `an update that throws leaves unsaved values of an earlier save to be saved`() throws {
    let store = file.open()
    _ = store.file.table.set("kept", forKey: TableKey("a"))
    let error = Interception.ofCalls(in: file.folder.url.path) { call in
      call.call == .write ? ENOSPC : nil
    } during: {
      failure { () throws(PreferencesError) in try store.synchronize() }
    }
    #expect(error?.path == file.path)
    #expect(throws: Refusal(count: 1)) { try store.update(forKey: "b") { _ in throw Refusal(count: 1) } }
    #expect(store.file.schedule.isDue)
    try store.synchronize()
    #expect(try file.contents() == ["a": "kept"])
  }

  @Test func `an update throws the closure's error, and changes nothing`() throws {
    try file.write(["count": 1])
    let before = file.bytes
    let store = file.open()
    #expect(throws: Refusal(count: 1)) {
      try store.update(Keys.count) { count in
        defer { count = 2 }
        throw Refusal(count: count)
      }
    }
    #expect(throws: Refusal(count: 3)) { try store.update(forKey: "count") { _ in throw Refusal(count: 3) } }
    #expect(throws: Refusal(count: 1)) {
      try store.update { values in
        values["other"] = 1
        throw Refusal(count: values[Keys.count])
      }
    }
    #expect(throws: Refusal(count: 0)) {
      try PreferencesFile(at: file.url).update { values in
        values = nil
        throw Refusal(count: 0)
      }
    }
    #expect(file.bytes == before)
    #expect(store.dictionaryRepresentation() == ["count": 1])
    #expect(!store.file.table.hasUnsaved)
    #expect(ReportedErrors.about(file.path) == [])
    try store.update(Keys.count) { $0 += 1 }
    #expect(try file.contents() == ["count": 2])
  }

  @Test func `an update whose closure cannot throw throws only PreferencesError`() throws {
    let store = file.open()
    let error = try #require(throws: PreferencesError.self) { try store.update(forKey: "a") { $0 = .null } }
    #expect(error == .notStorable(key: "a", reason: "it is a null, or contains one"))
    #expect(failure { () throws(PreferencesError) in try store.update(forKey: "") { $0 = 1 } } == .emptyKey)
    #expect(failure { () throws(PreferencesError) in try store.update { $0[""] = 1 } } == .emptyKey)
  }

  @Test func `several keys change at once for all readers`() throws {
    try file.write(["from": 100, "to": 0, "name": "x", "kept": 1])
    let store = file.open()
    let path = file.path
    let sums = Mutex<Set<Int>>([])
    try Interception.ofAllCalls(in: file.folder.url.path) { _ in
      // Not by the calls that are observed here.
      let values = (try? Data(contentsOf: URL(filePath: path))).flatMap { try? PropertyList($0).dictionary }
      _ = sums.withLock { $0.insert((values?["from"]?.int ?? 0) + (values?["to"]?.int ?? 0)) }
      return nil
    } during: {
      for _ in 0..<3 {
        try store.update { values in
          values["from"] = .integer(.init((values["from"]?.int ?? 0) - 10))
          values["to"] = .integer(.init((values["to"]?.int ?? 0) + 10))
          values[Keys.name] += "y"
          values["kept"] = nil
        }
      }
    }
    #expect(sums.withLock { $0 } == [100])
    #expect(try file.contents() == ["from": 70, "to": 30, "name": "xyyy"])
    // One value that cannot be stored fails the update.
    let error = failure { () throws(PreferencesError) in
      try store.update { values in
        values["from"] = 0
        values["to"] = .null
        values["more"] = .null
      }
    }
    #expect(error == .notStorable(key: "to", reason: "it is a null, or contains one"))
    #expect(try file.contents() == ["from": 70, "to": 30, "name": "xyyy"])
    #expect(store.integer(forKey: "from") == 70)
  }

  @Test func `an update that sets its own key stores the result, and runs once`() throws {
    let store = file.open()
    var calls = 0
    try store.update(Keys.count) { count in
      calls += 1
      store.set(50, forKey: "count")
      store[Keys.name] = "set"
      count = 60
    }
    #expect(calls == 1)
    #expect(try file.contents()?["count"] == 60)
    #expect(store.integer(forKey: "count") == 60)
    #expect(store.string(forKey: "name") == "set")
    // Values that the closure sets without returning them are also kept.
    try store.update(forKey: "other") { value in
      calls += 1
      store.set(70, forKey: "count")
      store.setPersistentDomain(store.domain, to: ["fresh": 1])
      value = 1
    }
    #expect(calls == 2)
    try store.synchronize()
    #expect(try file.contents() == ["fresh": 1, "other": 1])
  }

  @Test(.timeLimit(.minutes(hangLimitInMinutes)))
  func `an update ends even if other threads set the value constantly`() throws {
    let store = file.open()
    let isDone = Atomic(false)
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread {
      var number = 0
      while !isDone.load(ordering: .relaxed) {
        number += 1
        store.set(.integer(.init(number)), forKey: "count")
        if number == 1 { begun.signal() }
      }
      // The last set counts, even if this thread did not run during the update.
      store.set(.integer(.init(number)), forKey: "count")
      ended.signal()
    }.start()
    begun.wait()
    var calls = 0
    try store.update(forKey: "count") { value in
      calls += 1
      usleep(1000)
      value = "changed"
    }
    #expect(calls < 20)
    isDone.store(true, ordering: .relaxed)
    ended.wait()
    try store.synchronize()
    #expect(try file.contents()?["count"]?.int != nil)
    #expect(!store.file.table.hasUnsaved)
  }

  enum Save: CaseIterable {
    case synchronize, update, updateOfOtherKey, updateOfFile, updateByWayOfLink
  }

  @Test(arguments: Save.allCases) func `an update that saves its own domain is an error`(_ save: Save) throws {
    let file = SavedFile(below: "P")
    try FileManager.default.createDirectory(at: file.location, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: file.folder.path("Q"), withDestinationPath: "P")
    let store = file.open()
    let linked = file.folder.path("Q/\(file.domain).plist")
    // A save that waited would have another error.
    let error = #expect(throws: PreferencesError.self) {
      try store.update(Keys.count) { count in
        count += 1
        switch save {
        case .synchronize: try store.synchronize()
        case .update: try store.update(Keys.count) { $0 += 1 }
        case .updateOfOtherKey: try store.update(Keys.name) { $0 = "x" }
        case .updateOfFile: try PreferencesFile(at: file.url).update { $0 = nil }
        case .updateByWayOfLink: try PreferencesFile(at: URL(filePath: linked)).update { $0 = [:] }
        }
      }
    }
    #expect(error == .updateUnderWay(path: save == .updateByWayOfLink ? linked : file.path))
    #expect(error?.description.contains("same thread") == true)
    #expect(file.bytes == nil)
    // The next update is not affected.
    #expect(try store.update(Keys.count) { $0 } == 10)
  }

  @Test func `an update can save another domain, which another thread can save at the same time`() throws {
    let store = file.open()
    let other = SavedFile("com.example.other")
    let done = DispatchSemaphore(value: 0)
    try store.update(Keys.count) { count in
      count += 1
      try other.open().update(Keys.count) { $0 = 5 }
      Thread {
        store.set("there", forKey: "name")
        #expect(throws: Never.self) { try store.synchronize() }
        done.signal()
      }.start()
    }
    done.wait()
    #expect(try file.contents()?["count"] == 11)
    #expect(try file.contents()?["name"] == "there")
    #expect(try other.contents() == ["count": 5])
  }
}
