import Foundation
import PropertyLists
import TestSupport
import Testing

/// Defects of other tools with these arguments, and features for scripts that they do not have.
@Suite("Defects of other plutils that this one does not have") struct PlutilDefectTests {
  typealias Files = PlutilFiles

  private func run(
    _ arguments: String..., files: [String: String] = [:], input: String = ""
  ) throws -> AppleTool.Outcome {
    try AppleTool.ours.run(arguments, files: files, input: input)
  }

  /// Runs the tool on a file with a value, and reads its standard output.
  private func printed(_ arguments: String..., value: PropertyList) throws -> Program {
    try Program.run(Tool.executable, ["plutil"] + arguments, input: value.data(format: .binary))
  }

  @Test func `under the name plutil, the tool has Apple's arguments`() throws {
    let folder = TemporaryFolder()
    let link = URL(filePath: folder.path("plutil"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: Tool.executable)
    let result = try Program.run(link, ["-p", Fixtures.url("xml/integers.plist").path])
    #expect(result.status == 0 && result.text.contains("0 => 0\n"))
  }

  @Test(arguments: ["-help", "--help", "-h"]) func `help is printed, with examples`(_ option: String) throws {
    let outcome = try run(option)
    #expect(outcome.status == 0 && outcome.errors.isEmpty && outcome.output.contains("plutil -replace CFBundleVersion"))
    for word in ["-lint", "-convert", "-insert", "-remove", "-extract", "-type", "-create", "-p", "-coerce", "--"] {
      #expect(outcome.output.contains(" \(word)"))
    }
  }

  @Test func `-replace of an element replaces it`() throws {
    let outcome = try run("-replace", "a.1", "-integer", "9", "-o", "-", "x", files: ["x": #"{"a":[1,2,3]}"#])
    #expect(outcome.output == #"{"a":[1,9,3]}"# && outcome.status == 0)
  }

  @Test func `everything after -- is a file`() throws {
    let files = ["-x.plist": Files.array, "-s": Files.array]
    #expect(try run("-lint", "--", "-x.plist", "-s", files: files).output == "-x.plist: OK\n-s: OK\n")
    #expect(try run("-convert", "json", "-o", "-", "--", "-x.plist", files: files).output == "[1,2,3]")
    #expect(try run("-p", "--", files: files).errors == "No files specified.\n")
  }

  @Test func `options can come before the verb`() throws {
    #expect(try run("-o", "-", "-convert", "json", "x", files: ["x": Files.array]).output == "[1,2,3]")
    #expect(try run("-s", "-lint", "x", files: ["x": Files.array]).output.isEmpty)
  }

  @Test func `UIDs are values like any other`() throws {
    let archive: PropertyList = ["$top": ["root": .uid(.init(1))], "list": [.uid(.init(70000))]]
    let xml = try printed("-convert", "xml1", "-", value: archive)
    #expect(try xml.status == 0 && PropertyList(xml.output) == archive)
    #expect(try printed("-extract", "$top.root", "raw", "-", value: archive).text == "1\n")
    #expect(try printed("-type", "list.0", "-expect", "uid", "-", value: archive).text == "uid\n")
    #expect(try printed("-p", "-", value: archive).text.contains("0 => <CFKeyedArchiverUID>{value = 70000}\n"))
    let edited = try printed("-replace", "x", "-bool", "YES", "-", value: archive)
    #expect(try PropertyList(edited.output)["list"] == archive["list"])
    let json = try printed("-convert", "json", "-", value: archive)
    #expect(json.status == 1 && json.errors.hasSuffix("JSON format: JSON has no UIDs (in $top.root)\n"))
  }

  @Test func `JSON null is a value, and only XML refuses it`() throws {
    let files = ["x": "[null,1]"]
    #expect(try run("-p", "x", files: files).output == "[\n  0 => <null>\n  1 => 1\n]\n")
    #expect(try run("-insert", "2", "-json", "null", "x", files: files).files == ["x": "[null,1,null]"])
    let xml = try run("-convert", "xml1", "x", files: files)
    #expect(
      xml.status == 1 && xml.files.isEmpty
        && xml.errors == "x: Invalid object in plist for property list format: XML has no null (in 0)\n")
    #expect(try run("-type", "0", "x", files: files).output == "null\n")
  }

  @Test func `every byte of data has two digits, and long data is shortened`() throws {
    #expect(try printed("-p", "-", value: .data(Data([0, 1, 2, 0xA0]))).text == "{length = 4, bytes = 0x000102a0}\n")
    #expect(try printed("-p", "-", value: .data(Data())).text == "{length = 0, bytes = 0x}\n")
    let long = try printed("-p", "-", value: .data(Data(0..<32))).text
    #expect(long == "{length = 32, bytes = 0x00010203 04050607 08090a0b 0c0d0e0f ... 18191a1b 1c1d1e1f }\n")
    let complete = try printed("-p", "-", value: .data(Data(0..<24))).text
    #expect(complete == "{length = 24, bytes = 0x000102030405060708090a0b0c0d0e0f1011121314151617}\n")
  }

  @Test(arguments: [
    (["-date", "yesterday"], "date"), (["-date", "2020-02-30T00:00:00Z"], "date"),
    (["-integer", "12abc"], "integer"),
    (["-integer", "99999999999999999999"], "integer"), (["-integer", ""], "integer"),
    (["-integer", "1.5"], "integer"),
    (["-float", "1.5x"], "float"), (["-float", "1e999"], "float"), (["-data", "@@@@"], "base64"),
    (["-data", "AAE"], "base64"),
    (["-bool", "on"], "boolean"), (["-bool", ""], "boolean"), (["-json", "[1,]"], "Unable to parse JSON"),
    (["-json", "{\"a\":1,\"a\":2}"], "Unable to parse JSON"),
    (["-xml", "<plist><true></plist>"], "Unable to parse xml"),
    (["-xml", "(a)"], "Unable to parse xml"),
  ])
  func `an invalid value is an error, and the file is not changed`(_ value: [String], _ word: String) throws {
    for verb in LongForm.isWanted || value[0] == "-json" ? ["-insert", "-replace"] : ["-insert"] {
      let outcome = try AppleTool.ours.run([verb, "k"] + value + ["x"], files: ["x": Files.dictionary()])
      #expect(outcome.status == 1 && outcome.output.isEmpty && outcome.files.isEmpty)
      #expect(outcome.errors.contains(word) && outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }
  }

  @Test(
    arguments: [
      (["-integer", "18446744073709551615"], 18_446_744_073_709_551_615),
      (["-integer", "-9223372036854775808"], .integer(.init(Int64.min))),
      (["-float", "0.1"], 0.1), (["-float", "-0.0"], -0.0), (["-bool", "yes"], true), (["-bool", "0"], false),
      (["-bool", "No"], false),
      (["-json", "1.0"], 1.0), (["-json", "{\"b\":1,\"a\":null}"], ["b": 1, "a": .null]), (["-string", ""], ""),
      (["-data", ""], .data(Data())),
      (["-date", "2001-01-01T00:00:00.5Z"], .date(Date(timeIntervalSinceReferenceDate: 0.5))),
    ] as [([String], PropertyList)])
  func `values that Apple's tool would truncate are kept`(_ value: [String], _ expected: PropertyList) throws {
    let result = try Program.run(
      Tool.executable, ["plutil", "-insert", "k"] + value + ["-"],
      input: (["a": 1] as PropertyList).data(format: .binary))
    #expect(try PropertyList(result.output) == ["a": 1, "k": expected])
  }

  @Test func `-append reports what is missing, and does not crash`() throws {
    let files = ["x": "[[1],2]", "d": #"{"a":1}"#]
    #expect(try run("-insert", "0", "-integer", "5", "-append", "x", files: files).files == ["x": "[[1,5],2]"])
    #expect(
      try run("-insert", "7", "-integer", "5", "-append", "x", files: files).errors
        == "x: Index 7 out of bounds in array at key path 7\n")
    #expect(
      try run("-insert", "2", "-integer", "5", "-append", "x", files: files).errors
        == "x: Index 2 out of bounds in array at key path 2\n")
    #expect(
      try run("-insert", "b", "-integer", "5", "-append", "d", files: files).errors == "d: Key path not found b\n")
    #expect(
      try run("-replace", "0", "-integer", "5", "-append", "x", files: files).errors
        == "-append is not used with -replace.\n")
  }

  @Test(arguments: [
    "word", "bplist00garbage", "\"a\" \"b\"", "{a = 1}", "(a, b", "<plist><data>@@</data></plist>",
    "<plist><date>2020-02-30T00:00:00Z</date></plist>",
  ])
  func `a file that is not a property list fails -lint`(_ text: String) throws {
    let outcome = try run("-lint", "x", files: ["x": text])
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("x: (") && outcome.errors.hasSuffix(")\n"), "\(outcome.errors)")
  }

  @Test func `values that JSON cannot hold are written and read back with -coerce`() throws {
    let value: PropertyList = [
      "d": .date(Date(timeIntervalSinceReferenceDate: 0.25)), "b": .data(Data([1])), "u": .uid(.init(2)),
      "f": .float(1),
    ]
    let json = try printed("-convert", "json", "-coerce", "-o", "-", "-", value: value)
    #expect(json.text.hasPrefix(#"{"d":{"$date":"2001-01-01T00:00:00.25Z"},"#))
    let back = try Program.run(Tool.executable, ["plutil", "-convert", "binary1", "-coerce", "-"], input: json.output)
    #expect(try PropertyList(back.output) == value)
    let readable = try printed("-convert", "json", "-r", "-coerce", "-o", "-", "-", value: value)
    let same = try Program.run(
      Tool.executable, ["plutil", "-convert", "binary1", "-coerce", "-"], input: readable.output)
    #expect(
      try Set(PropertyList(same.output).dictionary?.map(\.value) ?? []) == Set(value.dictionary?.map(\.value) ?? []))
  }

  @Test func `OpenStep is written, and edited with its comments`() throws {
    let strings = "/* The title */\n\"title\" = \"Notes\";\n\n// The end\n\"end\" = \"Fin\";\n"
    let edited = try run("-replace", "title", "-string", "Größe", "x", files: ["x": strings])
    #expect(edited.files == ["x": strings.replacingOccurrences(of: "Notes", with: "Größe")] && edited.status == 0)
    for format in ["openstep", "openstep1"] {
      let outcome = try run(
        "-convert", format, "-o", "-", "x", files: ["x": Files.dictionary("<key>a</key>", "<string>b c</string>")])
      #expect(outcome.output == "{\n    a = \"b c\";\n}\n")
    }
    let numbers = ["x": "[1]"]
    #expect(
      try run("-convert", "openstep", "x", files: numbers).errors
        == "x: Invalid object in plist for OpenStep format: OpenStep has no integers (in 0)\n")
    #expect(try run("-convert", "gnustep", "-o", "-", "x", files: numbers).output == "(\n    <*I1>\n)\n")
    #expect(try run("-convert", "strings", "-o", "-", "x", files: ["x": #"{"a":"b"}"#]).output == "\"a\" = \"b\";\n")
  }

  @Test func `keys keep their order in every format`() throws {
    let files = ["x": #"{"z":1,"a":{"y":2,"b":3},"m":4}"#]
    #expect(try run("-convert", "json", "-o", "-", "x", files: files).output == files["x"])
    let xml = try run("-convert", "xml1", "-o", "-", "x", files: files).output
    #expect(try PropertyList(Data(xml.utf8)).dictionary?.keys.elements == ["z", "a", "m"])
    #expect(
      try run("-replace", "a.b", "-integer", "5", "-o", "-", "x", files: files).output
        == #"{"z":1,"a":{"y":2,"b":5},"m":4}"#)
    let readable = try run("-convert", "json", "-r", "-o", "-", "x", files: files).output
    #expect(try PropertyList(Data(readable.utf8)).dictionary?.keys.elements == ["a", "m", "z"])
  }

  @Test func `edits keep comments and layout`() throws {
    let json = "{\n    \"b\": [1, 2],\n    \"a\": 1.50\n}\n"
    let outcome = try run("-replace", "b.1", "-integer", "7", "x", files: ["x": json])
    #expect(outcome.files == ["x": json.replacingOccurrences(of: "2]", with: "7]")])
    let xml =
      "<?xml version=\"1.0\"?>\n<plist>\n  <!-- one -->\n  <dict>\n    <key>a</key> <!-- two -->\n    <true/>\n  </dict>\n</plist>"
    let added = try run("-insert", "k", "-string", "v", "x", files: ["x": xml])
    #expect(added.files["x"]?.contains("<!-- one -->") == true && added.files["x"]?.contains("<!-- two -->") == true)
    #expect(added.files["x"]?.contains("    <key>k</key>\n    <string>v</string>\n") == true)
  }

  @Test func `reals stay reals, and raw reals lose no digits`() throws {
    #expect(try run("-convert", "json", "-o", "-", "x", files: ["x": "[1.0,1e300,-0.0]"]).output == "[1.0,1e+300,-0.0]")
    let reals: [(Double, String)] = [
      (1e-10, "1e-10"), (0.1, "0.100000"), (-2.5, "-2.500000"), (1.0 / 3, "0.3333333333333333"), (1e300, "1e+300"),
      (0, "0.000000"),
      (-0.0, "-0.000000"), (123_456_789.25, "123456789.250000"), (.nan, "nan"), (-.infinity, "-inf"),
      (1e14, "100000000000000.000000"),
      (.leastNonzeroMagnitude, "5e-324"), (0.000001, "0.000001"), (0.9999995, "0.9999995"),
    ]
    for (value, text) in LongForm.cases(reals, every: 2) {
      #expect(try printed("-extract", "k", "raw", "-", value: ["k": .real(value)]).text == text + "\n")
    }
  }

  @Test func `generated source code compiles with any string`() throws {
    let text = "quote \" backslash \\ line\n tab\t bell\u{7} \\(x) \u{2028}end"
    let swift = try run("-convert", "swift", "-o", "-", "1 a-b.json", files: ["1 a-b.json": #"["x"]"#]).output
    #expect(swift == "/// Generated from 1 a-b.json\nlet _1_a_b = [\n    \"x\",\n]\n")
    let escaped = try printed("-convert", "swift", "-o", "-", "-", value: [.string(text)]).text
    #expect(escaped.contains(#""quote \" backslash \\ line\n tab\t bell\u{7} \\(x) \u{2028}end""#))
    let c = try printed("-convert", "objc", "-o", "-", "-", value: [.string(text)]).text
    #expect(c.contains(#"@"quote \" backslash \\ line\n tab\t bell\007 \\(x) "#))
    #expect(
      try printed("-convert", "objc", "-o", "-", "-", value: [.integer(.init(UInt64.max))]).text.contains(
        "@18446744073709551615ULL"))
    let refused = try printed("-convert", "swift", "-o", "-", "-", value: [.uid(.init(1))])
    #expect(refused.errors == "<stdin>: Input contains an object that cannot be represented in Swift literal syntax\n")
  }

  static let compiler = (ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []).map {
    URL(filePath: "\($0)/swiftc")
  }.first { FileManager.default.isExecutableFile(atPath: $0.path) }

  @Test(.enabled(if: compiler != nil)) func `Swift accepts the generated source code`() throws {
    let value: PropertyList = [
      "text": "\"\\\n\u{7}", "flag": true, "small": .integer(.init(Int64.min)), "large": .integer(.init(UInt64.max)),
      "tiny": 1e-10,
      "nan": .real(.nan), "infinite": .real(-.infinity), "date": .date(Date(timeIntervalSinceReferenceDate: 0.5)),
      "data": .data(Data([1, 255])), "same": [1, 2], "mixed": [1, "a", [], [:]], "lists": [[1], ["a"]], "empty": [:],
      "none": [],
      "dictionary": ["a": 1, "b": "c"],
    ]
    let folder = TemporaryFolder()
    let source = try printed("-convert", "swift", "-o", "-", "-", value: value)
    let file = URL(filePath: folder.path("main.swift"))
    try (Data("import Foundation\n".utf8) + source.output).write(to: file)
    let result = try Program.run(
      #require(Self.compiler),
      ["-typecheck", "-warnings-as-errors", "-module-cache-path", folder.path("cache"), file.path])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func `source code does not overwrite a file without an extension`() throws {
    let outcome = try run("-convert", "swift", "list", files: ["list": Files.array])
    #expect(outcome.files.keys.sorted() == ["list.swift"])
    #expect(
      try run("-convert", "json", "-e", "json", "list", files: ["list": Files.array]).files == ["list.json": "[1,2,3]"])
    #expect(
      try run("-convert", "objc", "-header", "list", files: ["list": Files.array]).files.keys.sorted() == [
        "list.h", "list.m",
      ])
  }

  @Test func `a failing file is left unchanged, and the others are processed`() throws {
    let files = ["a": #"{"k":[1,2]}"#, "b": #"{"k":2}"#, "c": "{", "d": #"{"k":[]}"#]
    let outcome = try run("-insert", "k", "-integer", "5", "-append", "a", "b", "c", "d", "none", files: files)
    #expect(outcome.status == 1 && outcome.files == ["a": #"{"k":[1,2,5]}"#, "d": #"{"k":[5]}"#])
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 3 && lines[0] == "b: Appending to a non-array at key path k")
    #expect(
      lines[1].hasPrefix("c: Property List error: ") && lines[2].hasPrefix("none: (The file “none” couldn’t be opened"))
    let unwritable = try run("-convert", "json", "-o", "none/x", "a", files: files)
    #expect(unwritable.status == 1 && unwritable.files.isEmpty && unwritable.errors.hasPrefix("a: ("))
  }

  @Test func `text with control characters is escaped on a terminal`() throws {
    let value: PropertyList = ["\u{1B}]0;k\u{7}": "a\u{1B}[31m\u{9B}b\tc\nd"]
    let text = try printed("-p", "-", value: value).text
    #expect(text == "{\n  \"\\u{1b}]0;k\\u{7}\" => \"a\\u{1b}[31m\\u{9b}b\tc\nd\"\n}\n")
    let error = try run("-extract", "\u{1B}[31m", "raw", "x", files: ["x": Files.array])
    #expect(!error.errors.contains("\u{1B}"))
  }

  @Test func `fractions of seconds are dropped in XML as by Apple, with a warning`() throws {
    let value: PropertyList = [.date(Date(timeIntervalSinceReferenceDate: 0.5))]
    let converted = try printed("-convert", "xml1", "-", value: value)
    #expect(converted.status == 0 && converted.errors == "<stdin>: warning: dates are cut to whole seconds\n")
    #expect(converted.text.contains("<date>2001-01-01T00:00:00Z</date>"))
    #expect(try printed("-convert", "xml1", "-s", "-", value: value).errors.isEmpty)
    #expect(try printed("-extract", "0", "raw", "-", value: value).text == "2001-01-01T00:00:00.5Z\n")
    #expect(try printed("-p", "-", value: value).text == "[\n  0 => 2001-01-01 00:00:00.5 +0000\n]\n")
  }

  @Test func `a backslash in a key path is literal, except before a dot`() throws {
    let files = ["x": #"{"a.b":1,"a\\c":2,"\"q\"":3,"a/b":4,"7":5}"#]
    for (path, value) in [(#"a\.b"#, "1"), (#"a\c"#, "2"), (#""q""#, "3"), ("a/b", "4"), ("7", "5")] {
      #expect(try run("-extract", path, "raw", "x", files: files).output == value + "\n")
    }
  }

  @Test func `depth needs no stack, and keys are in natural order`() throws {
    var deep: PropertyList = "x"
    for level in 0..<512 { deep = level % 2 == 0 ? [deep] : ["k": deep] }
    for arguments in [
      ["-p"], ["-convert", "json", "-r", "-o", "-"], ["-convert", "swift", "-o", "-"], ["-convert", "objc", "-o", "-"],
    ] {
      let result = try Program.run(Tool.executable, ["plutil"] + arguments + ["-"], input: deep.data(format: .binary))
      #expect(result.status == 0 && result.text.contains("\"x\""))
    }
    let keys = ["Item10", "item2", "Item1", "b", "B", "a", "_", "$", "1", "01", "10", "ä", ""]
    let value = PropertyList.dictionary(.init(uniqueKeysWithValues: keys.map { ($0, 1) }))
    let sorted = try printed("-extract", "x", "raw", "-", value: ["x": value]).text
    #expect(
      sorted == ["", "_", "$", "1", "01", "10", "a", "b", "B", "Item1", "item2", "Item10", "ä"].joined(separator: "\n")
        + "\n")
  }
}
