import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil get, type and keys") struct QueryTests {
  private static let spellings = [
    ("name", "Notes & more\n"), ("items.0", "1\n"), ("/items/0", "1\n"), (":items:0", "1\n"), ("items.1.tag", "x\n"),
    ("items.2", "2.0\n"), (#"a\.b/c:d"#, "true\n"), (#""a.b/c:d""#, "true\n"), (#"/a.b\/c:d"#, "true\n"),
    ("when", "2020-01-02T03:04:05Z\n"), ("bytes", "AAEC\n"), (#""""#, "-7\n"),
  ]

  @Test(arguments: LongForm.cases(spellings, every: 4))
  func `a scalar is printed bare for any spelling of its path`(_ path: String, _ expected: String) throws {
    let file = try SampleFile(sampleText)
    for verb in ["get", "extract"] {
      let result = try file.run([verb, path, "@"])
      #expect(result.text == expected && result.status == 0 && result.errors.isEmpty)
    }
    let standard = try Tool.run(["get", path], input: Data(sampleText.utf8))
    #expect(standard.text == expected)
  }

  @Test func `--key accepts any spelling of a path`() throws {
    let keys = Self.spellings.flatMap { ["--key", $0.0] }
    let result = try SampleFile(sampleText).run(["get"] + keys + ["@"])
    #expect(result.text == Self.spellings.map(\.1).joined() && result.status == 0 && result.errors.isEmpty)
  }

  @Test func `a path after its file is an error, but a file can have the name of a path`() throws {
    let folder = TemporaryFolder()
    try Data("{\"name\": \"x\"}".utf8).write(to: folder.url.appending(path: "name"))
    let read = try Program.run("plistutil", ["get", "name", "-"], input: Data(sampleText.utf8), in: folder.url)
    #expect(read.text == "Notes & more\n" && read.status == 0, "\(read.errors)")
    let swapped = try Program.run("plistutil", ["get", "name", "items.0"], in: folder.url)
    #expect(swapped.status == 64 && swapped.errors.contains("plistutil get items.0 name"), "\(swapped.errors)")
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `every format, and a mapped file, gives the same value`(_ format: PropertyListFormat) throws {
    let count = LongForm.size(30_000, or: 3_000)
    let rows = PropertyList.array((0..<count).map { ["id": .integer(.init($0)), "name": "row \($0)"] })
    let file = try SampleFile(["rows": rows, "last": ["é": "ü"]], format: format)
    let arguments = ["--coerce"]
    #expect(try file.run(["get", "rows.\(count - 1).name", "@"] + arguments).text == "row \(count - 1)\n")
    #expect(try file.run(["get", "last.é", "@"] + arguments).text == "ü\n")
    #expect(try file.run(["type", "rows.7.id", "@"] + arguments).text == "integer\n")
  }

  @Test(arguments: [
    ("nothing", #"no key "nothing""#), ("items.3", #""3" is not an index of an array of 3 (in items)"#),
    ("name.x", #"no "x" in a value of kind string (in name)"#),
  ])
  func `a missing value exits with 1 and a reason`(_ path: String, _ message: String) throws {
    let file = try SampleFile(sampleText)
    for verb in LongForm.isWanted || path == "nothing" ? ["get", "type", "keys"] : ["get"] {
      let result = try file.run([verb, path, "@"])
      #expect(result.status == 1 && result.text.isEmpty)
      #expect(result.errors == "\(file.path): error: \(message)\n")
    }
  }

  @Test(arguments: ["a..b", #""a"#, "::"])
  func `an invalid path is a usage error`(_ path: String) throws {
    let file = try SampleFile(sampleText)
    for verb in LongForm.isWanted || path == "a..b" ? ["get", "type", "keys", "remove"] : ["get"] {
      let result = try file.run([verb, path, "@"])
      #expect(result.status == 64 && result.errors.contains("is not a key path"))
    }
  }

  @Test func `an expected kind can be given by either name`() throws {
    let file = try SampleFile(sampleText)
    #expect(try file.run(["get", "--expect", "string", "name", "@"]).text == "Notes & more\n")
    #expect(try file.run(["type", "--expect", "boolean", #"a\.b/c:d"#, "@"]).text == "bool\n")
    #expect(try file.run(["type", "--expect", "float", "items.2", "@"]).text == "real\n")
    let wrong = try file.run(["get", "--expect", "integer", "name", "@"])
    #expect(wrong.status == 1 && wrong.text.isEmpty)
    #expect(wrong.errors == "\(file.path): error: expected integer, found string (in name)\n")
    #expect(try file.run(["get", "--expect", "thing", "name", "@"]).status == 64)
  }

  @Test func `a container is printed readably, or written in a format`() throws {
    let file = try SampleFile(sampleText)
    #expect(
      try file.run(["get", "items", "@"]).text == "[\n  1,\n  {\n    \"tag\": \"x\"\n  },\n  2.0\n]\n")
    #expect(try file.run(["get", "items", "-f", "json", "-c", "@"]).text == #"[1,{"tag":"x"},2.0]"# + "\n")
    let output = file.folder.path("out")
    #expect(try file.run(["get", "items.1", "-f", "binary", "-o", output, "@"]).output.isEmpty)
    #expect(try PropertyList(contentsOf: URL(filePath: output)) == ["tag": "x"])
    #expect(try file.run(["get", "when", "-f", "json", "@"]).status == 2)
    #expect(try file.run(["get", "when", "-f", "json", "--coerce", "-c", "@"]).text.hasPrefix(#"{"$date":"2020-"#))
  }

  @Test(
    "a circular container exits with 5, and one that expands too far with 3",
    arguments: [("circle-of-two", Int32(5)), ("dictionary-in-itself", 5), ("expansion", 3)],
    [["--json"], ["-f", "json"], []])
  func aContainerThatContainsItselfIs5(_ file: (name: String, status: Int32), _ form: [String]) throws {
    #expect(
      try Tool.run(["get", "", Fixtures.url("hostile/\(file.name).bplist").path] + form).status == file.status)
  }

  @Test func `the line end is omitted on request`() throws {
    let file = try SampleFile(sampleText)
    #expect(try file.run(["get", "-n", "name", "@"]).text == "Notes & more")
    #expect(try file.run(["type", "-n", "name", "@"]).text == "string")
  }

  @Test func `with several files, each line names its file, and a failing file does not stop the others`() throws {
    let file = try SampleFile(sampleText)
    let other = file.folder.path("b.plist")
    try Data("<plist><dict><key>name</key><string>B</string></dict></plist>".utf8).write(to: URL(filePath: other))
    let result = try file.run(["get", "name", "@", "/nonexistent", other])
    #expect(result.text == "\(file.path): Notes & more\n\(other): B\n" && result.status == 1)
    #expect(result.errors == "plistutil: error: cannot open /nonexistent: No such file or directory\n")
    let folder = try Tool.run("type", "name", "-r", file.folder.url.path)
    #expect(folder.text == "\(file.path): string\n\(other): string\n")
    let json = try Tool.run("get", "--json", "items", "-r", file.folder.url.path)
    #expect(json.status == 1)
    #expect(
      json.text == #"{"file":"\#(file.path)","value":[1,{"tag":"x"},2.0]}"# + "\n"
        + #"{"file":"\#(other)","error":{"kind":"no-such-value","message":"no key \"items\"","keyPath":""}}"# + "\n")
  }

  @Test func `keys are in the order of the file, or sorted`() throws {
    let file = try SampleFile(sampleText)
    #expect(try file.run(["keys", "", "@"]).text == "name\nitems\na.b/c:d\nwhen\nbytes\n\n")
    #expect(try file.run(["keys", "/", "-s", "@"]).text == "\na.b/c:d\nbytes\nitems\nname\nwhen\n")
    #expect(
      try file.run(["keys", "items.1", "--json", "@"]).text == #"{"file":"\#(file.path)","keys":["tag"]}"# + "\n")
    let wrong = try file.run(["keys", "items", "@"])
    #expect(wrong.status == 1 && wrong.errors.contains("expected dictionary, found array (in items)"))
  }

  @Test func `damage outside of the path does not matter in a binary file`() throws {
    let file = try SampleFile(["good": "value", "bad": ["x": 1]], format: .binary)
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: file.path)))
    let offset = try #require(bytes.firstRange(of: Array("x".utf8) + [0x10, 0x01])).lowerBound + 1
    bytes[offset] = 0x77
    try Data(bytes).write(to: URL(filePath: file.path))
    #expect(try file.run(["get", "good", "@"]).text == "value\n")
    let bad = try file.run(["get", "bad.x", "@"])
    #expect(bad.status == 3 && bad.errors.contains("bad.x"))
  }
}

@Suite("plistutil find and stats") struct FindTests {
  @Test(
    arguments: [
      ([], ["name", "items", "items.0", "items.1", "items.1.tag", "items.2", #"a\.b/c:d"#, "when", "bytes", #""""#]),
      (["--kind", "integer"], ["items.0", #""""#]), (["--key", "*e*"], ["name", "items", "when", "bytes"]),
      (["--key", "?ag"], ["items.1.tag"]), (["--value", "-7"], [#""""#]), (["--value", "*&*"], ["name"]),
      (["--value", "2020-*"], ["when"]), (["--contains", "a.b"], [#"a\.b/c:d"#]),
      (["--contains", "Notes", "--kind", "string"], ["name"]),
      (["--path", "items.*"], ["items.0", "items.1", "items.2"]),
      (["--path", "items.**"], ["items", "items.0", "items.1", "items.1.tag", "items.2"]),
      (["--path", "**.tag"], ["items.1.tag"]), (["--path", "/*/[01]"], ["items.0", "items.1"]),
      (["--path", "**.[0-9]", "--kind", "real"], ["items.2"]),
      (["--kind", "bool", "--syntax", "slashes"], [#"/a.b\/c:d"#]),
      (["--kind", "bool", "--syntax", "colons"], [#":a.b/c\:d"#]), (["--key", "[0-9]"], []),
    ] as [([String], [String])])
  func `conditions select paths`(_ arguments: [String], _ expected: [String]) throws {
    let file = try SampleFile(sampleText)
    let result = try file.run(["find"] + arguments + ["@"])
    #expect(result.text == expected.map { $0 + "\n" }.joined())
    #expect(result.status == (expected.isEmpty ? 1 : 0) && result.errors.isEmpty)
  }

  @Test func `every path that is printed leads to its value`() throws {
    let file = try SampleFile(["a\nb": ["": [["\u{1B}[1m": 1]]], "\"": "q", "\\": "b"], format: .binary)
    let lines = try file.run(["find", "@"]).text.split(separator: "\n").map(String.init)
    #expect(lines.count == 6)
    let read = try file.run(["get", "--raw0"] + lines.flatMap { ["-k", $0] } + ["@"])
    #expect(read.status == 0 && read.text.count { $0 == "\0" } == lines.count, "\(read.errors)")
  }

  @Test func `values are printed next to the paths, as text or JSON, with file names`() throws {
    let file = try SampleFile(sampleText)
    #expect(
      try file.run(["find", "--path", "items.*", "--values", "@"]).text
        == "items.0: 1\nitems.1: {\"tag\": \"x\"}\nitems.2: 2.0\n")
    #expect(
      try file.run(["find", "--kind", "date", "--values", "--json", "@"]).text
        == #"{"file":"\#(file.path)","path":"when","type":"date","value":{"$date":"2020-01-02T03:04:05Z"}}"# + "\n")
    #expect(
      try file.run(["find", "--key", "tag", "@", "@"]).text == "\(file.path): items.1.tag\n\(file.path): items.1.tag\n")
  }

  @Test func `a match in one file is a success`() throws {
    let file = try SampleFile(sampleText)
    let empty = file.folder.path("b.plist")
    try Data("<plist><dict/></plist>".utf8).write(to: URL(filePath: empty))
    #expect(try file.run(["find", "--key", "tag", empty, "@"]).status == 0)
    #expect(try Tool.run("find", "--key", "tag", empty, empty).status == 1)
    #expect(try Tool.run("find", "--path", "a..b", empty).status == 64)
  }

  @Test func `statistics of a file`() throws {
    let file = try SampleFile(
      ["a": ["text", "text", "ü"], "b": .data(Data(count: 300)), "c": ["a": 1.5]], format: .binary)
    let result = try file.run(["stats", "--largest", "2", "@"])
    #expect(result.status == 0)
    let size = try Data(contentsOf: URL(filePath: file.path)).count
    #expect(
      result.text == """
        format      binary
        bytes       \(size)
        values      8
        levels      2
        string      3, 10 bytes
        real        1
        data        1, 300 bytes
        array       1
        dictionary  2
        keys        4, 4 bytes
        objects     10, 2 shared, 0 unreferenced
        largest     300 bytes, data: b
        largest     4 bytes, string: a.0

        """)
    let json = try PropertyList(file.run(["stats", "--json", "@"]).output, format: .json)
    #expect(json["counts"] == ["string": 3, "real": 1, "data": 1, "array": 1, "dictionary": 2])
    #expect(json["objects"] == ["count": 10, "shared": 2, "unreferenced": 0] && json["levels"] == 2)
    #expect(json["largest"]?[0] == ["path": "b", "type": "data", "bytes": 300])
    #expect(try file.run(["stats", "@", "/nonexistent"]).status == 1)
  }

  @Test func `unreferenced objects are counted`() throws {
    // true, and an unreferenced string.
    let bytes: [UInt8] =
      Array("bplist00".utf8) + [0x09, 0x51, 0x61] + [8, 9]
      + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 2] + Array(repeating: 0, count: 8)
      + [0, 0, 0, 0, 0, 0, 0, 11]
    let result = try Tool.run(["stats", "--json"], input: Data(bytes))
    #expect(try PropertyList(result.output)["objects"] == ["count": 2, "shared": 0, "unreferenced": 1])
  }
}
