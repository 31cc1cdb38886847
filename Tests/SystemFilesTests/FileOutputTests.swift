import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Writing to open files") struct FileOutputTests {
  private let folder = TemporaryFolder()

  /// Calls a function with an output to a new file.
  private func writing(to name: String, _ body: (FileOutput) throws -> Void) throws {
    let descriptor = open(folder.path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try succeed(descriptor)
    defer { close(descriptor) }
    try body(FileOutput(descriptor: descriptor, name: folder.path(name)))
  }

  @Test func `all bytes are written, one call after the other`() throws {
    try writing(to: "a") { output in
      try output.write(Data("one ".utf8))
      try output.write(Data())
      try output.write(Data("two".utf8))
    }
    #expect(folder.text("a") == "one two")
  }

  @Test func `a write that a signal interrupts is repeated`() throws {
    let recorded = RecordedCalls()
    let decision: Interception.Decision = { $0.call == .write && recorded.note($0) < 3 ? EINTR : nil }
    try writing(to: "a") { output in
      try Interception.ofCalls(in: folder.url.path, decision) { try output.write(Data("text".utf8)) }
    }
    #expect(folder.text("a") == "text")
    #expect(recorded.calls.count == 4)
  }

  @Test func `what the system does not accept at once is written with further calls`() throws {
    var ends: [Int32] = [-1, -1]
    try succeed(pipe(&ends))
    let (reading, writing) = (ends[0], ends[1])
    defer { for end in [reading, writing] { close(end) } }
    // Neither end waits, so a pipe that is full accepts only a part of the bytes.
    for end in [reading, writing] { try succeed(fcntl(end, F_SETFL, O_NONBLOCK)) }
    let data = TemporaryFolder.bytes(300_000)
    let received = ReceivedBytes()
    let output = FileOutput(descriptor: writing, name: folder.path("pipe"))
    // Makes space before each call.
    try folder.before(.write) { _ in
      received.read(reading)
    } during: {
      try output.write(data)
    }
    received.read(reading)
    #expect(received.data == data)
  }

  @Test(arguments: [ENOSPC, EDQUOT, EFBIG, EIO, EPIPE])
  func `an error has the name of the output, and ends the write`(_ code: Int32) throws {
    let path = folder.path("a")
    let recorded = RecordedCalls()
    let decision: Interception.Decision = { call in
      _ = recorded.note(call)
      return code
    }
    try writing(to: "a") { output in
      try output.write(Data("before".utf8))
      _ = Interception.ofCalls(in: folder.url.path, decision) {
        #expect(throws: FileError(code, "cannot write \(path): \(reason(code))")) {
          try output.write(Data("text".utf8))
        }
      }
    }
    #expect(recorded.calls.map(\.call) == [.write])
    #expect(folder.text("a") == "before")
  }

  @Test func `a descriptor that is open only for reading is an error`() throws {
    let path = try folder.make("a")
    let descriptor = try FileSystem.openToRead(path)
    defer { close(descriptor) }
    #expect(throws: FileError(EBADF, "cannot write \(path): \(reason(EBADF))")) {
      try FileOutput(descriptor: descriptor, name: path).write(Data("new".utf8))
    }
    #expect(folder.text("a") == "old")
  }

  @Test func `the standard outputs have their descriptors and names`() {
    #expect(FileOutput.standard.descriptor == STDOUT_FILENO)
    #expect(FileOutput.standard.name == "standard output")
    #expect(FileOutput.standardError.descriptor == STDERR_FILENO)
    #expect(FileOutput.standardError.name == "standard error")
  }

  @Test func `a file is not a terminal`() throws {
    try writing(to: "a") { #expect(!FileSystem.isTerminal($0.descriptor)) }
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try succeed(terminal)
    defer { close(terminal) }
    #expect(FileSystem.isTerminal(terminal))
  }

  @Test func `a descriptor above the standard ones, and an error, are returned unchanged`() throws {
    try writing(to: "a") { #expect(FileSystem.aboveStandard($0.descriptor) == $0.descriptor) }
    errno = EMFILE
    #expect(FileSystem.aboveStandard(-1) == -1)
    #expect(errno == EMFILE)
  }

  #if os(Linux) || os(macOS)
    @Test func `a file never gets a standard descriptor that the process has closed`() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = try folder.make("a")
        // Another thread of this process may open a file of its own meanwhile, which gets the free descriptor.
        @Sendable func isFileOfFolder(_ descriptor: Int32) -> Bool {
          let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/dev/fd/\(descriptor)")
          return target?.hasPrefix(folder.url.path) == true
        }
        close(STDIN_FILENO)
        let lowest = open(path, O_RDONLY)
        #expect(lowest == STDIN_FILENO)
        #if os(Linux)
          #expect(isFileOfFolder(lowest))
        #endif
        let descriptor = FileSystem.aboveStandard(lowest)
        #expect(descriptor > STDERR_FILENO)
        #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
        #expect(!isFileOfFolder(STDIN_FILENO))
        #expect(try FileSystem.read(descriptor, named: path) == Data("old".utf8))
        close(descriptor)

        // All descriptors that are open during a replacement.
        let decision: Interception.Decision = { _ in
          #expect(!isFileOfFolder(STDIN_FILENO))
          return nil
        }
        try Interception.ofCalls(in: folder.url.path, decision) {
          try FileSystem.replace(path, with: Data("new".utf8))
          #expect(try FileSystem.create(folder.path("b"), with: Data("new".utf8)) != nil)
          #expect(try FileLocation(path)?.open(O_RDONLY).map { $0 > STDERR_FILENO } == true)
        }
        #expect(folder.text("a") == "new")
      }
    }
  #endif
}

/// The bytes that have been read from a descriptor that does not wait.
private final class ReceivedBytes: @unchecked Sendable {
  private(set) var data = Data()

  func read(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return }
      data += buffer.prefix(count)
    }
  }
}
