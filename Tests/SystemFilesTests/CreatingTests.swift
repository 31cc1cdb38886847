import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Creating a file atomically") struct CreatingTests {
  private let folder = TemporaryFolder(isInMemory: true)
  private var path: String { folder.path("a") }

  private func create(_ text: String = "new") throws -> FileIdentity? {
    try FileSystem.create(path, with: Data(text.utf8))
  }

  @Test func `a new file has its contents and its identity, for its owner only`() throws {
    let identity = try create()
    #expect(folder.text("a") == "new")
    #expect(try folder.mode("a") == 0o600)
    #expect(identity != nil)
    #expect(try FileIdentity(at: path) == identity)
    #expect(folder.names == ["a"])
    #expect(try folder.status("a").st_nlink == 1)
  }

  @Test func `an existing file is not changed`() throws {
    try folder.make("a")
    let before = try FileIdentity(at: path)
    #expect(try create() == nil)
    #expect(try FileIdentity(at: path) == before)
    #expect(folder.text("a") == "old")
    #expect(folder.names == ["a"])
  }

  @Test func `a pipe or a folder is not changed`() throws {
    try folder.makePipe("a")
    #expect(try create() == nil)
    try succeed(unlink(path))
    try folder.makeFolder("a")
    #expect(try create() == nil)
    #expect(folder.names == ["a"])
    #expect(FileSystem.names(in: path) == [])
  }

  @Test func `a file in a missing folder is not created`() throws {
    #expect(try FileSystem.create(folder.path("missing/a"), with: Data()) == nil)
    #expect(folder.names == [])
  }

  @Test func `a link to a missing file is followed`() throws {
    try folder.link("a", to: "target")
    #expect(try create() != nil)
    #expect(folder.text("target") == "new")
    #expect(try folder.status("a").st_mode & S_IFMT == S_IFLNK)
    #expect(try create("newer") == nil)
    #expect(folder.text("target") == "new")
  }

  @Test func `the contents are synced before the file gets its name`() throws {
    let calls = try folder.calls(of: [.write, .synchronize, .link, .rename]) { _ = try create() }
    #expect(calls.map(\.call) == [.write, .synchronize, .link])
  }

  @Test func `a file that another program creates meanwhile stays`() throws {
    let path = path
    let identity = try folder.before(.link) { _ in
      try supersede(path, "theirs")
    } during: {
      try create()
    }
    #expect(identity == nil)
    #expect(folder.text("a") == "theirs")
    #expect(folder.names == ["a"])
  }

  @Test(arguments: [EPERM, EACCES, ENOTSUP, ENOSYS, EMLINK], [false, true])
  func `without hard links the file is renamed, unless another one exists`(_ code: Int32, _ exists: Bool) throws {
    let path = path
    let identity = try folder.before(.link, failing: code) { _ in
      if exists { try supersede(path, "theirs") }
    } during: {
      try create()
    }
    #expect(folder.text("a") == (exists ? "theirs" : "new"))
    #expect(identity == (exists ? nil : try FileIdentity(at: path)))
    #expect(folder.names == ["a"])
  }

  @Test func `the new file is locked until it has its name`() throws {
    let location = try #require(try FileLocation(path))
    let file = try NewFile.holding(Data("new".utf8), at: location, .new(0o600))
    let temporary = try #require(folder.names.first)
    #expect(try !canLock(folder.path(temporary)))
    _ = try file.commitAsNew()
    #expect(try canLock(path))
  }

  @Test func `a new file that is not committed is removed`() throws {
    let location = try #require(try FileLocation(path))
    do {
      let file = try NewFile.holding(Data("new".utf8), at: location, .new(0o600))
      #expect(folder.names.count == 1)
      _ = file
    }
    #expect(folder.names == [])
  }
}
