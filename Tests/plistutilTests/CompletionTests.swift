import Foundation
import PropertyLists
import TestSupport
import Testing

/// The effect of a tab in real shells, if they are installed, and the calls of the scripts to the tool.
@Suite("Completions of plistutil") struct CompletionTests {
  /// A line with the cursor at `|`, or at its end, and the line after a tab.
  struct Typed: CustomTestStringConvertible, Sendable {
    let line: String
    let result: String

    init(_ line: String, _ result: String) { (self.line, self.result) = (line, result) }

    var testDescription: String { line }
  }

  /// The common behavior of all shells, except for spaces after a word.
  static let lines = [
    Typed("plistutil conv", "plistutil convert"),
    Typed("plistutil archive sh", "plistutil archive show"),
    Typed("plistutil help mer", "plistutil help merge"),
    Typed("plistutil lint --keep", "plistutil lint --keep-last-duplicates"),
    Typed("plistutil convert --format js", "plistutil convert --format json"),
    Typed("plistutil convert --format=js", "plistutil convert --format=json"),
    Typed("plistutil convert -f bi", "plistutil convert -f binary"),
    Typed("plistutil --nodep", "plistutil --nodepath"),
    Typed("plistutil -i Info.plist -f op", "plistutil -i Info.plist -f openstep"),
    Typed("plistutil get a --expect dict", "plistutil get a --expect dictionary"),
    Typed("plistutil set a --bool t", "plistutil set a --bool true"),
    // Files and folders.
    Typed("plistutil lint Inf", "plistutil lint Info.plist"),
    Typed("plistutil set a Inf", "plistutil set a Info.plist"),
    Typed("plistutil convert --outfile=Inf", "plistutil convert --outfile=Info.plist"),
    Typed("plistutil convert --outfolder Fol", "plistutil convert --outfolder Folder/"),
    // Key paths of the file on the line.
    Typed("plistutil get ver| Info.plist", "plistutil get version Info.plist"),
    Typed("plistutil get items.0.na| Info.plist", "plistutil get items.0.name Info.plist"),
    Typed("plistutil get /items/0/na| Info.plist", "plistutil get /items/0/name Info.plist"),
    Typed("plistutil get :items:0:na| Info.plist", "plistutil get :items:0:name Info.plist"),
    Typed(
      "plistutil set --in-place items.0.na| --string x Info.plist",
      "plistutil set --in-place items.0.name --string x Info.plist"),
    Typed("plistutil print Info.plist --key=items.0.na", "plistutil print Info.plist --key=items.0.name"),
    Typed("plistutil -i Info.plist -n items/0/na", "plistutil -i Info.plist -n items/0/name"),
    // Without a file, key paths of the files in the folder.
    Typed("plistutil get vers", "plistutil get version"),
    // Characters that shells and key paths quote.
    Typed("plistutil get my| Info.plist", #"plistutil get my\ key Info.plist"#),
    Typed(#"plistutil get "my|" Info.plist"#, #"plistutil get "my key" Info.plist"#),
    Typed(#"plistutil get "my"#, #"plistutil get "my key""#),
    // Names of other tools.
    Typed("plutil -conve", "plutil -convert"),
    Typed("plutil -convert xm", "plutil -convert xml1"),
    Typed("plutil -replace vers", "plutil -replace version"),
    Typed("plutil -replace version -int", "plutil -replace version -integer"),
    Typed("plutil -replace version -bool Y", "plutil -replace version -bool YES"),
    Typed("plutil -extract version ra", "plutil -extract version raw"),
    Typed("plutil -extract items.0.na| raw Info.plist", "plutil -extract items.0.name raw Info.plist"),
    Typed("plutil -type version -expect str", "plutil -type version -expect string"),
    Typed("plutil -lint Inf", "plutil -lint Info.plist"),
    Typed("plistutil plutil -conve", "plistutil plutil -convert"),
    Typed("plist2json --comp", "plist2json --compact"),
    Typed("defaults dom", "defaults domains"),
    Typed("defaults read com.exa", "defaults read com.example.notes"),
    Typed("defaults read com.example.notes fontS", "defaults read com.example.notes fontSize"),
    Typed("defaults read com.example.notes -k window.wi", "defaults read com.example.notes -k window.width"),
    Typed("defaults write com.example.notes open -bo", "defaults write com.example.notes open -bool"),
    Typed("defaults write com.example.notes open -bool tr", "defaults write com.example.notes open -bool true"),
    Typed("defaults import com.example.notes Inf", "defaults import com.example.notes Info.plist"),
    Typed("plistutil defaults -curr", "plistutil defaults -currentHost"),
    Typed(#"PlistBuddy -c "Print :vers|" Info.plist"#, #"PlistBuddy -c "Print :version" Info.plist"#),
    Typed(#"PlistBuddy -c "Set :items:0:na|" Info.plist"#, #"PlistBuddy -c "Set :items:0:name" Info.plist"#),
    Typed("PlistBuddy Inf", "PlistBuddy Info.plist"),
  ]

  /// The shells, each with its completion script.
  private static let scripts: [String: Result<Program, any Error>] = Dictionary(
    uniqueKeysWithValues: ["bash", "zsh", "fish"].map { shell in
      (shell, Result { try Tool.run("--generate-completion-script", shell) })
    })

  /// A folder with a property list and preferences, and the tool first in the path.
  private struct Workspace {
    let folder = TemporaryFolder()
    var work: String { folder.path("work") }
    let environment: [String: String]

    init() throws {
      let paths = ["work/Folder", "bin", "shell", "config"].map(folder.path)
      for path in paths { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
      try FileManager.default.createSymbolicLink(
        at: URL(filePath: folder.path("bin/plistutil")), withDestinationURL: Tool.executable)
      environment = [
        "PATH": "\(folder.path("bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
        "XDG_CONFIG_HOME": folder.path("config"), "LC_ALL": "C.UTF-8",
      ]
      try write(#"{"version": "41", "items": [{"name": "first", "size": 1}], "my key": true}"#, to: "Info.plist")
      try PropertyList.dictionary(["fontSize": 14, "window": ["width": 640]]).data(format: .binary).write(
        to: URL(filePath: folder.path("config/com.example.notes.plist")))
    }

    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(work)/\(name)"))
    }

    /// The lines after completion in a shell.
    func completed(_ lines: [String], in shell: String) throws -> [String] {
      let script = folder.path("script")
      try #require(CompletionTests.scripts[shell]).get().output.write(to: URL(filePath: script))
      let result = try run(#"exec python3 -c "$@""#, [TypingScript.text, shell, script, folder.path("shell")] + lines)
      let completed = result.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
      try #require(result.status == 0 && completed.count == lines.count, "\(result.errors)")
      return completed
    }

    /// - Parameter arguments: `$0` is the folder with the property list.
    func run(_ command: String, _ arguments: [String]) throws -> Program {
      try Program.run(
        URL(filePath: "/bin/sh"), ["-c", "cd \"$0\" && \(command)", work] + arguments, environment: environment)
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"]) func `lines are completed in the real shells`(_ shell: String) throws {
    guard Installed.has("python3", shell) else { return }
    // In the short form, each shell has a third of the lines, and all those with characters that shells treat in their
    // own ways.
    let remainder = ["bash": 0, "zsh": 1, "fish": 2][shell]
    let lines = Self.lines.enumerated().filter { index, typed in
      LongForm.isWanted || index % 3 == remainder || typed.line.contains(/["=]/)
    }.map(\.element)
    for (typed, line) in zip(lines, try Workspace().completed(lines.map(\.line), in: shell)) {
      let line = line.split(separator: " ").joined(separator: " ")
      #expect(line == typed.result, "\(shell): \(typed.line)")
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `a key is one word of the shell, whatever it contains`(_ shell: String) throws {
    guard Installed.has("python3", shell) else { return }
    let workspace = try Workspace()
    try workspace.write(#"{"a\"b$HOME`c`;d &e (f) *g ~h #i \\j%k": 1}"#, to: "Odd.plist")
    let completed = try workspace.completed(["plistutil get a", "plistutil get \"a", "plistutil get 'a"], in: shell)
      .map { $0 + "Odd.plist" }
    let show = shell == "fish" ? #"printf '%s\n' $argv; end"# : #"{ printf '%s\n' "$@"; }"#
    let function = "\(shell == "fish" ? "function plistutil;" : "plistutil()") \(show)\n"
    let words = try workspace.run(#"exec "$@""#, [shell, "-c", function + completed.joined(separator: "\n")])
    let each = "get\n" + #"a"b$HOME`c`;d &e (f) *g ~h #i \j%k"# + "\nOdd.plist\n"
    #expect(words.text == each + each + each, "\(completed)")
  }

  @Test(arguments: [("'", "a!b"), ("\"", "a'b")])
  func `bash offers only words that it can insert`(_ quote: String, _ key: String) throws {
    let workspace = try Workspace()
    try workspace.write(#"{"a'b": 1, "a!b": 2}"#, to: "Odd.plist")
    let result = try workspace.run(
      #"exec plistutil complete bash "$@""#, ["plistutil get \(quote)a", "\(quote) Odd.plist", "a"])
    #expect(result.text.hasPrefix("\(key)\t") && result.text.split(separator: "\n").count < 3, "\(result.text)")
  }

  @Test func `bash uses its own variables`() throws {
    let lines = LongForm.cases(Self.lines.filter { !$0.line.contains(/[|="]/) }, every: 4)
    let workspace = try Workspace()
    let script = workspace.folder.path("script")
    try #require(Self.scripts["bash"]).get().output.write(to: URL(filePath: script))
    let commands = """
      . "$1"; shift
      compopt() { [[ $2 == nospace ]] || COMPREPLY=($(compgen -f -- "$word")); }
      for COMP_LINE; do
        set -- $COMP_LINE
        COMP_POINT=${#COMP_LINE}; word=${@: -1}; COMPREPLY=()
        _plistutil "$1" "$word" "${@: -2:1}"
        printf '%s\\n' "${COMPREPLY[@]}" --
      done
      """
    let result = try workspace.run(#"exec bash -c "$@""#, [commands, "bash", script] + lines.map(\.line))
    let replies = result.text.components(separatedBy: "--\n").dropLast()
    try #require(replies.count == lines.count, "\(result.text)\(result.errors)")
    for (typed, reply) in zip(lines, replies) {
      let last = try #require(typed.result.split(separator: " ").last)
      #expect(reply.split(separator: "\n").contains { $0 == last || "\($0)/" == last }, "\(typed.line): \(reply)")
    }
  }

  @Test(arguments: [
    (["plistutil", "convert", "--out"], "--outfile\tWrite to FILE; - is standard output."),
    (["plistutil", "get", "items.0.", "Info.plist"], "items.0.size\tinteger"),
    (["plutil", "-"], "-lint\tCheck the syntax of the files."),
    (["defaults", ""], "read-type\tPrint the type of a value."),
    (["defaults", "read", "com.example.notes", ""], "window\tdictionary"),
  ])
  func `a word with several meanings shows them with short descriptions`(_ words: [String], _ line: String) throws {
    let index = words.last == "Info.plist" ? words.count - 2 : words.count - 1
    let result = try Workspace().run(#"exec plistutil complete fish "$@""#, ["\(index)"] + words)
    #expect(result.status == 0 && result.text.split(separator: "\n").contains { $0 == line }, "\(result.text)")
  }

  @Test func `an option on the line is not offered again, unless it can be repeated`() throws {
    let workspace = try Workspace()
    let words = ["plistutil", "get", "a", "-r", "--name", "*.plist", "--"]
    let options = try workspace.run(#"exec plistutil complete zsh 6 "$@""#, words).text
    let names = options.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    #expect(!names.contains("--recursive") && names.contains("--name") && names.contains("--jobs"))
  }

  @Test(arguments: ["broken", "missing", "Folder"])
  func `an unreadable or invalid file gives no key paths and no message`(_ name: String) throws {
    let workspace = try Workspace()
    try workspace.write("<plist><dict>", to: "broken")
    try FileManager.default.removeItem(atPath: "\(workspace.work)/Info.plist")
    let result = try workspace.run(#"exec plistutil complete fish 2 plistutil get v "$@""#, [name])
    #expect(result.status == 0 && result.text == "\tnospace\n" && result.errors.isEmpty)
  }

  @Test func `every key, even with a line end, is offered as a path that get accepts`() throws {
    let workspace = try Workspace()
    try workspace.write(
      #"{"a\nb": 1, "c.d": 2, "": 3, "/e": 4, "\u001b[31m": 5, "f g": 6, "é": 7, "\u0301": 8}"#, to: "odd.json")
    let result = try workspace.run("exec plistutil complete fish 2 plistutil get '' odd.json", [])
    let paths = result.text.split(separator: "\n").dropLast().map { $0.split(separator: "\t")[0] }
    #expect(paths.count == 8)
    let keys = paths.flatMap { ["-k", String($0)] }
    #expect(try workspace.run(#"exec plistutil get "$@" odd.json"#, keys).text == "1\n2\n3\n4\n5\n6\n7\n8\n")
  }

  @Test func `each supported shell has a script, by name or path`() throws {
    for shell in ["bash", "zsh", "fish"] {
      let script = try #require(Self.scripts[shell]).get()
      #expect(script.status == 0 && script.text.contains("PlistBuddy"))
      #expect(try Tool.run("--generate-completion-script=/usr/bin/\(shell)").output == script.output)
    }
    let other = try Tool.run("--generate-completion-script", "tcsh")
    #expect(other.status == 64 && other.output.isEmpty && other.errors.contains("bash, zsh or fish"))
  }

  @Test func `completion is as fast as a verb that reads a file`() throws {
    let workspace = try Workspace()
    func time(_ command: String) throws -> Duration {
      try (0..<3).map { _ in try workspace.run(command, []).processorTime }.min() ?? .zero
    }
    let verb = try time("exec plistutil get version Info.plist")
    let answer = try time("exec plistutil complete fish 2 plistutil get v Info.plist")
    #expect(answer < verb * 10, "\(answer), \(verb)")
  }
}
