import Foundation
import TestSupport
import Testing

@testable import SystemFiles

/// The user who replaces a file owns the new one, so its permissions decide who can read and save it.
@Suite("Permissions of files that several users save") struct SharingTests {
  private static let group: gid_t = 5678
  private let folder = TemporaryFolder()

  /// Creates a file in a folder.
  ///
  /// - Parameters:
  ///   - sharing: The permission bits of the folder, whose group is ``group``.
  ///   - owner: The owner of the file.
  ///   - group: The group of the file.
  private func file(
    in sharing: mode_t, mode: mode_t = 0o660, owner: uid_t = 0, group: gid_t = group
  ) throws -> (location: FileLocation, identity: FileIdentity) {
    let path = try folder.make("a")
    // The owner first, because that clears bits.
    try succeed(chown(path, owner, group))
    try succeed(chmod(path, mode))
    try succeed(chown(folder.url.path, 0, Self.group))
    try succeed(chmod(folder.url.path, sharing))
    return (try #require(try FileLocation(path)), try #require(try FileIdentity(at: path)))
  }

  private func text(_ permissions: NewFile.Permissions) -> String {
    switch permissions {
    case .new(let mode): "new \(String(mode, radix: 8))"
    case .own(let group, let mode): "own \(group) \(String(mode, radix: 8))"
    case .same: "same"
    }
  }

  @Test(
    .enabled(if: OrdinaryUser.canOwnFiles),
    arguments: [
      (0o2770, "own 5678 660"), (0o2775, "own 5678 660"),
      // Without inheritance, without permission for the group, or with permission for everyone.
      (0o770, "new 600"), (0o2750, "new 600"), (0o2777, "new 600"), (0o755, "new 600"), (0o700, "new 600"),
    ] as [(mode_t, String)])
  func `only a folder that gives its group to new files is shared with that group`(
    _ sharing: mode_t, _ expected: String
  ) throws {
    let (location, identity) = try file(in: sharing)
    #expect(text(location.permissionsOfNewFile) == expected)
    #expect(text(location.permissions(like: nil)) == expected)
    #expect(location.isShared(identity) == expected.hasPrefix("own"))
    try succeed(unlink(folder.path("a")))
    #expect(try FileSystem.create(folder.path("a"), with: Data()) != nil)
    #expect(try folder.mode("a") == (expected.hasPrefix("own") ? 0o660 : 0o600))
    let isGiven = expected.hasPrefix("own") || sharing & S_ISGID != 0
    #expect(try folder.status("a").st_gid == (isGiven ? Self.group : getegid()))
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles))
  func `a file of another group, or private to its owner, is not shared`() throws {
    let cases: [(mode_t, gid_t, Bool)] = [(0o660, 1234, false), (0o600, Self.group, false), (0o640, Self.group, true)]
    for (mode, group, isShared) in cases {
      let (location, identity) = try file(in: 0o2770, mode: mode, group: group)
      #expect(location.isShared(identity) == isShared)
    }
  }

  @Test(
    .enabled(if: OrdinaryUser.canOwnFiles),
    arguments: [
      // The user's own file keeps its group and permission bits everywhere.
      (0o755, 0, 1234, 0o644, "own 1234 644"), (0o2770, 0, 1234, 0o600, "own 1234 600"),
      // Those of another user only if the file is shared.
      (0o2770, OrdinaryUser.id, 5678, 0o664, "own 5678 664"), (0o755, OrdinaryUser.id, 5678, 0o666, "new 600"),
      (0o2770, OrdinaryUser.id, 1234, 0o666, "own 5678 660"), (0o2770, OrdinaryUser.id, 5678, 0o606, "own 5678 660"),
    ] as [(mode_t, uid_t, gid_t, mode_t, String)])
  func `permissions are kept unless another user has set them for a file that is not shared`(
    _ sharing: mode_t, _ owner: uid_t, _ group: gid_t, _ mode: mode_t, _ expected: String
  ) throws {
    let (location, identity) = try file(in: sharing, mode: mode, owner: owner, group: group)
    #expect(text(location.permissions(like: identity)) == expected)
  }

  @Test(
    .enabled(if: OrdinaryUser.canOwnFiles),
    arguments: [
      (0o755, OrdinaryUser.id, true), (0o700, OrdinaryUser.id, true), (0o777, 0, true), (0o2770, OrdinaryUser.id, true),
      (0o777, OrdinaryUser.id, false), (0o1777, OrdinaryUser.id, false), (0o770, OrdinaryUser.id, false),
    ] as [(mode_t, uid_t, Bool)])
  func `a file of another user is replaced only if that user cannot save it anyway, or shares it`(
    _ sharing: mode_t, _ owner: uid_t, _ isAllowed: Bool
  ) throws {
    let (location, identity) = try file(in: sharing, owner: owner)
    if isAllowed { return try location.checkOwner(of: identity) }
    let message =
      "cannot write \(location.path): the file belongs to another user. To share it, give it to a group (mode 660) "
      + "in a folder of that group (mode 2770)"
    #expect(throws: FileError(EPERM, message)) { try location.checkOwner(of: identity) }
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles))
  func `a file in a folder of another user is not that of one user`() throws {
    let (location, identity) = try file(in: 0o755, owner: OrdinaryUser.id)
    try location.checkOwner(of: identity)
    try succeed(chown(folder.url.path, OrdinaryUser.id, gid_t.max))
    #expect(throws: FileError.self) { try location.checkOwner(of: identity) }
  }

  @Test func `a file that a link leads to is not set aside`() throws {
    let path = try folder.make("a")
    let link = try folder.link("link", to: "a")
    let identity = try #require(try FileIdentity(at: path))
    let location = try #require(try FileLocation(link))
    for isForbidden in [false, true] {
      #expect(
        throws: FileError(
          EPERM,
          "cannot set aside \(link): it is a link to \(FileSystem.realPath(of: path)), which cannot be read")
      ) {
        try location.checkSettingAside(identity, isForbidden: isForbidden)
      }
      try #require(try FileLocation(path)).checkSettingAside(identity, isForbidden: isForbidden)
    }
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles))
  func `a file of another user is set aside only if it has been read`() throws {
    let (location, identity) = try file(in: 0o755, owner: OrdinaryUser.id)
    try location.checkSettingAside(identity, isForbidden: false)
    #expect(
      throws: FileError(EACCES, "cannot set aside \(location.path): it belongs to another user, and cannot be read")
    ) {
      try location.checkSettingAside(identity, isForbidden: true)
    }
  }

  // New files.

  @Test(arguments: [0o600, 0o640, 0o666] as [mode_t])
  func `a new file has the permissions of open`(_ mode: mode_t) throws {
    #expect(try FileSystem.create(folder.path("a"), with: Data(), permissions: mode) != nil)
    try succeed(close(open(folder.path("plain"), O_WRONLY | O_CREAT | O_CLOEXEC, mode)))
    #expect(try folder.mode("a") == folder.mode("plain"))
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles && OrdinaryUser.isPossible))
  func `the bits for a group that cannot be set are cleared`() throws {
    try succeed(chown(folder.url.path, OrdinaryUser.id, OrdinaryUser.id))
    let location = try #require(try FileLocation(folder.path("a")))
    try OrdinaryUser.run {
      _ = try NewFile.holding(Data("a".utf8), at: location, .own(group: 5678, mode: 0o664)).commit()
    }
    #expect(try folder.mode("a") == 0o604)
    #expect(try folder.status("a").st_gid == OrdinaryUser.id)
    try OrdinaryUser.run(group: 5678) {
      _ = try NewFile.holding(Data("a".utf8), at: location, .own(group: 5678, mode: 0o664)).commit()
    }
    #expect(try folder.mode("a") == 0o664)
    #expect(try folder.status("a").st_gid == 5678)
  }

  @Test func `no other user can read a file before it has its final permissions`() throws {
    let path = try folder.make("a", mode: 0o666)
    let recorded = RecordedModes()
    let decision: Interception.Decision = { [folder] call in
      guard [.write, .changeMode, .changeOwner].contains(call.call) else { return nil }
      for name in folder.names where name.hasSuffix(".tmp") { recorded.note((try? folder.mode(name)) ?? 0) }
      return nil
    }
    try Interception.ofCalls(in: folder.url.path, decision) {
      try FileSystem.replace(path, with: Data("new".utf8))
      let location = try #require(try FileLocation(path))
      let own = NewFile.Permissions.own(group: try folder.status("a").st_gid, mode: 0o666)
      _ = try NewFile.holding(Data("new".utf8), at: location, own).commit()
    }
    #expect(recorded.modes == [0o600, 0o600, 0o666, 0o600, 0o600, 0o666])
  }
}

/// The permission bits of files at several moments.
private final class RecordedModes: @unchecked Sendable {
  private(set) var modes: [mode_t] = []
  func note(_ mode: mode_t) { modes.append(mode) }
}
