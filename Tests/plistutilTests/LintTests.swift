import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil lint") struct LintTests {
  private static let formats = [("xml", LintCase.xml), ("openstep", LintCase.openStep), ("json", LintCase.json)]

  @Test("all defects of text files are listed with line and mark", arguments: formats)
  func listsAllThatIsWrong(_ format: String, _ texts: [LintCase]) throws {
    let folder = TemporaryFolder()
    let files = try texts.indices.map { index in
      let path = folder.path("\(index)")
      try texts[index].input.write(to: URL(filePath: path))
      return path
    }
    let result = try Tool.run(["lint", "--from", format] + files)
    #expect(result.status == 3 && result.output.isEmpty)
    // The reports, in the order of the files, and the total.
    var rest = result.errors[...]
    for (file, text) in zip(files, texts) {
      let report = text.report.replacing(/^F:/.anchorsMatchLineEndings(), with: "\(file):")
      #expect(rest.hasPrefix(report), "\(text)")
      rest = rest.dropFirst(report.count)
    }
    #expect(rest.hasPrefix("\(files.count) files, \(files.count) with defects: "), "\(rest)")
  }

  @Test(arguments: formats)
  func `all defects of standard input are listed`(_ format: String, _ texts: [LintCase]) throws {
    for text in LongForm.cases(texts, every: texts.count) {
      let result = try Tool.run("lint", "--from", format, input: text.input)
      #expect(result.errors == text.report.replacing(/^F:/.anchorsMatchLineEndings(), with: "<stdin>:"))
      #expect(result.status == 3 && result.output.isEmpty)
    }
  }

  /// Two arrays and a dictionary with a few defects.
  static let binary: [UInt8] =
    Array("bplist00".utf8)
    // 0: [1, 2, 3, 9]; 1: {4: 0, 4: 5, 1: 6}; 2: [0]; 3: an unknown marker; 4: "k"; 5: ASCII with 0xE9; 6: a surrogate.
    + [0xA4, 1, 2, 3, 9, 0xD3, 4, 4, 1, 0, 5, 6, 0xA1, 0, 0xF0, 0x51, 0x6B, 0x52, 0x61, 0xE9, 0x61, 0xD8, 0x3D]
    + [8, 13, 20, 22, 23, 25, 28]
    + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 31]

  @Test func `defects of every object of a binary file are listed with byte offsets`() throws {
    let result = try Tool.run("lint", input: Data(Self.binary))
    #expect(
      result.errors == """
        <stdin>: error: a container that contains itself (in 0.k), at byte 8
          00000000  62 70 6c 69 73 74 30 30 a4 01 02 03 09 d3 04 04  bplist00........
                                            ^^
        <stdin>: error: a container that contains itself (in 1.0), at byte 8
          00000000  62 70 6c 69 73 74 30 30 a4 01 02 03 09 d3 04 04  bplist00........
                                            ^^
        <stdin>: error: a reference to object 9; expected an index below 7 (in 3), at byte 12
          00000000  62 70 6c 69 73 74 30 30 a4 01 02 03 09 d3 04 04  bplist00........
                                                        ^^
        <stdin>: error: a dictionary key is not a string (in 0), at byte 13
          00000000  62 70 6c 69 73 74 30 30 a4 01 02 03 09 d3 04 04  bplist00........
                                                           ^^
        <stdin>: error: duplicate key "k" (in 0), at byte 15
          00000000  62 70 6c 69 73 74 30 30 a4 01 02 03 09 d3 04 04  bplist00........
                                                                 ^^
        <stdin>: error: 0xf0 is not an object marker of the binary format (in 2), at byte 22
          00000010  01 00 05 06 a1 00 f0 51 6b 52 61 e9 61 d8 3d 08  .......QkRa.a.=.
                                      ^^
        <stdin>: error: the byte 0xe9 in an ASCII string (in 0.k), at byte 27
          00000010  01 00 05 06 a1 00 f0 51 6b 52 61 e9 61 d8 3d 08  .......QkRa.a.=.
                                                     ^^
        <stdin>: error: an unpaired UTF-16 surrogate in a string (in 0), at byte 29
          00000010  01 00 05 06 a1 00 f0 51 6b 52 61 e9 61 d8 3d 08  .......QkRa.a.=.
                                                           ^^

        """)
    #expect(result.status == 5)
  }

  @Test(
    arguments: [
      ("garbage <", "<stdin>: error: not a property list: expected binary, XML, OpenStep or JSON, at byte 0\n", 3),
      ("", "<stdin>: error: the input is empty, at byte 0\n", 3),
      ("bplist00garbage", "<stdin>: error: the file is cut off: 15 bytes are too few for a trailer, at byte 15\n", 3),
      ("bplist15", "<stdin>: error: version \"15\" of the binary format is not supported; expected 00, at byte 6\n", 3),
      (
        "<plist>",
        "<stdin>:1:8: error: expected </plist>, found the end of the text; the <plist> at 1:1 is not closed\n", 3
      ),
    ] as [(String, String, Int32)])
  func `a file that is not a property list is an error`(_ text: String, _ line: String, _ status: Int32) throws {
    let result = try Tool.run("lint", input: Data(text.utf8))
    #expect(result.errors.hasPrefix(line), "\(result.errors)")
    #expect(result.status == status && result.output.isEmpty)
  }

  @Test func `every valid file gets a line, and the highest exit code of the others counts`() throws {
    let good = Fixtures.url("binary/kinds-python.bplist").path
    let counts = Fixtures.url("xml/counts-python.plist").path
    let bad = Fixtures.url("hostile/key-twice.plist").path
    let result = try Tool.run("lint", good, bad, "/nonexistent", counts)
    #expect(result.status == 3)
    let objects = try PropertyListDocument(Fixtures.data("binary/kinds-python.bplist")).objectCount
    #expect(result.text == "\(good): OK (binary, \(objects) objects)\n\(counts): OK (xml, 1 441 objects)\n")
    #expect(
      result.errors == """
        \(bad):7:3: error: duplicate key "a"
            <key>a</key><false/>
            ^
        plistutil: error: cannot open /nonexistent: No such file or directory
        4 files, 2 with defects: 2 errors, 0 warnings

        """)
    #expect(try Tool.run("lint", good).status == 0)
    #expect(try Tool.run("lint", "/nonexistent").status == 1)
    #expect(try Tool.run("lint", Fixtures.url("hostile/self-array.bplist").path).status == 5)
    #expect(try Tool.run("lint", Fixtures.url("hostile/deep-513.plist").path).status == 4)
  }

  @Test(arguments: ["-q", "--quiet"]) func `--quiet prints nothing about valid files`(_ flag: String) throws {
    let good = Fixtures.url("binary/kinds-python.bplist").path
    let result = try Tool.run("lint", flag, good, good)
    #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
    let bad = Fixtures.url("hostile/key-twice.plist").path
    #expect(try Tool.run("lint", flag, good, bad).errors.hasPrefix("\(bad):7:3: error: "))
  }

  @Test func `standard input is checked in any format`() throws {
    for (text, name, count) in [
      ("<plist><true/></plist>", "xml", "1 object"), ("a = b;", "openstep", "2 objects"),
      ("[1, 2]", "json", "3 objects"),
    ] {
      let result = try Tool.run("lint", "-", input: Data(text.utf8))
      #expect(result.status == 0 && result.text == "<stdin>: OK (\(name), \(count))\n")
    }
  }

  @Test(arguments: [["--json"], ["--format", "json"]])
  func `JSON output has a line for each file`(_ arguments: [String]) throws {
    let bad = Fixtures.url("hostile/key-twice.plist").path
    let good = Fixtures.url("xml/line-ends.plist").path
    let result = try Tool.run(["lint"] + arguments + [good, bad, "/nonexistent"])
    #expect(result.status == 3 && result.errors.isEmpty)
    let lines = try result.text.split(separator: "\n").map { try PropertyList(Data($0.utf8), format: .json) }
    try #require(lines.count == 3)
    #expect(lines[0]["file"] == .string(good) && lines[0]["ok"] == true && lines[0]["format"] == "xml")
    #expect(lines[1]["ok"] == false)
    #expect(
      lines[1]["findings"] == [
        [
          "severity": "error", "rule": "duplicate-key", "message": "duplicate key \"a\"", "line": 7,
          "column": 3, "byteOffset": 213,
        ]
      ])
    #expect(lines[2]["error"]?["kind"] == "input-output")
  }

  @Test func `GitHub annotations are printed`() throws {
    let folder = TemporaryFolder()
    let name = "a, 50%:\u{1}.plist"
    try Data("<plist>\n<dict><key>a%</key></dict></plist>".utf8).write(to: URL(filePath: folder.path(name)))
    try Data(Self.binary.prefix(40)).write(to: URL(filePath: folder.path("b")))
    let result = try Tool.run("lint", "--format", "github", folder.path(name), folder.path("b"), folder.path("none"))
    #expect(result.status == 3)
    let path = folder.url.path
    let lines = result.text.split(separator: "\n")
    #expect(
      lines == [
        "::error file=\(path)/a%2C 50%25%3A\\u{1}.plist,line=2,col=20,title=malformed::no value for the key \"a%25\" "
          + "(in a%25)",
        "::error file=\(path)/b,title=malformed::the file is cut off: 40 bytes are too few for a trailer, at byte 40",
        "::error file=\(path)/none,title=input-output::cannot open \(path)/none: No such file or directory",
      ])
  }

  @Test func `--limit limits the findings, and the rest is counted`() throws {
    let text = "<plist><array>\(String(repeating: "<foo/>\n", count: 1000))</array></plist>"
    for (arguments, count) in [
      ([], 100), (["--limit", "3"], 3), (["--limit", "1000"], 1000), (["--limit", String(Int.max)], 1000),
    ] as [([String], Int)] {
      let result = try Tool.run(["lint"] + arguments, input: Data(text.utf8))
      #expect(result.errors.split(separator: "\n").count { $0.contains(": error: ") } == count)
      #expect(result.errors.contains("more than \(count) findings") == (count < 1000))
    }
    #expect(try Tool.run("lint", "--limit", "0", input: Data()).status == 64)
  }

  @Test("a long line is shortened around the mark, also with wide and zero-width characters")
  func longLines() throws {
    let strings = String(repeating: "<string>abc</string>", count: 12)
    let long = try Tool.run("lint", input: Data("<plist><array>\(strings)<foo/>\(strings)</array></plist>".utf8))
    let shown = long.errors.split(separator: "\n").map(String.init)
    try #require(shown.count == 3)
    #expect(shown[1].hasPrefix("  …") && shown[1].hasSuffix("…") && shown[1].count == 104)
    #expect(shown[1].dropFirst(shown[2].count - 1).hasPrefix("<foo/>"))
    let wide = try Tool.run("lint", input: Data("<plist><array><!--鍵e\u{301}😀\u{9B}--><foo/></array></plist>".utf8))
    #expect(
      wide.errors.hasSuffix(
        """
          <plist><array><!--鍵e\u{301}😀\\u{9b}--><foo/></array></plist>
                                          ^

        """))
  }

  @Test func `colors are used on request or on a terminal`() throws {
    let input = Data("<plist><foo/></plist>".utf8)
    #expect(try !Tool.run("lint", input: input).errors.contains("\u{1B}"))
    #expect(try Tool.run("lint", "--color", "always", input: input).errors.contains("\u{1B}[1;31merror:\u{1B}[0m"))
    #expect(try !Tool.run("lint", "--color", "never", input: input).errors.contains("\u{1B}"))
  }

  @Test func `the help lists every rule and code`() throws {
    let help = try Tool.run("lint", "--help").text
    for rule in [
      "malformed", "unknown-format", "unsupported-version", "duplicate-key", "limit-exceeded", "nested-too-deeply",
      "circular-reference", "input-output", "duplicate-key-kept", "equivalent-keys", "mixed-line-ends",
      "unusual-encoding", "byte-order-mark", "--strict",
    ] {
      #expect(help.contains(rule), "\(rule)")
    }
  }
}

@Suite("Warnings of plistutil lint") struct LintWarningTests {
  private func check(_ input: Data, _ arguments: [String], _ warning: String, _ format: String) throws {
    let result = try Tool.run(["lint"] + arguments, input: input)
    #expect(result.errors.hasPrefix("<stdin>\(warning)"), "\(result.errors)")
    #expect(result.status == 0 && result.text.hasPrefix("<stdin>: OK (\(format), "))
    guard LongForm.isWanted || format != "openstep" else { return }
    #expect(try Tool.run(["lint", "--strict"] + arguments, input: input).status == 3)
  }

  @Test func `a duplicate key, whose last value is kept`() throws {
    let input = try Fixtures.data("hostile/key-twice.plist")
    try check(input, ["--keep-last-duplicates"], ":7:3: warning: duplicate key \"a\"\n", "xml")
  }

  @Test func `keys that differ only in how Unicode spells them`() throws {
    let keys = "<key>\u{E9}</key><true/><key>e\u{301}</key><true/>"
    let input = Data("<plist><array><dict>\(keys)</dict></array></plist>".utf8)
    let message =
      ": warning: duplicate key \"e\u{301}\": another key is spelled differently, but is equal in Unicode and Swift"
    try check(input, [], message + " (in 0)\n", "xml")
  }

  @Test func `mixed line ends`() throws {
    try check(
      Data("a = 1;\nb = 2;\r\nc = 3;\n".utf8), [],
      ":2:7: warning: a line that ends with CR LF, but the first line ends with LF\n", "openstep")
    #expect(try Tool.run("lint", input: Data("a = 1;\r\nb = 2;\r\n".utf8)).errors.isEmpty)
  }

  @Test func `encodings that not all readers know`() throws {
    let text = "\"a\" = \"b\";"
    try check(
      #require(text.data(using: .utf16LittleEndian)), [], ":1:1: warning: UTF-16 without a byte order mark", "openstep")
    #expect(try Tool.run("lint", input: #require("\u{FEFF}\(text)".data(using: .utf16LittleEndian))).errors.isEmpty)
    try check(Data("\u{FEFF}[1]".utf8), [], ":1:1: warning: a byte order mark, which RFC 8259", "json")
    try check(Fixtures.data("xml/windows-1252.plist"), [], ":1:1: warning: windows-1252, which not all", "xml")
  }

  @Test func `a signed message gets the command that extracts its property list`() throws {
    let identifier = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02] as [UInt8]
    let rest = [UInt8](repeating: 0, count: 40)
    let heads = [[0x30, 0x82, 0x12, 0x34], [0x30, 0x80], [0x30, 0x34], [0x30, 0x83, 0, 0x12, 0x34]] as [[UInt8]]
    let folder = TemporaryFolder()
    let files = try heads.indices.map { index in
      try Data(heads[index] + identifier + rest).write(to: URL(filePath: folder.path("\(index)")))
      return folder.path("\(index)")
    }
    let result = try Tool.run(["print"] + files)
    #expect(result.status == 3)
    let command = "openssl cms -verify -noverify -inform DER -in FILE"
    for file in files {
      let lines = result.errors.split(separator: "\n").filter { $0.hasPrefix(file + ":") }
      #expect(lines.contains { $0.contains(command) }, "\(result.errors)")
    }
    for begin in ["PKCS7", "CMS"] {
      let result = try Tool.run(["lint"], input: Data("-----BEGIN \(begin)-----\nMIIB\n".utf8))
      #expect(result.errors.contains("-inform PEM"), "\(result.errors)")
    }
    let other = try Tool.run(["print"], input: Data([0x30, 0x82] + rest))
    #expect(other.status == 3 && !other.errors.contains("openssl"))
  }
}
