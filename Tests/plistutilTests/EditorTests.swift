import Foundation
import PropertyLists
import TestSupport
import Testing

/// A file, and a shell script as its editor.
private final class EditedFile {
  let file: SampleFile
  private let scripts = TemporaryFolder()
  /// The folder of the tool's temporary files.
  let temporary = TemporaryFolder()

  init(_ file: SampleFile) { self.file = file }

  /// The variables that make `script` the editor. It gets the path of the text as `$1`.
  func environment(_ script: String, variable: String = "EDITOR") throws -> [String: String] {
    let path = scripts.path("editor")
    try Data("\(script)\n".utf8).write(to: URL(filePath: path))
    var environment = [
      "VISUAL": "", "EDITOR": "false", "TERM": "dumb", "TMPDIR": temporary.url.path, "WORK": scripts.url.path,
    ]
    environment[variable] = "/bin/sh '\(path)'"
    return environment
  }

  func edit(_ script: String, _ arguments: [String] = [], variable: String = "EDITOR") throws -> Program {
    try Program.run(
      "plistutil", ["edit"] + arguments + [file.path], environment: environment(script, variable: variable))
  }

  /// The notes of the last editor.
  var noted: String { (try? String(contentsOfFile: scripts.path("noted"), encoding: .utf8)) ?? "" }

  /// The text that was kept, if the message has its path.
  func kept(_ result: Program) throws -> String {
    let path = try #require(result.errors.split(separator: " kept in ").last?.split(separator: "\n").first)
    #expect(path.hasPrefix(temporary.url.path))
    return try String(contentsOfFile: String(path), encoding: .utf8)
  }
}

@Suite("plistutil edit") struct EditorTests {
  @Test func `a binary file is edited as XML in a private file, and stays binary`() throws {
    let work = try EditedFile(SampleFile(["version": "41", "list": [1]], format: .binary))
    let script = """
      stat -c '%a %n' "$1" "$(dirname "$1")" > "$WORK/noted"; head -c 5 "$1" >> "$WORK/noted"
      sed -i 's/41/42/' "$1"
      """
    let result = try work.edit(script)
    #expect(result.status == 0 && result.text.isEmpty && result.errors.isEmpty)
    #expect(try work.file.value == ["version": "42", "list": [1]])
    #expect(try Data(contentsOf: URL(filePath: work.file.path)).starts(with: Data("bplist00".utf8)))
    let lines = work.noted.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("600 ") && lines[0].hasSuffix("/a.plist"))
    #expect(lines[1].hasPrefix("700 ") && lines[2] == "<?xml")
    #expect(work.temporary.names.isEmpty)
  }

  @Test func `a file whose name is not UTF-8 can be edited`() throws {
    let work = try EditedFile(SampleFile("{ a = 1; }"))
    let folder = (work.file.path as NSString).deletingLastPathComponent
    let script = #"cd "$1" && mv a.plist "$(printf 'a\377.plist')" && "$2" edit "$(printf 'a\377.plist')" && cat a*"#
    let environment = try work.environment(#"sed -i s/1/2/ "$1""#)
    let result = try Program.run(
      URL(filePath: "/bin/sh"), ["-c", script, "sh", folder, Tool.executable.path], environment: environment)
    #expect(result.status == 0 && result.text == "{ a = 2; }", "\(result.errors)")
  }

  @Test(arguments: [true, false])
  func `an editor that leaves a pipe or no file is an error, and the file stays`(_ isPipe: Bool) throws {
    let work = try EditedFile(SampleFile("{ a = 1; }"))
    let result = try work.edit(#"rm "$1""# + (isPipe ? #"; mkfifo "$1""# : ""))
    #expect(result.status == 1 && result.errors.contains("not written"), "\(result.errors)")
    #expect(try work.file.text == "{ a = 1; }")
  }

  @Test func `a text file is edited unchanged, byte for byte`() throws {
    let text = "// c\r\n{ a = 1;\n\n b   = 2; }"
    let work = try EditedFile(SampleFile(text, name: "My file.strings"))
    let result = try work.edit(
      #"cmp "$1" '\#(work.file.path)' > "$WORK/noted" && basename "$1" > "$WORK/noted"; sed -i s/1/3/ "$1""#)
    #expect(result.status == 0 && result.errors.isEmpty && work.noted == "My file.strings\n")
    #expect(try work.file.text == text.replacing("1", with: "3"))
    let broken = try EditedFile(SampleFile("{ a = ", name: "broken.plist"))
    #expect(try broken.edit(#"echo '1; }' >> "$1""#).status == 0)
    #expect(try broken.file.text == "{ a = 1; }\n")
  }

  @Test
  func `--as edits in another text format, without losing values, layout or comments`() throws {
    let xml = try EditedFile(SampleFile(sampleText))
    let change = #"grep -c date "$1" > "$WORK/noted"; sed -i 's/Notes/Texts/' "$1""#
    let result = try xml.edit(change, ["--as", "json"])
    #expect(result.status == 0 && result.errors.isEmpty && xml.noted == "1\n")
    #expect(try xml.file.text == sampleText.replacing("Notes", with: "Texts"))
    let value: PropertyList = [
      "a": 1, "float": .float(0.1), "null": .null, "uid": .uid(.init(3)),
      "date": .date(Date(timeIntervalSinceReferenceDate: 0.25)), "data": .data(Data([1])),
    ]
    for format in ["json", "openstep"] {
      let work = try EditedFile(SampleFile(value, format: .binary))
      #expect(try work.edit(#"sed -i 's/"a": 1/"a": 2/; s/a = <\*I1>/a = <*I2>/' "$1""#, ["--as", format]).status == 0)
      var expected = value
      expected.dictionary?["a"] = 2
      #expect(try work.file.value == expected, "\(format)")
    }
    #expect(try EditedFile(SampleFile("{}")).edit("true", ["--as", "binary"]).status == 64)
  }

  @Test("values that XML cannot show are kept unless edited; otherwise the text is JSON")
  func nothingIsLost() throws {
    func date(_ seconds: Double) -> PropertyList { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
    let work = try EditedFile(
      SampleFile(
        ["d": date(0.25), "f": .float(0.1), "list": [date(1.5), ["x": date(2.5), "y": 1], date(3.5), "z"]],
        format: .binary))
    // Inserts an element at the beginning, changes one next to a date, and removes another.
    let script = """
      sed -i -e 's|<array>|<array><string>new</string>|' -e 's|<integer>1</integer>|<integer>2</integer>|' \
        -e 's|<date>2001-01-01T00:00:03Z</date>||' "$1"
      """
    let result = try work.edit(script)
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(
      try work.file.value == [
        "d": date(0.25), "f": .float(0.1), "list": ["new", date(1.5), ["x": date(2.5), "y": 2], "z"],
      ])
    #expect(try work.edit(#"sed -i 's|T00:00:00Z|T00:00:09Z|' "$1""#).status == 0)
    #expect(try work.file.value["d"] == date(9))
    let null = try EditedFile(SampleFile(["n": .null, "a": 1], format: .binary))
    let shown = try null.edit(#"basename "$1" > "$WORK/noted"; sed -i 's/1/2/' "$1""#)
    #expect(
      shown.status == 0 && shown.errors == "the text is JSON: XML has no null (in n)\n" && null.noted == "a.json\n")
    #expect(try null.file.value == ["n": .null, "a": 2])
  }

  @Test func `an unchanged text is not written, and a message says so`() throws {
    let work = try EditedFile(SampleFile(["a": 1], format: .binary))
    let before = try FileManager.default.attributesOfItem(atPath: work.file.path)[.systemFileNumber] as? Int
    let result = try work.edit("true")
    #expect(result.status == 0 && result.errors == "\(work.file.path): not changed\n")
    // Another layout is the same value.
    let spaces = try work.edit(#"echo >> "$1""#)
    #expect(spaces.status == 0 && spaces.errors == "\(work.file.path): no value was changed\n")
    #expect(try FileManager.default.attributesOfItem(atPath: work.file.path)[.systemFileNumber] as? Int == before)
    #expect(work.temporary.names.isEmpty)
  }

  @Test func `VISUAL has priority over EDITOR, and both can have arguments`() throws {
    let work = try EditedFile(SampleFile("{ a = 1; }"))
    #expect(try work.edit(#"sed -i s/1/2/ "$1""#, variable: "VISUAL").status == 0)
    #expect(try work.file.text == "{ a = 2; }")
    let result = try Program.run(
      "plistutil", ["edit", work.file.path], environment: ["VISUAL": "sed -i -e s/2/3/", "EDITOR": "false"])
    #expect(try result.status == 0 && work.file.text == "{ a = 3; }")
  }

  @Test func `if the editor fails, nothing is written, and changed text is kept`() throws {
    let work = try EditedFile(SampleFile("{ a = 1; }"))
    let failed = try work.edit("exit 3")
    #expect(failed.status == 1 && failed.errors.contains("ended with exit code 3; \(work.file.path) is unchanged\n"))
    #expect(work.temporary.names.isEmpty)
    let changed = try work.edit(#"echo '{ a = 2; }' > "$1"; exit 1"#)
    #expect(try changed.status == 1 && work.kept(changed) == "{ a = 2; }\n")
    let killed = try work.edit("kill -9 $$")
    #expect(killed.status == 1 && killed.errors.contains("ended with exit code 137"))
    #expect(try work.file.text == "{ a = 1; }")
    let missing = try Program.run(
      "plistutil", ["edit", work.file.path], environment: ["VISUAL": "/nonexistent/editor", "EDITOR": ""])
    #expect(missing.status == 1 && missing.errors.contains("ended with exit code 127"))
  }

  @Test func `without a terminal, defects are shown and the text is kept`() throws {
    let work = try EditedFile(SampleFile(["port": 80], format: .binary))
    let result = try work.edit(#"sed -i 's|80|8O|' "$1""#)
    #expect(result.status == 3 && result.text.isEmpty)
    #expect(
      result.errors.hasPrefix(
        "\(work.file.path):6:2: error: expected a 64-bit integer in <integer>, found \"8O\" (in port)\n")
    )
    #expect(result.errors.contains("\n          ^\n"))
    #expect(try work.kept(result).contains("8O"))
    #expect(try work.file.value == ["port": 80])
    // Values that JSON can represent and XML cannot.
    let xml = try EditedFile(SampleFile("<plist><dict><key>a</key><string>x</string></dict></plist>"))
    let refused = try xml.edit(#"sed -i 's/"x"/null/' "$1""#, ["--as", "json"])
    #expect(refused.status == 2 && refused.errors.contains("XML has no null (in a)"))
    #expect(try xml.kept(refused).contains("null"))
  }

  @Test
  func `a file that another program has changed is not overwritten without --force, and the text is kept`() throws {
    for other in ["echo '{ b = 2; }' > FILE", "rm FILE", "echo '{ b = 2; }' > FILE.new && mv FILE.new FILE"] {
      let work = try EditedFile(SampleFile("{ a = 1; }"))
      let script =
        other.replacing("FILE", with: "'\(work.file.path)'").replacing("'.new", with: ".new'")
        + #"; echo '{ a = 3; }' > "$1""#
      let result = try work.edit(script)
      #expect(result.status == 1 && result.errors.contains("another program has changed the file"), "\(other)")
      #expect(try work.kept(result) == "{ a = 3; }\n")
      #expect((try? work.file.text) == (other.hasPrefix("rm") ? nil : "{ b = 2; }\n"))
      try Data("{ a = 1; }".utf8).write(to: URL(filePath: work.file.path))
      #expect(try work.edit(script, ["--force"]).status == 0)
      #expect(try work.file.text == "{ a = 3; }\n")
    }
    // A file with only a new modification time is unchanged.
    let work = try EditedFile(SampleFile("{ a = 1; }"))
    #expect(try work.edit("touch '\(work.file.path)'; echo '{ a = 3; }' > \"$1\"").status == 0)
    #expect(try work.file.text == "{ a = 3; }\n")
  }

  @Test func `permissions are kept, links are followed, and no other files are left`() throws {
    let work = try EditedFile(SampleFile("{ a = 1; }"))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: work.file.path)
    let link = work.file.folder.path("link.plist")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.plist")
    let result = try Program.run("plistutil", ["edit", link], environment: work.environment(#"sed -i s/1/2/ "$1""#))
    #expect(try result.status == 0 && work.file.text == "{ a = 2; }")
    let attributes = try FileManager.default.attributesOfItem(atPath: work.file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(work.file.folder.names == ["a.plist", "link.plist"])
  }

  @Test(arguments: [("-", Int32(64)), ("/nonexistent", 1), ("/dev/null", 1)])
  func `a file that cannot be edited is an error`(_ path: String, _ status: Int32) throws {
    let result = try Program.run("plistutil", ["edit", path], environment: ["VISUAL": "true"])
    #expect(result.status == status && !result.errors.isEmpty)
  }

  #if os(Linux)
    /// Edits at a terminal, on which `answers` are typed; nil for a signal at the first question. Returns the output
    /// and the exit code.
    private func edit(_ work: EditedFile, _ script: String, answers: String?) throws -> (shown: String, status: Int32) {
      // The work of `posix_openpt`, `unlockpt` and `ptsname`, which the headers hide: TIOCSPTLCK and TIOCGPTN.
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
      var (lock, number): (CInt, CInt) = (0, 0)
      try #require(terminal >= 0 && ioctl(terminal, 0x4004_5431, &lock) == 0)
      try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
      defer { close(terminal) }
      let process = Process()
      process.executableURL = Tool.executable
      process.arguments = ["edit", work.file.path]
      process.environment = ProcessInfo.processInfo.environment.merging(try work.environment(script)) { $1 }
      let tty = try #require(FileHandle(forUpdatingAtPath: "/dev/pts/\(number)"))
      process.standardInput = tty
      process.standardError = tty
      // The threads of tests may block signals, and programs inherit that.
      var (none, mask) = (sigset_t(), sigset_t())
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, &mask)
      try process.run()
      pthread_sigmask(SIG_SETMASK, &mask, nil)
      // The terminal buffers the answers until they are read.
      if let answers { _ = answers.withCString { write(terminal, $0, strlen($0)) } }
      var written: [UInt8] = []
      var bytes = [UInt8](repeating: 0, count: 4096)
      func collect() {
        while case let count = read(terminal, &bytes, bytes.count), count > 0 { written += bytes.prefix(count) }
      }
      if answers == nil {
        let isAsked = eventually {
          collect()
          return String(decoding: written, as: UTF8.self).hasSuffix("[Y/n] ")
        }
        try #require(isAsked)
        // Until the tool waits for the answer.
        usleep(200_000)
        // Not the signal of a key, which tests in the background ignore.
        process.terminate()
        if !eventually({ !process.isRunning }) { kill(process.processIdentifier, SIGKILL) }
      }
      process.waitUntilExit()
      collect()
      return (String(decoding: written, as: UTF8.self).replacing("\r\n", with: "\n"), process.terminationStatus)
    }

    @Test("at a terminal, defects are shown, and the editor can be opened again")
    func question() throws {
      // Damages the text first, and repairs it the second time.
      let script = """
        if grep -q 1 "$1"; then sed -i 's/1;/2/' "$1"; else sed -i 's/2/2;/' "$1"; fi
        """
      let mended = try EditedFile(SampleFile("{ a = 1; }"))
      let again = try edit(mended, script, answers: "\n")
      #expect(again.status == 0 && again.shown.contains("Edit again? [Y/n] "), "\(again.shown)")
      #expect(again.shown.contains("a.plist:1:9: error: "), "\(again.shown)")
      #expect(try mended.file.text == "{ a = 2; }" && mended.temporary.names.isEmpty)
      let given = try EditedFile(SampleFile("{ a = 1; }"))
      let ended = try edit(given, script, answers: "n\n")
      #expect(ended.status == 3 && ended.shown.contains("not written; the text is kept in \(given.temporary.url.path)"))
      #expect(try given.file.text == "{ a = 1; }" && given.temporary.names.count == 1)
      let stopped = try EditedFile(SampleFile("{ a = 1; }"))
      let interrupted = try edit(stopped, script, answers: nil)
      #expect(interrupted.status == 143 && interrupted.shown.contains("the text is kept in"), "\(interrupted.shown)")
      #expect(try stopped.file.text == "{ a = 1; }" && stopped.temporary.names.count == 1)
    }
  #endif
}
