import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil set, insert, replace, remove and append") struct EditTests {
  /// A line of the sample and its new text; nil for a removed line. Added text comes after `after`.
  struct Edit: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var old: String
    var new: String
    var testDescription: String { arguments.joined(separator: " ") }
  }

  private static let edits = [
    Edit(arguments: ["set", "name", "--string", "<N>"], old: "Notes &amp; more", new: "&lt;N&gt;"),
    Edit(arguments: ["set", "/items/1/tag", "--bool", "yes"], old: "<string>x</string>", new: "<true/>"),
    Edit(arguments: ["replace", "items.0", "--integer", "-0x10"], old: "<integer>1<", new: "<integer>-16<"),
    Edit(arguments: ["replace", #""""#, "--real", "-1.5"], old: "<integer>-7</integer>", new: "<real>-1.5</real>"),
    Edit(
      arguments: ["insert", "items.1", "--data", "AA=="], old: "<integer>1</integer>\n",
      new: "<integer>1</integer>\n    <data>\n    AA==\n    </data>\n"),
    Edit(
      arguments: ["append", "items", "--date", "2001-01-01T00:00:00Z"], old: "<real>2</real>\n",
      new: "<real>2</real>\n    <date>2001-01-01T00:00:00Z</date>\n"),
    Edit(arguments: ["remove", "items.2"], old: "    <real>2</real>\n", new: ""),
    Edit(arguments: ["remove", "when"], old: "  <key>when</key> <date>2020-01-02T03:04:05Z</date>\n", new: ""),
    Edit(
      arguments: ["insert", "items.1.n", "--uid", "3"], old: "<string>x</string>",
      new: "<string>x</string><key>n</key><dict><key>CF$UID</key><integer>3</integer></dict>"),
  ]

  @Test(arguments: edits) func `an edit changes only its part of the text`(_ edit: Edit) throws {
    let file = try SampleFile(sampleText)
    let printed = try file.run(edit.arguments + ["@"])
    #expect(printed.text == sampleText.replacing(edit.old, with: edit.new) && printed.status == 0)
    #expect(try file.text == sampleText && printed.text != sampleText)
  }

  @Test(arguments: LongForm.cases(edits, covering: { Array($0.arguments.prefix(1)) }))
  func `an edit in place changes only its part of the text`(_ edit: Edit) throws {
    let file = try SampleFile(sampleText)
    let replaced = try file.run(edit.arguments + ["@", "--in-place"])
    #expect(replaced.output.isEmpty && replaced.errors.isEmpty && replaced.status == 0)
    #expect(try file.text == sampleText.replacing(edit.old, with: edit.new))
  }

  @Test(
    arguments: [
      (["--string", "-x"], "-x"), (["--integer", "18446744073709551615"], 18_446_744_073_709_551_615),
      (["--real", "nan"], .real(.nan)), (["--real", "-1e3"], -1000.0), (["--bool", "NO"], false),
      (["--bool", "1"], true),
      (["--date", "2001-01-01T00:00:01.5Z"], .date(Date(timeIntervalSinceReferenceDate: 1.5))),
      (["--date", "2001-01-01 01:00:00 +0100"], .date(Date(timeIntervalSinceReferenceDate: 0))),
      (["--data", ""], .data(Data())), (["--uid", "4294967295"], .uid(.init(.max))), (["--null"], .null),
      (["--array"], []), (["--dictionary"], [:]), (["--xml", "<plist><array><true/></array></plist>"], [true]),
      (["--json", #"{"a":[1,null]}"#], ["a": [1, .null]]), (["--json", "-5"], -5),
      (["--openstep", "(a, <0102>)"], ["a", .data(Data([1, 2]))]),
      (["--data-file", "@"], .data(Data("bplist".utf8))),
    ] as [([String], PropertyList)])
  func `every type of value can be set`(_ arguments: [String], _ expected: PropertyList) throws {
    let file = try SampleFile(["k": 0], format: .binary)
    let dataFile = file.folder.path("data")
    try Data("bplist".utf8).write(to: URL(filePath: dataFile))
    let result = try Tool.run(
      ["set", "k"] + arguments.map { $0 == "@" ? dataFile : $0 } + ["--in-place", file.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(try file.value == ["k": expected])
  }

  private static let invalidValues = [
    [], ["--integer", "12abc"], ["--integer", "18446744073709551616"], ["--bool", "maybe"], ["--data", "@@@@"],
    ["--date", "yesterday"], ["--date", "2020-02-30T00:00:00Z"], ["--real", "1e999"], ["--real", "1.0x"],
    ["--uid", "-1"], ["--uid", "4294967296"], ["--json", "{"], ["--xml", "<dict>"], ["--openstep", "{"],
    ["--string", "a", "--null"], ["--integer", "1", "--integer", "2"],
  ]

  @Test(arguments: LongForm.cases(invalidValues, covering: { ["\($0.first ?? ""), \($0.count)"] }))
  func `an invalid value is a usage error, and nothing is written`(_ arguments: [String]) throws {
    let file = try SampleFile(sampleText)
    for verb in arguments == ["--json", "{"] ? ["set", "insert", "replace", "append"] : ["set"] {
      let result = try file.run([verb, "name"] + arguments + ["--in-place", "@"])
      #expect(result.status == 64 && result.errors.contains("Usage: plistutil \(verb)"))
    }
    #expect(try file.text == sampleText)
  }

  @Test(arguments: [
    (["insert", "name", "--null"], #"the key "name" exists already"#),
    (["insert", "items.4", "--null"], #"cannot insert at "4" in an array of 3 (in items)"#),
    (["replace", "x", "--null"], #"no key "x""#),
    (["remove", "items.x"], #""x" is not an index of an array of 3 (in items)"#),
    (["append", "name", "--null"], "cannot append to a value of kind string (in name)"),
    (["set", "items.9.x", "--null"], #"cannot insert at "9" in an array of 3 (in items)"#),
    (["set", "name.x", "--null"], #"no "x" in a value of kind string (in name)"#),
    (["remove", ""], "the root cannot be removed, because it is not in a container"),
  ])
  func `an edit that cannot be applied is reported, and nothing is written`(_ arguments: [String], _ message: String)
    throws
  {
    let file = try SampleFile(sampleText)
    let result = try file.run(arguments + ["--in-place", "@"])
    #expect(result.status == 1 && result.errors == "\(file.path): error: \(message)\n")
    #expect(try file.text == sampleText)
  }

  @Test(arguments: [.json, .openStep, .xml] as [PropertyListFormat])
  func `a value that the format cannot hold exits with 2, unless it is coerced`(_ format: PropertyListFormat) throws {
    let file = try SampleFile(["k": "v"], format: format)
    let before = try file.text
    let arguments = ["set", "n", "--json", #"[{"a": null}]"#, "--in-place", "@"]
    let result = try file.run(arguments)
    guard format != .json else { return #expect(result.status == 0) }
    #expect(result.status == 2 && result.errors.contains("n.0.a"))
    #expect(try file.text == before)
    guard format == .openStep else { return }
    #expect(try file.run(arguments + ["--coerce"]).status == 0)
    #expect(try file.value == ["k": "v", "n": [["a": .null]]])
  }

  @Test(arguments: PropertyListFormat.allCases)
  func `the format and the order of keys are kept`(_ format: PropertyListFormat) throws {
    let file = try SampleFile(["z": "1", "a": ["x": "y"]], format: format)
    #expect(try file.run(["set", "a.new.deep", "--string", "ü", "--in-place", "@"]).status == 0)
    let data = try Data(contentsOf: URL(filePath: file.path))
    #expect(try PropertyListDocument(data).format == format)
    #expect(try PropertyList(data) == ["z": "1", "a": ["x": "y", "new": ["deep": "ü"]]])
  }

  @Test func `many files and folders are edited in place`() throws {
    let folder = TemporaryFolder()
    for index in 0..<20 {
      let value: PropertyList = index == 7 ? [1] : ["n": .integer(.init(index))]
      try value.write(to: URL(filePath: folder.path("\(index).plist")), format: .xml)
    }
    let result = try Tool.run("set", "v", "--string", "2", "--in-place", "-r", folder.url.path)
    #expect(result.status == 1)
    #expect(result.errors == "\(folder.path("7.plist")): error: cannot insert at \"v\" in an array of 1\n")
    for index in 0..<20 where index != 7 {
      #expect(try PropertyList(contentsOf: URL(filePath: folder.path("\(index).plist")))["v"] == "2")
    }
    #expect(folder.names.count == 20)
  }
}

@Suite("plistutil create and merge") struct CreateTests {
  @Test(arguments: ["xml", "binary", "json", "openstep", "strings"])
  func `create writes an empty dictionary in each format`(_ format: String) throws {
    let result = try Tool.run("create", "-f", format, "-")
    #expect(result.status == 0)
    let name: PropertyListFormat = format == "openstep" || format == "strings" ? .openStep : .init(rawValue: format)!
    #expect(try PropertyList(result.output, format: name) == [:])
  }

  @Test func `existing files are kept unless they are to be replaced`() throws {
    let file = try SampleFile(sampleText)
    let other = file.folder.path("new.plist")
    let result = try file.run(["create", "--json", #"{"a": [1]}"#, "@", other])
    #expect(result.status == 1)
    #expect(result.errors == "\(file.path): error: the file exists already; use --force to replace it\n")
    #expect(try file.text == sampleText)
    #expect(try PropertyList(contentsOf: URL(filePath: other)) == ["a": [1]])
    #expect(try file.run(["create", "--force", "--array", "-f", "binary", "@"]).status == 0)
    #expect(try file.value == [])
    let date = try Tool.run("create", "-f", "json", "--date", "2001-01-01T00:00:00Z", "-")
    #expect(date.status == 2 && date.errors.hasPrefix("plistutil: error: JSON has no dates; --coerce writes it"))
    #expect(try Tool.run("create").status == 64)
  }

  @Test func `merge follows the rules and keeps the layout`() throws {
    let file = try SampleFile(sampleText)
    let other = file.folder.path("other.json")
    try Data(#"{"name": "Other", "items": [1, 5], "new": {"k": 1}}"#.utf8).write(to: URL(filePath: other))
    let ours = try file.run(["merge", "--conflicts", "ours", "@", other])
    #expect(try PropertyList(ours.output)["new"] == ["k": 1])
    #expect(ours.text.contains("<!-- A comment. -->") && ours.text.contains("Notes &amp; more"))
    let theirs = try file.run(["merge", "--conflicts", "theirs", "--arrays", "union", "@", other])
    let merged = try PropertyList(theirs.output)
    #expect(merged["name"] == "Other" && merged["items"] == [1, ["tag": "x"], 2.0, 5])
    let fail = try file.run(["merge", "@", other, "--in-place"])
    #expect(fail.status == 1 && fail.text.isEmpty)
    let message = "two different values: \"Notes & more\" in ours, \"Other\" in theirs (in name)"
    #expect(fail.errors == "\(file.path): error: conflict with \(other): \(message)\n")
    #expect(try file.text == sampleText)
    let below = try file.run(["merge", "--at", "items.1", "@", other, "--in-place"])
    #expect(below.status == 0)
    #expect(try file.value["items"]?[1] == ["tag": "x", "name": "Other", "items": [1, 5], "new": ["k": 1]])
    #expect(try file.run(["merge", "--at", "fresh.part", "@", other, "--in-place"]).status == 0)
    #expect(try file.value["fresh"]?["part"]?["name"] == "Other")
    #expect(try file.run(["merge", "--at", "name.x", "@", other]).status == 1)
    #expect(try file.run(["merge", "@"]).status == 64)
    #expect(try file.run(["merge", "@", "/nonexistent"]).status == 1)
  }

  @Test func `with the common base, changes of both sides are merged`() throws {
    let file = try SampleFile(sampleText.replacing("Notes &amp; more", with: "Mine"))
    let (base, theirs) = (file.folder.path("base.plist"), file.folder.path("theirs.plist"))
    try Data(sampleText.utf8).write(to: URL(filePath: base))
    try Data(sampleText.replacing("<data>AAEC</data>", with: "<true/>").utf8).write(to: URL(filePath: theirs))
    let result = try file.run(["merge", "--base", base, "@", theirs])
    #expect(
      result.text
        == sampleText.replacing("Notes &amp; more", with: "Mine").replacing("<data>AAEC</data>", with: "<true/>"))
    try Data(sampleText.replacing("Notes &amp; more", with: "Theirs").utf8).write(to: URL(filePath: theirs))
    let conflict = try file.run(["merge", "--base", base, "--in-place", "@", theirs])
    #expect(conflict.status == 1 && conflict.errors.hasSuffix("(in name)\n"))
    #expect(try file.run(["merge", "--base", base, "--conflicts", "theirs", "@", theirs]).text.contains("Theirs"))
    #expect(try file.run(["merge", "--base", base, "--at", "x", "@", theirs]).status == 64)
  }
}
