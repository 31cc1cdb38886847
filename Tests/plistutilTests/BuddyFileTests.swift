import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("Files of PlistBuddy") struct BuddyFileTests {
  @Test func `commands of build systems keep comments and layout`() throws {
    let info = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0">
      <dict>
        <key>CFBundleIdentifier</key> <string>com.example.notes</string>
        <!-- Raised by the release script. -->
        <key>CFBundleVersion</key>    <string>41</string> <!-- A string. -->
      </dict>
      </plist>

      """
    let tool = try BuddyTool(["Info.plist": info])
    #expect(try tool("-c", "Print :CFBundleIdentifier", "Info.plist").text == "com.example.notes\n")
    #expect(try tool("-c", "Set :CFBundleVersion 42", "Info.plist").status == 0)
    #expect(try tool.text("Info.plist") == info.replacing(">41<", with: ">42<"))
    let add = try tool("-c", "Add :NSAppTransportSecurity:NSAllowsArbitraryLoads bool true", "Info.plist")
    #expect(add.status == 0 && add.output.isEmpty && add.errors.isEmpty)
    #expect(
      try tool.text("Info.plist")
        == info.replacing(">41<", with: ">42<").replacing(
          "</dict>",
          with: """
              <key>NSAppTransportSecurity</key>    <dict>
                <key>NSAllowsArbitraryLoads</key>    <true/>
              </dict>
            </dict>
            """))
  }

  @Test func `several changes in sequence keep the layout of other values`() throws {
    let tool = try BuddyTool()
    let commands = ["Delete :n", "Set :dict:k w", "Add :list:1 string between", "Copy :s :dict:copy", "Delete :list:0"]
    #expect(try tool(commands.flatMap { ["-c", $0] } + ["a.plist"]).status == 0)
    #expect(
      try tool.text("a.plist")
        == BuddyFiles.all.replacing("\t<key>n</key> <integer>42</integer>\n", with: "")
        .replacing("<string>v</string>", with: "<string>w</string>\n\t\t<key>copy</key> <string>text</string>")
        .replacing("<string>x</string>", with: "<string>between</string>"))
  }

  @Test(arguments: [
    (PropertyListFormat.binary, ["Set :n 43", "Add :list: string z", "Delete :s"]),
    (.json, ["Set :n 43", "Add :list: string z", "Delete :s"]),
    (.openStep, ["Set :n 43", "Add :list: string z", "Delete :s"]),
    (.xml, ["Set :n 43", "Add :list: string z", "Delete :s"]),
  ])
  func `a file keeps its format`(_ format: PropertyListFormat, _ commands: [String]) throws {
    let tool = try BuddyTool()
    let number: PropertyList = format == .openStep ? "42" : 42
    let value: PropertyList = ["s": "text", "n": number, "list": ["x"]]
    try value.data(format: format).write(to: tool.url("f.plist"))
    let result = try tool(commands.flatMap { ["-c", $0] } + ["f.plist"])
    #expect(result.status == 0 && result.errors.isEmpty && result.output.isEmpty)
    let data = try Data(contentsOf: tool.url("f.plist"))
    #expect(try PropertyListDocument(data).format == format)
    #expect(try PropertyList(data) == ["n": format == .openStep ? "43" : 43, "list": ["x", "z"]])
  }

  @Test func `a strings file stays a strings file, with its comments`() throws {
    let tool = try BuddyTool(["a.strings": "/* Title */\n\"title\" = \"Notes\";\n"])
    #expect(try tool("-c", "Set :title My notes", "-c", "Add :empty string None", "a.strings").status == 0)
    #expect(try tool.text("a.strings") == "/* Title */\n\"title\" = \"My notes\";\n\"empty\" = \"None\";\n")
  }

  @Test func `a value that the format cannot hold is refused, and nothing is written`() throws {
    let tool = try BuddyTool(["a.json": "{\"a\": 1}\n"])
    let result = try tool("-c", "Add :b date 1/1/24", "-c", "Set :a 2", "-c", "Print", "a.json")
    #expect(result.status == 1)
    #expect(result.errors.hasSuffix("Add: Can't Add Entry, \":b\", to Parent\n") && result.errors.contains("date"))
    #expect(result.text == "Dict {\n    a = 2\n}\n")
    #expect(try tool.text("a.json") == "{\"a\": 2}\n")
  }

  @Test func `a new file is XML`() throws {
    let tool = try BuddyTool([:])
    let result = try tool("-c", "Add :a:b integer 1", "new.plist")
    #expect(result.status == 0 && result.text == "File Doesn't Exist, Will Create: new.plist\n")
    #expect(
      try tool.text("new.plist")
        == BuddyFiles.xml(
          "<dict>\n\t<key>a</key>\n\t<dict>\n\t\t<key>b</key>\n\t\t<integer>1</integer>\n\t</dict>\n</dict>"))
    #expect(tool.folder.names == ["bin", "new.plist"])
  }

  @Test func `an unchanged file is not written`() throws {
    let tool = try BuddyTool()
    func number() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: tool.folder.path("a.plist"))[.systemFileNumber] as? Int
    }
    let before = try number()
    try tool("-c", "Print", "-c", "Set :n 42", "-c", "Set :none 1", "-c", "Save", "a.plist")
    try tool("-c", "Set :n 1", "-c", "Set :n 42", "a.plist")
    #expect(try number() == before)
    try tool("-c", "Set :n 1", "a.plist")
    #expect(try number() != before)
  }

  @Test func `a failed write is reported with exit code 1, by Save and at the end`() throws {
    let tool = try BuddyTool()
    let expected = "cannot write none/a.plist: No such file or directory\nError Writing File: none/a.plist\n"
    for commands in [["-c", "Add :a string x"], ["-c", "Save"], ["-c", "Save", "-c", "Add :a string x"]] {
      let result = try tool(commands + ["none/a.plist"])
      #expect(result.status == 1 && result.errors.contains(expected), "\(commands)")
    }
    // The size of files is limited to 512 bytes.
    let script = #"cd "$0" && ulimit -f 1 && trap '' XFSZ && exec bin/PlistBuddy -c "Set :s $(seq 1000)" a.plist"#
    let full = try Program.run(URL(filePath: "/bin/sh"), ["-c", script, tool.folder.url.path])
    #expect(full.status == 1 && full.errors.hasSuffix("Error Writing File: a.plist\n"))
    #expect(try tool.text("a.plist") == BuddyFiles.all)
    #expect(tool.folder.names == (BuddyFiles.files.keys + ["bin"]).sorted())
  }

  @Test func `a file that is not regular is not replaced`() throws {
    let tool = try BuddyTool()
    let script = #"cd "$0" && mkfifo p && (cat a.plist > p & bin/PlistBuddy -c "Set :s x" p)"#
    let pipe = try Program.run(URL(filePath: "/bin/sh"), ["-c", script, tool.folder.url.path])
    #expect(
      pipe.status == 1
        && pipe.errors == "plistutil: error: cannot replace p: it is not a regular file\nError Writing File: p\n")
  }

  @Test func `-l refuses a path with a link; without it, links are followed and kept`() throws {
    let tool = try BuddyTool()
    let files = FileManager.default
    try files.createDirectory(atPath: tool.folder.path("sub"), withIntermediateDirectories: false)
    try files.createSymbolicLink(atPath: tool.folder.path("link.plist"), withDestinationPath: "a.plist")
    try files.createSymbolicLink(atPath: tool.folder.path("sub/up"), withDestinationPath: "..")
    for path in ["link.plist", "sub/up/a.plist", "./sub/up/a.plist"] {
      let result = try tool("-l", "-c", "Set :n 1", path)
      #expect(result.text == "Error Reading File: \(path)\n" && result.status == 1)
      #expect(result.errors == "Error Opening File: \(path) [Too many levels of symbolic links]\n")
    }
    #expect(try tool("-c", "Set :n 1", "link.plist", "-l").status == 1)
    #expect(try tool.text("a.plist") == BuddyFiles.all)
    #expect(try tool("-c", "Set :n 1", "link.plist").status == 0)
    #expect(try tool.value("a.plist")["n"] == 1)
    #expect(try files.destinationOfSymbolicLink(atPath: tool.folder.path("link.plist")) == "a.plist")
  }

  @Test func `of duplicate keys, the last value counts, with a warning`() throws {
    let tool = try BuddyTool([
      "a.plist": BuddyFiles.xml("<dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict>")
    ])
    let result = try tool("-c", "Print :a", "-c", "Set :a 3", "-c", "Print", "a.plist")
    #expect(result.text == "2\nDict {\n    a = 3\n}\n" && result.status == 0)
    #expect(result.errors == "a.plist:4:39: warning: duplicate key \"a\"; the last value is used\n")
    #expect(try tool.value("a.plist") == ["a": 3])
  }

  @Test func `a file that cannot be read is left alone`() throws {
    let tool = try BuddyTool(["bad": "<plist><dict><key>a</key></dict></plist>", "empty": "", "word": "hello\n"])
    for (path, reason) in [
      ("bad", "bad:1:26: error: "), ("empty", "empty: error: "), ("word", "word: error: "),
      ("bin", "plistutil: error: cannot read bin: Is a directory"), ("bad/a", "cannot open bad/a: Not a directory"),
    ] {
      let result = try tool("-c", "Add :a string x", path)
      #expect(result.text == "Error Reading File: \(path)\n" && result.status == 1)
      #expect(result.errors.contains(reason) && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }
    #expect(try tool.text("bad") == "<plist><dict><key>a</key></dict></plist>")
  }

  /// Runs commands, and other commands in another process after the first have read the file: the first command waits
  /// for a pipe.
  static func runTogether(_ commands: [String], with others: [String], in tool: BuddyTool) throws -> Program {
    let script = """
      cd "$0" && mkfifo p1 p2 && { { echo x; bin/PlistBuddy "$@" a.plist; } > p1; cat more.plist > p2; } &
      cd "$0"; until test -p p2; do :; done
      bin/PlistBuddy a.plist -c 'Import :pipe p1' -c 'Merge p2' \(commands.map { "-c '\($0)'" }.joined(separator: " "))
      """
    return try Program.run(
      URL(filePath: "/bin/sh"), ["-c", script, tool.folder.url.path] + others.flatMap { ["-c", $0] })
  }

  @Test func `changes by another program are kept, and the commands are applied again`() throws {
    let tool = try BuddyTool()
    let result = try Self.runTogether(
      ["Set :n 43", "CD :dict", "Add l string w", "Delete :s"], with: ["Set :b false", "Add :list: string z"], in: tool)
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(result.text == "Duplicate Entry Was Skipped: s\nDuplicate Entry Was Skipped: list\n")
    let value = try tool.value("a.plist")
    #expect(value["pipe"] == .data(Data("x\n".utf8)) && value["new"] == 1 && value["n"] == 43 && value["s"] == nil)
    #expect(value["b"] == false && value["list"] == ["x", "y", "z"] && value["dict"] == ["k": "v", "l": "w"])
  }

  @Test
  func `commands that no longer apply after changes by another program are reported, and nothing is written`() throws {
    let tool = try BuddyTool()
    let result = try Self.runTogether(["Set :dict:k mine"], with: ["Delete :dict"], in: tool)
    #expect(result.status == 1)
    #expect(
      result.errors == """
        another program has changed the file, and a command fails on the new contents: Set: Entry, ":dict:k", Does Not Exist
        Error Writing File: a.plist

        """)
    #expect(try tool.value("a.plist").dictionary?.keys == ["s", "n", "r", "b", "d", "t", "list"])
  }

  @Test(arguments: ["a.plist", "new.plist"])
  func `many processes that add to a file lose nothing`(_ name: String) throws {
    let tool = try BuddyTool()
    let count = LongForm.size(20, or: 6)
    let processes = try (0..<count).map { number in
      try ChildProcess("plistutil", ["buddy", "-c", "Add :k\(number) integer \(number)", tool.folder.path(name)])
    }
    for process in processes { #expect(process.waitUntilExit() == .exited(0), "\(process.errors)") }
    let value = try tool.value(name)
    for number in 0..<count { #expect(value["k\(number)"] == .integer(.init(number))) }
    #expect(tool.folder.names == Set(BuddyFiles.files.keys + ["bin", name]).sorted())
  }
}
