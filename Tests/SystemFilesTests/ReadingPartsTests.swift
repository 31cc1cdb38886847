import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("Reading parts of files and streams") struct ReadingPartsTests {
  private let folder = TemporaryFolder()

  @Test func `the beginning has at most as many bytes as the file`() throws {
    let path = try folder.make("a", "0123456789")
    #expect(FileSystem.beginning(of: path, count: 4) == Data("0123".utf8))
    #expect(FileSystem.beginning(of: path, count: 10) == Data("0123456789".utf8))
    #expect(FileSystem.beginning(of: path, count: 100) == Data("0123456789".utf8))
  }

  @Test func `the end has exactly as many bytes as requested, or there is none`() throws {
    let path = try folder.make("a", "0123456789")
    #expect(FileSystem.end(of: path, count: 4) == Array("6789".utf8))
    #expect(FileSystem.end(of: path, count: 10) == Array("0123456789".utf8))
    #expect(FileSystem.end(of: path, count: 11) == nil)
    #expect(FileSystem.end(of: path, count: 0) == [])
  }

  @Test func `an empty file has no beginning`() throws {
    let path = try folder.make("a", "")
    #expect(FileSystem.beginning(of: path, count: 4) == nil)
    #expect(FileSystem.end(of: path, count: 1) == nil)
  }

  enum Other: CaseIterable { case missing, folder, pipe, danglingLink, linkToPipe }

  @Test(arguments: Other.allCases)
  func `anything but a regular file has no beginning and no end, and is not waited for`(_ other: Other) throws {
    let path = folder.path("a")
    switch other {
    case .missing: break
    case .folder: try folder.makeFolder("a")
    case .pipe: try folder.makePipe("a")
    case .danglingLink: try folder.link("a", to: "missing")
    case .linkToPipe:
      try folder.makePipe("pipe")
      try folder.link("a", to: "pipe")
    }
    #expect(FileSystem.beginning(of: path, count: 4) == nil)
    #expect(FileSystem.end(of: path, count: 0) == nil)
  }

  @Test(.enabled(if: OrdinaryUser.isPossible))
  func `a file without permission to read has no beginning and no end`() throws {
    let path = try folder.make("a", mode: 0)
    OrdinaryUser.run {
      #expect(FileSystem.beginning(of: path, count: 1) == nil)
      #expect(FileSystem.end(of: path, count: 1) == nil)
    }
  }

  /// The two ends of a pipe.
  private struct Stream: ~Copyable {
    let reading: Int32
    private(set) var writing: Int32

    init(_ text: String) throws {
      var ends: [Int32] = [-1, -1]
      try succeed(pipe(&ends))
      (reading, writing) = (ends[0], ends[1])
      _ = text.withCString { write(writing, $0, strlen($0)) }
    }

    mutating func end() {
      if writing >= 0 { close(writing) }
      writing = -1
    }

    deinit {
      close(reading)
      if writing >= 0 { close(writing) }
    }
  }

  @Test func `the available bytes of a stream are read without waiting for more`() throws {
    let stream = try Stream("some")
    #expect(try FileSystem.readSome(stream.reading, named: "a") == Data("some".utf8))
  }

  @Test func `a read returns at most 64 KiB, and nothing at the end`() throws {
    let path = try folder.make("a", String(repeating: "a", count: 65_536) + "b")
    let descriptor = try FileSystem.openToRead(path)
    defer { close(descriptor) }
    #expect(try FileSystem.readSome(descriptor, named: path).count == 65_536)
    #expect(try FileSystem.readSome(descriptor, named: path) == Data("b".utf8))
    #expect(try FileSystem.readSome(descriptor, named: path) == Data())
    var stream = try Stream("")
    stream.end()
    #expect(try FileSystem.readSome(stream.reading, named: path) == Data())
  }

  @Test func `a stream is read until a signal is to stop it`() throws {
    let name = folder.path("stream")
    let stream = try Stream("text")
    var attempts = 0
    let data = try folder.failing(.read, with: EINTR) {
      try FileSystem.readSome(stream.reading, named: name) {
        attempts += 1
        return attempts <= 3
      }
    }
    #expect(data == Data())
    #expect(attempts == 4)
    #expect(try FileSystem.readSome(stream.reading, named: name) { false } == Data())
    #expect(try FileSystem.readSome(stream.reading, named: name) == Data("text".utf8))
  }

  @Test func `an error of a stream has its name`() {
    #expect(throws: FileError(EBADF, "cannot read a: \(reason(EBADF))")) { try FileSystem.readSome(-1, named: "a") }
  }

  @Test func `a copy has the contents of the file, for its owner only`() throws {
    // More than two pieces.
    let text = String(repeating: "0123456789", count: 15_000)
    let path = try folder.make("a", text, mode: 0o644)
    try FileSystem.copyRegularFile(path, to: folder.path("b"))
    #expect(folder.text("b") == text)
    #expect(try folder.mode("b") == 0o600)
    try folder.make("empty", "")
    try FileSystem.copyRegularFile(folder.path("empty"), to: folder.path("c"))
    #expect(folder.text("c") == "")
  }

  @Test func `a missing file is not copied`() throws {
    try FileSystem.copyRegularFile(folder.path("missing"), to: folder.path("b"))
    #expect(folder.names == [])
  }

  @Test func `a pipe is not copied, and an existing file is not overwritten`() throws {
    let pipe = try folder.makePipe("pipe")
    #expect(throws: FileError(EINVAL, "cannot read \(pipe): it is not a regular file")) {
      try FileSystem.copyRegularFile(pipe, to: folder.path("b"))
    }
    let (a, b) = (try folder.make("a", "new"), try folder.make("b", "old"))
    #expect(throws: FileError(EEXIST, "cannot create \(b): \(reason(EEXIST))")) {
      try FileSystem.copyRegularFile(a, to: b)
    }
    #expect(folder.text("b") == "old")
    #expect(folder.names == ["a", "b", "pipe"])
  }

  @Test func `a new file does not follow a link, and passes on the error of its writer`() throws {
    let path = try folder.link("a", to: "target")
    #expect(throws: FileError(EEXIST, "cannot create \(path): \(reason(EEXIST))")) {
      try FileSystem.create(path) { output throws(FileError) in try output.write(Data("new".utf8)) }
    }
    #expect(folder.names == ["a"])
    #expect(throws: FileError(EIO, "damaged")) {
      try FileSystem.create(folder.path("b")) { _ throws(FileError) in throw FileError(EIO, "damaged") }
    }
  }
}
