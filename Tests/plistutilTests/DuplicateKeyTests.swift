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
    let calls = [
      (["-i", file.path, "-f", "json"], json), (["-p", file.path], json),
      (["plutil", "-p", file.path], "{\n  \"a\" => \"2\"\n}\n"),
      (["plutil", "-extract", "a", "raw", file.path], "2\n"),
      (["plutil", "-convert", "json", "-o", "-", file.path], "{\"a\":\"2\"}"),
    ]
    // In the short form, the strings file and JSON are tried with two of them.
    for (arguments, output) in LongForm.isWanted || name == "a.plist" ? calls : [calls[0], calls[2]] {
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

  @Test("the other verbs suggest the option that takes the last value")
  func verbs() throws {
    let folder = TemporaryFolder()
    let files = Self.texts.map { folder.path($0.0) }
    for (path, text) in zip(files, Self.texts) { try Data(text.1.utf8).write(to: URL(filePath: path)) }
    let message = "duplicate key \"a\"; --keep-last-duplicates uses the last value"
    let messages = zip(files, Self.texts).map { "\($0):\($1.2): error: \(message)\n" }
    let output = ["--outfolder", folder.path("out")]
    let calls = [
      ["print"], ["get", "a"], ["type", "a"], ["keys", ""], ["find"], ["stats"], ["convert", "-f", "json"] + output,
      ["set", "b", "--string", "x"] + output, ["remove", "a"] + output, ["archive", "check"],
    ]
    for call in calls {
      let refused = try Tool.run(call + files)
      #expect(refused.status == 3 && refused.output.isEmpty, "\(call)")
      #expect(refused.errors == messages.joined(), "\(call)")
      let taken = try Tool.run(call + ["--keep-last-duplicates"] + files)
      #expect(!taken.errors.contains("duplicate"), "\(call)")
      if call[0] == "get" { #expect(taken.text == files.map { "\($0): 2\n" }.joined()) }
    }
    let other = try SampleFile("{}", name: "b.json")
    for file in LongForm.cases(files, every: 3) {
      for call in [["set", "b", "--value-file", file, other.path], ["merge", other.path, file]] {
        let refused = try Tool.run(call)
        #expect(refused.status == 3 && refused.errors.contains("--keep-last-duplicates uses"), "\(refused.errors)")
        #expect(try Tool.run(call + ["--keep-last-duplicates"]).status == 0)
      }
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
  }

  @Test(arguments: ["read", "import"])
  func `the help of defaults mentions that the last value is used`(_ verb: String) throws {
    #expect(try DefaultsTool()(verb, "--help").text.contains("the last value is used"))
  }
}
