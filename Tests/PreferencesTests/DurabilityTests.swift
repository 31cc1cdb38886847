import Foundation
import OrderedCollections
import PropertyLists
import SystemFiles
import TestSupport
import Testing

@testable import Preferences

@Suite("Values are saved without a call to save") struct DurabilityTests {
  private let file = SavedFile()

  @Test(arguments: ["set", "exit"])
  func `when the main function ends, and when the process calls exit`(_ verb: String) throws {
    let process = try file.start(verb, "a", "1", "b", "ü")
    #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
    #expect(try file.contents() == ["a": "1", "b": "ü"])
    #expect(file.names == ["\(file.domain).plist"])
  }

  @Test func `when a function that exit calls sets them, even if it was registered first`() throws {
    let process = try file.start("atexit", "a", "1")
    #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
    #expect(try file.contents() == ["a": "1", "late": "2"])
  }

  @Test(arguments: [true, false])
  func `also if a process prints after closing its standard output`(_ isThere: Bool) throws {
    if isThere { try file.write(["z": 1]) }
    let process = try file.start("silent", "a", "1")
    #expect(process.waitUntilExit() == .exited(0))
    #expect(try file.contents() == (isThere ? ["z": 1, "a": "1"] : ["a": "1"]))
    #expect(file.names == ["\(file.domain).plist"])
  }

  @Test func `while the process continues to run`() throws {
    let process = try file.start("live", "a", "1")
    #expect(try eventually { () throws in try file.contents() == ["a": "1"] })
    #expect(process.ended == nil)
  }

  @Test func `also if the process had no free descriptor when it opened the domain`() throws {
    let process = try file.start("starved", "a", "1")
    #expect(try eventually { () throws in try file.contents() == ["a": "1"] })
    #expect(process.ended == nil)
  }

  @Test func `many values are saved together`() throws {
    let store = file.open()
    let renames = RecordedCalls()
    let start = ContinuousClock.now
    try Interception.ofAllCalls(in: file.folder.url.path) { call in
      if [.link, .rename, .exchange].contains(call.call) { _ = renames.note(call) }
      return nil
    } during: {
      for number in 0..<10_000 { store.set(.integer(.init(number)), forKey: "key\(number % 100)") }
      let isSaved = try eventually { () throws in try file.contents()?.count == 100 && !store.file.table.hasUnsaved }
      #expect(isSaved)
    }
    // Two saves are at least a twentieth of a second apart.
    #expect(renames.calls.count <= 2 + Int((ContinuousClock.now - start) / .milliseconds(50)))
    #expect(try file.contents()?["key99"] == 9999)
  }

  @Test func `when the last reference to the store is released`() throws {
    file.open().set("kept", forKey: "a")
    #expect(try eventually { () throws in try file.contents() == ["a": "kept"] })
    // Waits for the save to end before the folder is removed.
    try file.open().synchronize()
  }

  @Test func `a new file and new folders are accessible only to their owner`() throws {
    let file = SavedFile(below: "made/for it")
    let store = file.open()
    store.set(1, forKey: "a")
    try store.synchronize()
    #expect(file.permissions == 0o600)
    #expect(file.permissions(file.location.path) == 0o700)
    #expect(file.permissions(file.folder.path("made")) == 0o700)
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o400, 0o660])
  func `the permissions of an existing file are kept`(_ permissions: Int) throws {
    try file.write(["a": 1])
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
    let store = file.open()
    for number in 1...2 {
      store.set(.integer(.init(number)), forKey: "b")
      try store.synchronize()
      #expect(file.permissions == permissions)
    }
  }

  @Test(
    "a file that replaces a damaged one has its permissions, or is private to its owner",
    arguments: [0, 0o600, 0o644, 0o666], [nil, 0o600, 0o640])
  func permissionsOfUnreadableFile(_ permissions: Int, _ good: Int?) throws {
    if let good {
      try file.write(["a": 1])
      try FileManager.default.setAttributes([.posixPermissions: good], ofItemAtPath: file.path)
    }
    let store = file.open()
    #expect(store.integer(forKey: "a") == (good == nil ? 0 : 1))
    for number in 1...2 {
      try file.write(SaveSituation.corrupt)
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
      try store.update(forKey: "b") { $0 = .integer(.init(number)) }
      #expect(file.permissions == good ?? 0o600)
    }
    #expect(try file.contents() == (good == nil ? ["b": 2] : ["a": 1, "b": 2]))
  }

  @Test(.enabled(if: getuid() == 0))
  func `the group of the last good file is kept if a file of another group is set aside`() throws {
    try file.write(["a": 1])
    try #require(chown(file.path, 0, 5678) == 0 && chmod(file.path, 0o640) == 0)
    let store = file.open()
    try file.write(SaveSituation.corrupt)
    try #require(chown(file.path, 0, 1234) == 0 && chmod(file.path, 0o644) == 0)
    try store.update(forKey: "b") { $0 = 2 }
    #expect(try owner(of: file.path) == [0, 5678])
    #expect(file.permissions == 0o640)
  }

  @Test(.enabled(if: getuid() == 0)) func `the group of an existing file is kept`() throws {
    try file.write(["a": 1])
    try #require(chown(file.path, 0, 5678) == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    try file.open().update(forKey: "b") { $0 = 2 }
    #expect(try owner(of: file.path) == [0, 5678])
    #expect(file.permissions == 0o640)
  }

  @Test(.enabled(if: getuid() == 0), arguments: [0o600, 0o644, 0o666])
  func `a file belongs to the user who saves it, and is private if another user created it`(_ permissions: Int) throws {
    try file.write(["a": 1])
    try #require(chown(file.path, 1234, 5678) == 0)
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file.path)
    let made = open(file.path, O_RDONLY)
    defer { close(made) }
    let store = file.open()
    store.set("secret", forKey: "b")
    try store.synchronize()
    #expect(try owner(of: file.path) == [0, 0])
    #expect(file.permissions == 0o600)
    #expect(try file.contents() == ["a": 1, "b": "secret"])
    // A descriptor that was open before reads the old contents.
    let seen = try #require(try FileHandle(fileDescriptor: made).readToEnd())
    #expect(try PropertyList(seen).dictionary == ["a": 1])
  }

  @Test(.enabled(if: getuid() == 0))
  func `a file that another user has created with the same bytes is also replaced`() throws {
    try file.write(["a": 1])
    try #require(chown(file.path, 1234, 5678) == 0)
    let store = file.open()
    store.set(1, forKey: "a")
    try store.synchronize()
    #expect(try owner(of: file.path) == [0, 0])
    #expect(try file.contents() == ["a": 1])
  }

  private func owner(of path: String) throws -> [Int?] {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return [attributes[.ownerAccountID] as? Int, attributes[.groupOwnerAccountID] as? Int]
  }

  @Test(
    "an XML file stays XML, and becomes binary if XML cannot hold a value",
    arguments: [
      ("text", .xml), (.date(Date(timeIntervalSinceReferenceDate: 5)), .xml),
      (.date(Date(timeIntervalSinceReferenceDate: 0.5)), .binary), ("bell \u{7}", .binary), (["CF$UID": 3], .binary),
    ] as [(PropertyList, PropertyListFormat)])
  func xmlStaysXML(_ value: PropertyList, _ format: PropertyListFormat) throws {
    try file.write(["z": 1, "a": 2], .xml)
    let store = file.open()
    store.set(value, forKey: "value")
    try store.synchronize()
    let bytes = try #require(file.bytes)
    #expect(PropertyListFormat(detecting: bytes.bytes) == format)
    #expect(try file.contents() == ["z": 1, "a": 2, "value": value])
  }

  @Test(
    "the order of keys, and keys of other processes, are kept; new keys come last",
    arguments: [PropertyListFormat.binary, .xml])
  func theOrderOfKeys(_ format: PropertyListFormat) throws {
    try file.write(["zebra": 1, "ant": 2, "midge": ["y": 1, "x": 2], "bee": 3], format)
    let store = file.open()
    store.set(20, forKey: "ant")
    store.removeValue(forKey: "bee")
    for key in ["new2", "new1"] { store.set(1, forKey: key) }
    try store.synchronize()
    let contents = try #require(try file.contents())
    #expect(Array(contents.keys) == ["zebra", "ant", "midge", "new2", "new1"])
    #expect(contents["midge"]?.dictionary.map { Array($0.keys) } == ["y", "x"])
  }

  @Test func `a replaced domain has the given order`() throws {
    let store = file.open()
    store.setPersistentDomain(store.domain, to: ["z": 1, "a": 2, "m": 3])
    store.set(4, forKey: "b")
    try store.synchronize()
    #expect(try file.contents().map { Array($0.keys) } == ["z", "a", "m", "b"])
  }

  @Test func `a save syncs first the bytes, then the name`() throws {
    let situation = try SaveSituation(.binaryFile)
    let store = situation.openChanged()
    let recorded = RecordedCalls()
    try Interception.ofCalls(in: situation.file.folder.url.path) { call in
      if call.path == situation.file.path { _ = recorded.note(call) }
      return nil
    } during: {
      try store.synchronize()
    }
    let order: Set<SystemCall> = [.lock, .write, .synchronize, .rename, .exchange]
    let calls = recorded.calls.map(\.call).filter { order.contains($0) }
    #expect(calls == [.lock, .write, .synchronize, .exchange, .synchronize])
  }
}
