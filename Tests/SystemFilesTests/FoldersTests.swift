import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Creating and listing folders") struct FoldersTests {
  private let folder = TemporaryFolder()

  // Creating.

  @Test func `a folder and its missing parents are created for their owner only`() throws {
    try FileSystem.makeFolder(folder.path("a/b/c"), below: nil)
    for name in ["a", "a/b", "a/b/c"] {
      #expect(FileSystem.isFolder(folder.path(name)))
      #expect(try folder.mode(name) == 0o700)
    }
  }

  @Test func `other permissions are those for mkdir`() throws {
    try FileSystem.makeFolder(folder.path("a/b"), below: nil, permissions: 0o777)
    try succeed(mkdir(folder.path("plain"), 0o777))
    #expect(try folder.mode("a") == folder.mode("plain"))
    #expect(try folder.mode("a/b") == folder.mode("plain"))
  }

  @Test func `an existing folder keeps its permissions and its contents`() throws {
    try folder.makeFolder("a", mode: 0o751)
    try folder.make("a/file")
    try FileSystem.makeFolder(folder.path("a"), below: nil)
    #expect(try folder.mode("a") == 0o751)
    #expect(folder.text("a/file") == "old")
  }

  @Test(arguments: ["a/b", "a//b", "a/./b/", "a/../a/b", "a/b/c/.."])
  func `unusual forms of a path create the folder that they lead to`(_ path: String) throws {
    try folder.makeFolder("a")
    if path.hasSuffix("..") { try FileSystem.makeFolder(folder.path("a/b/c"), below: nil) }
    try FileSystem.makeFolder("\(folder.url.path)/\(path)", below: nil)
    #expect(FileSystem.isFolder(folder.path("a/b")))
    #expect(folder.names == ["a"])
  }

  @Test func `each folder in which one is created is synced`() throws {
    let calls = try folder.calls(of: [.makeFolder, .synchronize]) {
      try FileSystem.makeFolder(folder.path("a/b"), below: nil)
      try FileSystem.makeFolder(folder.path("a/b"), below: nil)
    }
    #expect(calls.map(\.call) == [.makeFolder, .synchronize, .makeFolder, .synchronize])
    let (a, b) = (FileSystem.realPath(of: folder.path("a")), FileSystem.realPath(of: folder.path("a/b")))
    #expect(calls.map(\.path) == [a, a, b, b])
  }

  @Test func `a missing base, or a folder below it, is not created`() throws {
    let base = folder.path("base")
    for path in [base, base + "/a", base + "/a/b"] {
      #expect(throws: FileError(ENOENT, "\(base) does not exist")) { try FileSystem.makeFolder(path, below: base) }
    }
    #expect(folder.names == [])
    // Only whole names count.
    try FileSystem.makeFolder(base + "d", below: base)
    #expect(folder.names == ["based"])
    try folder.makeFolder("base")
    try FileSystem.makeFolder(base + "/a", below: base)
    #expect(FileSystem.isFolder(base + "/a"))
  }

  @Test func `a link to a folder is followed, also if the folder is missing`() throws {
    try folder.makeFolder("real")
    try folder.link("link", to: "real")
    try folder.link("dangling", to: "made")
    try FileSystem.makeFolder(folder.path("link/a"), below: nil)
    try FileSystem.makeFolder(folder.path("dangling/a"), below: nil)
    #expect(FileSystem.isFolder(folder.path("real/a")))
    #expect(FileSystem.isFolder(folder.path("made/a")))
    #expect(folder.names == ["dangling", "link", "made", "real"])
  }

  @Test func `a file in the way is an error with the path, and stays`() throws {
    try folder.make("a")
    for path in [folder.path("a"), folder.path("a/b")] {
      #expect(throws: FileError(ENOTDIR, "cannot write \(path): \(reason(ENOTDIR))")) {
        try FileSystem.makeFolder(path, below: nil)
      }
    }
    #expect(folder.text("a") == "old")
  }

  @Test(.enabled(if: OrdinaryUser.isPossible))
  func `a folder without permission to write is an error with the path`() throws {
    try folder.makeFolder("a", mode: 0o555)
    let path = folder.path("a/b")
    let error = try #require(throws: FileError.self) {
      try OrdinaryUser.run { try FileSystem.makeFolder(path, below: nil) }
    }
    // The path is resolved.
    #expect(error.code == EACCES)
    #expect(error.message == "cannot create the folder \(FileSystem.realPath(of: path)): \(reason(EACCES))")
  }

  @Test func `a folder that another program creates at the same time is used`() throws {
    let path = folder.path("a/b")
    try folder.before(.makeFolder) { [folder] index in
      if index == 0 { try folder.makeFolder("a", mode: 0o755) }
    } during: {
      try FileSystem.makeFolder(path, below: nil)
    }
    #expect(FileSystem.isFolder(path))
    #expect(try folder.mode("a") == 0o755)
  }

  @Test func `only an empty folder is removed`() throws {
    try folder.makeFolder("empty")
    try folder.makeFolder("full")
    try folder.make("full/a")
    try folder.link("link", to: "empty")
    for name in folder.names { FileSystem.removeEmptyFolder(folder.path(name)) }
    #expect(folder.names == ["full", "link"])
  }

  // Finding.

  @Test func `the nearest folder is the path itself or its first parent that exists`() throws {
    try folder.makeFolder("a")
    #expect(try FileSystem.nearestFolder(to: folder.path("a")) == folder.path("a"))
    #expect(try FileSystem.nearestFolder(to: folder.path("a/b/c")) == folder.path("a"))
    #expect(try FileSystem.nearestFolder(to: folder.path("b/c")) == folder.url.path)
    #expect(try FileSystem.nearestFolder(to: "/") == "/")
    #expect(try FileSystem.nearestFolder(to: "/no such folder") == "/")
    #expect(try FileSystem.nearestFolder(to: "no such folder/a") == ".")
    try folder.link("loop", to: "loop")
    #expect(throws: FileError.self) { try FileSystem.nearestFolder(to: folder.path("loop/a")) }
  }

  @Test(arguments: [
    ("/a/b", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("", "."), ("a/b/c", "a/b"), ("./a", "."), ("/ä/b", "/ä"),
  ])
  func `the parent is the path before the last slash`(_ path: String, _ parent: String) {
    #expect(FileSystem.parent(of: path) == parent)
  }

  // Listing.

  /// Creates one of each kind of entry.
  private func makeOneOfEach() throws {
    try folder.make("file")
    try folder.make(".hidden")
    try folder.makeFolder("folder")
    try folder.link("link to file", to: "file")
    try folder.link("link to folder", to: "folder")
    try folder.link("dangling", to: "missing")
    try folder.makePipe("pipe")
    try succeed(mknod(folder.path("socket"), S_IFSOCK | 0o600, 0))
  }

  @Test func `the names in a folder are those of all its entries`() throws {
    try makeOneOfEach()
    #expect(
      FileSystem.names(in: folder.url.path).sorted() == [
        ".hidden", "dangling", "file", "folder", "link to file", "link to folder", "pipe", "socket",
      ])
  }

  @Test func `the contents of a folder are sorted, without pipes and sockets, and links are no folders`() throws {
    try makeOneOfEach()
    let contents = try FileSystem.contents(of: folder.url.path)
    #expect(contents.map(\.name) == [".hidden", "dangling", "file", "folder", "link to file", "link to folder"])
    #expect(contents.filter(\.isFolder).map(\.name) == ["folder"])
  }

  @Test func `a folder that cannot be read has no names, and its contents are an error with the path`() throws {
    let (missing, file) = (folder.path("missing"), try folder.make("file"))
    #expect(FileSystem.names(in: missing) == [])
    #expect(FileSystem.names(in: file) == [])
    #expect(throws: FileError(ENOENT, "cannot open \(missing): \(reason(ENOENT))")) {
      try FileSystem.contents(of: missing)
    }
    #expect(throws: FileError(ENOTDIR, "cannot open \(file): \(reason(ENOTDIR))")) {
      try FileSystem.contents(of: file)
    }
  }

  @Test(.enabled(if: OrdinaryUser.isPossible))
  func `the contents of a folder without permission are an error`() throws {
    let path = try folder.makeFolder("a", mode: 0)
    defer { chmod(path, 0o700) }
    OrdinaryUser.run {
      #expect(FileSystem.names(in: path) == [])
      #expect(throws: FileError(EACCES, "cannot open \(path): \(reason(EACCES))")) {
        try FileSystem.contents(of: path)
      }
    }
  }

  @Test func `names that are not UTF-8 are omitted`() throws {
    try folder.make("a")
    let path = Array(folder.path("b").utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
    try succeed(close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)))
    #expect(FileSystem.names(in: folder.url.path) == ["a"])
    #expect(try FileSystem.contents(of: folder.url.path).map(\.name) == ["a"])
    // So that the folder can be removed.
    unlink(path)
  }

  @Test func `a path is examined with and without following a link`() throws {
    try makeOneOfEach()
    func names(_ property: (String) -> Bool) -> [String] { folder.names.filter { property(folder.path($0)) } }
    #expect(names(FileSystem.isFolder) == ["folder", "link to folder"])
    #expect(names(FileSystem.isRegularFileItself) == [".hidden", "file"])
    #expect(names(FileSystem.existsItself) == folder.names)
    #expect(names(FileSystem.exists) == folder.names.filter { $0 != "dangling" })
    #expect(names { FileSystem.sizeOfRegularFile($0) == 3 } == [".hidden", "file", "link to file"])
    #expect(names { FileSystem.sizeOfRegularFile($0) != nil } == [".hidden", "file", "link to file"])
    let missing = folder.path("missing")
    #expect(!FileSystem.exists(missing) && !FileSystem.existsItself(missing))
    #expect(!FileSystem.isFolder(missing) && !FileSystem.isRegularFileItself(missing))
    #expect(FileSystem.sizeOfRegularFile(missing) == nil)
  }

  @Test(arguments: [
    ("a.plist", "*.plist", true), ("a.plist", "?.plist", true), ("ab.plist", "?.plist", false),
    ("b", "[a-c]", true), ("d", "[a-c]", false), ("d", "[!a-c]", true), ("a.plist", "plist", false),
    ("a*", #"a\*"#, true),
    ("ab", #"a\*"#, false), ("", "*", true), ("", "?", false),
  ])
  func `a name matches a shell pattern as a whole`(_ name: String, _ pattern: String, _ isMatch: Bool) {
    #expect(FileSystem.matches(name, pattern: pattern) == isMatch)
  }

  @Test func `a local folder is not shared with other computers`() {
    #expect(!FileSystem.isShared(folder.url.path))
    #expect(!FileSystem.isShared(folder.path("missing")))
  }

  // Renaming and removing.

  @Test func `a file or a folder is renamed, and a file replaces an existing one`() throws {
    try folder.make("a", "new")
    try folder.make("b", "old")
    try FileSystem.move(folder.path("a"), to: folder.path("b"))
    try folder.makeFolder("c")
    try folder.make("c/file")
    try FileSystem.move(folder.path("c"), to: folder.path("d"))
    #expect(folder.names == ["b", "d"])
    #expect(folder.text("b") == "new")
    #expect(folder.text("d/file") == "old")
  }

  @Test func `a file that cannot be renamed is an error with the new path`() throws {
    let path = folder.path("b")
    #expect(throws: FileError(ENOENT, "cannot rename a file to \(path): \(reason(ENOENT))")) {
      try FileSystem.move(folder.path("missing"), to: path)
    }
    try folder.make("a")
    try folder.makeFolder("b")
    #expect(throws: FileError(EISDIR, "cannot rename a file to \(path): \(reason(EISDIR))")) {
      try FileSystem.move(folder.path("a"), to: path)
    }
    #expect(folder.names == ["a", "b"])
  }

  @Test func `a link is removed and not its target; a folder stays`() throws {
    try folder.make("a")
    try folder.link("b", to: "a")
    try folder.makeFolder("c")
    for name in ["b", "c", "missing"] { FileSystem.removeFile(folder.path(name)) }
    #expect(folder.names == ["a", "c"])
    FileSystem.removeFile(folder.path("a"))
    #expect(folder.names == ["c"])
  }
}
