import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil defaults in scripts") struct DefaultsScriptTests {
  private let tool = DefaultsTool()

  /// Runs the tool under the name of Apple's tool.
  private func linked(_ tool: DefaultsTool, _ arguments: String...) throws -> Program {
    let link = tool.folder.path("defaults")
    try? FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: Tool.executable.path)
    return try Program.run(URL(filePath: link), arguments, environment: tool.environment)
  }

  @Test func `under the name defaults, values are printed as by Apple's tool`() throws {
    try tool.put(["autohide": true, "size": 0.5, "persistent-apps": [["GUID": 3512]]])
    let apple = """
      {
          autohide = 1;
          "persistent-apps" =     (
                      {
                  GUID = 3512;
              }
          );
          size = "0.5";
      }

      """
    #expect(try linked(tool, "read", DefaultsTool.domain).text == apple)
    #expect(try tool("read", "--apple", DefaultsTool.domain).text == apple)
    let typed = try tool("read", DefaultsTool.domain)
    #expect(typed.text.contains("autohide = <*BY>;"))
    #expect(try linked(tool, "read", "--typed", DefaultsTool.domain).output == typed.output)
    #expect(try tool("read", "--typed", DefaultsTool.domain).output == typed.output)
    #expect(try linked(tool, "read", DefaultsTool.domain, "autohide").text == "1\n")
    #expect(try linked(tool, "find", "GUID").text.contains("\"persistent-apps\" =     (\n"))
    #expect(try linked(tool, "find", "--typed", "GUID").text.contains("GUID = <*I3512>;"))
    #expect(try linked(tool, "read", "--json", DefaultsTool.domain).text.hasPrefix("{"))
    #expect(try linked(tool, "read", "--apple", "--typed", DefaultsTool.domain).status == 64)
    #expect(try tool("read", "--help").text.contains("--typed"))
  }

  @Test(
    "a text file given by path keeps comments and layout",
    arguments: [
      (
        "a.plist",
        "<plist>\n<dict>\n  <!-- why -->\n  <key>a</key> <integer>1</integer>\n  <key>b</key> <true/>\n</dict>\n</plist>\n",
        "<plist>\n<dict>\n  <!-- why -->\n  <key>a</key> <integer>2</integer>\n  <key>b</key> <true/>\n</dict>\n</plist>\n"
      ),
      ("a.strings", "/* why */\na = x;\n// kept\nb  =  y;\n", "/* why */\na = <*I2>;\n// kept\nb  =  y;\n"),
      ("a.json", "{ \"a\": 1,\n\n  \"b\": [true, 2] }\n", "{ \"a\": 2,\n\n  \"b\": [true, 2] }\n"),
    ])
  func keepsLayout(_ name: String, _ text: String, _ edited: String) throws {
    let file = try SampleFile(text, name: name)
    #expect(try tool("write", file.path, "a", "-int", "2").status == 0)
    #expect(try file.text == edited)
    // Writing an equal value changes nothing, and neither does a failure.
    #expect(try tool("write", file.path, "a", "-int", "2").status == 0)
    if LongForm.isWanted || name == "a.json" {
      #expect(try tool("write", file.path, "b", "-dict-add", "c", "d").status == 1)
      #expect(try tool("rename", file.path, "none", "x").status == 1)
    }
    #expect(try file.text == edited)
    #expect(try tool("rename", file.path, "a", "z").status == 0)
    #expect(try tool("delete", file.path, "b").status == 0)
    let text = try file.text
    #expect(text.contains("why") == (name != "a.json") && !text.contains("b"), "\(text)")
    #expect(file.folder.names == [name])
    #expect(try tool("delete", file.path).status == 0)
    #expect(file.folder.names == [])
  }

  @Test func `a text file given by path keeps its dates exactly, or is left unchanged`() throws {
    let file = try SampleFile(["a": 1], format: .xml)
    let before = try file.text
    let fraction = try tool("write", file.path, "d", "-date", "2001-01-01 00:00:00.5 +0000")
    #expect(fraction.status == 2 && fraction.errors.contains("fraction"), "\(fraction.errors)")
    #expect(try file.text == before)
    let broken = try SampleFile("<plist><dict>")
    #expect(try tool("write", broken.path, "a", "1").status == 0)
    #expect(broken.folder.names.count == 2 && broken.folder.names.contains { $0.contains(".unreadable-") })
  }

  @Test func `values are read from a text file given by path`() throws {
    let file = try SampleFile("{ a = 2; }")
    #expect(try tool("read", file.path, "a").text == "2\n")
  }

  @Test func `many processes write one file by path, together with editors of it`() throws {
    let file = try SampleFile("<plist><dict><!-- why --></dict></plist>")
    let count = LongForm.size(20, or: 8)
    let processes = try (0..<count).map { index in
      index % 2 == 0
        ? try tool.start("write", file.path, "k\(index)", "-int", "1")
        : try ChildProcess("plistutil", ["set", "k\(index)", "--integer", "1", "--in-place", file.path])
    }
    for process in processes { #expect(process.waitUntilExit() == .exited(0), "\(process.errors)") }
    #expect(try file.value.dictionary?.count == count)
    #expect(try file.text.contains("<!-- why -->"))
    #expect(file.folder.names == ["a.plist"])
  }
}
