import Foundation
import OrderedCollections
import PropertyLists
import TestSupport
import Testing

@Suite("plistutil defaults") struct DefaultsVerbTests {
  private let tool = DefaultsTool()
  private static let domain = DefaultsTool.domain

  private static func noPair(_ domain: String, _ key: String) -> String {
    "The domain/default pair of (\(domain), \(key)) does not exist"
  }

  private static let unchanged = "\nDefaults have not been changed."

  /// The errors of Apple's tool that scripts search for.
  static let failures: [DefaultsFailure] = [
    .init("read", domain, "none", message: noPair(domain, "none"), kind: "no-such-key"),
    .init("read", "com.none", "k", message: noPair("com.none", "k"), kind: "no-such-key"),
    .init("read", "-g", "k", message: noPair("kCFPreferencesAnyApplication", "k"), kind: "no-such-key"),
    .init("read-type", domain, "none", message: noPair(domain, "none"), kind: "no-such-key"),
    .init("read", "com.none", message: "Domain com.none does not exist", kind: "no-such-domain"),
    .init("export", "com.none", "-", message: "Domain com.none does not exist", kind: "no-such-domain"),
    .init("delete", "com.none", message: "Domain (com.none) not found." + unchanged, kind: "no-such-domain"),
    .init("delete", "com.none", "k", message: "Domain (com.none) not found." + unchanged, kind: "no-such-domain"),
    .init("delete", domain, "none", message: noPair(domain, "none") + unchanged, kind: "no-such-key"),
    .init("write", domain, "word", message: "Rep argument is not a dictionary" + unchanged, kind: "not-a-dictionary"),
    .init("import", domain, "-", message: "Rep argument is not a dictionary" + unchanged, kind: "not-a-dictionary"),
    .init(
      "write", domain, "k", "v", "extra", message: "Unexpected argument extra; leaving defaults unchanged.",
      kind: "unexpected-argument"),
    .init(
      "read", domain, "k", "extra", message: "Unexpected argument extra; leaving defaults unchanged.",
      kind: "unexpected-argument"),
    .init("write", domain, "{ a", message: "Could not parse: { a.  Try single-quoting it.", kind: "not-parsable"),
    .init(
      "write", domain, "text", "-array-add", "x",
      message: "Value for key text is not an array; cannot append.  Leaving defaults unchanged.", kind: "wrong-kind"),
    .init(
      "write", domain, "text", "-dict-add", "x", "y",
      message: "Value for key text is not a dictionary; cannot append.  Leaving defaults unchanged.",
      kind: "wrong-kind"),
    .init(
      "rename", domain, "none", "k",
      message: "Key none does not exist in domain com.example.notes; leaving defaults unchanged", kind: "no-such-key"),
    .init(
      "read", "-app", "Safari",
      message: "Couldn't find an application named \"Safari\"; defaults unchanged\n"
        + "This system has no registry of applications. Use the name of its domain, such as com.example.notes.",
      kind: "no-such-application"),
  ]

  @Test func `of several unknown options, the same one is always reported`() throws {
    let arguments = ["domains", "--replace", "--from", "xml", "--apple"]
    let messages = try Set((0..<LongForm.size(10, or: 5)).map { _ in try tool(arguments).errors })
    #expect(messages.count == 1)
  }

  @Test(arguments: failures)
  func `errors have the words of Apple's tool and exit code 1, and change nothing`(_ failure: DefaultsFailure) throws {
    try tool.put(["text": "old"])
    let bytes = tool.bytes()
    let input = Data("(no, dictionary)".utf8)
    let result = try tool(failure.arguments, input: input)
    #expect(result.status == failure.status && result.output.isEmpty)
    #expect(result.errors == failure.message + "\n")
    #expect(tool.bytes() == bytes)
  }

  @Test(arguments: LongForm.cases(failures, covering: { [$0.kind] }))
  func `with --json, errors have a kind`(_ failure: DefaultsFailure) throws {
    try tool.put(["text": "old"])
    let bytes = tool.bytes()
    let result = try tool(["--json"] + failure.arguments, input: Data("(no, dictionary)".utf8))
    #expect(result.status == failure.status && result.errors.isEmpty)
    #expect(
      try PropertyList(result.output)
        == ["error": ["kind": .string(failure.kind), "message": .string(failure.message)]])
    #expect(tool.bytes() == bytes)
  }

  @Test(arguments: [
    [], ["frobnicate"], ["read", "--unknown"], ["read", "-unknown"], ["read", "--format"], ["write"],
    ["write", "a.b"], ["read-type", "a.b"], ["rename", "a.b", "k"], ["import", "a.b"], ["export", "a.b"], ["delete"],
    ["find"], ["-host"], ["read", "a.b", "--format", "yaml"], ["rename", "a.b", "-k", "c", "d"],
    ["domains", "--apple"], ["read", "a.b", "--replace"], ["-currentHost", "read", "./a"], ["read", "", "k"],
    ["read", ".."], ["write", "a\u{1}b", "k", "v"], ["read", "-k", "a"], ["read", "--folder", "", "a.b"],
    ["-host", "", "read", "a.b"],
  ])
  func `every usage error is 64, with nothing on standard output`(_ arguments: [String]) throws {
    let result = try tool(arguments)
    #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty, "\(result.errors)")
    #expect(tool.folder.names == [])
  }

  @Test func `the help of every verb has a correct example`() throws {
    let all = try tool("--help").text
    #expect(try tool("help").text == all)
    var commands: [String] = []
    for verb in [
      "read", "read-type", "write", "rename", "delete", "import", "export", "domains", "find", "watch", "remove",
      "delete-all",
    ] {
      let help = try tool(verb, "--help")
      #expect(help.status == 0 && help.errors.isEmpty)
      if LongForm.isWanted || ["read", "remove"].contains(verb) {
        #expect(try tool("help", verb).text == help.text && tool(verb, "-h").text == help.text)
      }
      #expect(help.text.contains("USAGE: plistutil defaults ") && help.text.contains("\nExample"))
      #expect(!help.text.split(separator: "\n").contains { $0.count > 120 })
      let examples = help.text.split(separator: "\n").filter { $0.hasPrefix("  plistutil defaults ") }
      #expect(!examples.isEmpty)
      #expect(all.contains("\n  \(verb)") || ["remove", "delete-all"].contains(verb))
      guard verb != "watch" else { continue }
      commands += examples.map { String($0.replacing("plistutil", with: "\"$TOOL\"", maxReplacements: 1)) }
    }
    let script = #"cd "$HOME"; for command; do ( eval "$command" ) > /dev/null 2>&1; echo $?; done"#
    let shell = try Program.run(
      URL(filePath: "/bin/sh"), ["-c", script, "sh"] + commands,
      environment: tool.environment.merging(["TOOL": Tool.executable.path, "HOME": tool.folder.url.path]) { $1 })
    let codes = shell.text.split(separator: "\n").compactMap { Int($0) }
    #expect(codes.count == commands.count && shell.status == 0)
    for (command, code) in zip(commands, codes) { #expect(code != 64 && code < 126, "\(command): \(code)") }
  }

  @Test func `the tool works under the name defaults`() throws {
    let link = URL(filePath: tool.folder.path("defaults"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: Tool.executable)
    #expect(try Program.run(link, ["write", Self.domain, "k", "-int", "5"], environment: tool.environment).status == 0)
    let read = try Program.run(link, ["read", Self.domain, "k"], environment: tool.environment)
    #expect(read.text == "5\n")
    let missing = try Program.run(link, ["read", Self.domain, "none"], environment: tool.environment)
    #expect(missing.status == 1 && missing.errors.hasSuffix("does not exist\n"))
  }

  @Test(arguments: ["delete", "remove"])
  func `values, nested values, and domains with their files are deleted`(_ verb: String) throws {
    try tool.put(["a": 1, "b": [1, ["c": 2, "d": 3]]])
    #expect(try tool(verb, Self.domain, "a").status == 0)
    #expect(try tool(verb, Self.domain, "-k", "b.1.c").status == 0)
    #expect(try tool(verb, Self.domain, "-k", "b.0").status == 0)
    #expect(try tool.values() == ["b": [["d": 3]]])
    #expect(try tool(verb, Self.domain, "b").status == 0)
    #expect(try tool.values() == [:])
    #expect(try tool(verb, Self.domain).status == 0)
    #expect(tool.bytes() == nil)
  }

  @Test func `values can be for one host only`() throws {
    try tool("write", Self.domain, "k", "any")
    try tool("-currentHost", "write", Self.domain, "k", "here")
    try tool("-host", "there", "write", Self.domain, "k", "there")
    try tool("write", "-g", "k", "global")
    try tool("-currentHost", "write", "NSGlobalDomain", "k", "global here")
    #expect(try tool("read", Self.domain, "k").text == "any\n")
    #expect(try tool("-currentHost", "read", Self.domain, "k").text == "here\n")
    #expect(try tool("read", Self.domain, "k", "-host", "there").text == "there\n")
    #expect(try tool("read", "-globalDomain", "k").text == "global\n")
    #expect(try tool("read", "-currentHost", "-g", "k").text == "global here\n")
    #expect(try tool.values("ByHost/com.example.notes.there") == ["k": "there"])
    #expect(try tool("-host", "there", "domains").text == "com.example.notes\n")
    #expect(try tool("-currentHost", "read", "--json").text.contains("here"))
    #expect(try tool("delete-all", Self.domain, "k").status == 0)
    #expect(try tool("-currentHost", "read", Self.domain, "k").status == 1)
    #expect(try tool("read", Self.domain, "k").status == 1)
    #expect(try tool("delete-all", Self.domain).status == 0)
    #expect(
      try tool("delete-all", Self.domain).errors
        == "Domain (com.example.notes) not found.\nDefaults have not been changed.\n")
    #expect(try tool("-host", "there", "read", Self.domain, "k").text == "there\n")
  }

  @Test func `another folder, and files by path with or without .plist, are accepted`() throws {
    let folder = tool.folder.path("elsewhere")
    #expect(try tool("--folder", folder, "write", Self.domain, "k", "v").status == 0)
    #expect(try PropertyList(contentsOf: URL(filePath: "\(folder)/com.example.notes.plist")) == ["k": "v"])
    #expect(try tool("read", "--folder", folder, Self.domain, "k").text == "v\n")
    #expect(try tool("read", "\(folder)/com.example.notes", "k").text == "v\n")
    #expect(try tool("read", "\(folder)/com.example.notes.plist", "k").text == "v\n")
    #expect(try tool("write", "\(folder)/Info", "CFBundleName", "Notes").status == 0)
    #expect(try PropertyList(contentsOf: URL(filePath: "\(folder)/Info.plist")) == ["CFBundleName": "Notes"])
    // A file without .plist is used if there is no other.
    let bare = URL(filePath: "\(folder)/bare")
    try (["k": 1] as PropertyList).data(format: .xml).write(to: bare)
    #expect(try tool("write", bare.path, "k", "-int", "2").status == 0)
    #expect(try PropertyList(contentsOf: bare) == ["k": 2])
    #expect(try tool("read", "\(folder)/none").errors == "Domain \(folder)/none does not exist\n")
    #expect(try tool("delete", "\(folder)/Info").status == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(folder)/Info.plist"))
    // A file name is not a path. The message suggests what was meant.
    let shell = try Program.run(
      URL(filePath: "/bin/sh"),
      ["-c", "cd '\(folder)' && '\(Tool.executable.path)' defaults read com.example.notes.plist"],
      environment: tool.environment)
    #expect(shell.status == 1)
    #expect(
      shell.errors == "Domain com.example.notes.plist does not exist\n"
        + "For the file of that name, use a path with a slash: ./com.example.notes.plist\n")
  }

  @Test func `keys that begin with a hyphen follow two hyphens`() throws {
    #expect(try tool("write", "--", Self.domain, "-key", "-int", "5").status == 0)
    #expect(try tool("read", Self.domain, "--", "-key").text == "5\n")
    #expect(try tool("read", Self.domain, "-key").status == 64)
  }

  @Test func `values get another key, and replace an existing one only on request`() throws {
    try tool.put(["a": 1, "b": 2])
    let taken = try tool("rename", Self.domain, "a", "b")
    #expect(taken.status == 1 && taken.errors.hasPrefix("Key b exists in domain com.example.notes; leaving"))
    #expect(try tool.values() == ["a": 1, "b": 2])
    #expect(try tool("rename", Self.domain, "a", "c").status == 0)
    #expect(try tool.values() == ["b": 2, "c": 1])
    #expect(try tool("rename", "--replace", Self.domain, "c", "b").status == 0)
    #expect(try tool.values() == ["b": 1])
    #expect(try tool("rename", Self.domain, "b", "b").status == 0)
    #expect(try tool.values() == ["b": 1])
  }

  @Test func `a word is found in names, keys and values of all domains`() throws {
    try tool.put(["FontSize": 12, "list": ["a", ["name": "fontainebleau"]], "other": "x"])
    try tool.put(["x": 1, "y": 2], "com.example.font")
    try tool.put(["z": "nothing"], "com.example.third")
    let found = try tool("find", "FONT")
    #expect(
      found.text == """
        Found 2 keys in domain 'com.example.font': {
            x = <*I1>;
            y = <*I2>;
        }
        Found 2 keys in domain 'com.example.notes': {
            FontSize = <*I12>;
            list = (
                a,
                {
                    name = fontainebleau;
                }
            );
        }

        """)
    #expect(
      try PropertyList(tool("find", "--json", "font").output) == [
        "com.example.font": ["x": 1, "y": 2],
        "com.example.notes": ["FontSize": 12, "list": ["a", ["name": "fontainebleau"]]],
      ])
    let none = try tool("find", "nowhere")
    #expect(none.status == 0 && none.text == "No domain, key, nor value containing 'nowhere'\n")
    #expect(try tool("find", "12").text.contains("FontSize"))
    // An unreadable domain does not prevent searching the others.
    try tool.put(Data("no preferences".utf8), "com.example.bad")
    let bad = try tool("find", "FONT")
    #expect(
      bad.status == 3 && bad.text == found.text && bad.errors.hasPrefix(tool.path("com.example.bad") + ": error: "))
    try FileManager.default.removeItem(at: tool.url("com.example.bad"))
    #expect(try tool("domains").text == "com.example.font, com.example.notes, com.example.third\n")
    #expect(
      try tool("domains", "--json").text == #"["com.example.font","com.example.notes","com.example.third"]"# + "\n")
  }
}
