import Foundation
import SystemFiles
import TestSupport
import Testing

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
}
