import Foundation
import PropertyLists
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("Processes use a lock") struct LockTests {
  /// A file that another process has locked.
  private func locked() throws -> (SavedFile, ChildProcess) {
    let file = try SavedFile(["a": 1])
    let process = try file.start("lock")
    try #require(eventually { process.text == "locked\n" || process.ended != nil })
    try #require(process.ended == nil, "\(process.errors)")
    return (file, process)
  }

  @Test(
    "a save that waits too long for a living process fails, but nothing is lost and readers do not wait")
  func aSaveGivesUpWhenItHasWaitedLong() throws {
    let (file, process) = try locked()
    let old = file.bytes
    let store = file.open()
    #expect(store.integer(forKey: "a") == 1)
    store.set(2, forKey: "b")
    let start = ContinuousClock.now
    let error = failure { () throws(PreferencesError) in try store.synchronize(patience: .milliseconds(100)) }
    #expect(error == .locked(path: file.path))
    #expect(ContinuousClock.now - start >= .milliseconds(100))
    #expect(error?.description.contains(file.path) == true)
    #expect(store.integer(forKey: "b") == 2)
    #expect(file.bytes == old)
    #expect(process.ended == nil)
    process.kill()
    try store.synchronize()
    #expect(try file.contents() == ["a": 1, "b": 2])
  }

  @Test func `the lock of a killed process is released`() throws {
    let (file, process) = try locked()
    process.kill()
    let store = file.open()
    store.set(2, forKey: "b")
    try store.synchronize(patience: .seconds(5))
    #expect(try file.contents() == ["a": 1, "b": 2])
  }

  @Test func `a waiting save continues as soon as the lock is released`() throws {
    let (file, process) = try locked()
    let store = file.open()
    store.set(2, forKey: "b")
    let attempts = RecordedCalls()
    try Interception.ofAllCalls(in: file.folder.url.path) { call in
      if call.call == .lock, attempts.note(call) == 5 { process.kill() }
      return nil
    } during: {
      try store.synchronize()
    }
    #expect(try file.contents() == ["a": 1, "b": 2])
  }

  @Test("at exit, a file that is locked for a while is saved, without delaying others")
  func endOfProcess() throws {
    let (file, process) = try locked()
    let free = SavedFile()
    let stores = [file.open(), free.open()]
    for store in stores { _ = store.file.table.set(2, forKey: TableKey("b")) }
    let attempts = RecordedCalls()
    let isOtherSaved = Mutex(false)
    Interception.ofAllCalls(in: file.folder.url.path) { call in
      guard call.call == .lock, !isOtherSaved.withLock({ $0 }) else { return nil }
      let isSaved = (try? free.contents()) == ["b": 2]
      isOtherSaved.withLock { $0 = isSaved }
      if isSaved || attempts.note(call) > 10_000 { process.kill() }
      return nil
    } during: {
      SaveSchedule.saveAll(stores.map(\.file), patience: .seconds(600))
    }
    #expect(isOtherSaved.withLock { $0 })
    #expect(try file.contents() == ["a": 1, "b": 2])
    #expect(!stores.contains { $0.file.table.hasUnsaved })
    #expect(ReportedErrors.about(file.path) == [])
  }

  @Test func `at exit, a file that stays locked is reported after the time that a save waits`() throws {
    let (file, process) = try locked()
    let store = file.open()
    _ = store.file.table.set(2, forKey: TableKey("b"))
    SaveSchedule.saveAll([store.file], patience: .milliseconds(1))
    #expect(ReportedErrors.about(file.path) == [.locked(path: file.path)])
    process.kill()
    try store.synchronize()
  }

  @Test func `changes during a long save are saved after it`() throws {
    let (file, process) = try locked()
    let store = file.open()
    store.set(2, forKey: "b")
    // The save that waits for the other process blocks later saves of this one. The next one gives up before it.
    #expect(failure { () throws(PreferencesError) in try store.synchronize(patience: .milliseconds(50)) } != nil)
    store.set(3, forKey: "c")
    #expect(failure { () throws(PreferencesError) in try store.synchronize(patience: .milliseconds(50)) } != nil)
    process.kill()
    #expect(try eventually { () throws in try file.contents() == ["a": 1, "b": 2, "c": 3] })
    #expect(eventually { !store.file.table.hasUnsaved })
  }
}
