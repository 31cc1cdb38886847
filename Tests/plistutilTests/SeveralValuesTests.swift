import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil get with several values, defaults, and indices from the end") struct SeveralValuesTests {
  @Test func `each --key prints a line in order, and all arguments are files`() throws {
    let file = try SampleFile(sampleText)
    let result = try file.run(["get", "-k", "items.0", "@", "--key", "name", "-k", "items.1"])
    #expect(result.text == "1\nNotes & more\n{\n  \"tag\": \"x\"\n}\n" && result.status == 0 && result.errors.isEmpty)
    #expect(try file.run(["get", "--key=name"], input: Data(sampleText.utf8)).text == "Notes & more\n")
    let two = try file.run(["get", "-k", "items.0", "-k", "items.2", "@", "@"])
    #expect(two.text == ["1", "2.0", "1", "2.0"].map { "\(file.path): \($0)\n" }.joined())
    let json = try file.run(["get", "--json", "-k", "items.0", "-k", "/name", "@"])
    #expect(json.text == #"{"file":"\#(file.path)","values":{"items.0":1,"/name":"Notes & more"}}"# + "\n")
    // Keys that look like options are paths.
    let dashes = try SampleFile(["--key": 1, "-k": 2], format: .xml)
    #expect(try dashes.run(["get", "-k", "--key", "-k", "-k", "@"]).text == "1\n2\n")
  }

  @Test func `if a value is missing and has no --default, nothing of the file is printed`() throws {
    let file = try SampleFile(sampleText)
    let missing = try file.run(["get", "-k", "name", "-k", "nothing", "@"])
    #expect(missing.text.isEmpty && missing.status == 1)
    #expect(missing.errors == "\(file.path): error: no key \"nothing\"\n")
    let filled = try file.run(["get", "-k", "name", "-k", "nothing", "-k", "items.9", "--default", "-", "@"])
    #expect(filled.text == "Notes & more\n-\n-\n" && filled.status == 0 && filled.errors.isEmpty)
  }

  @Test(
    "--default is printed bare in place of a missing value only",
    arguments: [
      (["nothing", "--default", "42", "@"], "42\n"),
      (["nothing", "--default", "", "@"], "\n"), (["nothing", "--default", "-1", "@"], "-1\n"),
      (["name.below", "--default", "x", "@"], "x\n"), (["items.-9", "--default", "x", "@"], "x\n"),
      (["name", "--default", "x", "@"], "Notes & more\n"), (["-n", "nothing", "--default", "x", "@"], "x"),
    ])
  func defaults(_ arguments: [String], _ expected: String) throws {
    let result = try SampleFile(sampleText).run(["get"] + arguments)
    #expect(result.text == expected && result.status == 0 && result.errors.isEmpty)
  }

  @Test func `--default does not hide an unreadable file, or a value of another kind`() throws {
    #expect(try SampleFile("{ a = ").run(["get", "a", "--default", "x", "@"]).status == 3)
    #expect(try Tool.run("get", "a", "--default", "x", "/nonexistent").status == 1)
    let file = try SampleFile(sampleText)
    #expect(try file.run(["get", "name", "--expect", "integer", "--default", "0", "@"]).status == 1)
    #expect(try file.run(["get", "nothing", "--expect", "integer", "--default", "0", "@"]).text == "0\n")
    let json = try file.run(["get", "nothing", "--json", "--default", "x", "@"])
    #expect(json.text == #"{"file":"\#(file.path)","value":"x"}"# + "\n")
  }

  @Test func `--raw0 ends each value with a NUL, for shells`() throws {
    let file = try SampleFile(["a": "one\ntwo\n", "b": "", "c": [1]], format: .xml)
    let result = try file.run(["get", "--raw0", "-k", "a", "-k", "b", "-k", "c", "@"])
    #expect(result.text == "one\ntwo\n\0\0[\n  1\n]\0" && result.status == 0)
    // Without names, also for several files.
    #expect(try file.run(["get", "--raw0", "b", "@", "@"]).text == "\0\0")
    let script =
      #"'\#(Tool.executable.path)' get --raw0 -k a -k b "$1" | while IFS= read -r -d '' v; do echo "[$v]"; done"#
    let read = try Program.run(URL(filePath: "/bin/bash"), ["-c", script, "bash", file.path])
    #expect(read.text == "[one\ntwo\n]\n[]\n")
    let zero = try SampleFile(["a": "x\0y"], format: .binary)
    let refused = try zero.run(["get", "--raw0", "a", "@"])
    #expect(refused.status == 2 && refused.text.isEmpty && refused.errors.contains("the string contains a NUL"))
  }

  @Test(arguments: [
    ["get"], ["get", "-k", "a", "-k", "b", "-f", "json", "@"], ["get", "a", "--default", "x", "-f", "json", "@"],
    ["get", "--raw0", "-n", "a", "@"], ["get", "--raw0", "--json", "a", "@"],
    ["get", "-n", "-k", "a", "-k", "b", "@"],
    ["get", "-k", "a..b", "@"], ["get", "-k", "a", "-", "-"],
  ])
  func `contradictory options are usage errors`(_ arguments: [String]) throws {
    #expect(try SampleFile(sampleText).run(arguments).status == 64)
  }

  @Test func `a negative index counts from the end of an array; in a dictionary it is a key`() throws {
    let text = #"{"a": [1, 2, {"b": 3}], "-1": "key", "-2": [5]}"#
    let file = try SampleFile(text)
    #expect(try file.run(["get", "a.-2", "@"]).text == "2\n")
    let keys = ["-k", "a.-1.b", "-k", "/a/-3", "-k", "-1", "-k", "-2.-1"]
    #expect(try file.run(["get"] + keys + ["@"]).text == "3\n1\nkey\n5\n")
    #expect(try file.run(["type", "a.-1", "@"]).text == "dictionary\n")
    #expect(try file.run(["keys", "a.-1", "@"]).text == "b\n")
    for path in ["a.-4", "a.-0", "a.--1", "a.-", "a.-99999999999999999999"] {
      let result = try file.run(["get", path, "@"])
      #expect(result.status == 1 && result.errors.contains("is not an index of an array of 3 (in a)"), "\(path)")
    }
    func edited(_ arguments: String...) throws -> String {
      let result = try file.run(arguments)
      #expect(result.status == 0, "\(result.errors)")
      let json = try PropertyList(result.output).data(format: .json, options: .init(isCompact: true))
      return String(decoding: json, as: UTF8.self)
    }
    #expect(try edited("set", "a.-1", "--integer", "9", "@").contains(#""a":[1,2,9]"#))
    #expect(try edited("replace", "a.-2", "--integer", "9", "@").contains(#""a":[1,9,{"b":3}]"#))
    #expect(try edited("insert", "a.-1", "--integer", "9", "@").contains(#""a":[1,2,9,{"b":3}]"#))
    #expect(try edited("set", "a.-1.c", "--integer", "9", "@").contains(#"{"b":3,"c":9}"#))
    #expect(try edited("append", "/-2", "--integer", "9", "@").contains(#""-2":[5,9]"#))
    #expect(try edited("remove", "a.-3", "@").contains(#""a":[2,{"b":3}]"#))
    #expect(try edited("set", "/-3", "--integer", "9", "@").contains(#""-3":9}"#))
    #expect(try file.run(["set", "a.-4", "--integer", "9", "@"]).status == 1)
    // Apple's tool does not count from the end, as before.
    #expect(try Tool.run("plutil", "-extract", "a.-1", "json", "-o", "-", file.path).status == 1)
    #expect(try Tool.run("plutil", "-remove", "a.-1", "-o", "-", file.path).status == 1)
  }
}
