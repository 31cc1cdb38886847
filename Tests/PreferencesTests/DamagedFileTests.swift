import Foundation
import OrderedCollections
import PropertyLists
import Synchronization
import SystemFiles
import TestSupport
import Testing

@testable import Preferences

@Suite("Files that are damaged while processes use them") struct DamagedFileTests {
  private let file = SavedFile()

  /// The result of a damage to a file.
  enum Damage: CaseIterable {
    case replaced, cut, emptied, replacedByNothing

    func happen(to file: SavedFile) throws {
      switch self {
      case .replaced: try file.write(SaveSituation.corrupt)
      case .replacedByNothing: try file.write(Data())
      case .cut, .emptied:
        // Overwritten in place, as by a program that was killed while writing.
        let size = try #require(file.bytes).count
        try #require(truncate(file.path, self == .cut ? off_t(size / 2) : 0) == 0)
        try file.age()
      }
    }
  }

  /// A separate store that reads the disk only on request, like a slow process.
  private func slow(_ file: SavedFile) -> DomainFile {
    let slow = DomainFile.apart(file.path, base: nil, keepsLastSave: true)
    slow.reload()
    return slow
  }

  private func save(_ file: DomainFile, _ key: String, _ value: PropertyList?) throws {
    _ = file.table.set(value, forKey: TableKey(key))
    try file.save(patience: .seconds(10))
  }

  @Test(arguments: Damage.allCases)
  func `the values are kept without a change notification, and the damaged file is set aside`(_ damage: Damage) throws {
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

  @Test(arguments: Damage.allCases)
  func `the path always has a file while it is restored`(_ damage: Damage) throws {
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

  private func count(_ file: DomainFile) throws -> Int? {
    try file.update(patience: .seconds(10)) { values in
      let number = (values["n"]?.int ?? 0) + 1
      values["n"] = .integer(.init(number))
      return number
    }.get()
  }

  @Test(
    "a process with older values restores the newest acknowledged ones before it increments",
    arguments: Damage.allCases)
  func theNewestStateCounts(_ damage: Damage) throws {
    let (first, second) = (slow(file), slow(file))
    #expect(try count(first) == 1)
    for number in 2...3 { #expect(try count(second) == number) }
    try damage.happen(to: file)
    #expect(try count(first) == 4)
    try damage.happen(to: file)
    #expect(try count(second) == 5)
    try damage.happen(to: file)
    // Also a store that knows no values.
    #expect(try count(slow(file)) == 6)
    #expect(try file.contents() == ["n": 6])
    #expect(file.namesSetAside.count == 3)
  }

  @Test(arguments: Damage.allCases)
  func `a removed domain is not restored with an older acknowledged state`(_ damage: Damage) throws {
    let process = slow(file)
    try save(process, "a", 1)
    _ = process.table.replace(with: [:])
    try process.save(patience: .seconds(10))
    try file.write(["b": 2])
    try damage.happen(to: file)
    try save(slow(file), "c", 3)
    #expect(try file.contents() == ["c": 3])
  }

  @Test(arguments: 0..<3)
  func `an incomplete backup, or one of another file, is ignored`(_ number: Int) throws {
    try save(slow(file), "a", 1)
    let copy = try #require(file.lastSave)
    switch number {
    case 0: try #require(truncate(copy, 180) == 0)
    case 1: try Data("bplist00".utf8).write(to: URL(filePath: copy))
    default:
      try FileManager.default.removeItem(atPath: copy)
      try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: "other")
      try Data("other".utf8).write(to: file.location.appending(path: "other"))
    }
    try Damage.replaced.happen(to: file)
    try save(slow(file), "c", 3)
    #expect(try file.contents() == ["c": 3])
    if number == 2 { #expect(try Data(contentsOf: file.location.appending(path: "other")) == Data("other".utf8)) }
  }

  @Test(arguments: [0o600, 0o640, 0o644])
  func `the backup has the permissions of the file`(_ permissions: Int) throws {
    let process = slow(file)
    try save(process, "a", 1)
    #expect(file.permissions(try #require(file.lastSave)) == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
    try save(process, "a", 2)
    #expect(file.permissions(try #require(file.lastSave)) == permissions)
  }

  @Test(
    "a process without values creates a new file, and others restore what they know",
    arguments: Damage.allCases)
  func aProcessThatKnowsNothingMakesItAnew(_ damage: Damage) throws {
    try file.write(["a": 1])
    let knowing = slow(file)
    try damage.happen(to: file)
    try save(slow(file), "c", 3)
    #expect(try file.contents() == ["c": 3])
    knowing.reload()
    try save(knowing, "b", 2)
    #expect(try file.contents() == ["c": 3, "b": 2, "a": 1])
  }

  @Test func `the last save of a process is restored when another one recreates the file`() throws {
    try file.write(["a": 1, "removed": 1])
    let (first, second) = (slow(file), slow(file))
    try save(second, "a", 2)
    try save(second, "b", 2)
    try save(second, "removed", nil)
    try Damage.replaced.happen(to: file)
    try save(first, "c", 3)
    #expect(try file.contents() == ["a": 2, "b": 2, "c": 3])
    // From now on, changes of other processes count.
    try save(first, "a", 4)
    try save(first, "b", nil)
    second.reload()
    #expect(second.table.values.byName == ["a": 4, "c": 3])
  }

  @Test func `a reading process waits a second for others to restore values, then does it itself`() throws {
    try file.write(["a": 1, "b": 2])
    let reader = slow(file)
    try Damage.replaced.happen(to: file)
    let fresh = slow(file)
    try save(fresh, "c", 3)
    reader.reload()
    #expect(reader.table.values.byName == ["a": 1, "b": 2, "c": 3])
    #expect(!reader.table.hasUnsaved)
    // Keys that are removed in the meantime stay removed.
    try save(fresh, "c", nil)
    reader.reload()
    #expect(reader.table.values.byName == ["a": 1, "b": 2])
    #expect(try eventually { () throws in try file.contents() == ["a": 1, "b": 2] && !reader.table.hasUnsaved })
  }

  @Test(.enabled(if: getuid() == 0)) func `a file that another user has recreated is left to that user`() throws {
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

  @Test(arguments: [true, false]) func `a file that is missing while it is recreated does not count as removed`(
    _ hasSeen: Bool
  ) throws {
    try file.write(["a": 1, "b": 2])
    let process = slow(file)
    try Damage.replaced.happen(to: file)
    if hasSeen { process.reload() }
    let moments = RecordedCalls()
    // Like a file system without hard links.
    try Interception.ofAllCalls(in: file.folder.url.path) { call in
      guard call.call == .link else { return nil }
      if !FileManager.default.fileExists(atPath: file.path) {
        _ = moments.note(call)
        process.reload()
      }
      return EPERM
    } during: {
      try save(slow(file), "c", 3)
    }
    #expect(moments.calls.count == 1)
    #expect(process.table.values.byName == ["a": 1, "b": 2])
    process.reload()
    try save(process, "d", 4)
    #expect(try file.contents() == ["c": 3, "d": 4, "a": 1, "b": 2])
  }

  @Test("a removed file stays removed, and a repaired file counts, despite an older backup")
  func aFileThatSomebodyRemovedIsGone() throws {
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
    "without hard links or atomic exchange, the file is also restored",
    arguments: [[SystemCall.link: EPERM], [.exchange: ENOSYS], [.link: EPERM, .exchange: EINVAL], [.exchange: EPERM]])
  func whereThereAreNoSecondNames(_ missing: [SystemCall: Int32]) throws {
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

  @Test func `removing a domain leaves only the file that could not be read`() throws {
    try file.write(["a": 1])
    let store = file.open()
    try Damage.replaced.happen(to: file)
    store.removePersistentDomain(store.domain)
    try store.synchronize()
    #expect(file.bytes == nil)
    #expect(file.names.count == 1 && file.namesSetAside.count == 1)
  }
}
