import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Identities of files") struct FileIdentityTests {
  private let folder = TemporaryFolder()
  private let path: String

  init() throws { path = try folder.make("a") }

  private func identity() throws -> FileIdentity { try #require(try FileIdentity(at: path)) }

  /// Sets the modification time of the file.
  private func setTime(_ seconds: Int, _ nanoseconds: Int = 0) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    try succeed(utimensat(AT_FDCWD, path, [time, time], 0))
  }

  @Test func `reading a file does not change its identity`() throws {
    let before = try identity()
    #expect(try FileSystem.read(path) == Data("old".utf8))
    #expect(try identity() == before)
    #expect(try identity().text == before.text)
    #expect(try identity().hashValue == before.hashValue)
  }

  enum Change: CaseIterable {
    case size, time, nanoseconds, permissions, replacement, owner, group
  }

  @Test(arguments: Change.allCases.filter { OrdinaryUser.canOwnFiles || ![.owner, .group].contains($0) })
  func `any change of a file changes its identity`(_ change: Change) throws {
    try setTime(1_000_000_000, 5)
    let before = try identity()
    switch change {
    case .size:
      try overwrite(path, "older")
      try setTime(1_000_000_000, 5)
    case .time: try setTime(1_000_000_001, 5)
    case .nanoseconds: try setTime(1_000_000_000, 6)
    case .permissions: try succeed(chmod(path, 0o600))
    case .replacement:
      try supersede(path, "new")
      try setTime(1_000_000_000, 5)
    case .owner: try succeed(chown(path, OrdinaryUser.id, gid_t.max))
    case .group: try succeed(chown(path, uid_t.max, OrdinaryUser.id))
    }
    #expect(try identity() != before)
    #expect(try identity().isSameFile(as: before) == (change != .replacement))
    if ![.permissions, .owner, .group].contains(change) { #expect(try identity().text != before.text) }
  }

  @Test func `two names of a file have one identity`() throws {
    try succeed(Foundation.link(path, folder.path("b")))
    try folder.link("c", to: "a")
    #expect(try FileIdentity(at: folder.path("b")) == identity())
    #expect(try FileIdentity(at: folder.path("c")) == identity())
    #expect(FileSystem.isSameFile(folder.path("b"), folder.path("c")))
  }

  @Test func `an equal copy, and a missing file, are not the same file`() throws {
    try folder.make("b")
    #expect(!FileSystem.isSameFile(path, folder.path("b")))
    #expect(!FileSystem.isSameFile(path, folder.path("missing")))
    #expect(!FileSystem.isSameFile(folder.path("missing"), folder.path("missing")))
  }

  @Test func `a missing file, and a link to one, have none`() throws {
    try folder.link("dangling", to: "missing")
    #expect(try FileIdentity(at: folder.path("missing")) == nil)
    #expect(try FileIdentity(at: folder.path("missing/a")) == nil)
    #expect(try FileIdentity(at: folder.path("dangling")) == nil)
  }

  @Test func `a path through a file, and a loop of links, are errors`() throws {
    let error = try #require(throws: FileError.self) { try FileIdentity(at: path + "/b") }
    #expect(error == FileError(ENOTDIR, "cannot read \(path)/b: \(reason(ENOTDIR))"))
    try folder.link("loop", to: "loop")
    #expect(throws: FileError(ELOOP, "cannot read \(folder.path("loop")): \(reason(ELOOP))")) {
      try FileIdentity(at: folder.path("loop"))
    }
  }

  @Test func `the identity has the size, the permissions and the kind of the file`() throws {
    try succeed(chmod(path, 0o640))
    #expect(try identity().size == 3)
    #expect(try identity().permissions == 0o640)
    #expect(try identity().isRegularFile)
    #expect(try identity().group == folder.status("a").st_gid)
    #expect(try FileIdentity(at: folder.url.path)?.isRegularFile == false)
    #expect(try FileIdentity(at: folder.makePipe("pipe"))?.isRegularFile == false)
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles)) func `a file of another user is not the user's own`() throws {
    #expect(try identity().isOwn)
    try succeed(chown(path, OrdinaryUser.id, gid_t.max))
    #expect(try !identity().isOwn)
  }

  @Test func `the age counts from the last write, and is negative for a time in the future`() throws {
    try setTime(time(nil) - 86_400)
    #expect(try identity().secondsSinceModification >= 86_400)
    try setTime(time(nil) + 86_400)
    #expect(try identity().secondsSinceModification < 0)
  }

  @Test func `an open file has the identity of its path`() throws {
    let descriptor = try FileSystem.openToRead(path)
    defer { close(descriptor) }
    #expect(try FileIdentity(descriptor, named: path) == identity())
    #expect(throws: FileError(EBADF, "cannot read a: \(reason(EBADF))")) { try FileIdentity(-1, named: "a") }
  }
}
