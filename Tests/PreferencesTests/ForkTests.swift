#if os(Linux)
  import Foundation
  import PropertyLists
  import SharedFiles
  import TestSupport
  import Testing

  @testable import Preferences

  @Suite("Child processes after fork") struct ForkTests {
    @Test func `the child's exit saves nothing that its parent has not saved`() throws {
      let file = SavedFile()
      let process = try file.start("fork", "exit")
      #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
      #expect(process.text == "exited 0\n")
      #expect(file.names == [])
    }

    @Test(
      "the child reads the old values, and any other call is an error",
      arguments: 0..<LongForm.size(5, or: 1))
    func busyParent(round: Int) throws {
      let file = SavedFile()
      let process = try file.start("fork", "many")
      #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
      #expect(process.text == "[0: 30]\n")
      #expect(process.errors.contains("forked"))
    }

    @Test func `the child does not keep files locked after its parent is done`() throws {
      let file = try SavedFile(["a": 1])
      let process = try file.start("fork", "lock")
      #expect(process.waitUntilExit() == .exited(0), "\(process.errors)")
      #expect(process.text == "locked again\n")
    }

    @Test func `the child does not keep files locked after its parent is killed`() throws {
      let file = try SavedFile(["a": 1])
      let process = try file.start("fork", "killed")
      #expect(process.waitUntilExit() == .killed(signal: SIGKILL))
      let child = try #require(pid_t(process.text.trimmingCharacters(in: .whitespacesAndNewlines)))
      defer { kill(child, SIGKILL) }
      let lock = try LockedFile(file.path, until: .now + .seconds(5))
      let isLocked = lock != nil
      #expect(isLocked)
    }
  }
#endif
