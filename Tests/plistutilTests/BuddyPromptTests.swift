import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("The prompt of PlistBuddy") struct BuddyPromptTests {
  @Test func `commands are read from standard input, with a prompt before each`() throws {
    let tool = try BuddyTool()
    let result = try tool.type("Print :n", "", "set :n 43", "Print :n", "save", "exit", "Print :s")
    #expect(result.text == "Command: 42\nCommand: Command: Command: 43\nCommand: Saving...\nCommand: ")
    #expect(result.status == 0 && result.errors.isEmpty)
    #expect(try tool.text("a.plist") == BuddyFiles.all.replacing(">42<", with: ">43<"))
  }

  @Test func `the end of standard input ends the prompt`() throws {
    let result = try BuddyTool()("a.plist")
    #expect(result.text == "Command: " && result.status == 0 && result.errors.isEmpty)
  }

  @Test(arguments: [["Exit"], ["Quit"], ["bye"], []])
  func `unsaved changes are not written, and a message says so`(_ end: [String]) throws {
    let tool = try BuddyTool()
    let lines = ["Set :n 43"] + end
    let result = try tool(["a.plist"], input: Data(lines.joined(separator: "\n").utf8))
    #expect(result.status == 0 && result.errors == "Changes Were Not Saved\n")
    #expect(try tool.text("a.plist") == BuddyFiles.all)
  }

  @Test func `there is no message about changes that were reverted or saved`() throws {
    let tool = try BuddyTool()
    #expect(try tool.type("Set :n 43", "Revert", "Exit").errors.isEmpty)
    #expect(try tool.type("Set :n 43", "Save", "Exit").errors.isEmpty)
  }

  @Test func `an error does not end the prompt, but counts at the end`() throws {
    let tool = try BuddyTool()
    let result = try tool.type("Bogus", "Set :none x", "Set :s \"open", "Print :s", "Set :n 43", "Save")
    #expect(
      result.text
        == "Command: Unrecognized Command\nCommand: Command: Parse Error: Unclosed Quotes\nCommand: text\n"
        + "Command: Command: Saving...\nCommand: ")
    #expect(result.errors == "Set: Entry, \":none\", Does Not Exist\n" && result.status == 1)
    #expect(try tool.value("a.plist")["n"] == 43)
  }

  @Test func `lines can end with CR LF, and the last without a line end`() throws {
    let result = try BuddyTool()(["a.plist"], input: Data("Print :n\r\nPrint :s".utf8))
    #expect(result.text == "Command: 42\nCommand: text\nCommand: " && result.status == 0)
  }

  @Test func `a line that is not UTF-8 is refused`() throws {
    let tool = try BuddyTool()
    let result = try tool(["a.plist"], input: Data("Set :s ".utf8) + [0xFF, 0x0A] + Data("Save\n".utf8))
    #expect(result.text == "Command: Parse Error: Not UTF-8\nCommand: Saving...\nCommand: " && result.status == 1)
    #expect(try tool.text("a.plist") == BuddyFiles.all)
  }

  @Test func `-x applies to the output of Print`() throws {
    let result = try BuddyTool()(["-x", "a.plist"], input: Data("Print :n\nHelp\n".utf8))
    #expect(result.text.hasPrefix("Command: \(BuddyFiles.xml("<integer>42</integer>"))Command: Command Format:\n"))
  }

  @Test(arguments: ["Help", "?", "help"]) func `help has all commands and types`(_ command: String) throws {
    let tool = try BuddyTool()
    let help = try tool("-c", command, "a.plist")
    #expect(help.status == 0 && help.errors.isEmpty)
    for word in ["Command Format:", "Entry Format:", "Types:", "Examples:"] { #expect(help.text.contains("\(word)\n")) }
    let names = [
      "Help", "Exit", "Save", "Revert", "Clear [<Type>]", "Print [<Entry>]", "Set <Entry> <Value>",
      "Add <Entry> <Type> [<Value>]", "Copy <EntrySrc> <EntryDst>", "Delete <Entry>", "Import <Entry> <file>",
    ]
    for name in names { #expect(help.text.contains("\n    \(name) - ")) }
    for type in ["string", "array", "dict", "bool", "real", "integer", "date", "data"] {
      #expect(help.text.contains("\n    \(type)\n"))
    }
    guard LongForm.isWanted || command == "Help" else { return }
    // With an option, it is also a failure, as with Apple's tool.
    for (option, status) in [("-h", Int32(1)), ("-help", 0), ("--help", 0)] {
      let result = try tool(option)
      #expect(result.text == help.text && result.status == status && result.errors.isEmpty)
    }
    #expect(try Tool.run("buddy", "--help").text == help.text)
    #expect(try Tool.run("--help").text.contains("\n  buddy "))
  }

  @Test(arguments: [[], ["-x"], ["-c", "Print"], ["-c"], ["a.plist", "-c"]])
  func `without a file, the usage is printed`(_ arguments: [String]) throws {
    let result = try BuddyTool()(arguments)
    #expect(result.text.hasPrefix("Usage: PlistBuddy [-cxlh] <file.plist>\n    -c \"<command>\" "))
    #expect(result.text.hasSuffix("\n\n") && result.status == 1 && result.errors.isEmpty)
  }

  @Test func `the verb behaves like the link`() throws {
    let tool = try BuddyTool()
    let path = tool.folder.path("a.plist")
    #expect(try Tool.run("buddy", "-c", "Set :n 43", "-c", "Print :n", path).text == "43\n")
    #expect(try Tool.run(["buddy", path], input: Data("Print :n\n".utf8)).text == "Command: 43\nCommand: ")
    #expect(try Tool.run("buddy", "-c", "Print :none", path).status == 1)
  }

  /// Random commands, made of the words of commands and of anything else.
  static func commands(_ count: Int, seed: UInt64) -> Data {
    var random = SeededGenerator(seed: seed)
    let names = [
      "Print", "ls", "Set", "=", "Add", "+", "Copy", "cp", "Delete", "rm", "-", "Remove", "Merge", "Import", "CD",
      "Save",
      "Revert", "Clear", "Help", "?", "Bogus", "",
    ]
    let keys = [
      "s", "n", "r", "b", "d", "t", "list", "dict", "k", "0", "1", "99", "-1", "", "\"\"", "a\\:b", "\"a b\"", "é",
    ]
    let words = [
      "string", "array", "dict", "bool", "real", "integer", "date", "data", "more.plist", "list.plist", "blob", "none",
      "-r",
      "42", "9223372036854775808", "-1e999", "true", "12/31/24", "Mon Jan 01 00:00:00 UTC 2024", "\"", "'", "\\", "\\n",
      "it's", "\"it's\"", "\t", "\u{0}", "\u{1F600}", "nan", "0x10",
    ]
    var data = Data()
    for _ in 0..<count {
      var line = names.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        line += " "
        if Bool.random(using: &random) {
          for _ in 0..<Int.random(in: 1...4, using: &random) { line += ":" + keys.randomElement(using: &random)! }
        } else {
          line += words.randomElement(using: &random)!
        }
      }
      var bytes = Data(line.utf8)
      if Int.random(in: 0..<10, using: &random) == 0 {
        for _ in 0..<3 {
          bytes.insert(UInt8.random(in: 0...255, using: &random), at: Int.random(in: 0...bytes.count, using: &random))
        }
      }
      data += bytes + [0x0A]
    }
    return data
  }

  @Test(arguments: 1...UInt64(LongForm.size(8, or: 2)))
  func `random commands never trap, hang or leave an unreadable file`(_ seed: UInt64) throws {
    let tool = try BuddyTool()
    for name in ["a.plist", "list.plist", "keys.plist", "word.plist"] {
      let result = try tool([name], input: Self.commands(LongForm.size(5000, or: 300), seed: seed))
      #expect(!result.wasKilled && result.status == 1, "seed \(seed), \(name)")
      #expect(throws: Never.self, "seed \(seed), \(name)") { try tool.value(name) }
    }
  }
}
