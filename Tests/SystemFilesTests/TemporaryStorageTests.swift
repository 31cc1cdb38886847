import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Temporary files and folders") struct TemporaryStorageTests {
  private let folder = TemporaryFolder()
  /// The folder of the system, whose calls tests can make fail.
  private let temporary = FileManager.default.temporaryDirectory.path

  private func fail<Result>(_ kind: SystemCall, _ body: () throws -> Result) rethrows -> Result {
    try Interception.ofCalls(in: temporary, { $0.call == kind ? EIO : nil }, during: body)
  }

  private func temporaryFile() throws -> TemporaryFile {
    guard let file = TemporaryFile() else { throw FileError(EIO, "no temporary file") }
    return file
  }

  private func output(to name: String) throws -> (descriptor: Int32, output: FileOutput) {
    let descriptor = open(folder.path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try succeed(descriptor)
    return (descriptor, FileOutput(descriptor: descriptor, name: folder.path(name)))
  }

  @Test func `a temporary file has no name, and only its owner and this process may use it`() throws {
    let file = try temporaryFile()
    var status = stat()
    try succeed(fstat(file.output.descriptor, &status))
    #expect(status.st_nlink == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
    #expect(fcntl(file.output.descriptor, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func `the bytes of a temporary file are copied as often as required`() throws {
    // More than two pieces of the copy.
    let data = TemporaryFolder.bytes(2_500_000)
    let file = try temporaryFile()
    try file.output.write(data)
    for name in ["a", "b"] {
      let (descriptor, output) = try output(to: name)
      defer { close(descriptor) }
      try file.copy(to: output)
      #expect(try FileSystem.read(folder.path(name)) == data)
    }
    // The file continues at its end.
    try file.output.write(Data("more".utf8))
    let (descriptor, output) = try output(to: "c")
    defer { close(descriptor) }
    try file.copy(to: output)
    #expect(try FileSystem.read(folder.path("c")) == data + Data("more".utf8))
  }

  @Test func `an empty temporary file is copied as nothing`() throws {
    let file = try temporaryFile()
    let (descriptor, output) = try output(to: "a")
    defer { close(descriptor) }
    try file.copy(to: output)
    #expect(folder.text("a") == "")
  }

  @Test func `errors of a copy are those of its source or its destination`() throws {
    let file = try temporaryFile()
    try file.output.write(Data("text".utf8))
    let (descriptor, output) = try output(to: "a")
    defer { close(descriptor) }
    folder.failing(.write, with: ENOSPC) {
      #expect(throws: FileError(ENOSPC, "cannot write \(output.name): \(reason(ENOSPC))")) {
        try file.copy(to: output)
      }
    }
    let decision: Interception.Decision = { $0.call == .read ? EIO : nil }
    _ = Interception.ofCalls(in: "a temporary file", decision) {
      #expect(throws: FileError(EIO, "cannot read a temporary file: \(reason(EIO))")) { try file.copy(to: output) }
    }
    #expect(folder.text("a") == "")
  }

  @Test func `without space for a temporary file there is none`() {
    let isMade = fail(.open) { TemporaryFile() != nil }
    #expect(!isMade)
  }

  @Test func `a private folder is accessible only to its owner, and is removed with its files`() throws {
    var path = ""
    do {
      let made = try PrivateFolder()
      path = made.path
      #expect(FileSystem.parent(of: path) == temporary)
      #expect(FileSystem.isFolder(path))
      var status = stat()
      try succeed(lstat(path, &status))
      #expect(status.st_mode & 0o7777 == 0o700)
      #expect(try made.create("a", with: Data("text".utf8)) == "\(path)/a")
      #expect(FileSystem.names(in: path) == ["a"])
      try succeed(mkdir("\(path)/b", 0o700))
      try Data("text".utf8).write(to: URL(filePath: "\(path)/b/c"))
      _ = made.path
    }
    #expect(!FileSystem.existsItself(path))
  }

  @Test func `two private folders have different paths`() throws {
    let first = try PrivateFolder()
    let second = try PrivateFolder()
    #expect(first.path != second.path)
  }

  @Test func `a private folder that is kept stays with its files`() throws {
    var path = ""
    do {
      var made = try PrivateFolder()
      path = try made.create("a", with: Data("text".utf8))
      made.keep()
    }
    #expect(try FileSystem.read(path) == Data("text".utf8))
    try FileManager.default.removeItem(atPath: FileSystem.parent(of: path))
  }

  @Test func `a file of a private folder is accessible only to its owner, and is not overwritten`() throws {
    let made = try PrivateFolder()
    let path = try made.create("a", with: Data("first".utf8))
    var status = stat()
    try succeed(lstat(path, &status))
    #expect(status.st_mode & 0o7777 == 0o600)
    #expect(throws: FileError(EEXIST, "cannot write \(path): \(reason(EEXIST))")) {
      try made.create("a", with: Data("second".utf8))
    }
    #expect(try FileSystem.read(path) == Data("first".utf8))
  }

  @Test func `a private folder that cannot be created is an error`() throws {
    let error = try #require(throws: FileError.self) { try fail(.makeFolder) { _ = try PrivateFolder() } }
    #expect(error == FileError(EIO, "cannot create \(temporary)/plist-XXXXXX: \(reason(EIO))"))
  }
}
