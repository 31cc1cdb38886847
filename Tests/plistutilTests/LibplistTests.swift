import Foundation
import PropertyLists
import TestSupport
import Testing

/// Each option of libplist's tool, and each of its defects.
@Suite("plistutil with the options of libplist's tool") struct LibplistTests {
  /// The values that every format is asked to hold.
  static let everything: PropertyList = [
    "text": "plain", "integer": 42, "real": 2.0, "flag": true,
    "date": .date(Date(timeIntervalSinceReferenceDate: 599_616_000)), "data": .data(Data([0, 1, 2])),
    "uid": .uid(.init(3)), "list": ["a", ["b": 1]],
  ]

  private func convert(
    _ value: PropertyList, _ arguments: [String], from format: PropertyListFormat = .binary
  ) throws -> Program {
    try Tool.run(arguments, input: value.data(format: format))
  }

  // MARK: Options

  @Test(arguments: [
    ("-i", "--infile"), ("-o", "--outfile"), ("-f", "--format"), ("-p", "--print"), ("-n", "--nodepath"),
  ])
  func `each option has a short and a long form`(_ short: String, _ long: String) throws {
    let path = Fixtures.url(ConversionTests.binary).path
    let folder = TemporaryFolder()
    let rest: [String: [String]] = [
      "-i": [path], "-o": [folder.path("out"), "-i", path], "-f": ["xml", "-i", path], "-p": [path],
      "-n": ["array/0", "-f", "xml", "-i", path],
    ]
    let arguments = try #require(rest[short])
    let first = try Tool.run([short] + arguments)
    let written = try? Data(contentsOf: URL(filePath: folder.path("out")))
    let second = try Tool.run([long] + arguments)
    #expect(first.status == 0 && second.status == 0)
    #expect(first.output == second.output)
    #expect(first.output.isEmpty == (short == "-o") && (written?.isEmpty == false) == (short == "-o"))
  }

  @Test(
    "options follow getopt: grouped letters, joined values, empty values",
    arguments: [
      (["-sc", "-f", "json", "-C"], ["-s", "-c", "-f", "json", "-C"]),
      (["-fjson", "-Cs"], ["-f", "json", "-C", "-s"]),
      (["--format=json", "-C"], ["-f", "json", "-C"]), (["-Cf=json"], ["-f", "json", "-C"]),
      (["-f", "xml", "-f", "json", "-C"], ["-f", "json", "-C"]), (["-n", "", "-f", "xml"], ["-f", "xml"]),
      (["--nodepath=", "-f", "xml"], ["-f", "xml"]),
    ])
  func optionsAreSpelledAsGetoptTakesThem(_ arguments: [String], _ plain: [String]) throws {
    let value: PropertyList = ["b": 1, "a": .data(Data([1]))]
    let result = try convert(value, arguments)
    #expect(try result.status == 0 && result.output == convert(value, plain).output)
  }

  @Test(arguments: [
    (["--frobnicate"], "'--frobnicate'"), (["-x"], "'-x'"), (["-sx"], "'-x'"), (["-f"], "--format needs a value"),
    (["-f", "yaml"], "'yaml'"), (["--format="], "''"), (["--sort=1"], "--sort takes no value"),
    (["-s", "file.plist"], "'file.plist'"), (["--from", "yaml"], "--from takes a format"),
  ])
  func `option errors are reported`(_ arguments: [String], _ words: String) throws {
    let result = try Tool.run(arguments, input: Data())
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains(words) && result.errors.contains("\nUsage: plistutil "), "\(result.errors)")
  }

  @Test func `all options are in the help, each on a line of at most 80 columns`() throws {
    let lines = try Tool.run("--help").text.split(separator: "\n")
    let letters = ["-i, --infile FILE", "-C, --plain", "    --keep-last-duplicates", "-h, --help"]
    for option in letters { #expect(lines.count { $0.hasPrefix(option) && $0.count <= 80 } == 1, "\(option)") }
  }

  @Test(arguments: [("-c", "--compact"), ("-s", "--sort"), ("-C", "--plain")])
  func `flags have a short and a long form`(_ short: String, _ long: String) throws {
    let value: PropertyList = ["b": 1, "a": .data(Data([1]))]
    let arguments = ["-f", "json"] + (short == "-C" ? [] : ["-C"])
    let plain = try convert(value, ["-f", "json", "-C"])
    let first = try convert(value, arguments + [short])
    #expect(try first.output == convert(value, arguments + [long]).output)
    #expect(first.status == 0 && (first.output == plain.output) == (short == "-C"))
  }

  @Test(arguments: [
    ("bin", "bplist00"), ("binary1", "bplist00"), ("xml", "<?xml"), ("xmlfoo", "<?xml"), ("json", "{"),
    ("openstep", "{"), ("ostep", "{"),
  ])
  func `a format can be abbreviated`(_ name: String, _ beginning: String) throws {
    let result = try convert(["a": "b"], ["-f", name])
    #expect(result.status == 0 && result.text.hasPrefix(beginning))
  }

  @Test func `without a format, binary becomes XML, and everything else binary`() throws {
    #expect(try convert(["a": "b"], []).text.hasPrefix("<?xml"))
    for format in [PropertyListFormat.xml, .json, .openStep] {
      #expect(try convert(["a": "b"], [], from: format).text.hasPrefix("bplist00"))
    }
  }

  @Test(
    arguments: [
      ("<0102>", .data(Data([1, 2]))), ("  <plist><true/></plist>", true), ("[1, true]", [1, true]),
      ("(1, true)", ["1", "true"]), (#"{"a": 1}"#, ["a": 1]), (#"{"a" = 1;}"#, ["a": "1"]), ("{ }", [:]),
      (#""a" = "b"; // comment"#, ["a": "b"]), ("/* comment */ a = b;", ["a": "b"]), ("\"a\"", "a"),
    ] as [(String, PropertyList)])
  func `the input format is detected`(_ text: String, _ value: PropertyList) throws {
    let result = try Tool.run("-f", "bin", input: Data(text.utf8))
    #expect(result.status == 0)
    #expect(try PropertyList(result.output) == value)
  }

  // MARK: What the formats can hold

  typealias Kind = (kind: String, value: PropertyList, json: String?, plainJSON: String, plainOpenStep: String)

  static let kinds: [Kind] = [
    ("a string", "a", #""a""#, #""a""#, "a"),
    ("an integer", 42, "42", "42", "42"),
    ("a real", 1.5, "1.5", "1.5", "1.5"),
    ("an integral real", 2.0, "2.0", "2.0", "2.0"),
    ("true", true, "true", "true", "1"),
    ("false", false, "false", "false", "0"),
    (
      "a date", .date(Date(timeIntervalSinceReferenceDate: 599_616_000)), nil, #""2020-01-02T00:00:00Z""#,
      #""2020-01-02T00:00:00Z""#
    ),
    ("data", .data(Data([0, 1, 2])), nil, #""AAEC""#, "<000102>"),
    ("a UID", .uid(.init(3)), nil, "3", "3"),
    ("null", .null, "null", "null", "NULL"),
  ]

  @Test(arguments: kinds.filter { $0.json == nil })
  func `JSON refuses values that it cannot hold with exit code 2`(_ test: Kind) throws {
    let refusing = try convert([test.value], ["-f", "json", "-c"])
    #expect(refusing.status == 2 && refusing.text.isEmpty)
    #expect(refusing.errors.hasPrefix("<stdin>: error: JSON has no "))
  }

  @Test func `JSON holds the other values, and -C writes all values plainly`() throws {
    let held = try convert(.array(Self.kinds.filter { $0.json != nil }.map(\.value)), ["-f", "json", "-c"])
    #expect(held.status == 0 && held.text == "[\(Self.kinds.compactMap(\.json).joined(separator: ","))]\n")
    let plain = try convert(.array(Self.kinds.map(\.value)), ["-f", "json", "-c", "-C"])
    #expect(plain.status == 0 && plain.text == "[\(Self.kinds.map(\.plainJSON).joined(separator: ","))]\n")
  }

  private static func isHeldByOpenStep(_ test: Kind) -> Bool { test.value.kind == .string || test.value.kind == .data }

  @Test(arguments: kinds.filter { !isHeldByOpenStep($0) })
  func `OpenStep refuses values that it cannot hold with exit code 2`(_ test: Kind) throws {
    #expect(try convert([test.value], ["-f", "openstep", "-c"]).status == 2)
  }

  @Test func `OpenStep holds strings and data, and -C writes all values plainly`() throws {
    let held = Self.kinds.filter(Self.isHeldByOpenStep)
    #expect(try convert(.array(held.map(\.value)), ["-f", "openstep", "-c"]).status == 0)
    let plain = try convert(.array(Self.kinds.map(\.value)), ["-f", "openstep", "-c", "-C"])
    #expect(plain.status == 0 && plain.text == "(\(Self.kinds.map(\.plainOpenStep).joined(separator: ",")))\n")
  }

  @Test(arguments: ["json", "openstep"]) func `--coerce writes values that are read back exactly`(_ format: String)
    throws
  {
    let text = try convert(Self.everything, ["-f", format, "--coerce"])
    #expect(text.status == 0)
    let back = try Tool.run("-f", "bin", "--coerce", input: text.output)
    #expect(try PropertyList(back.output) == Self.everything)
  }

  @Test func `XML holds all values except null; UIDs are dictionaries`() throws {
    let result = try convert(Self.everything, ["-f", "xml"])
    #expect(result.status == 0 && result.text.contains("<key>CF$UID</key>"))
    #expect(try PropertyList(result.output) == Self.everything)
    #expect(try convert([.null], ["-f", "xml"]).status == 2)
  }

  @Test func `under the name plist2json, JSON is written plainly`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      at: URL(filePath: folder.path("plist2json")), withDestinationURL: Tool.executable)
    let input = try (["d": .data(Data([1]))] as PropertyList).data(format: .binary)
    let result = try Program.run(URL(filePath: folder.path("plist2json")), ["-c"], input: input)
    #expect(result.status == 0 && result.text == "{\"d\":\"AQ==\"}\n")
  }

  // MARK: For people

  @Test func `PLIST_OUTPUT_FORMAT=limd prints an outline`() throws {
    let folder = TemporaryFolder()
    let value: PropertyList = [
      "k": "v", "list": ["x", ["y"], ["z": true]], "dict": ["n": .null], "data": .data(Data([1])),
    ]
    try value.write(to: URL(filePath: folder.path("a")), format: .binary)
    let result = try Program.run("plistutil", ["-p", folder.path("a")], environment: ["PLIST_OUTPUT_FORMAT": "limd"])
    #expect(
      result.text == """
        k: v
        list[3]:
         0: x
         1[1]:
          0: y
         2:
          z: true
        dict:
         n: null
        data: AQ==

        """)
  }

  @Test func `PLIST_OUTPUT_FORMAT=plutil prints what Apple's plutil prints`() throws {
    let folder = TemporaryFolder()
    let value: PropertyList = ["k": "v", "a": ["x", true, .null], "d": .data(Data([1, 2, 3])), "u": .uid(.init(3))]
    try value.write(to: URL(filePath: folder.path("a")), format: .binary)
    for (options, first) in [([], "k"), (["-s"], "a")] as [([String], String)] {
      let result = try Program.run(
        "plistutil", ["-p", folder.path("a")] + options, environment: ["PLIST_OUTPUT_FORMAT": "plutil"])
      #expect(result.text.hasPrefix("{\n  \"\(first)\" => "))
      let lines = [
        #"  "k" => "v""#, #"  "a" => ["#, #"    0 => "x""#, "    1 => 1", "    2 => <null>", "  ]",
        #"  "d" => {length = 3, bytes = 0x010203}"#, #"  "u" => <CFKeyedArchiverUID>{value = 3}"#, "{", "}", "",
      ]
      #expect(Set(result.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)) == Set(lines))
    }
  }

  @Test(arguments: ["/", "", "//list", "list/", "list/0"])
  func `empty path components are skipped, and a missing value exits with 1`(_ path: String) throws {
    #expect(try convert(Self.everything, ["-f", "bin", "-n", path]).status == 0)
    guard LongForm.isWanted || path == "//list" else { return }
    // Without -f, the extension also counts.
    #expect(try convert(Self.everything, ["-n", path]).status == 0)
    let missing = try convert(Self.everything, ["-f", "bin", "-n", path + "/none"])
    #expect(missing.status == 1 && missing.output.isEmpty)
  }

  // MARK: Defects of others

  @Test func `text is escaped in JSON and in readable output`() throws {
    let value: PropertyList = [#"a\b"#: #"c\d "q""#]
    #expect(try convert(value, ["-f", "json", "-c"]).text == #"{"a\\b":"c\\d \"q\""}"# + "\n")
    let folder = TemporaryFolder()
    try value.write(to: URL(filePath: folder.path("a")), format: .xml)
    #expect(try Tool.run("-p", folder.path("a")).text.contains(#""a\\b": "c\\d \"q\"""#))
  }

  @Test func `a surrogate pair is one character`() throws {
    let result = try Tool.run("-f", "xml", input: Data(#"["x\uD83D\uDE00yz"]"#.utf8))
    #expect(try PropertyList(result.output) == ["x😀yz"])
    #expect(try Tool.run("-f", "xml", input: Data(#"["\uD83D"]"#.utf8)).status == 3)
  }

  @Test(arguments: [("[1.0]", [1.0]), ("[-0.0]", [-0.0]), ("[1]", [1])] as [(String, PropertyList)])
  func `numbers keep their types`(_ text: String, _ value: PropertyList) throws {
    #expect(try PropertyList(Tool.run("-f", "bin", input: Data(text.utf8)).output) == value)
    #expect(try convert(value, ["-f", "json", "-c"]).text == text + "\n")
  }

  @Test func `an invalid number in JSON is an error, and XML's special numbers are read`() throws {
    let values = [Double.nan, .infinity, -.infinity]
    for value in values { #expect(try convert([.real(value)], ["-f", "json"]).status == 2) }
    let list = PropertyList.array(values.map { .real($0) })
    let xml = try convert(list, ["-f", "xml"])
    #expect(xml.status == 0)
    #expect(try PropertyList(Tool.run("-f", "bin", input: xml.output).output) == list)
  }

  @Test(arguments: [
    "<plist><dict><key>a</key></dict></plist>", "[1] 2", "garbage <", "garbage", "(a, b",
    "bplist00garbage",
  ])
  func `truncated input and trailing text are refused`(_ text: String) throws {
    let result = try Tool.run("-f", "xml", input: Data(text.utf8))
    #expect(result.status == 3 && result.output.isEmpty && result.errors.hasPrefix("<stdin>:"))
  }

  @Test func `an early year has four digits`() throws {
    let year1 = PropertyList.date(Date(timeIntervalSinceReferenceDate: -63_113_904_000))
    let text = try convert([year1], ["-f", "xml"]).text
    #expect(text.contains("<date>0001-"))
    #expect(try convert([year1], ["-f", "json", "-c", "-C"]).text.hasPrefix(#"["0001-"#))
  }

  @Test(arguments: [("\"a\"", "a"), ("42", 42)] as [(String, PropertyList)])
  func `scalars can be roots in JSON`(_ text: String, _ value: PropertyList) throws {
    #expect(try convert(value, ["-f", "json"]).text == text + "\n")
    #expect(try PropertyList(Tool.run("--from", "json", "-f", "bin", input: Data(text.utf8)).output) == value)
  }

  @Test func `sorting 20 000 keys takes about ten times as long as 2 000`() throws {
    func time(_ count: Int) throws -> Duration {
      let entries = (0..<count).map { ("key \(($0 * 7919) % count)", PropertyList.integer(.init($0))) }
      let value = PropertyList.dictionary(.init(uniqueKeysWithValues: entries))
      let result = try convert(value, ["-s", "-f", "bin"])
      #expect(try PropertyList(result.output).dictionary?.keys.elements == entries.map(\.0).sorted())
      return result.processorTime
    }
    let (small, large) = (try time(2_000), try time(20_000))
    #expect(large < small * 10 * ThreadClock.greatestGrowth, "\(small), \(large)")
  }

  @Test(arguments: ["[", "(", "<array>"])
  func `more than 512 levels exit with 4, in each format`(_ opening: String) throws {
    let text = (opening == "<array>" ? "<plist>" : "") + String(repeating: opening, count: 513)
    let result = try Tool.run("-f", "bin", input: Data(text.utf8))
    #expect(result.status == 4 && result.errors.contains("nested more than 512 deep"))
  }

  // MARK: Beside the original

  static let original = URL(filePath: "/usr/bin/plistutil")

  static var isOriginalHere: Bool {
    FileManager.default.isExecutableFile(atPath: original.path)
      && (try? Program.run(original, ["-v"]).text.hasPrefix("plistutil ")) == true
  }

  @Test(
    .enabled(if: isOriginalHere, "libplist-utils is not installed"),
    arguments: ["xml", "bin"], ["xml/kinds-python.plist", "binary/kinds-python.bplist", "xml/counts-python.plist"])
  func `the original tool reads our output, and we read its output`(_ format: String, _ name: String) throws {
    let path = Fixtures.url(name).path
    let folder = TemporaryFolder()
    let arguments = ["-i", path, "-f", format, "-o"]
    #expect(try Program.run(Self.original, arguments + [folder.path("theirs")]).status == 0)
    #expect(try Tool.run(arguments + [folder.path("ours")]).status == 0)
    // In XML, since the original writes a real of 4 bytes where that is exact.
    func xml(_ name: String) throws -> Data {
      try PropertyList(contentsOf: URL(filePath: folder.path(name))).data(format: .xml)
    }
    let ours = try xml("ours")
    #expect(try ours == xml("theirs"))
    // And each reads what the other wrote.
    let back = try Program.run(
      Self.original, ["-i", folder.path("ours"), "-f", "bin", "-o", folder.path("back")])
    #expect(back.status == 0)
    #expect(try xml("back") == ours)
  }
}
