import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Paths and the links in them") struct PathsTests {
  private let folder = TemporaryFolder()

  @Test func `the target is found through all links of the last name, and may be missing`() throws {
    try folder.makeFolder("sub")
    try folder.link("a", to: "sub/b")
    try folder.link("sub/b", to: "../c")
    try folder.link("c", to: folder.path("missing"))
    #expect(FileSystem.target(of: folder.path("a")) == folder.path("missing"))
    // Links are relative to their own folder.
    #expect(FileSystem.target(of: folder.path("sub/b")) == folder.path("missing"))
    #expect(FileSystem.folderOfTarget(of: folder.path("a")) == folder.url.path)
  }

  @Test func `a path without a link is its own target`() throws {
    try folder.make("a")
    #expect(FileSystem.target(of: folder.path("a")) == folder.path("a"))
    #expect(FileSystem.target(of: folder.path("missing")) == folder.path("missing"))
    #expect(FileSystem.target(of: "a") == "a")
    #expect(FileSystem.target(of: "") == "")
  }

  @Test func `a loop of links ends`() throws {
    try folder.link("a", to: "b")
    try folder.link("b", to: "a")
    #expect(["a", "b"].map { folder.path($0) }.contains(FileSystem.target(of: folder.path("a"))))
    let real = FileSystem.realPath(of: folder.path("a"))
    #expect(["a", "b"].map { folder.path($0) }.contains(real))
    #expect(FileSystem.waypoints(of: folder.path("a")).count < 100)
  }

  /// The path of the folder without links.
  private var root: String { FileSystem.parent(of: FileSystem.realPath(of: folder.path("x"))) }

  @Test func `the real path has no links and no dots`() throws {
    try folder.makeFolder("real")
    try folder.makeFolder("real/sub")
    try folder.link("link", to: "real/sub")
    try folder.link("absolute", to: folder.path("real"))
    try folder.link("real/file", to: "../target")
    let root = root
    #expect(FileSystem.realPath(of: folder.path("link/a")) == "\(root)/real/sub/a")
    // The folder above is that of the target.
    #expect(FileSystem.realPath(of: folder.path("link") + "/../a") == "\(root)/real/a")
    #expect(FileSystem.realPath(of: folder.path("absolute/sub/a")) == "\(root)/real/sub/a")
    #expect(FileSystem.realPath(of: folder.path("real") + "/./sub//../file") == "\(root)/target")
    #expect(FileSystem.realPath(of: "/../..//.\(folder.url.path)/a").hasSuffix("\(root)/a"))
  }

  @Test func `the real path of a file in a missing folder is its target`() throws {
    #expect(FileSystem.realPath(of: folder.path("missing/a")) == folder.path("missing/a"))
    try folder.link("link", to: "missing/a")
    #expect(FileSystem.realPath(of: folder.path("link")) == folder.path("missing/a"))
    #expect(FileSystem.realPath(of: "/") == "/")
  }

  @Test func `the real path of a relative path is relative`() {
    #expect(FileSystem.realPath(of: "no such file") == "no such file")
    #expect(FileSystem.realPath(of: "./no such file") == "no such file")
    #expect(FileSystem.realPath(of: "../../no such file") == "../../no such file")
  }

  @Test func `waypoints are the folders and links on the way to a file, from the top`() throws {
    try folder.makeFolder("real")
    try folder.makeFolder("real/sub")
    try folder.link("link", to: "real/sub")
    try folder.link("real/sub/file", to: "../../target")
    let root = root
    let above = FileSystem.waypoints(of: "\(root)/a")
    #expect(above.last == root)
    #expect(above == above.sorted())
    #expect(
      FileSystem.waypoints(of: "\(root)/link/file").dropFirst(above.count) == [
        "\(root)/link", "\(root)/real", "\(root)/real/sub", "\(root)/real/sub/file",
      ])
    // The target of the last link is no waypoint, and neither is the path itself if it is no link.
    #expect(FileSystem.waypoints(of: "\(root)/link").dropFirst(above.count) == ["\(root)/link", "\(root)/real"])
    #expect(
      FileSystem.waypoints(of: "\(root)/real/sub/missing").dropFirst(above.count) == [
        "\(root)/real", "\(root)/real/sub",
      ])
  }

  @Test func `waypoints follow absolute links, and dots`() throws {
    try folder.makeFolder("real")
    let root = root
    try folder.link("link", to: "\(root)/real")
    let above = FileSystem.waypoints(of: "\(root)/a")
    // The walk begins again at the root folder.
    let expected = above + ["\(root)/link"] + above + ["\(root)/real"]
    #expect(FileSystem.waypoints(of: "\(root)/./link/../b") == expected)
    #expect(FileSystem.waypoints(of: "/") == [])
    #expect(FileSystem.waypoints(of: "/../a") == [])
  }

  @Test func `paths are converted as UTF-8, and bytes of another encoding are replaced`() {
    for text in ["", "a", "ä", "日本", "e\u{301}", "🙂", "\u{10F780}"] {
      #expect(FileSystem.systemPath(text) == Array(text.utf8CString))
      #expect(Array(FileSystem.text(FileSystem.systemPath(text)).utf8) == Array(text.utf8))
    }
    #expect(FileSystem.text(ofBytes: [0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
    #expect(FileSystem.showingBytes("a\u{10F7FF}") == "a\u{10F7FF}")
    let (valid, invalid): ([CChar], [CChar]) = ([0x61, 0], [CChar(bitPattern: 0xFF), 0])
    #expect(valid.withUnsafeBufferPointer { FileSystem.text(ofCString: $0.baseAddress!) } == "a")
    #expect(invalid.withUnsafeBufferPointer { FileSystem.text(ofCString: $0.baseAddress!) } == nil)
  }
}
