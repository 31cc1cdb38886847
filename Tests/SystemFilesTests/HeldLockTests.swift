import Foundation
import TestSupport
import Testing

@testable import SystemFiles

@Suite("Locks that end with a value") struct HeldLockTests {
  private let folder = TemporaryFolder()
  private let path: String

  init() throws { path = try folder.make("a") }

  /// Opens the file, and locks it.
  private func locked(_ operation: Int32 = LOCK_EX) throws -> HeldLock {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    try succeed(descriptor)
    let lock = HeldLock(on: descriptor, reportedAs: path)
    try succeed(flock(descriptor, operation | LOCK_NB))
    return lock
  }

  /// Returns true if another process can lock the file, or nil without the program `flock`.
  private func otherProcessCanLock(_ kind: String = "-x") throws -> Bool? {
    let program = URL(filePath: "/usr/bin/flock")
    guard FileManager.default.isExecutableFile(atPath: program.path) else { return nil }
    let status = try Program.run(program, ["-n", kind, path, "true"]).status
    try #require([0, 1].contains(status))
    return status == 0
  }

  @Test func `a file is locked against other descriptors and processes until the value is released`() throws {
    do {
      let lock = try locked()
      #expect(try !canLock(path))
      #expect(try otherProcessCanLock() != true)
      #expect(try otherProcessCanLock("-s") != true)
      #expect(lock.descriptor > 2)
    }
    #expect(try canLock(path))
    #expect(try otherProcessCanLock() != false)
  }

  @Test func `a shared lock allows other shared locks only`() throws {
    let lock = try locked(LOCK_SH)
    #expect(try otherProcessCanLock("-s") != false)
    #expect(try otherProcessCanLock("-x") != true)
    let other = try locked(LOCK_SH)
    #expect(try !canLock(path))
    #expect(lock.descriptor != other.descriptor)
  }

  @Test func `the lock ends even if the descriptor has a copy`() throws {
    var copy: Int32 = -1
    do {
      let lock = try locked()
      copy = fcntl(lock.descriptor, F_DUPFD_CLOEXEC, 3)
      try succeed(copy)
      #expect(try !canLock(path))
      _ = lock.descriptor
    }
    defer { close(copy) }
    #expect(try canLock(path))
  }

  @Test func `the descriptor is closed with the value, unless there is none`() throws {
    let calls = try folder.calls(of: [.close]) {
      let lock = try locked()
      _ = lock.descriptor
    }
    #expect(calls.map(\.path) == [path])
    let others = folder.calls(of: [.close]) {
      let lock = HeldLock(on: -1, reportedAs: path)
      #expect(lock.descriptor == -1)
    }
    #expect(others == [])
  }
}

#if os(Linux)
  /// Tests in processes of their own, because a child of `fork` must not wait for other threads of its parent.
  @Suite("Children of fork and locked files") struct ForkedChildTests {
    /// Forks, and returns the exit code of the child.
    private static func inChild(_ body: () -> Bool) -> Int32 {
      let child = fork()
      if child == 0 { _exit(body() ? 0 : 1) }
      var status: Int32 = 0
      waitpid(child, &status, 0)
      return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
    }

    @Test func `a child knows that it is one, and its children differ from it`() async {
      await #expect(processExitsWith: .success) {
        ForkedChild.watch()
        ForkedChild.watch()
        #expect(!ForkedChild.isThisProcess && ForkedChild.generation == 0)
        let code = ForkedChildTests.inChild {
          let isGrandchild = ForkedChildTests.inChild { ForkedChild.isThisProcess && ForkedChild.generation == 2 }
          return ForkedChild.isThisProcess && ForkedChild.generation == 1 && isGrandchild == 0
        }
        #expect(code == 0)
        #expect(!ForkedChild.isThisProcess && ForkedChild.generation == 0)
      }
    }

    @Test func `a child closes its copies of locked files, and the parent keeps its locks`() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = try folder.make("a")
        let other = try FileSystem.openToRead(folder.make("b"))
        do {
          let lock = HeldLock(on: try FileSystem.openToRead(path), reportedAs: path)
          try succeed(flock(lock.descriptor, LOCK_EX | LOCK_NB))
          let (descriptor, code) = (lock.descriptor, EBADF)
          let isClosed = ForkedChildTests.inChild {
            fcntl(descriptor, F_GETFD) == -1 && errno == code && fcntl(other, F_GETFD) != -1
          }
          #expect(isClosed == 0)
          #expect(try !canLock(path))
          _ = lock.descriptor
        }
        #expect(try canLock(path))
        // A descriptor that is no longer locked is not closed in a child.
        let again = try FileSystem.openToRead(path)
        #expect(ForkedChildTests.inChild { fcntl(again, F_GETFD) != -1 } == 0)
      }
    }

    @Test func `a value that ends in a child does not close another file with the same descriptor`() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let (path, other) = (try folder.make("a"), try folder.make("b"))
        // An optional, so that it can be released in the child.
        var lock: HeldLock? = HeldLock(on: try FileSystem.openToRead(path), reportedAs: path)
        let descriptor = lock?.descriptor ?? -1
        try succeed(flock(descriptor, LOCK_EX | LOCK_NB))
        let code = ForkedChildTests.inChild {
          guard open(other, O_RDONLY) == descriptor, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
          lock = nil
          return fcntl(descriptor, F_GETFD) != -1 && (try? canLock(other)) == false
        }
        #expect(code == 0)
        #expect(try !canLock(path))
        _ = lock?.descriptor
      }
    }

    @Test func `a file is not locked by the child of a killed process`() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = try folder.make("a")
        var ends: [Int32] = [-1, -1]
        try succeed(pipe(&ends))
        // A parent that locks the file, and is killed; its child waits until the pipe is closed.
        let parent = fork()
        if parent == 0 {
          let lock = HeldLock(on: open(path, O_RDONLY), reportedAs: path)
          _ = flock(lock.descriptor, LOCK_EX | LOCK_NB)
          let child = fork()
          if child == 0 {
            var byte: UInt8 = 0
            close(ends[1])
            _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1)
          }
          kill(getpid(), SIGKILL)
        }
        var status: Int32 = 0
        waitpid(parent, &status, 0)
        #expect(status & 0x7F == SIGKILL)
        // The child exists until this process closes the pipe. It closes its copies before `fork` returns to it.
        #expect(try eventually { try canLock(path) })
        close(ends[1])
        close(ends[0])
      }
    }
  }
#endif
