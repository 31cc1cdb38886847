import Foundation
import OrderedCollections
import PropertyLists
import SystemFiles
import TestSupport
import Testing

@testable import Preferences

@Suite("Unreadable files are kept") struct UnreadableFileTests {
  private let file = SavedFile()

  /// Bytes that are not a preferences dictionary.
  static let unreadable: [(name: String, bytes: Data)] = [
    ("damaged binary", SaveSituation.corrupt),
    ("XML that is cut off", Data("<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict><key>a</key>".utf8)),
    ("an array", Data("<plist version=\"1.0\"><array><integer>1</integer></array></plist>".utf8)),
    ("JSON", Data(#"{"a": "old", "b": [1, 2]}"#.utf8)), ("an array of JSON", Data("[1]".utf8)),
    ("OpenStep that is cut off", Data("{ a = old; b = (1".utf8)), ("an array of OpenStep", Data("(a)".utf8)),
    ("a word", Data("a".utf8)), ("a text", (try? PropertyList.string("text").data(format: .binary)) ?? Data()),
    ("no byte", Data()), ("zeros, as a file system leaves them after a crash", Data(count: 4096)),
  ]

  @Test("an unreadable file is set aside unchanged at the next save, and reported once", arguments: unreadable)
  func atOpening(_ name: String, _ bytes: Data) throws {
    try file.write(bytes)
    let store = file.open()
    #expect(store.value(forKey: "a") == nil)
    // A process that only reads leaves it in place.
    try store.synchronize()
    try store.synchronize()
    #expect(file.bytes == bytes)
    #expect(file.namesSetAside == [])
    store.set("new", forKey: "a")
    try store.synchronize()
    #expect(try file.contents() == ["a": "new"])
    let names = file.namesSetAside
    try #require(names.count == 1)
    #expect(try Data(contentsOf: file.location.appending(path: names[0])) == bytes)
    // The name contains the time, in seconds.
    let pattern = try Regex("\\.plist\\.unreadable-[0-9]{8}T[0-9]{6}Z$")
    #expect(names[0].contains(pattern))
    let errors = ReportedErrors.about(file.path)
    try #require(errors.count == 1)
    guard case .unreadable(_, let setAside, _) = errors[0] else {
      Issue.record("\(errors)")
      return
    }
    #expect(setAside == file.location.path + "/" + names[0])
    #expect(errors[0].description.contains(file.path))
  }

  @Test("known values are used when the file becomes unreadable", arguments: [true, false])
  func whileOpen(_ isSavedByStore: Bool) throws {
    try file.write(["a": 1, "b": 2])
    let store = file.open()
    if isSavedByStore {
      store.set(2, forKey: "b")
      try store.synchronize()
    }
    try file.write(SaveSituation.corrupt)
    #expect(eventually { !ReportedErrors.about(file.path).isEmpty })
    try store.synchronize()
    #expect(store.integer(forKey: "a") == 1)
    #expect(file.bytes == SaveSituation.corrupt)
    store.set(3, forKey: "c")
    try store.synchronize()
    #expect(try file.contents() == ["a": 1, "b": 2, "c": 3])
    #expect(file.namesSetAside.count == 1)
    #expect(ReportedErrors.about(file.path).count == 1)
  }

  @Test func `a file that is set aside twice in a second gets another name`() throws {
    let store = file.open()
    for number in 1...4 {
      let bytes = Data("not a property list \(number) {".utf8)
      try file.write(bytes)
      try store.update(forKey: "n") { $0 = .integer(.init(number)) }
      #expect(file.namesSetAside.count == number)
    }
    #expect(try file.contents() == ["n": 4])
    let kept = try file.namesSetAside.map { try Data(contentsOf: file.location.appending(path: $0)) }
    #expect(Set(kept) == Set((1...4).map { Data("not a property list \($0) {".utf8) }))
  }

  @Test func `a repaired file counts again`() throws {
    try file.write(SaveSituation.corrupt)
    let store = file.open()
    try file.write(["a": "repaired"])
    #expect(eventually { store.string(forKey: "a") == "repaired" })
    store.set("b", forKey: "b")
    try store.synchronize()
    #expect(try file.contents() == ["a": "repaired", "b": "b"])
    #expect(file.namesSetAside == [])
  }

  @Test(.enabled(if: getuid() != 0)) func `a file without read permission is set aside`() throws {
    try file.write(["a": 1])
    let bytes = try #require(file.bytes)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
    try checkForbidden(file, bytes)
  }

  @Test func `a file that the system cannot read is set aside`() throws {
    try file.write(["a": 1])
    let bytes = try #require(file.bytes)
    let (path, identity) = (file.path, try FileIdentity(at: file.path))
    // Until another file exists, as if its permissions forbade it.
    try Interception.ofAllCalls(in: file.folder.url.path) { call in
      guard call.call == .open, call.path == path else { return nil }
      return (try? FileIdentity(at: path)) == identity ? EACCES : nil
    } during: {
      try checkForbidden(file, bytes)
    }
  }

  private func checkForbidden(_ file: SavedFile, _ bytes: Data) throws {
    let store = file.open()
    #expect(ReportedErrors.about(file.path).count == 1)
    store.set("new", forKey: "b")
    try store.synchronize()
    let names = file.namesSetAside
    try #require(names.count == 1)
    let setAside = file.location.appending(path: names[0])
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: setAside.path)
    #expect(try Data(contentsOf: setAside) == bytes)
    #expect(try file.contents() == ["b": "new"])
    #expect(ReportedErrors.about(file.path).count == 1)
  }

  @Test("a disk error while reading is reported once, and the file is read later")
  func failingDisk() throws {
    try file.write(["a": 1])
    let failures = RecordedCalls()
    let path = file.path
    let store = Interception.ofAllCalls(in: file.folder.url.path) { call in
      guard call.call == .read, call.path == path else { return nil }
      _ = failures.note(call)
      return EIO
    } during: {
      let store = file.open()
      #expect(store.value(forKey: "a") == nil)
      store.set(2, forKey: "b")
      let error = failure { () throws(PreferencesError) in try store.synchronize() }
      #expect(error?.path == file.path)
      #expect(eventually { failures.calls.count >= 3 })
      return store
    }
    try store.synchronize()
    #expect(try file.contents() == ["a": 1, "b": 2])
    #expect(store.integer(forKey: "a") == 1)
    #expect(file.namesSetAside == [])
    let errors = ReportedErrors.about(file.path).filter { if case .notRead = $0 { true } else { false } }
    #expect(errors.count == 1)
  }
}
