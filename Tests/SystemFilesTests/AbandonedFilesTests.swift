import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Temporary files of killed writers") struct AbandonedFilesTests {
  private let folder = TemporaryFolder()

  init() throws { try Data("old".utf8).write(to: URL(filePath: folder.path("a.plist"))) }

  /// Creates a file that was written some seconds ago.
  @discardableResult
  private func make(_ name: String, age: Double = 3600) throws -> URL {
    let url = URL(filePath: folder.path(name))
    try Data("left".utf8).write(to: url)
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: url.path)
    return url
  }

  private func replace() throws { try FileSystem.replace(folder.path("a.plist"), with: Data("new".utf8)) }

  @Test func `the next writer of the same file removes them`() throws {
    try make(".a.plist.1y2p0ij32e8e7.tmp")
    try replace()
    #expect(folder.names == ["a.plist"])
  }

  @Test(arguments: [
    // The name of another file, too few digits, capitals.
    ".b.plist.1y2p0ij32e8e7.tmp", ".a.plist.backup.tmp", ".a.plist.1Y2P0IJ32E8E7.tmp", "a.plist.1y2p0ij32e8e7.tmp",
  ])
  func `files that may be in use, or belong to another program, stay`(_ name: String) throws {
    try make(name)
    try replace()
    #expect(folder.names.sorted() == [name, "a.plist"].sorted())
  }

  @Test func `files stay for ten minutes, while they are locked, and if another user owns them`() throws {
    try make(".a.plist.1y2p0ij32e8e7.tmp", age: 60)
    let locked = try make(".a.plist.2y2p0ij32e8e7.tmp")
    let descriptor = open(locked.path, O_RDONLY)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    let strange = try make(".a.plist.3y2p0ij32e8e7.tmp")
    // Only root can change the owner of files.
    let isGiven = chown(strange.path, 12345, gid_t.max) == 0
    try replace()
    #expect(folder.names.count == (isGiven ? 4 : 3))
  }

  @Test func `folders, links and pipes with such names stay`() throws {
    let names = [".a.plist.0000000000.tmp", ".a.plist.1111111111.tmp", ".a.plist.2222222222.tmp"]
    try folder.makeFolder(names[0])
    try folder.makePipe(names[1])
    try folder.link(names[2], to: "a.plist")
    let old = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
    for name in names { try succeed(utimensat(AT_FDCWD, folder.path(name), [old, old], AT_SYMLINK_NOFOLLOW)) }
    FileSystem.removeAbandonedFiles(of: folder.path("a.plist"))
    #expect(folder.names == names + ["a.plist"])
  }

  @Test func `they can be removed without writing, also at the target of a link`() throws {
    try folder.makeFolder("sub")
    try folder.link("sub/link", to: "../a.plist")
    try make(".a.plist.1y2p0ij32e8e7.tmp")
    try make("sub/.link.1y2p0ij32e8e7.tmp")
    FileSystem.removeAbandonedFiles(of: folder.path("sub/link"))
    #expect(folder.names == ["a.plist", "sub"])
    #expect(FileSystem.names(in: folder.path("sub")).sorted() == [".link.1y2p0ij32e8e7.tmp", "link"])
    // The file itself may be missing.
    try make(".b.1y2p0ij32e8e7.tmp")
    FileSystem.removeAbandonedFiles(of: folder.path("b"))
    FileSystem.removeAbandonedFiles(of: folder.path("missing/b"))
    #expect(folder.names == ["a.plist", "sub"])
  }

  @Test func `a writer looks for them only once in each folder`() throws {
    try replace()
    try make(".a.plist.1y2p0ij32e8e7.tmp")
    try replace()
    #expect(folder.names == [".a.plist.1y2p0ij32e8e7.tmp", "a.plist"])
    FileSystem.removeAbandonedFiles(of: folder.path("a.plist"))
    #expect(folder.names == ["a.plist"])
  }

  @Test func `a writer looks for them in each of two folders whose names differ only in their bytes`() throws {
    // One character, or two that are equivalent.
    for name in ["\u{E9}", "e\u{301}"] {
      try folder.makeFolder(name)
      try make("\(name)/.a.1y2p0ij32e8e7.tmp")
      try FileSystem.replace(folder.path(name) + "/a", with: Data())
      #expect(FileSystem.names(in: folder.path(name)) == ["a"])
    }
  }

  /// Creates the temporary file of a writer of a file that was killed an hour ago.
  private func leave(for name: String) throws {
    let location = try #require(try FileLocation(folder.path(name)))
    let dot = CChar(bitPattern: UInt8(ascii: "."))
    var temporary: FileSystem.SystemPath
    // A few random numbers have fewer than the ten digits that files are searched for with.
    repeat {
      temporary = NewFile.temporaryName(for: location.name)
    } while temporary.dropLast(".tmp".utf8CString.count).suffix(10).contains(dot)
    let descriptor = location.folder.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    try succeed(descriptor)
    defer { close(descriptor) }
    let time = timespec(tv_sec: Foundation.time(nil) - 3600, tv_nsec: 0)
    try succeed(futimens(descriptor, [time, time]))
  }

  @Test(arguments: [
    ("a", 1), ("ä", 1), ("a.b.", 2), (".", 3), ("\u{301}", 1), ("n", 255),
    // Temporary names have only a part of longer names, which can end in the middle of a character.
    ("ä", 127), ("日x", 63), ("🙂", 63), ("x🙂", 51),
  ])
  func `the temporary files of a file are found by its name, however long`(_ part: String, _ count: Int) throws {
    let name = String(repeating: part, count: count)
    for _ in 0..<3 { try leave(for: name) }
    FileSystem.removeAbandonedFiles(of: folder.path(name))
    #expect(folder.names.count == 1)
    try leave(for: name)
    try FileSystem.replace(folder.path(name), with: Data())
    #expect(folder.names == [name, "a.plist"].sorted())
  }

  #if os(Linux) || os(macOS)
    /// In a process of its own, because ``FileSystem/keepBytesOfPaths()`` affects a whole process.
    @Test func `the temporary files of a file with a long name that is not UTF-8 are found`() async {
      await #expect(processExitsWith: .success) {
        FileSystem.keepBytesOfPaths()
        let tests = try AbandonedFilesTests()
        for bytes in [[0xFF], Array(repeating: 0xFF, count: 255), [0x61] + Array(repeating: 0xC3, count: 254)]
          as [[UInt8]]
        {
          let name = FileSystem.text(ofBytes: bytes)
          try tests.leave(for: name)
          #expect(FileSystem.names(in: tests.folder.url.path).count == 2)
          FileSystem.removeAbandonedFiles(of: tests.folder.url.path + "/" + name)
          #expect(tests.folder.names == ["a.plist"])
        }
      }
    }
  #endif
}
