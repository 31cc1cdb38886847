import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil and duplicate keys") struct DuplicateKeyTests {
  static let texts = [
    ("a.plist", "<plist>\n<dict><key>a</key><string>1</string>\n<key>a</key><string>2</string></dict></plist>", "3:1"),
    ("a.strings", "\"a\" = \"1\";\n\"a\" = \"2\";\n", "2:1"), ("a.json", "{\"a\": \"1\",\n \"a\": \"2\"}", "2:2"),
  ]

  @Test("the tools of libplist and Apple take the last value, and report its position", arguments: texts)
  func dropIns(_ name: String, _ text: String, _ position: String) throws {
    let file = try SampleFile(text, name: name)
    let warning = "\(file.path):\(position): warning: duplicate key \"a\"; the last value is used\n"
    let plist2json = file.folder.path("plist2json")
    try FileManager.default.createSymbolicLink(at: URL(filePath: plist2json), withDestinationURL: Tool.executable)
    let json = "{\n  \"a\": \"2\"\n}\n"
    #expect(try Program.run(URL(filePath: plist2json), ["-i", file.path]).text == json)
    for (arguments, output) in [
      (["-i", file.path, "-f", "json"], json), (["-p", file.path], json),
      (["plutil", "-p", file.path], "{\n  \"a\" => \"2\"\n}\n"),
      (["plutil", "-extract", "a", "raw", file.path], "2\n"),
      (["plutil", "-convert", "json", "-o", "-", file.path], "{\"a\":\"2\"}"),
    ] {
      let result = try Tool.run(arguments)
      #expect(result.status == 0 && result.text == output && result.errors == warning, "\(arguments)")
    }
    if name != "a.json" {
      let lint = try Tool.run("plutil", "-lint", file.path)
      #expect(lint.status == 0 && lint.text == "\(file.path): OK\n" && lint.errors == warning)
    }
    let edit = try Tool.run("plutil", "-replace", "b", "-string", "x", file.path)
    #expect(edit.status == 0 && edit.errors == warning)
    #expect(try file.value == ["a": "2", "b": "x"])
  }

  @Test("the other verbs suggest the option that takes the last value", arguments: texts)
  func verbs(_ name: String, _ text: String, _ position: String) throws {
    let file = try SampleFile(text, name: name)
    let calls = [
      ["print"], ["get", "a"], ["type", "a"], ["keys", ""], ["find"], ["stats"], ["convert", "-f", "json"],
      ["set", "b", "--string", "x"], ["remove", "a"], ["archive", "check"],
    ]
    for call in calls {
      let refused = try Tool.run(call + [file.path])
      #expect(refused.status == 3 && refused.output.isEmpty, "\(call)")
      let message = "duplicate key \"a\"; --keep-last-duplicates uses the last value"
      #expect(refused.errors.hasPrefix("\(file.path):\(position): error: \(message)"), "\(refused.errors)")
      let taken = try Tool.run(call + ["--keep-last-duplicates", file.path])
      #expect(!taken.errors.contains("duplicate"), "\(call)")
    }
    #expect(try Tool.run("get", "a", "--keep-last-duplicates", file.path).text == "2\n")
    let other = try SampleFile("{}", name: "b.json")
    for call in [["set", "b", "--value-file", file.path, other.path], ["merge", other.path, file.path]] {
      let refused = try Tool.run(call)
      #expect(refused.status == 3 && refused.errors.contains("--keep-last-duplicates uses"), "\(refused.errors)")
      #expect(try Tool.run(call + ["--keep-last-duplicates"]).status == 0)
    }
  }

  @Test("defaults takes the last value in every verb", arguments: texts)
  func defaults(_ name: String, _ text: String, _ position: String) throws {
    let tool = DefaultsTool()
    let file = try SampleFile(text, name: name)
    let imported = try tool("import", DefaultsTool.domain, file.path)
    #expect(imported.status == 0)
    #expect(imported.errors == "\(file.path):\(position): warning: duplicate key \"a\"; the last value is used\n")
    #expect(try tool.values() == ["a": "2"])
    #expect(try tool("read", file.path, "a").text == "2\n")
    for verb in ["read", "import"] { #expect(try tool(verb, "--help").text.contains("the last value is used")) }
  }
}
