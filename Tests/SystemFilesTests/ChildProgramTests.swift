import Foundation
import SystemFiles
import TestSupport
import Testing

/// One after the other, because each changes the actions of signals for a while.
@Suite("Running other programs", .serialized) struct ChildProgramTests {
  private let folder = TemporaryFolder()

  @Test(arguments: [0, 1, 7, 255] as [Int32]) func `the exit code is that of the program`(_ code: Int32) throws {
    let end = try ChildProgram.runInForeground("/bin/sh", ["-c", "exit $1", "sh", "\(code)"])
    #expect(end == .exited(code))
    #expect(end.exitCode == code)
    #expect(try ChildProgram.output("sh", ["-c", "exit \(code)"]).end == end)
  }

  @Test(arguments: [SIGKILL, SIGTERM, SIGINT, SIGQUIT])
  func `a program that a signal ends has the exit code of shells`(_ signal: Int32) throws {
    let end = try ChildProgram.runInForeground("/bin/sh", ["-c", "ulimit -c 0; kill -\(signal) $$"])
    #expect(end == .killed(signal: signal))
    #expect(end.exitCode == 128 + signal)
  }

  @Test func `the output is complete, whatever its size`() throws {
    let data = TemporaryFolder.bytes(300_000)
    try data.write(to: URL(filePath: folder.path("a")))
    let (end, output) = try ChildProgram.output("cat", [folder.path("a"), folder.path("a")])
    #expect(end == .exited(0))
    #expect(output == data + data)
    #expect(try ChildProgram.output("true", []).output == Data())
  }

  @Test func `arguments and the environment are passed unchanged`() throws {
    let arguments = ["", "a b", "*", "$HOME", "'\"\\", "ä\n"]
    let (_, output) = try ChildProgram.output("printf", ["%s|"] + arguments)
    #expect(output == Data(arguments.map { $0 + "|" }.joined().utf8))
    let path = try #require(ProcessInfo.processInfo.environment["PATH"])
    let variable = try ChildProgram.output("/bin/sh", ["-c", "printf %s \"$PATH\""])
    #expect(variable.output == Data(path.utf8))
  }

  #if os(Linux) || os(macOS)
    /// In a process of its own, because other tests open files.
    @Test func `a program inherits no open file but its standard ones`() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = try folder.make("a")
        let descriptor = try FileSystem.openToRead(path)
        defer { close(descriptor) }
        let replacement = try Replacement(of: path)
        let inherited = (3..<64).filter { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }
        let list = "d=3; while [ $d -lt 64 ]; do if [ -e /dev/fd/$d ]; then echo $d; fi; d=$((d + 1)); done"
        let (end, output) = try ChildProgram.output("/bin/sh", ["-c", list])
        #expect(end == .exited(0))
        #expect(String(decoding: output, as: UTF8.self) == inherited.map { "\($0)\n" }.joined())
        _ = replacement
      }
    }
  #endif

  @Test func `a program that does not exist or may not be run is an error with its name`() throws {
    let missing = folder.path("missing")
    let file = try folder.make("a", mode: 0o644)
    for (name, code) in [(missing, ENOENT), (file, EACCES)] {
      let error = FileError(code, "cannot run \(name): \(reason(code))")
      #expect(throws: error) { try ChildProgram.runInForeground(name, []) }
      #expect(throws: error) { try ChildProgram.output(name, []) }
    }
  }

  #if os(Linux) || os(macOS)
    @Test func `keys that interrupt programs affect only the program in the foreground`() async {
      await #expect(processExitsWith: .success) {
        // With its default action, the signal ends the program. This process ignores it meanwhile.
        let end = try ChildProgram.runInForeground(
          "/bin/sh", ["-c", "kill -INT $PPID; kill -QUIT $PPID; kill -INT $$"])
        #expect(end == .killed(signal: SIGINT))
        // Afterwards the signals have their actions again.
        for number in [SIGINT, SIGQUIT] {
          let action = signal(number, SIG_IGN)
          #expect(unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self))
        }
      }
    }
  #endif

  #if os(Linux) || os(macOS)
    @Test func `a program that waits for input reads that of this process`() async {
      await #expect(processExitsWith: .success) {
        let folder = TemporaryFolder()
        let path = try folder.make("a", "input")
        close(STDIN_FILENO)
        #expect(open(path, O_RDONLY) == STDIN_FILENO)
        #expect(try ChildProgram.output("cat", []).output == Data("input".utf8))
        // Without standard input the pipe for the output must not become the standard input.
        close(STDIN_FILENO)
        #expect(try ChildProgram.output("echo", ["text"]).output == Data("text\n".utf8))
      }
    }
  #endif
}
