import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Setting a file aside") struct SettingAsideTests {
  private static let suffix = ".unreadable-1"
  private let folder = TemporaryFolder(isInMemory: true)
  private let path: String
  private let location: FileLocation
  private let identity: FileIdentity

  init() throws {
    path = try folder.make("a")
    location = try #require(try FileLocation(path))
    identity = try #require(try FileIdentity(at: path))
  }

  /// Replaces the file, and sets it aside. Returns true if it was replaced.
  private func replace() throws -> Bool {
    let file = try NewFile.holding(Data("new".utf8), at: location, .new(0o600))
    return try file.commit(replacing: identity, settingAside: Self.suffix) { ".displaced" } != nil
  }

  // Keeping a file under another name.

  @Test func `a file gets an additional name`() throws {
    let name = try #require(try location.keep(identity, suffix: Self.suffix))
    #expect(FileSystem.text(name) == "a.unreadable-1")
    #expect(FileSystem.isSameFile(path, folder.path("a.unreadable-1")))
    #expect(folder.names == ["a", "a.unreadable-1"])
  }

  @Test func `a number follows if the name exists`() throws {
    try folder.make("a.unreadable-1", "first")
    try folder.link("a.unreadable-1-2", to: "missing")
    let name = try #require(try location.keep(identity, suffix: Self.suffix))
    #expect(FileSystem.text(name) == "a.unreadable-1-3")
    #expect(folder.text("a.unreadable-1") == "first")
    #expect(folder.text("a.unreadable-1-3") == "old")
  }

  @Test func `a name that a killed process has added is used again`() throws {
    _ = try location.keep(identity, suffix: Self.suffix)
    let name = try location.keep(identity, suffix: ".unreadable-2")
    #expect(name.map { FileSystem.text($0) } == "a.unreadable-1")
    #expect(folder.names == ["a", "a.unreadable-1"])
  }

  @Test func `a hard link with an unrelated name does not count as kept`() throws {
    try succeed(Foundation.link(path, folder.path("b")))
    let name = try location.keep(identity, suffix: Self.suffix)
    #expect(name.map { FileSystem.text($0) } == "a.unreadable-1")
    #expect(folder.names == ["a", "a.unreadable-1", "b"])
  }

  @Test func `another file at the path is not kept`() throws {
    try supersede(path, "theirs")
    #expect(try location.keep(identity, suffix: Self.suffix) == nil)
    #expect(folder.names == ["a"])
    try succeed(unlink(path))
    #expect(try location.keep(identity, suffix: Self.suffix) == nil)
    #expect(folder.names == [])
  }

  @Test(arguments: [EPERM, EACCES, ENOTSUP, ENOSYS, EMLINK])
  func `a file system without hard links has its own error`(_ code: Int32) throws {
    #expect(throws: FileError(EMLINK, "cannot set aside \(path)")) {
      try folder.failing(.link, with: code) { try location.keep(identity, suffix: Self.suffix) }
    }
    #expect(folder.names == ["a"])
  }

  @Test func `other errors have the path and the reason`() throws {
    #expect(throws: FileError(EIO, "cannot set aside \(path): \(reason(EIO))")) {
      try folder.failing(.link, with: EIO) { try location.keep(identity, suffix: Self.suffix) }
    }
    #expect(throws: FileError(EEXIST, "cannot set aside \(path): \(reason(EEXIST))")) {
      try folder.failing(.link, with: EEXIST) { try location.keep(identity, suffix: Self.suffix) }
    }
  }

  // Renaming a file, without hard links.

  @Test func `a file is renamed to an unused name, if it has not changed`() throws {
    try folder.make("a.unreadable-1", "first")
    #expect(try location.moveAside(identity, suffix: Self.suffix))
    #expect(folder.names == ["a.unreadable-1", "a.unreadable-1-2"])
    #expect(folder.text("a.unreadable-1-2") == "old")
    #expect(try !location.moveAside(identity, suffix: Self.suffix))
    try folder.make("a", "theirs")
    #expect(try !location.moveAside(identity, suffix: Self.suffix))
    #expect(folder.text("a") == "theirs")
  }

  @Test func `a file that cannot be renamed is an error`() throws {
    #expect(throws: FileError(EIO, "cannot set aside \(path): \(reason(EIO))")) {
      try folder.failing(.rename, with: EIO) { try location.moveAside(identity, suffix: Self.suffix) }
    }
    #expect(folder.names == ["a"])
  }

  // Replacing a file that is set aside.

  @Test func `the old file keeps its contents under the additional name`() throws {
    #expect(try replace())
    #expect(folder.text("a") == "new")
    #expect(folder.text("a.unreadable-1") == "old")
    #expect(folder.names == ["a", "a.unreadable-1"])
    #expect(try FileIdentity(at: folder.path("a.unreadable-1")) == identity)
  }

  @Test func `without hard links the old file is renamed`() throws {
    #expect(try folder.failing(.link, with: EPERM) { try replace() })
    #expect(folder.text("a") == "new")
    #expect(folder.text("a.unreadable-1") == "old")
    #expect(folder.names == ["a", "a.unreadable-1"])
  }

  @Test func `without exchanges the new file is renamed`() throws {
    #expect(try folder.failing(.exchange, with: ENOSYS) { try replace() })
    #expect(folder.text("a") == "new")
    #expect(folder.text("a.unreadable-1") == "old")
    #expect(folder.names == ["a", "a.unreadable-1"])
  }

  @Test(arguments: [nil, ENOSYS])
  func `a file that was written to at the moment of the exchange stays, with one name`(_ code: Int32?) throws {
    let path = path
    let isReplaced = try folder.before(.exchange, failing: code) { index in
      if index == 0 { try overwrite(path, "theirs") }
    } during: {
      try replace()
    }
    #expect(!isReplaced)
    #expect(folder.text("a") == "theirs")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [nil, ENOSYS])
  func `of a file that was replaced at that moment, the old one is kept`(_ code: Int32?) throws {
    let path = path
    let isReplaced = try folder.before(.exchange, failing: code) { index in
      if index == 0 { try supersede(path, "theirs") }
    } during: {
      try replace()
    }
    #expect(!isReplaced)
    #expect(folder.text("a") == "theirs")
    #expect(folder.text("a.unreadable-1") == "old")
    #expect(folder.names == ["a", "a.unreadable-1"])
  }

  @Test func `a file that is gone is not replaced`() throws {
    try succeed(unlink(path))
    #expect(try !replace())
    #expect(folder.names == [])
  }

  // Removing a file.

  @Test func `a file is removed if it has not changed`() throws {
    #expect(try location.remove(identity))
    #expect(folder.names == [])
    #expect(try !location.remove(identity))
  }

  @Test(arguments: ["write", "replacement", "folder"])
  func `a file that has changed is put back`(_ change: String) throws {
    switch change {
    case "write": try overwrite(path, "theirs")
    case "replacement": try supersede(path, "theirs")
    default:
      try succeed(unlink(path))
      try folder.makeFolder("a")
      try folder.make("a/file")
    }
    let before = try folder.status("a").st_ino
    #expect(try !location.remove(identity))
    #expect(try folder.status("a").st_ino == before)
    #expect(folder.names == ["a"])
    #expect(change == "folder" ? folder.text("a/file") == "old" : folder.text("a") == "theirs")
  }

  @Test func `a file that cannot be removed is an error, and stays`() throws {
    #expect(throws: FileError(EIO, "cannot remove \(path): \(reason(EIO))")) {
      try folder.failing(.rename, with: EIO) { try location.remove(identity) }
    }
    #expect(folder.text("a") == "old")
    #expect(folder.names == ["a"])
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles && OrdinaryUser.isPossible))
  func `a file in a folder without permission to write stays`() throws {
    OrdinaryUser.run {
      #expect(throws: FileError(EACCES, "cannot remove \(path): \(reason(EACCES))")) { try location.remove(identity) }
      #expect(throws: FileError(EMLINK, "cannot set aside \(path)")) {
        try location.keep(identity, suffix: Self.suffix)
      }
      #expect(throws: FileError(EACCES, "cannot set aside \(path): \(reason(EACCES))")) {
        try location.moveAside(identity, suffix: Self.suffix)
      }
    }
    #expect(folder.names == ["a"])
  }
}
