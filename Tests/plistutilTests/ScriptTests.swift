import Foundation
import PropertyLists
import TestSupport
import Testing

/// Behavior that scripts and habits depend on.
@Suite("plistutil in scripts") struct ScriptTests {
  @Test func `a JSON file that is one number, word or string is read by every verb`() throws {
    let roots = [
      ("5", "integer", "5"), ("null", "null", "null"), ("true", "bool", "true"), (" -1.5\n", "real", "-1.5"),
      ("\"a\"", "string", "a"),
    ]
    let folder = TemporaryFolder()
    let files = roots.map { folder.path("\($0.1).json") }
    for (file, root) in zip(files, roots) { try Data(root.0.utf8).write(to: URL(filePath: file)) }
    let types = zip(files, roots).map { "\($0): \($1.1)\n" }
    #expect(try Tool.run(["type", ""] + files).text == types.joined())
    let values = zip(files, roots).map { "\($0): \($1.2)\n" }
    #expect(try Tool.run(["get", ""] + files).text == values.joined())
    #expect(try Tool.run(["lint"] + files).status == 0)
    for (file, (text, kind, _)) in zip(files, roots) {
      #expect(try Tool.run("-i", file, "-f", "json").text.split(separator: "\n").count == 1)
      // Without its name, the kind of the file is unknown.
      #expect(try Tool.run("print", "-", input: Data(text.utf8)).status == (kind == "string" ? 0 : 3))
      guard LongForm.isWanted || kind == "real" || kind == "string" else { continue }
      let made = try SampleFile("{}", name: "made.plist")
      #expect(try Tool.run("set", "a", "--value-file", file, made.path).status == 0 || kind == "null")
      #expect(try Tool.run("print", "--from", "json", "-", input: Data(text.utf8)).status == 0)
    }
    let path = folder.path("new.json")
    #expect(try Tool.run("create", "-f", "json", "--json", "5", path).status == 0)
    #expect(try Tool.run("get", "", path).text == "5\n")
    let broken = try SampleFile("nonsense", name: "b.json")
    #expect(try Tool.run("print", broken.path).errors.hasPrefix("\(broken.path):1:1: error: "))
  }

  @Test(arguments: ["set", "replace"])
  func `an empty path replaces no whole file with a scalar`(_ verb: String) throws {
    let file = try SampleFile("{ a = 1; }")
    for path in ["", "/", ":"] {
      let result = try Tool.run(verb, path, "--string", "5", "--in-place", file.path)
      #expect(result.status == 1 && result.errors.contains("the path is empty"), "\(result.errors)")
    }
    #expect(try file.text == "{ a = 1; }")
    #expect(try Tool.run(verb, "", "--json", #"{"b": "2"}"#, "--in-place", file.path).status == 0)
    #expect(try file.value == ["b": "2"])
  }

  @Test func `a file larger than the system allows is an error, and leaves no other file`() throws {
    let file = try SampleFile("{ a = 1; }")
    let text = String(repeating: "x", count: 4000)
    let script = #"ulimit -f 1; exec "$0" set a --string "$2" --in-place "$1""#
    let result = try Program.run(URL(filePath: "/bin/sh"), ["-c", script, Tool.executable.path, file.path, text])
    #expect(result.status == 1 && result.errors.contains("File too large"), "\(result.errors)")
    #expect(try file.text == "{ a = 1; }")
    let folder = (file.path as NSString).deletingLastPathComponent
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
  }

  @Test func `remove --if-present leaves files without the value as they are`() throws {
    let folder = TemporaryFolder()
    let with = Data("// c\n{ a = 1; b = 2; }\n".utf8)
    let without = Data("{ b = 2; } // d\n".utf8)
    let (first, second) = (folder.path("a.strings"), folder.path("b.strings"))
    try with.write(to: URL(filePath: first))
    try without.write(to: URL(filePath: second))
    #expect(try Tool.run("remove", "a", second).status == 1)
    #expect(try Tool.run("remove", "a", "--if-present", second).output == without)
    let result = try Tool.run("remove", "a", "--if-present", "--in-place", first, second)
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(try Data(contentsOf: URL(filePath: second)) == without)
    #expect(try PropertyList(contentsOf: URL(filePath: first)) == ["b": "2"])
    let binary = folder.path("c.plist")
    try (["b": 1] as PropertyList).write(to: URL(filePath: binary), format: .binary)
    let before = try Data(contentsOf: URL(filePath: binary))
    #expect(try Tool.run("remove", "a", "--if-present", binary).output == before)
  }

  @Test func `an output folder inside the input is not read the next time`() throws {
    let folder = TemporaryFolder()
    try (["a": 1] as PropertyList).write(to: URL(filePath: folder.path("a.plist")), format: .xml)
    for _ in 0..<2 {
      let out = folder.path("out")
      #expect(try Tool.run("convert", "-f", "binary", "-r", folder.path(""), "--outfolder", out).status == 0)
    }
    #expect(Set(folder.names) == ["a.plist", "out"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("out")) == ["a.plist"])
  }

  @Test func `an unknown option is reported before a missing value`() throws {
    let file = try SampleFile("{ a = 1; }")
    #expect(try Tool.run("set", "a", "--int", "5", file.path).errors.contains("Unknown option '--int'"))
    let missing = try Tool.run("set", "a", file.path)
    #expect(missing.status == 64 && missing.errors.contains("A value is missing"))
    #expect(missing.errors.contains("See 'plistutil set --help'"), "\(missing.errors)")
    #expect(try Tool.run("fmt", "--nothing").errors.contains("Usage: plistutil fmt "))
  }

  @Test func `--extension replaces files only with --force, and reports each`() throws {
    let folder = TemporaryFolder()
    let names = ["a", "b", "c"]
    for name in names {
      try (["n": .string(name)] as PropertyList).write(to: URL(filePath: folder.path("\(name).plist")), format: .xml)
    }
    try Data("mine".utf8).write(to: URL(filePath: folder.path("b.json")))
    let call = ["convert", "-f", "json", "-c", "--extension", "json"] + names.map { folder.path("\($0).plist") }
    let refused = try Tool.run(call)
    let path = folder.path("b.json")
    #expect(refused.status == 1)
    #expect(refused.errors == "\(folder.path("b.plist")): error: \(path) exists already; use --force to replace it\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    #expect(try String(contentsOfFile: folder.path("c.json"), encoding: .utf8) == "{\"n\":\"c\"}\n")
    #expect(try Tool.run(call + ["--force"]).status == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "{\"n\":\"b\"}\n")
    #expect(try Tool.run("convert", "--force", folder.path("a.plist")).status == 64)
  }

  @Test("a merge conflict shows both values and the file names, or the merge driver's name")
  func conflicts() throws {
    let folder = TemporaryFolder()
    for (name, version) in [("base", "1"), ("mine", "2"), ("theirs", "3")] {
      try (["a": ["v": .string(version)]] as PropertyList).write(to: URL(filePath: folder.path(name)), format: .xml)
    }
    let (base, mine, theirs) = (folder.path("base"), folder.path("mine"), folder.path("theirs"))
    let two = try Tool.run("merge", mine, theirs)
    #expect(two.status == 1 && two.output.isEmpty)
    #expect(
      two.errors
        == "\(mine): error: conflict with \(theirs): two different values: \"2\" in ours, \"3\" in theirs (in a.v)\n")
    let three = try Tool.run("merge", "--base", base, "--in-place", mine, theirs)
    let message = "changed on both sides: \"2\" in ours, \"3\" in theirs (in a.v)"
    #expect(three.errors == "\(mine): error: conflict with \(theirs): \(message)\n")
    let driver = try Tool.run("merge", "--label", "App/Info.plist", "--base", base, "--in-place", mine, theirs)
    #expect(driver.status == 1 && driver.errors == "App/Info.plist: error: \(message)\n")
    #expect(try PropertyList(contentsOf: URL(filePath: mine)) == ["a": ["v": "2"]])
    let long = PropertyList.string(String(repeating: "x", count: 1000))
    try (["a": ["v": long]] as PropertyList).write(to: URL(filePath: theirs), format: .xml)
    #expect(try Tool.run("merge", mine, theirs).errors.count < mine.count + theirs.count + 300)
  }

  @Test func `-r lists the accepted files, including property lists without an extension`() throws {
    let folder = TemporaryFolder()
    let value: PropertyList = ["a": 1]
    for (name, format) in [("xml", .xml), ("binary", .binary), ("json", .json), ("a.plist", .xml), ("b.txt", .xml)]
      as [(String, PropertyListFormat)]
    {
      try value.write(to: URL(filePath: folder.path(name)), format: format)
    }
    for (name, text) in [
      ("README", "text"), ("page", "<?xml version=\"1.0\"?><html/>"), ("empty", ""), (".hidden", "<plist/>"),
      ("comment", "<?xml version='1.0'?>\n<!-- about --><!DOCTYPE plist><plist><dict/></plist>"),
    ] { try Data(text.utf8).write(to: URL(filePath: folder.path(name))) }
    let found = try Tool.run("lint", "-r", folder.url.path)
    #expect(found.errors == "4 files, no defects\n")
    let names = found.text.split(separator: "\n").map { $0.split(separator: ":")[0].split(separator: "/").last }
    #expect(names == ["a.plist", "binary", "comment", "xml"])
    let help = try Tool.run("lint", "--help").text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(help.contains("files with the extension archive, bplist, "))
    #expect(help.contains("and files without an extension that"))
    // A pattern describes it completely.
    #expect(try Tool.run("lint", "-r", "--name", "x*", folder.url.path).errors == "1 file, no defects\n")
  }

  @Test func `plutil refuses values that the toolchain's tool reinterprets, as documented`() throws {
    let guide = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Documentation/Tool.md")
    let rows = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n").compactMap { line in
      line.wholeMatch(of: /\| `plutil (-replace .*?) F` \|.*\| refused \|/)?.output.1
    }
    #expect(rows.count >= 6)
    for row in rows {
      let file = try SampleFile(["k": "old"], format: .xml)
      let before = try file.text
      let result = try Program.run(
        URL(filePath: "/bin/sh"), ["-c", "\"$0\" plutil \(row) \"$1\"", Tool.executable.path, file.path])
      #expect(result.status == 1 && result.errors.hasPrefix("Invalid "), "\(row): \(result.errors)")
      #expect(try file.text == before)
    }
  }
}
