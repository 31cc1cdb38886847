import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Replacing a file atomically") struct ReplacingTests {
  private let folder = TemporaryFolder(isInMemory: true)

  private func replace(_ name: String, _ text: String = "new") throws {
    try FileSystem.replace(folder.path(name), with: Data(text.utf8))
  }

  // Contents.

  @Test func `a file gets its new contents, and no other file remains`() throws {
    try folder.make("a", "old and longer")
    try replace("a")
    #expect(folder.text("a") == "new")
    try replace("a", "")
    #expect(folder.text("a") == "")
    #expect(folder.names == ["a"])
  }

  @Test func `a missing file is created with the permissions of open`() throws {
    try replace("a")
    #expect(folder.text("a") == "new")
    try succeed(close(open(folder.path("plain"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)))
    #expect(try folder.mode("a") == folder.mode("plain"))
    #expect(folder.names == ["a", "plain"])
  }

  @Test func `readers see the old contents until the new ones are complete and synced`() throws {
    let path = try folder.make("a")
    let recorded = RecordedCalls()
    let seen = SeenTexts()
    let kinds: Set<SystemCall> = [.create, .write, .synchronize, .rename, .exchange, .link, .unlink]
    let decision: Interception.Decision = { [folder] call in
      guard kinds.contains(call.call) else { return nil }
      _ = recorded.note(call)
      seen.note(folder.text("a"))
      return nil
    }
    try Interception.ofCalls(in: folder.url.path, decision) {
      let replacement = try Replacement(of: path)
      for part in ["n", "e", "w"] { try replacement.output.write(Data(part.utf8)) }
      try replacement.commit()
    }
    // The file is synced before it is renamed, and its folder after that.
    #expect(recorded.calls.map(\.call) == [.create, .write, .write, .write, .synchronize, .rename, .synchronize])
    #expect(recorded.calls.allSatisfy { $0.path == path })
    #expect(seen.texts == Array(repeating: "old", count: 6) + ["new"])
  }

  @Test func `an open file and other hard links keep the old contents`() throws {
    let path = try folder.make("a")
    try succeed(Foundation.link(path, folder.path("b")))
    let descriptor = try FileSystem.openToRead(path)
    defer { close(descriptor) }
    try replace("a")
    #expect(folder.text("b") == "old")
    #expect(try FileSystem.read(descriptor, named: path) == Data("old".utf8))
    #expect(!FileSystem.isSameFile(path, folder.path("b")))
    #expect(try folder.status("a").st_nlink == 1)
  }

  @Test func `a replacement that is not committed changes nothing`() throws {
    let path = try folder.make("a")
    do {
      let replacement = try Replacement(of: path)
      try replacement.output.write(Data("new".utf8))
      #expect(folder.names.count == 2)
      #expect(folder.text("a") == "old")
    }
    #expect(folder.names == ["a"])
    #expect(folder.text("a") == "old")
  }

  @Test func `a temporary file is hidden next to the file, and locked`() throws {
    let path = try folder.make("a.plist")
    let replacement = try Replacement(of: path)
    let name = try #require(folder.names.first { $0 != "a.plist" })
    #expect(NewFile.prefix(ofTemporary: name) == ".a.plist.")
    #expect(try !canLock(folder.path(name)))
    try replacement.commit()
    #expect(try canLock(path))
  }

  @Test func `the longest name of a file can be replaced`() throws {
    let name = String(repeating: "n", count: 255)
    try folder.make(name)
    try replace(name)
    #expect(folder.text(name) == "new")
    #expect(folder.names == [name])
  }

  @Test(arguments: ["ä", "a b", "-a", "a\nb", "*", "a'\"", "日本", ".hidden", ".a.0123456789a.tmp"])
  func `any name of a file can be replaced`(_ name: String) throws {
    try folder.make(name)
    try replace(name)
    #expect(folder.text(name) == "new")
    #expect(folder.names == [name])
  }

  // Permissions and owners.

  @Test(arguments: [0o600, 0o644, 0o666, 0o400, 0o000, 0o755, 0o4755, 0o2755, 0o1644] as [mode_t])
  func `the permission bits are kept`(_ mode: mode_t) throws {
    try folder.make("a", mode: mode)
    // The system clears special bits when other users than root write.
    try replace("a", OrdinaryUser.canOwnFiles ? "new" : "")
    #expect(try folder.mode("a") == mode)
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles)) func `root keeps the owner and the group`() throws {
    let path = try folder.make("a")
    try succeed(chown(path, OrdinaryUser.id, 5678))
    try succeed(chmod(path, 0o4751))
    try replace("a")
    let status = try folder.status("a")
    #expect(status.st_uid == OrdinaryUser.id && status.st_gid == 5678)
    #expect(try folder.mode("a") == 0o4751)
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles && OrdinaryUser.isPossible))
  func `a user who cannot keep the owner keeps only permissions that do not depend on it`() throws {
    try succeed(chown(folder.url.path, OrdinaryUser.id, OrdinaryUser.id))
    for (group, mode) in [(OrdinaryUser.id, 0o1705), (5678, 0o1775)] as [(gid_t, mode_t)] {
      let path = try folder.make("a")
      try succeed(chown(path, 0, 5678))
      try succeed(chmod(path, 0o7775))
      // Without bytes, because the system clears special bits when other users than root write.
      try OrdinaryUser.run(group: group) { try replace("a", "") }
      let status = try folder.status("a")
      #expect(status.st_uid == OrdinaryUser.id && status.st_gid == group)
      #expect(try folder.mode("a") == mode)
      #expect(folder.text("a") == "")
    }
  }

  // Links, pipes and folders.

  @Test func `a link stays, and its target is replaced in its own folder`() throws {
    try folder.makeFolder("real")
    try folder.make("real/a")
    try folder.link("link", to: "real/b")
    try folder.link("real/b", to: "a")
    try replace("link")
    #expect(folder.text("real/a") == "new")
    #expect(try folder.status("link").st_mode & S_IFMT == S_IFLNK)
    #expect(try folder.status("real/b").st_mode & S_IFMT == S_IFLNK)
    #expect(FileSystem.names(in: folder.path("real")).sorted() == ["a", "b"])
    #expect(folder.names == ["link", "real"])
  }

  @Test func `the missing target of a link is created`() throws {
    try folder.link("link", to: "a")
    try replace("link")
    #expect(try folder.status("link").st_mode & S_IFMT == S_IFLNK)
    #expect(folder.text("a") == "new")
  }

  @Test func `a link that is changed during the replacement is followed as it was`() throws {
    try folder.make("a")
    try folder.make("b")
    let path = try folder.link("link", to: "a")
    let replacement = try Replacement(of: path)
    try replacement.output.write(Data("new".utf8))
    try succeed(unlink(path))
    try folder.link("link", to: "b")
    try replacement.commit()
    #expect(folder.text("a") == "new")
    #expect(folder.text("b") == "old")
  }

  @Test(arguments: [false, true]) func `a pipe is written to`(_ isBehindLink: Bool) throws {
    try folder.makePipe("pipe")
    try folder.link("link", to: "pipe")
    // Opened for both directions, so that neither side waits.
    let reading = open(folder.path("pipe"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try succeed(reading)
    defer { close(reading) }
    try replace(isBehindLink ? "link" : "pipe", "text")
    #expect(try FileSystem.readSome(reading, named: "pipe") == Data("text".utf8))
    #expect(folder.names == ["link", "pipe"])
    #expect(try folder.status("pipe").st_mode & S_IFMT == S_IFIFO)
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles)) func `a link of another user to a pipe is not followed`() throws {
    let pipe = try folder.makePipe("pipe")
    try folder.makeFolder("shared", mode: 0o777)
    try folder.link("shared/link", to: "../pipe", owner: OrdinaryUser.id)
    let reading = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    try succeed(reading)
    defer { close(reading) }
    let error = try #require(throws: FileError.self) { try replace("shared/link") }
    #expect(error.code == EPERM)
    #expect(throws: FileError.self) { try FileSystem.readSome(reading, named: "pipe") }
  }

  @Test(arguments: ["/dev/fd/", "/proc/self/fd/"])
  func `the path of an open file is written to`(_ path: String) throws {
    guard FileSystem.isFolder(path) else { return }
    try folder.make("a", "old and longer")
    let before = try folder.status("a").st_ino
    let descriptor = open(folder.path("a"), O_RDWR | O_CLOEXEC)
    try succeed(descriptor)
    defer { close(descriptor) }
    try FileSystem.replace("\(path)\(descriptor)", with: Data("new".utf8))
    #expect(folder.text("a") == "new")
    #expect(try folder.status("a").st_ino == before)
    #expect(folder.names == ["a"])
  }

  @Test func `a folder, and a file in a missing folder, are errors with the path`() throws {
    let path = try folder.makeFolder("sub")
    try folder.make("sub/a")
    let real = FileSystem.realPath(of: path)
    #expect(throws: FileError(EISDIR, "cannot write \(path): \(real) is a folder, not a regular file")) {
      try replace("sub")
    }
    let missing = folder.path("missing/a")
    #expect(throws: FileError(ENOENT, "cannot write \(missing): \(reason(ENOENT))")) { try replace("missing/a") }
    #expect(folder.names == ["sub"])
    #expect(folder.text("sub/a") == "old")
  }

  @Test(.enabled(if: OrdinaryUser.isPossible))
  func `a folder without permission to write is an error with the path`() throws {
    try folder.makeFolder("sub")
    let path = try folder.make("sub/a", mode: 0o666)
    chmod(folder.path("sub"), 0o555)
    defer { chmod(folder.path("sub"), 0o755) }
    let message = "cannot write \(path): cannot create a file in its folder: \(reason(EACCES))"
    OrdinaryUser.run {
      #expect(throws: FileError(EACCES, message)) { try replace("sub/a") }
      #expect(throws: FileError(EACCES, message.replacing(path, with: path + "b"))) {
        try FileSystem.create(path + "b", with: Data())
      }
    }
    #expect(folder.text("sub/a") == "old")
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles && OrdinaryUser.isPossible))
  func `a folder that may be written but not read is not synced`() throws {
    try folder.makeFolder("sub", mode: 0o733)
    try OrdinaryUser.run { try replace("sub/a") }
    #expect(folder.text("sub/a") == "new")
  }

  // Syncing a folder.

  @Test(arguments: [EINVAL, EROFS, ENOTSUP, EBADF, EIO, ENOSPC])
  func `a file system that cannot sync folders is not an error`(_ code: Int32) throws {
    let path = try folder.make("a")
    let isError = [EIO, ENOSPC].contains(code)
    try folder.failing(.synchronize, with: code) {
      if !isError { return try FileSystem.synchronizeFolder(of: path) }
      #expect(throws: FileError(code, "cannot write \(path): \(reason(code))")) {
        try FileSystem.synchronizeFolder(of: path)
      }
    }
  }

  @Test func `the folder that is synced is that of the target, if there is one`() throws {
    try folder.makeFolder("real")
    let path = try folder.link("link", to: "real/a")
    let calls = try folder.calls(of: [.synchronize]) {
      try FileSystem.synchronizeFolder(of: path)
      try FileSystem.synchronizeFolder(of: folder.path("missing/a"))
    }
    #expect(calls.map(\.path) == [path])
  }
}

/// The contents of a file at several moments.
private final class SeenTexts: @unchecked Sendable {
  private(set) var texts: [String?] = []
  func note(_ text: String?) { texts.append(text) }
}
