#if os(Linux)
  import Foundation
  import PropertyLists
  import TestSupport
  import Testing

  @Suite("plistutil on a terminal") struct TerminalTests {
    /// The output of the tool on a terminal.
    private func shown(_ arguments: [String]) throws -> String { try run(arguments).shown }

    /// Runs the tool with standard output, or both outputs, on a terminal.
    private func run(
      _ arguments: [String], environment: [String: String] = [:], showsErrors: Bool = false
    ) throws -> (shown: String, errors: String, status: Int32) {
      // The work of `posix_openpt`, `unlockpt` and `ptsname`, which the headers hide: TIOCSPTLCK and TIOCGPTN.
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
      var (lock, number): (CInt, CInt) = (0, 0)
      try #require(terminal >= 0 && ioctl(terminal, 0x4004_5431, &lock) == 0)
      try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
      defer { close(terminal) }
      let process = Process()
      process.executableURL = Tool.executable
      process.arguments = arguments
      let tty = try #require(FileHandle(forUpdatingAtPath: "/dev/pts/\(number)"))
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardOutput = tty
      let folder = TemporaryFolder()
      let errors = URL(filePath: folder.path("errors"))
      try Data().write(to: errors)
      process.standardError = showsErrors ? tty : try FileHandle(forWritingTo: errors)
      try process.run()
      process.waitUntilExit()
      var written: [UInt8] = []
      var bytes = [UInt8](repeating: 0, count: 4096)
      while case let count = read(terminal, &bytes, bytes.count), count > 0 { written += bytes.prefix(count) }
      let shown = String(decoding: written, as: UTF8.self).replacing("\r\n", with: "\n")
      return (shown, try String(contentsOf: errors, encoding: .utf8), process.terminationStatus)
    }

    @Test(arguments: [
      ["convert", "-f", "binary"], ["get", "b", "-f", "binary"], ["-f", "bin", "-i"], ["set", "a", "--null"],
      ["remove", "a"], ["plutil", "-convert", "binary1", "-o", "@"],
    ])
    func `a binary property list is printed only on request`(_ call: [String]) throws {
      let isEdit = ["set", "remove"].contains(call[0])
      let file = try SampleFile(["a": "x", "b": ["c": 1]], format: isEdit ? .binary : .xml)
      if call[0] != "plutil" {
        let refused = try run(call + [file.path])
        #expect(refused.status == 1 && refused.shown.isEmpty)
        #expect(refused.errors.contains("is not written to a terminal; use -o FILE, or -o - "))
        let named = try run(call + [file.path, "-o", "-"])
        #expect(named.status == 0 && named.shown.hasPrefix("bplist00"))
      } else {
        #expect(try run(call.map { $0 == "@" ? "-" : $0 } + [file.path]).shown.hasPrefix("bplist00"))
      }
      // A pipe gets it.
      if call[0] == "convert" || LongForm.isWanted && call[0] != "plutil" {
        #expect(try Tool.run(call + [file.path]).output.starts(with: Data("bplist00".utf8)))
      }
    }

    @Test func `colors are used, except on a dumb terminal`() throws {
      let file = try SampleFile(["a": 1], format: .xml)
      let other = try SampleFile(["a": 2], format: .xml)
      let broken = try SampleFile("<plist><dict>")
      for call in [["diff", file.path, other.path], ["print", file.path], ["lint", broken.path]] {
        let showsErrors = call[0] == "lint"
        let colored = try run(call, environment: ["TERM": "xterm", "NO_COLOR": ""], showsErrors: showsErrors)
        #expect(colored.shown.contains("\u{1B}["), "\(call)")
        let plain = try run(call, environment: ["TERM": "dumb", "NO_COLOR": ""], showsErrors: showsErrors)
        #expect(!plain.shown.isEmpty && !plain.shown.contains("\u{1B}"), "\(call)")
      }
    }

    @Test(arguments: ["xterm", "dumb"])
    func `progress is shown, except on a dumb terminal`(_ terminal: String) throws {
      let folder = TemporaryFolder()
      let pipe = folder.path("pipe")
      #expect(mkfifo(pipe, 0o600) == 0)
      let file = try SampleFile(["a": 1], format: .xml)
      // The first file takes more than a second, and the line is expected when it is done.
      let writer = try Process.run(
        URL(filePath: "/bin/sh"), arguments: ["-c", "exec 3> '\(pipe)'; sleep 1.3; cat '\(file.path)' >&3"])
      let call = ["lint", "-q", "--jobs", "1", pipe, file.path, file.path]
      let shown = try run(call, environment: ["TERM": terminal], showsErrors: true).shown
      writer.waitUntilExit()
      #expect(shown.contains(" of 3 files") == (terminal == "xterm"), "\(shown)")
      #expect(shown.contains("\u{1B}") == (terminal == "xterm"))
    }

    @Test(arguments: [
      ["get", "a"], ["keys", "b"], ["plutil", "-extract", "a", "raw"], ["plutil", "-extract", "b", "raw"],
      ["defaults", "read", "@", "a"],
    ])
    func `a bare value is escaped on a terminal, and complete in a pipe`(_ arguments: [String]) throws {
      let file = try SampleFile(["a": "x\u{1B}[31m\ty\nz", "b": ["x\u{1B}[31m\ty\nz": 1]], format: .binary)
      let call = arguments.contains("@") ? arguments.map { $0 == "@" ? file.path : $0 } : arguments + [file.path]
      #expect(try Tool.run(call).text == "x\u{1B}[31m\ty\nz\n")
      // The terminal expands tabs.
      #expect(try shown(call).split { " \t".contains($0) } == ["x\\u{1b}[31m", "y\nz\n"])
    }
  }
#endif
