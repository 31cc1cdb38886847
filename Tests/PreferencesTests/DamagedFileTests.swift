import Foundation
import OrderedCollections
import PropertyLists
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import Preferences

@Suite("A file is damaged while processes use it")
struct DamagedFileTests {
  /// What becomes of a file.
  enum Damage: CaseIterable {
    case replaced, cut, emptied, replacedByNothing

    func happen(to file: SavedFile) throws {
      switch self {
      case .replaced: try file.write(SaveSituation.corrupt)
      case .replacedByNothing: try file.write(Data())
      case .cut, .emptied:
        // In place, as a program that was killed in the middle of it leaves it.
        let size = try #require(file.bytes).count
        try #require(truncate(file.path, self == .cut ? off_t(size / 2) : 0) == 0)
        try file.age()
      }
    }
  }

  /// A file by itself, which looks at the disk only when it is told to, as another process would that is slow.
  private func slow(_ file: SavedFile) -> DomainFile {
    let slow = DomainFile.apart(file.path, base: nil)
    slow.reload()
    return slow
  }

  private func save(_ file: DomainFile, _ key: String, _ value: PropertyList?) throws {
    _ = file.table.set(value, forKey: TableKey(key))
    try file.save(patience: .seconds(10))
  }

  @Test("Its values are kept, nobody is told that they went, and it is beside the new one", arguments: Damage.allCases)
  func itsValuesAreKept(_ damage: Damage) throws {
    let file = try SavedFile()
    try file.write(["a": 1, "b": 2])
    let store = file.open()
    let changes = store.changes()
    try damage.happen(to: file)
    let damaged = try #require(file.bytes)
    store.file.reload()
    #expect(store.integer(forKey: "a") == 1)
    try store.update(forKey: "c") { $0 = 3 }
    #expect(try file.contents() == ["a": 1, "b": 2, "c": 3])
    #expect(changes.observer.nextChange()?.key == "c")
    #expect(changes.observer.nextChange() == nil)
    let names = file.namesSetAside
    try #require(names.count == 1)
    #expect(try Data(contentsOf: file.location.appending(path: names[0])) == damaged)
  }

  @Test("There is a file in its place at every moment while it is made anew", arguments: Damage.allCases)
  func noGap(_ damage: Damage) throws {
    let file = try SavedFile()
    try file.write(["a": 1, "b": 2])
    let store = file.open()
    try damage.happen(to: file)
    let (path, missing) = (file.path, RecordedCalls())
    try Interception.ofAllCalls(in: file.folder.url.path) { call in
      if !FileManager.default.fileExists(atPath: path) { _ = missing.note(call) }
      return nil
    } during: {
      try store.update(forKey: "c") { $0 = 3 }
    }
    #expect(missing.calls == [])
  }

  @Test(
    "A process that knows nothing makes it anew, and those that know more put back what they know",
    arguments: Damage.allCases)
  func aProcessThatKnowsNothingMakesItAnew(_ damage: Damage) throws {
    let file = try SavedFile()
    try file.write(["a": 1])
    let knowing = slow(file)
    try save(knowing, "b", 2)
    try damage.happen(to: file)
    try save(slow(file), "c", 3)
    #expect(try file.contents() == ["c": 3])
    knowing.reload()
    try knowing.save(patience: .seconds(10))
    #expect(try file.contents() == ["c": 3, "a": 1, "b": 2])
  }

  @Test("What a process has saved last is put back when one that did not know it made the file anew")
  func whatAProcessHasSavedLastIsPutBack() throws {
    let file = try SavedFile()
    try file.write(["a": 1, "removed": 1])
    let (first, second) = (slow(file), slow(file))
    try save(second, "a", 2)
    try save(second, "b", 2)
    try save(second, "removed", nil)
    try Damage.replaced.happen(to: file)
    try save(first, "c", 3)
    #expect(try file.contents() == ["a": 1, "removed": 1, "c": 3])
    second.reload()
    #expect(second.table.value(forKey: TableKey("a")) == 2)
    try second.save(patience: .seconds(10))
    #expect(try file.contents() == ["a": 2, "c": 3, "b": 2])
    // And only then: what others set and remove from now on counts.
    first.reload()
    try save(first, "a", 4)
    try save(first, "b", nil)
    second.reload()
    #expect(second.table.values.byName == ["a": 4, "c": 3])
  }

  @Test("A process that only reads waits a second for others to put back what is lost, and does it then")
  func aProcessThatOnlyReadsWaitsASecond() throws {
    let file = try SavedFile()
    try file.write(["a": 1])
    let (writer, reader) = (slow(file), slow(file))
    try save(writer, "b", 2)
    reader.reload()
    try Damage.replaced.happen(to: file)
    let fresh = slow(file)
    try save(fresh, "c", 3)
    reader.reload()
    #expect(reader.table.values.byName == ["a": 1, "b": 2, "c": 3])
    #expect(!reader.table.hasUnsaved)
    // What is removed meanwhile, after it was there, is removed.
    try save(fresh, "c", nil)
    reader.reload()
    #expect(reader.table.values.byName == ["a": 1, "b": 2])
    #expect(try eventually { () throws in try file.contents() == ["a": 1, "b": 2] && !reader.table.hasUnsaved })
  }

  @Test("A file that another user has made anew is left to that user", .enabled(if: getuid() == 0))
  func readerOfOthersFile() throws {
    let file = try SavedFile()
    try file.write(["a": 1])
    let reader = slow(file)
    try Damage.replaced.happen(to: file)
    try save(slow(file), "c", 3)
    try #require(chown(file.path, 1234, 1234) == 0)
    reader.reload()
    #expect(reader.table.values.byName == ["a": 1, "c": 3])
    #expect(eventually { reader.table.values.byName == ["c": 3] })
    #expect(try file.contents() == ["c": 3])
  }

  @Test("Missing right after it could not be read is not removed", arguments: [true, false])
  func missingRightAfterItCouldNotBeRead(_ hasSeen: Bool) throws {
    let file = try SavedFile()
    try file.write(["a": 1, "b": 2])
    let process = slow(file)
    try Damage.replaced.happen(to: file)
    if hasSeen { process.reload() }
    // As where the system has no second names for files.
    try FileManager.default.moveItem(atPath: file.path, toPath: file.path + ".unreadable-20261121T130501Z")
    process.reload()
    #expect(process.table.values.byName == ["a": 1, "b": 2])
    try save(process, "c", 3)
    #expect(try file.contents() == ["a": 1, "b": 2, "c": 3])
  }

  @Test("A file that somebody removed is gone, and one that was repaired counts, whatever was set aside before")
  func aFileThatSomebodyRemovedIsGone() throws {
    let file = try SavedFile()
    try file.write(["a": 1, "b": 2])
    let process = slow(file)
    try Damage.replaced.happen(to: file)
    try save(process, "c", 3)
    try file.write(["a": 5])
    process.reload()
    #expect(process.table.values.byName == ["a": 5])
    try FileManager.default.removeItem(at: file.url)
    process.reload()
    #expect(process.table.values.byName == [:])
  }

  @Test(
    "Where there are no second names, or files cannot be exchanged, it is made anew too",
    arguments: [
      [SystemCall.link: EPERM], [.exchange: ENOSYS], [.link: EPERM, .exchange: EINVAL], [.exchange: EPERM],
    ])
  func whereThereAreNoSecondNames(_ missing: [SystemCall: Int32]) throws {
    let file = try SavedFile()
    try file.write(["a": 1])
    let store = file.open()
    try Damage.replaced.happen(to: file)
    try Interception.ofAllCalls(in: file.folder.url.path) {
      missing[$0.call]
    } during: {
      try store.update(forKey: "b") { $0 = 2 }
      try store.update(forKey: "c") { $0 = 3 }
    }
    #expect(try file.contents() == ["a": 1, "b": 2, "c": 3])
    #expect(file.namesSetAside.count == 1)
    #expect(file.temporaryNames == [])
  }

  @Test("A domain that is removed leaves what could not be read, and nothing else")
  func removedDomain() throws {
    let file = try SavedFile()
    try file.write(["a": 1])
    let store = file.open()
    try Damage.replaced.happen(to: file)
    store.removePersistentDomain(store.domain)
    try store.synchronize()
    #expect(file.bytes == nil)
    #expect(file.names.count == 1 && file.namesSetAside.count == 1)
  }
}
