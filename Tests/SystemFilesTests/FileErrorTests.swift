import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("Errors of system calls") struct FileErrorTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [ENOENT, EACCES, EIO, ENOSPC])
  func `the error has the code, and names the action, the path and the reason`(_ code: Int32) throws {
    let path = folder.path("a")
    let error = try #require(throws: FileError.self) {
      try FileSystem.perform(.rename, "write", path) { () -> Int32 in
        errno = code
        return -1
      }
    }
    #expect(error == FileError(code, "cannot write \(path): \(reason(code))"))
  }

  @Test func `a call that succeeds returns its result`() throws {
    #expect(try FileSystem.perform(.read, "read", folder.path("a")) { 0 } == 0)
    #expect(try FileSystem.perform(.read, "read", folder.path("a")) { 7 } == 7)
  }

  @Test func `a call that a test makes fail is not made`() {
    let path = folder.path("a")
    var made: [SystemCall] = []
    func call(_ call: SystemCall, _ path: String) -> Int32 {
      FileSystem.attempt(call, path) {
        made.append(call)
        return 1
      }
    }
    let decision: Interception.Decision = { $0.call == .read && $0.path == path ? EIO : nil }
    Interception.ofCalls(in: folder.url.path, decision) {
      #expect(call(.read, path) == -1)
      #expect(errno == EIO)
      #expect(call(.write, path) == 1)
      #expect(call(.read, path + "b") == 1)
    }
    #expect(call(.read, path) == 1)
    #expect(made == [.write, .read, .read])
  }

  @Test func `only the code of a lock means that the file is locked`() {
    #expect(FileError(EWOULDBLOCK, "").isLocked)
    #expect(!FileError(EACCES, "").isLocked)
  }

  @Test func `only a lack of permission is about the file itself`() {
    #expect([EACCES, EPERM].allSatisfy(FileError.isAboutFile))
    #expect(![ENOENT, EMFILE, ENOMEM, EIO, EROFS, EWOULDBLOCK].contains(where: FileError.isAboutFile))
  }

  @Test func `errors without a system call name the file and the reason`() {
    #expect(FileError.outOfMemory("a") == FileError(ENOMEM, "cannot read a: \(reason(ENOMEM))"))
    let missing = FileError.missingLibrary("libxml2", for: "a.plist")
    #expect(missing.message == "cannot read a.plist: no usable libxml2 is installed")
  }
}
