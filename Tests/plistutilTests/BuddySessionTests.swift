import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("A PlistBuddy session of many commands") struct BuddySessionTests {
  static let commands = [
    "Add :new:deep string one", "Set :n 43", "Add :list:1 string between", "Delete :list:0", "Add :list: integer 7",
    "Copy :dict :copy", "Set :copy:k other", "Delete :dict", "CD :copy", "Add more bool yes", "CD :",
    "Merge more.plist", "Set :t Tue Feb 06 01:02:03 UTC 2024", "Import :d blob", "Add :when date 12/31/23",
  ]

  @Test(arguments: [PropertyListFormat.xml, .binary, .openStep])
  func `a session has the same result as one call per command`(_ format: PropertyListFormat) throws {
    func tool() throws -> BuddyTool {
      let tool = try BuddyTool()
      var value = try tool.value("a.plist")
      if format == .openStep { value = ["n": "1", "list": ["x", "y"], "dict": ["k": "v"], "d": .data(Data([1]))] }
      guard format != .xml else { return tool }
      try value.data(format: format).write(to: tool.url("a.plist"))
      return tool
    }
    // OpenStep has no form for these.
    let others = [" integer ", " bool ", " date ", "Set :t", "Merge"]
    let commands = Self.commands.filter { command in format != .openStep || !others.contains { command.contains($0) } }
    let (together, apart) = (try tool(), try tool())
    let run = try together(commands.flatMap { ["-c", $0] } + ["a.plist"])
    var container: [String] = []
    var status: Int32 = 0
    // In the short form, only XML has one call per command; the others have one for five.
    let size = LongForm.isWanted || format == .xml ? 1 : 5
    for start in stride(from: 0, to: commands.count, by: size) {
      let group = commands[start..<min(start + size, commands.count)]
      status = try max(status, apart(container + group.flatMap { ["-c", $0] } + ["a.plist"]).status)
      if let change = group.last(where: { $0.hasPrefix("CD") }) { container = change == "CD :" ? [] : ["-c", change] }
    }
    #expect(run.status == status && run.status == 0, "\(run.text)\(run.errors)")
    #expect(try together.value("a.plist") == apart.value("a.plist"))
    #expect(try Data(contentsOf: together.url("a.plist")) == Data(contentsOf: apart.url("a.plist")))
  }

  @Test func `each change prints the future contents of the file`() throws {
    let tool = try BuddyTool()
    let result = try tool(
      [
        "-c", "Set :n 1", "-c", "Set :n 2", "-c", "Print :n", "-c", "Delete :n", "-c", "Print :n", "-c", "Save",
        "a.plist",
      ])
    #expect(result.text == "2\nSaving...\n")
    #expect(result.errors == "Print: Entry, \":n\", Does Not Exist\n" && result.status == 1)
    #expect(try tool.value("a.plist")["n"] == nil)
  }

  @Test func `values that the format cannot hold are refused, and the other changes are made`() throws {
    let tool = try BuddyTool()
    try Data("{ a = 1; }".utf8).write(to: tool.url("a.plist"))
    let result = try tool([
      "-c", "Set :a 2", "-c", "Add :b string x", "-c", "Add :c bool true", "-c", "Add :d string y", "a.plist",
    ])
    #expect(result.status == 1 && result.errors.contains("c"))
    #expect(try tool.value("a.plist") == ["a": "2", "b": "x", "d": "y"])
  }

  @Test func `a session of many commands saves everything`() throws {
    let tool = try BuddyTool()
    let count = LongForm.size(2000, or: 400)
    let lines = (0..<count).map { "Add :many:\($0) integer \($0)\n" }.joined() + "Save\n"
    let result = try tool(["a.plist"], input: Data(lines.utf8))
    #expect(result.status == 0)
    #expect(try tool.value("a.plist")["many"]?.dictionary?.count == count)
  }
}
