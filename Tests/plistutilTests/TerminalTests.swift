#if os(Linux)
  import Foundation
  import PropertyLists
  import TestSupport
  import Testing

  @Suite("plistutil at a terminal")
  struct TerminalTests {
    /// What the tool shows on a terminal.
    private func shown(_ arguments: [String]) throws -> String {
      // What `posix_openpt`, `unlockpt` and `ptsname` do, which the headers hide: TIOCSPTLCK and TIOCGPTN.
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
      var (lock, number): (CInt, CInt) = (0, 0)
      try #require(terminal >= 0 && ioctl(terminal, 0x4004_5431, &lock) == 0)
      try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
      defer { close(terminal) }
      let process = Process()
      process.executableURL = Tool.executable
      process.arguments = arguments
      let tty = try #require(FileHandle(forUpdatingAtPath: "/dev/pts/\(number)"))
      process.standardOutput = tty
      try process.run()
      process.waitUntilExit()
      var written: [UInt8] = []
      var bytes = [UInt8](repeating: 0, count: 4096)
      while case let count = read(terminal, &bytes, bytes.count), count > 0 { written += bytes.prefix(count) }
      return String(decoding: written, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    @Test(
      "a value that is printed bare gives it no commands, and is whole in a pipe",
      arguments: [
        ["get", "a"], ["keys", "b"], ["plutil", "-extract", "a", "raw"], ["plutil", "-extract", "b", "raw"],
        ["defaults", "read", "@", "a"],
      ])
    func bareValues(_ arguments: [String]) throws {
      let file = try SampleFile(
        ["a": "x\u{1B}[31m\ty\nz", "b": ["x\u{1B}[31m\ty\nz": 1]], format: .binary)
      let call = arguments.contains("@") ? arguments.map { $0 == "@" ? file.path : $0 } : arguments + [file.path]
      #expect(try Tool.run(call).text == "x\u{1B}[31m\ty\nz\n")
      // A terminal has its own way with tabs.
      #expect(
        try shown(call).split { " \t".contains($0) } == ["x\\u{1b}[31m", "y\nz\n"])
    }
  }
#endif
