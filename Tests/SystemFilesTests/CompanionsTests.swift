import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Companions of a file") struct CompanionsTests {
  private let folder = TemporaryFolder()
  private let companion: FileLocation
  private let name = ".a.plist.last"

  init() throws {
    companion = try #require(try FileLocation(folder.path("a.plist"))).companion(".last")
  }

  /// Opens the companion. Returns its identity, or nil if it is missing or not trusted.
  private func identity(isMade: Bool = false) throws -> FileIdentity? {
    guard let (descriptor, identity) = try companion.openCompanion(isMade: isMade) else { return nil }
    defer { close(descriptor) }
    #expect(try FileIdentity(descriptor, named: "companion") == identity)
    return identity
  }

  @Test func `a companion is hidden in the folder of the file that a link leads to`() throws {
    try folder.makeFolder("other")
    try folder.link("other/link", to: "../a.plist")
    let other = try #require(try FileLocation(folder.path("other/link"))).companion(".last")
    #expect(other.path == FileSystem.realPath(of: folder.path(name)))
    #expect(companion.path == other.path)
    #expect(!other.isBehindLink)
  }

  @Test func `a companion is created only on request, for its owner only, and kept`() throws {
    #expect(try identity() == nil)
    #expect(folder.names == [])
    let made = try #require(try identity(isMade: true))
    #expect(folder.names == [name])
    #expect(try folder.mode(name) == 0o600)
    #expect(companion.hasFile(made))
    try overwrite(folder.path(name), "text")
    #expect(try identity(isMade: true)?.isSameFile(as: made) == true)
    #expect(try identity()?.size == 4)
    companion.removeCompanion()
    #expect(folder.names == [])
    #expect(!companion.hasFile(made))
  }

  @Test(arguments: [false, true]) func `a file with another name, or a pipe, is not trusted`(_ isMade: Bool) throws {
    try folder.make(name, "text")
    try succeed(Foundation.link(folder.path(name), folder.path("b")))
    #expect(try identity(isMade: isMade) == nil)
    #expect(folder.text("b") == "text")
    try succeed(unlink(folder.path("b")))
    #expect(try identity(isMade: isMade) != nil)
    try succeed(unlink(folder.path(name)))
    try folder.makePipe(name)
    #expect(try identity(isMade: isMade) == nil)
  }

  @Test(arguments: [false, true]) func `a link is not followed`(_ isMade: Bool) throws {
    try folder.make("b", "text")
    try folder.link(name, to: "b")
    #expect(throws: FileError(ELOOP, "cannot open \(companion.path): \(reason(ELOOP))")) {
      try companion.openCompanion(isMade: isMade)
    }
    try succeed(unlink(folder.path("b")))
    #expect(throws: FileError.self) { try companion.openCompanion(isMade: isMade) }
    #expect(folder.names == [name])
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles))
  func `a file of another user is trusted only if its group shares the folder`() throws {
    let path = try folder.make(name, mode: 0o660)
    try succeed(chown(path, OrdinaryUser.id, 5678))
    #expect(try identity() == nil)
    try succeed(chown(folder.url.path, 0, 5678))
    try succeed(chmod(folder.url.path, 0o2770))
    #expect(try identity() != nil)
    // The group may not read it.
    try succeed(chmod(path, 0o600))
    #expect(try identity() == nil)
  }

  @Test func `no descriptor of an untrusted file stays open`() throws {
    try folder.make(name)
    try succeed(Foundation.link(folder.path(name), folder.path("b")))
    #expect(try identity() == nil)
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    #expect(!open.contains { FileSystem.isSameFile("/proc/self/fd/\($0)", folder.path("b")) })
  }

  // Permissions.

  /// Sets the permissions of the companion to those of the file, and returns the resulting ones.
  private func permissionsAfterCopying() throws -> mode_t {
    let (descriptor, _) = try #require(try companion.openCompanion(isMade: true))
    defer { close(descriptor) }
    let file = try #require(try FileIdentity(at: folder.path("a.plist")))
    companion.setPermissions(of: descriptor, like: file)
    let mode = try folder.mode(name)
    companion.setPermissions(of: descriptor, like: file)
    #expect(try folder.mode(name) == mode)
    return mode
  }

  @Test(arguments: [0o600, 0o640, 0o644, 0o400, 0o666] as [mode_t])
  func `a companion gets the permission bits of the file`(_ mode: mode_t) throws {
    try folder.make("a.plist", mode: mode)
    #expect(try permissionsAfterCopying() == mode)
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles)) func `a companion gets the group of the file`() throws {
    try succeed(chown(folder.make("a.plist", mode: 0o644), 0, 5678))
    #expect(try permissionsAfterCopying() == 0o644)
    #expect(try folder.status(name).st_gid == 5678)
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles && OrdinaryUser.isPossible))
  func `without its group, the companion is not accessible to a group`() throws {
    try succeed(chown(folder.url.path, OrdinaryUser.id, OrdinaryUser.id))
    try succeed(chown(folder.make("a.plist", mode: 0o664), OrdinaryUser.id, 5678))
    try succeed(chown(folder.make(name, mode: 0o600), OrdinaryUser.id, OrdinaryUser.id))
    let descriptor = open(folder.path(name), O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    let file = try #require(try FileIdentity(at: folder.path("a.plist")))
    OrdinaryUser.run { companion.setPermissions(of: descriptor, like: file) }
    #expect(try folder.mode(name) == 0o604)
    #expect(try folder.status(name).st_gid == OrdinaryUser.id)
    OrdinaryUser.run(group: 5678) { companion.setPermissions(of: descriptor, like: file) }
    #expect(try folder.mode(name) == 0o664)
    #expect(try folder.status(name).st_gid == 5678)
  }

  @Test func `the group of a shared folder may also write the companion`() throws {
    try folder.make("a.plist", mode: 0o640)
    let group = try folder.status("a.plist").st_gid
    try succeed(chown(folder.url.path, uid_t.max, group))
    try succeed(chmod(folder.url.path, 0o2770))
    #expect(try permissionsAfterCopying() == 0o660)
    try succeed(chmod(folder.path("a.plist"), 0o600))
    #expect(try permissionsAfterCopying() == 0o600)
  }
}
