import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("Reading whole files") struct ReadingFilesTests {
  private let folder = TemporaryFolder()

  /// A function that reads a whole file.
  enum Reader: CaseIterable {
    case read, readRegularFile, map

    func callAsFunction(_ path: String, limit: Int = .max) throws -> Data? {
      switch self {
      case .read: try FileSystem.read(path, limit: limit)
      case .readRegularFile: try FileSystem.readRegularFile(path, limit: limit)?.data
      case .map: try FileSystem.map(path)
      }
    }
  }

  @Test(arguments: Reader.allCases, [0, 1, 4095, 4096, 4097, 100_000])
  func `all bytes of a file are read, whatever its size`(_ read: Reader, _ size: Int) throws {
    let data = TemporaryFolder.bytes(size)
    try data.write(to: URL(filePath: folder.path("a")))
    #expect(try read(folder.path("a")) == data)
  }

  @Test(arguments: Reader.allCases) func `links are followed`(_ read: Reader) throws {
    try folder.make("a", "text")
    try folder.link("b", to: "a")
    #expect(try read(folder.link("c", to: "b")) == Data("text".utf8))
  }

  @Test(arguments: [Reader.read, .map]) func `a missing file is an error with the path`(_ read: Reader) throws {
    let path = folder.path("missing")
    #expect(throws: FileError(ENOENT, "cannot open \(path): \(reason(ENOENT))")) { try read(path) }
  }

  @Test func `a missing regular file, and a link to one, are not an error`() throws {
    try folder.link("dangling", to: "missing")
    #expect(try FileSystem.readRegularFile(folder.path("missing"), limit: 10) == nil)
    #expect(try FileSystem.readRegularFile(folder.path("dangling"), limit: 10) == nil)
  }

  @Test(arguments: [Reader.read, .map], [ENOTDIR, ELOOP])
  func `a path that leads nowhere is an error with the path`(_ read: Reader, _ code: Int32) throws {
    try folder.make("a")
    let path = code == ENOTDIR ? folder.path("a/b") : try folder.link("loop", to: "loop")
    #expect(throws: FileError(code, "cannot open \(path): \(reason(code))")) { try read(path) }
    #expect(throws: FileError(code, "cannot read \(path): \(reason(code))")) { try Reader.readRegularFile(path) }
  }

  @Test(.enabled(if: OrdinaryUser.isPossible), arguments: Reader.allCases)
  func `a file without permission to read is an error with the path`(_ read: Reader) throws {
    let path = try folder.make("a", mode: 0)
    OrdinaryUser.run {
      #expect(throws: FileError(EACCES, "cannot open \(path): \(reason(EACCES))")) { try read(path) }
    }
  }

  @Test func `a folder cannot be read`() throws {
    let path = try folder.makeFolder("a")
    #expect(throws: FileError(EISDIR, "cannot read \(path): \(reason(EISDIR))")) { try Reader.read(path) }
    #expect(throws: FileError(ENODEV, "cannot map \(path): \(reason(ENODEV))")) { try Reader.map(path) }
    #expect(throws: FileError(EINVAL, "cannot read \(path): it is not a regular file")) {
      try Reader.readRegularFile(path)
    }
  }

  @Test func `a pipe is read to its end, but not as a regular file`() throws {
    let path = try folder.makePipe("pipe")
    // Opening some devices has effects.
    let calls = folder.calls(of: [.open]) {
      #expect(throws: FileError(EINVAL, "cannot read \(path): it is not a regular file")) {
        try Reader.readRegularFile(path)
      }
    }
    #expect(calls == [])
    let data = TemporaryFolder.bytes(200_000)
    Thread.detachNewThread { try? FileHandle(forWritingTo: URL(filePath: path)).write(contentsOf: data) }
    #expect(try Reader.read(path) == data)
  }

  @Test func `a file that is replaced by a pipe before it is opened is not waited for`() throws {
    let path = try folder.make("a")
    try folder.makePipe("pipe")
    try folder.before(.open) { [folder] _ in
      try succeed(rename(folder.path("pipe"), path))
    } during: {
      #expect(throws: FileError(EINVAL, "cannot read \(path): it is not a regular file")) {
        try Reader.readRegularFile(path)
      }
    }
  }

  @Test func `a regular file that is removed before it is opened is missing`() throws {
    let path = try folder.make("a")
    let data = try folder.before(.open) { _ in
      try succeed(unlink(path))
    } during: {
      try Reader.readRegularFile(path)
    }
    #expect(data == nil)
  }

  private func tooLarge(_ path: String, _ limit: Int) -> FileError {
    FileError(EFBIG, "cannot read \(path): it has more than \(limit) bytes", limit: limit)
  }

  @Test(arguments: [Reader.read, .readRegularFile])
  func `a file may have as many bytes as the limit`(_ read: Reader) throws {
    let path = try folder.make("a", "12345")
    #expect(try read(path, limit: 5) == Data("12345".utf8))
    #expect(throws: tooLarge(path, 4)) { try read(path, limit: 4) }
    #expect(throws: tooLarge(path, 0)) { try read(path, limit: 0) }
    try folder.make("a", "")
    #expect(try read(path, limit: 0) == Data())
  }

  @Test func `a file over the limit is not read`() throws {
    let path = try folder.make("a", "12345")
    let calls = folder.calls(of: [.open, .read]) {
      #expect(throws: FileError.self) { try Reader.read(path, limit: 4) }
      #expect(throws: FileError.self) { try Reader.readRegularFile(path, limit: 4) }
    }
    #expect(calls.map(\.call) == [.open, .open])
  }

  @Test(arguments: [Reader.read, .readRegularFile])
  func `a file that grows while it is read is read to its new end`(_ read: Reader) throws {
    let old = String(repeating: "a", count: 5000)
    let more = String(repeating: "b", count: 20_000)
    let path = folder.path("a")
    func grow(limit: Int) throws -> Data? {
      try folder.make("a", old)
      return try folder.before(.read) { index in
        if index == 0 { try overwrite(path, old + more) }
      } during: {
        try read(path, limit: limit)
      }
    }
    #expect(try grow(limit: 25_000)?.count == 25_000)
    #expect(try grow(limit: 25_000)?.suffix(20_000) == Data(more.utf8))
    #expect(throws: tooLarge(path, 24_999)) { try grow(limit: 24_999) }
  }

  @Test(arguments: [Reader.read, .readRegularFile])
  func `a file that shrinks while it is read ends where it now ends`(_ read: Reader) throws {
    let path = try folder.make("a", "a long text")
    let data = try folder.before(.read) { _ in
      try succeed(truncate(path, 6))
    } during: {
      try read(path)
    }
    #expect(data == Data("a long".utf8))
  }

  @Test func `the identity is that of the file before it was read`() throws {
    let path = try folder.make("a", "old")
    let before = try FileIdentity(at: path)
    let file = try folder.before(.read) { index in
      if index == 0 { try overwrite(path, "longer") }
    } during: {
      try FileSystem.readRegularFile(path, limit: 10)
    }
    #expect(file?.data == Data("longer".utf8))
    // So a caller notices that the file has changed.
    #expect(file?.identity == before)
    #expect(try FileIdentity(at: path) != before)
  }

  @Test(arguments: [Reader.read, .readRegularFile])
  func `a read that a signal interrupts is repeated, and another error is thrown`(_ read: Reader) throws {
    let path = try folder.make("a", "text")
    let recorded = RecordedCalls()
    let decision: Interception.Decision = { $0.call == .read && recorded.note($0) < 2 ? EINTR : nil }
    #expect(try Interception.ofCalls(in: folder.url.path, decision) { try read(path) } == Data("text".utf8))
    folder.failing(.read, with: EIO) {
      #expect(throws: FileError(EIO, "cannot read \(path): \(reason(EIO))")) { try read(path) }
    }
  }

  @Test func `a size for which there is no memory is an error`() throws {
    let path = try folder.make("a")
    let descriptor = try FileSystem.openToRead(path)
    defer { close(descriptor) }
    #expect(throws: FileError.outOfMemory(path)) { try FileSystem.read(descriptor, named: path, expecting: 1 << 60) }
  }

  @Test func `an open file is read from its position`() throws {
    let path = try folder.make("a", "0123456789")
    let descriptor = try FileSystem.openToRead(path)
    defer { close(descriptor) }
    lseek(descriptor, 6, SEEK_SET)
    #expect(try FileSystem.readRegularFile(descriptor, named: path, limit: 10).data == Data("6789".utf8))
    #expect(try FileSystem.readRegularFile(descriptor, named: path, limit: 10).data == Data())
    lseek(descriptor, 8, SEEK_SET)
    #expect(try FileSystem.read(descriptor, named: path, limit: 2) == Data("89".utf8))
  }

  @Test func `an open folder, and a closed descriptor, are errors with the name`() throws {
    let descriptor = try FileSystem.openToRead(folder.url.path)
    defer { close(descriptor) }
    #expect(throws: FileError(EINVAL, "cannot read a: it is not a regular file")) {
      try FileSystem.readRegularFile(descriptor, named: "a", limit: 10)
    }
    #expect(throws: FileError(EBADF, "cannot read a: \(reason(EBADF))")) {
      try FileSystem.readRegularFile(-1, named: "a", limit: 10)
    }
    #expect(throws: FileError(EBADF, "cannot read a: \(reason(EBADF))")) { try FileSystem.read(-1, named: "a") }
  }

  @Test func `a map has the contents at the time of its creation after the file is replaced`() throws {
    let path = try folder.make("a", "old")
    let map = try FileSystem.map(path)
    try FileSystem.replace(path, with: Data("new and longer".utf8))
    #expect(map == Data("old".utf8))
  }

  @Test(arguments: Reader.allCases) func `no descriptor stays open`(_ read: Reader) throws {
    let path = try folder.make("a", "12345")
    func openFiles() -> Int {
      let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return links.filter { FileSystem.isSameFile("/proc/self/fd/\($0)", path) }.count
    }
    _ = try read(path)
    _ = try? read(path, limit: 1)
    folder.failing(.read, with: EIO) { _ = try? read(path) }
    #expect(openFiles() == 0)
    let descriptor = try FileSystem.openToRead(path)
    defer { close(descriptor) }
    #if os(Linux)
      #expect(openFiles() == 1)
    #endif
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }
}
