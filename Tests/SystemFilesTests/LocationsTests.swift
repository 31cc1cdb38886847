import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Locations of files that may be written") struct LocationsTests {
  private let folder = TemporaryFolder()

  /// The path of the folder without links.
  private var root: String { FileSystem.parent(of: FileSystem.realPath(of: folder.path("x"))) }

  private func location(_ name: String) throws -> FileLocation { try #require(try FileLocation(folder.path(name))) }

  @Test func `a location has the path that was given, and the one without links`() throws {
    try folder.makeFolder("real")
    try folder.link("link", to: "real")
    try folder.link("real/a", to: "../b")
    let location = try location("link/a")
    #expect(location.path == folder.path("link/a"))
    #expect(location.realPath == "\(root)/b")
    #expect(location.isBehindLink)
    // Only a link that is the last name counts.
    #expect(try !self.location("link/c").isBehindLink)
    #expect(try self.location("link/c").realPath == "\(root)/real/c")
  }

  @Test func `a file in a missing folder has no location`() throws {
    try folder.link("dangling", to: "missing")
    try folder.link("link", to: "missing/a")
    for name in ["missing/a", "missing/../a", "dangling/a", "link"] {
      #expect(try FileLocation(folder.path(name)) == nil)
    }
    #expect(try location("dangling").realPath == "\(root)/missing")
  }

  @Test func `a path that ends with a folder, leads through a file, or in circles, is an error`() throws {
    try folder.make("file")
    try folder.link("loop", to: "loop")
    let cases: [(String, Int32)] = [
      (".", EISDIR), ("..", EISDIR), ("file/a", ENOTDIR), ("loop", ELOOP), ("loop/a", ELOOP),
    ]
    for (name, code) in cases {
      let path = "\(folder.url.path)/\(name)"
      #expect(throws: FileError(code, "cannot write \(path): \(reason(code))")) { try FileLocation(path) }
    }
    #expect(throws: FileError(EISDIR, "cannot write /: \(reason(EISDIR))")) { try FileLocation("/") }
  }

  @Test func `as many links are followed as by the system`() throws {
    try folder.make("0")
    for number in 1...41 { try folder.link("\(number)", to: "\(number - 1)") }
    #expect(try location("40").realPath == "\(root)/0")
    let path = folder.path("41")
    #expect(throws: FileError(ELOOP, "cannot write \(path): \(reason(ELOOP))")) { try FileLocation(path) }
    #expect(throws: FileError.self) { try FileSystem.read(path) }
  }

  @Test(arguments: ["file", "folder", "pipe", "missing"])
  func `only a regular file may be written`(_ kind: String) throws {
    try folder.make("file")
    try folder.makeFolder("folder")
    try folder.makePipe("pipe")
    try folder.link("link", to: kind)
    let real = "\(root)/\(kind)"
    for name in [kind, "link"] {
      let (location, path) = (try location(name), folder.path(name))
      switch kind {
      case "file": #expect(try location.file()?.st_size == 3)
      case "missing": #expect(try location.file() == nil)
      case "folder":
        #expect(throws: FileError(EISDIR, "cannot write \(path): \(real) is a folder, not a regular file")) {
          try location.file()
        }
      default:
        #expect(throws: FileError(EINVAL, "cannot write \(path): \(real) is a pipe, not a regular file")) {
          try location.file()
        }
      }
    }
  }

  @Test func `a link that appears at a location is not followed`() throws {
    let location = try location("a")
    try folder.make("b")
    let path = try folder.link("a", to: "b")
    #expect(throws: FileError(EINVAL, "cannot write \(path): \(root)/a is a link, not a regular file")) {
      try location.file()
    }
    #expect(throws: FileError(ELOOP, "cannot open \(path): \(reason(ELOOP))")) { try location.open(O_RDONLY) }
  }

  @Test func `a file is opened without waiting, or is missing`() throws {
    #expect(try location("a").open(O_RDONLY) == nil)
    try folder.makePipe("pipe")
    let pipe = try #require(try location("pipe").open(O_RDONLY))
    close(pipe)
    try folder.make("a", "text")
    let descriptor = try #require(try location("a").open(O_RDWR))
    defer { close(descriptor) }
    #expect(try FileSystem.read(descriptor, named: "a") == Data("text".utf8))
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    let path = try folder.makeFolder("folder")
    #expect(throws: FileError(EISDIR, "cannot open \(path): \(reason(EISDIR))")) {
      try location("folder").open(O_RDWR)
    }
  }

  @Test func `a folder that is moved keeps its files, and its path becomes outdated`() throws {
    try folder.makeFolder("a")
    let file = try NewFile.holding(Data("new".utf8), at: location("a/file"), .new(0o600))
    let location = try location("a/file")
    #expect(location.isCurrent)
    try succeed(rename(folder.path("a"), folder.path("b")))
    #expect(!location.isCurrent)
    try folder.makeFolder("a")
    #expect(!location.isCurrent)
    let identity = try file.commit()
    #expect(folder.text("b/file") == "new")
    #expect(FileSystem.names(in: folder.path("a")) == [])
    #expect(location.hasFile(identity))
    #expect(location.folder.identity == (try FileIdentity(at: folder.path("b"))))
    // The folder itself is opened, and not the one at its path.
    let descriptor = location.folder.openAgain()
    defer { close(descriptor) }
    #expect(try FileIdentity(descriptor, named: "b") == FileIdentity(at: folder.path("b")))
  }

  @Test func `a location has a file as long as it is not replaced`() throws {
    let path = try folder.make("a")
    let identity = try #require(try FileIdentity(at: path))
    let location = try location("a")
    #expect(location.hasFile(identity))
    try overwrite(path, "other contents")
    #expect(location.hasFile(identity))
    try supersede(path, "old")
    #expect(!location.hasFile(identity))
    try succeed(unlink(path))
    #expect(!location.hasFile(identity))
  }

  // Links of other users.

  /// A link at `shared/link`, or the folder of a file.
  enum Link: CaseIterable {
    case own, ofOther, ofRoot, ofOtherInOwnFolder, ofOtherInStickyFolder, ofOtherInGroupFolder, folderOfOther
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles), arguments: Link.allCases)
  func `a link is followed if its user, or only this user, can change it`(_ link: Link) throws {
    let mode: mode_t =
      switch link {
      case .ofOtherInOwnFolder: 0o755
      case .ofOtherInStickyFolder: 0o1777
      case .ofOtherInGroupFolder: 0o775
      default: 0o777
      }
    try folder.makeFolder("shared", mode: mode)
    try folder.makeFolder("real")
    let isOwn = link == .own || link == .ofRoot
    try folder.link(
      "shared/link", to: link == .folderOfOther ? "../real" : "../real/a", owner: isOwn ? nil : OrdinaryUser.id)
    let path = folder.path(link == .folderOfOther ? "shared/link/a" : "shared/link")
    if isOwn || link == .ofOtherInOwnFolder {
      try FileSystem.replace(path, with: Data("new".utf8))
      #expect(folder.text("real/a") == "new")
      return
    }
    let target = link == .folderOfOther ? "../real" : "../real/a"
    let error = FileError(
      EPERM,
      "cannot write \(path): \(root)/shared/link is a link to \(target) that another user created in a folder that "
        + "other users can write to")
    #expect(throws: error) { try FileSystem.replace(path, with: Data("new".utf8)) }
    #expect(throws: error) { try FileSystem.create(path, with: Data("new".utf8)) }
    #expect(FileSystem.names(in: folder.path("real")) == [])
    if link != .folderOfOther { return }
    #expect(throws: FileError.self) { try FileSystem.makeFolder(path, below: nil) }
  }

  @Test(.enabled(if: OrdinaryUser.canOwnFiles)) func `a link to a file of another user is not followed`() throws {
    let path = try folder.make("a")
    try succeed(chown(path, OrdinaryUser.id, OrdinaryUser.id))
    let link = try folder.link("link", to: "a")
    let error = FileError(
      EPERM, "cannot write \(link): it is a link to \(root)/a, which belongs to another user")
    #expect(throws: error) { try FileSystem.replace(link, with: Data("new".utf8)) }
    #expect(throws: error) { try location("link").file() }
    #expect(folder.text("a") == "old")
    #expect(try folder.status("a").st_uid == OrdinaryUser.id)
    // Without a link it is the file that the user named.
    try FileSystem.replace(path, with: Data("new".utf8))
    #expect(folder.text("a") == "new")
  }
}
