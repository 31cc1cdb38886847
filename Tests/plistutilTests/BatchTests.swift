import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil with many files") struct BatchTests {
  /// A folder with files `0.plist`, `1.plist` …, whose values are their numbers.
  private func folder(_ count: Int, in name: String = "src") throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    for number in 0..<count {
      try PropertyList.integer(.init(number)).data(format: .xml).write(
        to: URL(filePath: folder.path("\(name)/\(number).plist")))
    }
    return folder
  }

  private func value(_ folder: TemporaryFolder, _ name: String) throws -> PropertyList {
    try PropertyList(contentsOf: URL(filePath: folder.path(name)))
  }

  @Test(arguments: [1, 2, 8])
  func `the output is in the order of the files, even if they are processed in parallel`(_ jobs: Int) throws {
    let folder = try folder(60)
    let names = (0..<60).map { folder.path("src/\($0).plist") }
    try Data("garbage".utf8).write(to: URL(filePath: names[30]))
    let result = try Tool.run(["lint", "--jobs", "\(jobs)"] + names)
    #expect(result.status == 3)
    #expect(
      result.text.split(separator: "\n").map { String($0.prefix(while: { $0 != ":" })) }
        == names.filter { $0 != names[30] })
    #expect(result.errors.hasPrefix(names[30] + ":"))
  }

  @Test func `-r finds the property lists in folders and subfolders, and ignores other files`() throws {
    let folder = try folder(2)
    try FileManager.default.createDirectory(atPath: folder.path("src/deep/er"), withIntermediateDirectories: true)
    for name in ["deep/a.strings", "deep/er/b.plist", "deep/README", "c.json", ".hidden"] {
      try Data("\"a\" = \"b\";".utf8).write(to: URL(filePath: folder.path("src/\(name)")))
    }
    let found = try Tool.run("lint", "-r", folder.path("src"))
    #expect(
      found.text.split(separator: "\n").map { $0.split(separator: ":")[0].dropFirst(folder.path("src").utf8.count + 1) }
        == ["0.plist", "1.plist", "deep/a.strings", "deep/er/b.plist"])
    let chosen = try Tool.run(
      "lint", "-r", folder.path("src"), "--name", "*.json", "--name", "READ*", "--from", "openstep")
    #expect(chosen.text.split(separator: "\n").count == 2)
    #expect(try Tool.run("lint", folder.path("src")).status == 1)
    #expect(try Tool.run("lint", "-r", folder.path("none")).status == 1)
  }

  @Test(arguments: ["lint", "convert"])
  func `a folder without property lists exits with 1, to reveal a wrong path`(_ verb: String) throws {
    let folder = try folder(0)
    let result = try Tool.run(verb, "-r", folder.path("src"))
    #expect(result.status == 1 && result.errors.contains("no property list in \(folder.path("src"))"))
  }

  @Test func `bare text does not replace a property list`() throws {
    let folder = try folder(1)
    #expect(try Tool.run("get", "", "--in-place", folder.path("src/0.plist")).status == 64)
    #expect(try value(folder, "src/0.plist") == 0)
  }

  @Test func `a link to a folder is not followed, so that a search ends`() throws {
    let folder = try folder(1)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("src/again.plist"), withDestinationPath: folder.path("src"))
    let result = try Tool.run("lint", "-r", folder.path("src"))
    #expect(result.status == 1 && result.text.split(separator: "\n").count == 1)
    #expect(result.errors.contains("Is a directory"))
  }

  @Test func `8 000 names on the command line are accepted`() throws {
    let folder = try folder(1)
    func run(_ count: Int) throws -> Program {
      let names = Array(repeating: "0.plist", count: count) + ["none.plist"]
      return try Program.run("plistutil", ["get", ""] + names, in: URL(filePath: folder.path("src")))
    }
    let (few, many) = (try run(1_000), try run(8_000))
    #expect(many.status == 1)
    #expect(many.text.split(separator: "\n").count == 8_000)
    let limit = few.processorTime * 8 * ThreadClock.greatestGrowth
    #expect(many.processorTime < limit, "\(many.processorTime), \(few.processorTime)")
  }

  @Test func `files are replaced in place, and an unreadable one is left unchanged`() throws {
    let folder = try folder(40)
    try Data("garbage".utf8).write(to: URL(filePath: folder.path("src/7.plist")))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("src/8.plist"))
    let result = try Tool.run("convert", "-f", "binary", "--in-place", "-r", folder.path("src"))
    #expect(result.status == 3 && result.errors.split(separator: "\n").count == 1)
    #expect(try Data(contentsOf: URL(filePath: folder.path("src/7.plist"))) == Data("garbage".utf8))
    for number in 0..<40 where number != 7 {
      let url = URL(filePath: folder.path("src/\(number).plist"))
      #expect(try Data(contentsOf: url).starts(with: Data("bplist00".utf8)))
      #expect(try PropertyList(contentsOf: url) == .integer(.init(number)))
    }
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path("src/8.plist"))[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("src")).count == 40)
  }

  @Test func `a folder is written to a folder, with other extensions on request`() throws {
    let folder = try folder(3, in: "src/deep")
    let result = try Tool.run(
      "convert", "-f", "json", "--outfolder", folder.path("out"), "--extension", "json", "-r", folder.path("src"))
    #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("out/deep")).sorted()
        == ["0.json", "1.json", "2.json"])
    #expect(try Data(contentsOf: URL(filePath: folder.path("out/deep/2.json"))) == Data("2\n".utf8))
    #expect(try Tool.run("convert", "--extension", "bplist", folder.path("src/deep/1.plist")).status == 0)
    #expect(try value(folder, "src/deep/1.bplist") == 1)
  }

  @Test(arguments: [["convert", "-f", "json"], ["set", "", "--json", "[7]"], ["get", "", "-f", "xml"]])
  func `--report lists written and failed files for programs`(_ verb: [String]) throws {
    let folder = try folder(2)
    try Data("garbage".utf8).write(to: URL(filePath: folder.path("src/1.plist")))
    let names = ["0", "1"].map { folder.path("src/\($0).plist") }
    let result = try Tool.run(verb + names + ["--outfolder", folder.path("out"), "--report"])
    #expect(result.status == 3 && result.errors.isEmpty)
    let lines = try result.text.split(separator: "\n").map { try PropertyList(Data($0.utf8), format: .json) }
    #expect(lines.map { $0["file"]?.string } == names)
    #expect(lines.first?["output"]?.string == folder.path("out/0.plist"))
    #expect(lines.last?["error"]?["kind"] == "unknown-format" && lines.last?["error"]?["byteOffset"] == 0)
    #expect(try Tool.run(verb + names + ["--report"]).status == 64)
  }

  @Test func `JSON has exact file names, and messages that are safe for terminals`() throws {
    let folder = try folder(1)
    let path = folder.path("a\nb\u{1B}[1m.plist")
    try FileManager.default.moveItem(atPath: folder.path("src/0.plist"), toPath: path)
    for verb in [
      ["get", "--json", ""], ["lint", "--json"], ["diff", "--json", Fixtures.url("binary/null.bplist").path],
    ] {
      let result = try Tool.run(verb + [path])
      #expect(try PropertyList(result.output, format: .json)["file"]?.string == path)
    }
    let report = try Tool.run("convert", "--extension", "x", "--report", path)
    #expect(try PropertyList(report.output, format: .json)["output"]?.string == String(path.dropLast(5)) + "x")
    let failure = try Tool.run("get", "--json", "", path + "?")
    #expect(try PropertyList(failure.output, format: .json)["file"]?.string == path + "?")
    #expect(try Tool.run("lint", path).text.hasPrefix(folder.path(#"a\u{a}b\u{1b}[1m.plist: OK"#)))
  }

  #if os(Linux)
    @Test func `a file whose name is not UTF-8 is processed like the others`() throws {
      let folder = try folder(2)
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = [
        "-c",
        "cd '\(folder.path("src"))' && cp 1.plist \"$(printf 'a\\377.plist')\" && touch \"$(printf 'a\\377.png')\"",
      ]
      try process.run()
      process.waitUntilExit()
      let result = try Tool.run("convert", "-r", folder.path("src"), "-f", "json", "--outfolder", folder.path("out"))
      #expect(result.status == 0 && result.errors.isEmpty)
      let written = try Program.run(
        URL(filePath: "/bin/sh"),
        ["-c", "cd '\(folder.path("out"))' && ls | wc -l && cat \"$(printf 'a\\377.plist')\""])
      #expect(written.text == "3\n1\n")
    }
  #endif

  @Test func `input from a pipe is not replaced`() throws {
    let folder = TemporaryFolder()
    let pipe = folder.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "echo '[1]' > '\(pipe)'"]
    try process.run()
    let result = try Tool.run("append", "", "--integer", "2", "--in-place", pipe)
    process.waitUntilExit()
    #expect(result.status == 1)
    #expect(result.errors == "plistutil: error: cannot replace \(pipe): it is not a regular file\n")
    #expect(folder.names == ["pipe"])
  }

  @Test(arguments: ["", "a/b", "../x"]) func `an invalid extension is a usage error`(_ text: String) throws {
    let folder = try folder(1)
    let result = try Tool.run("convert", "-f", "xml", "--extension", text, folder.path("src/0.plist"))
    #expect(result.status == 64 && result.errors.contains("is not a file extension"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("src")) == ["0.plist"])
  }

  @Test func `print --json prints the value of each file on a line`() throws {
    let folder = try folder(2)
    let result = try Tool.run("print", "--json", folder.path("src/0.plist"), folder.path("src/1.plist"))
    #expect(
      result.text
        == (0..<2).map { "{\"file\":\"\(folder.path("src/\($0).plist"))\",\"value\":\($0)}\n" }.joined())
  }

  @Test(arguments: [["print", "--json"], ["get", "", "--json"], ["find", "--values", "--json"]])
  func `any readable depth can be printed as JSON`(_ verb: [String]) throws {
    let folder = TemporaryFolder()
    let text = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
    try Data(text.utf8).write(to: URL(filePath: folder.path("deep.json")))
    let result = try Tool.run(verb + [folder.path("deep.json")])
    #expect(result.status == 0 && result.errors.isEmpty && result.text.contains(text.dropFirst().dropLast()))
  }

  @Test func `nothing is written if two files would have the same output`() throws {
    let folder = try folder(1, in: "a")
    try FileManager.default.copyItem(atPath: folder.path("a"), toPath: folder.path("b"))
    for arguments in [["--outfolder", folder.path("out")], ["-o", folder.path("out")]] {
      let result = try Tool.run(["convert"] + arguments + [folder.path("a/0.plist"), folder.path("b/0.plist")])
      #expect(result.status == 64)
      #expect(folder.names.sorted() == ["a", "b"])
    }
  }

  #if os(Linux)
    @Test(arguments: ["", "--report"])
    func `an unreadable folder is reported once, and the exit code is 1`(_ report: String) throws {
      let folder = try folder(1)
      // A path of this length cannot be opened.
      let script = #"cd "$0" && n=$(printf %0200d 0) && for i in $(seq 25); do mkdir $n && cd $n || exit 1; done"#
      #expect(try Program.run(URL(filePath: "/bin/bash"), ["-c", script, folder.path("src")]).status == 0)
      defer { _ = try? Program.run(URL(filePath: "/bin/rm"), ["-rf", folder.path("src")]) }
      let arguments = ["-f", "json", "--outfolder", folder.path("out"), "-r", folder.path("src")]
      let result = try Tool.run(["convert"] + arguments + (report.isEmpty ? [] : [report]))
      #expect(result.status == 1)
      let told = (report.isEmpty ? result.errors : result.text).split(separator: "\n")
      #expect(told.filter { $0.contains("File name too long") }.count == 1)
      #expect(report.isEmpty ? result.output.isEmpty : result.errors.isEmpty)
      #expect(try Data(contentsOf: URL(filePath: folder.path("out/0.plist"))) == Data("0\n".utf8))
    }
  #endif

  @Test func `an unwritable folder is reported with its name, and the exit code is 1`() throws {
    let folder = try folder(3)
    let result = try Tool.run("convert", "--outfolder", "/proc/none", "-r", folder.path("src"))
    #expect(result.status == 1 && result.errors.split(separator: "\n").count == 3)
    #expect(result.errors.contains("/proc/none"))
  }

  @Test func `an interruption ends the work between files, and leaves no temporary files`() throws {
    let folder = try folder(600)
    let process = Process()
    process.executableURL = Tool.executable
    process.arguments = ["convert", "--outfolder", folder.path("out"), "--jobs", "1", "-r", folder.path("src")]
    try process.run()
    #expect(eventually { FileManager.default.fileExists(atPath: folder.path("out")) })
    process.interrupt()
    process.waitUntilExit()
    let written = try FileManager.default.contentsOfDirectory(atPath: folder.path("out"))
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 130 || written.count == 600)
    #expect(!written.contains { $0.hasSuffix(".tmp") })
    for name in written { #expect(try value(folder, "out/\(name)").kind == .integer) }
  }

  @Test func `a signal that is ignored at the start, as by nohup, stays ignored`() throws {
    let folder = try folder(2)
    let pipe = folder.path("src/pipe.plist")
    try #require(mkfifo(pipe, 0o600) == 0)
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments =
      [
        "-c", "trap '' HUP; exec \"$0\" \"$@\"", Tool.executable.path, "convert", "--jobs", "1", "--outfolder",
        folder.path("out"),
      ] + ["0", "pipe", "1"].map { folder.path("src/\($0).plist") }
    try process.run()
    // A pipe can be opened in this way when it has a reader.
    var writing: Int32 = -1
    #expect(
      eventually {
        writing = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        return writing >= 0
      })
    #expect(kill(process.processIdentifier, SIGHUP) == 0)
    try FileHandle(fileDescriptor: writing, closeOnDealloc: false).write(
      contentsOf: Data("<plist><true/></plist>".utf8))
    close(writing)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).count == 3)
  }

  #if os(Linux)
    @Test func `after a second, a terminal shows the progress, and clears it at the end`() throws {
      let folder = try folder(3)
      let pipe = folder.path("src/pipe.plist")
      try #require(mkfifo(pipe, 0o600) == 0)
      // The work of `posix_openpt`, `unlockpt` and `ptsname`, which the headers hide: TIOCSPTLCK and TIOCGPTN.
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
      var (lock, number): (CInt, CInt) = (0, 0)
      try #require(terminal >= 0 && ioctl(terminal, 0x4004_5431, &lock) == 0)
      try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
      defer { close(terminal) }
      let process = Process()
      process.executableURL = Tool.executable
      process.arguments =
        ["convert", "--jobs", "1", "--outfolder", folder.path("out")]
        + ["0", "pipe", "1", "2"].map { folder.path("src/\($0).plist") }
      let tty = try #require(FileHandle(forUpdatingAtPath: "/dev/pts/\(number)"))
      process.standardError = tty
      try process.run()
      // A pipe can be opened in this way when it has a reader. The tool can be waited for.
      var writing: Int32 = -1
      #expect(
        eventually {
          writing = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
          return writing >= 0
        })
      usleep(1_200_000)
      try FileHandle(fileDescriptor: writing, closeOnDealloc: false).write(
        contentsOf: Data("<plist><true/></plist>".utf8))
      close(writing)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      var written: [UInt8] = []
      var bytes = [UInt8](repeating: 0, count: 4096)
      while case let count = read(terminal, &bytes, bytes.count), count > 0 { written += bytes.prefix(count) }
      let text = String(decoding: written, as: UTF8.self)
      // A machine that takes more than a second for the first file shows a line for that, too.
      #expect(text.hasPrefix("\r[") && text.contains("\r[====================                    ] 2 of 4 files"))
      #expect(text.hasSuffix("\r\u{1B}[K"))
    }
  #endif
}
