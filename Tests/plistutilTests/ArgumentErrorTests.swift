import Foundation
import PropertyLists
import TestSupport
import Testing

@Suite("Argument errors of plistutil") struct ArgumentErrorTests {
  @Test(arguments: [
    ("conver", "convert"), ("covnert", "convert"), ("Print", "print"), ("lnit", "lint"), ("apend", "append"),
    ("extrac", "extract"), ("mrege", "merge"), ("sett", "set"), ("archiv", "archive"),
  ])
  func `a mistyped verb gets the nearest one as a suggestion`(_ word: String, _ verb: String) throws {
    let result = try Tool.run(word, "a.plist")
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("Error: There is no verb \"\(word)\"; did you mean \(verb)?"), "\(result.errors)")
  }

  @Test func `a mistyped verb of defaults gets a suggestion, and a word that is like no verb gets none`() throws {
    let defaults = try Tool.run("defaults", "raed", "x")
    #expect(defaults.status == 64 && defaults.errors.contains("did you mean read?"))
    let far = try Tool.run("xyzzyq")
    #expect(
      far.status == 64 && far.errors.hasPrefix("Error: There is no verb \"xyzzyq\"; plistutil --help lists the verbs."))
  }

  @Test func `a file without a verb gets suggested commands`() throws {
    let file = try SampleFile(["a": 1], format: .xml)
    for name in [file.path, "Info.plist"] {
      let result = try Tool.run(name)
      #expect(result.status == 64)
      #expect(result.errors.contains("is not a verb. For a file of that name, use plistutil print \(name),"))
    }
  }

  @Test(
    "an invalid option value is reported with option, form and range",
    arguments: [
      ("--integer", "999999999999999999999", "from -9223372036854775808 to 18446744073709551615"),
      ("--integer", "12abc", "an integer"), ("--integer", "", "an integer"),
      ("--date", "tomorrow", "2001-01-01T00:00:00Z"),
      ("--real", "x", "a number such as -1.5"), ("--bool", "on", "true, false, yes, no, 1 or 0"),
      ("--data", "@@", "base64"), ("--uid", "4294967296", "from 0 to 4294967295"), ("--json", "{\"a\":", "1:6: "),
      ("--json", "tomorrow", "such as '{"), ("--xml", "<x", "such as '<integer>"), ("--openstep", "{ a", "such as '{"),
    ])
  func values(_ option: String, _ text: String, _ expected: String) throws {
    let result = try Tool.run("set", "a", option, text, "a.plist")
    #expect(result.status == 64)
    #expect(result.errors.hasPrefix("Error: \(option): ") && result.errors.contains(expected), "\(result.errors)")
    #expect(result.errors.contains("\nUsage: plistutil set ") && result.errors.contains("plistutil set --help"))
  }

  @Test(
    "an argument error found while a verb runs is reported with its usage",
    arguments: [
      (["convert", "-o", "x", "a", "b"], "convert"), (["set", "a", "--null", "-o", "x", "a", "b"], "set"),
      (["archive", "json", "-o", "x", "a", "b"], "archive json"),
      (["convert", "--extension", "x", "a.1", "a.2"], "convert"),
    ])
  func usageOfVerb(_ arguments: [String], _ verb: String) throws {
    let result = try Tool.run(arguments)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.errors.contains("\nUsage: plistutil \(verb) "), "\(result.errors)")
    #expect(result.errors.contains("See 'plistutil \(verb) --help'"))
  }

  @Test func `hidden verbs are not suggested`() throws {
    var texts = [try Tool.dumpedHelp.get().text, try Tool.run("--help").text]
    for shell in ["bash", "zsh", "fish"] { texts.append(try Tool.run("--generate-completion-script", shell).text) }
    for call in [
      ["-i"], ["--unknown"], ["-f", "yaml"], ["get", "--help"], ["find", "--help"], ["-i", "a", "--help"],
    ] {
      let result = try Tool.run(call)
      texts.append(result.text + result.errors)
    }
    for text in texts {
      #expect(!text.isEmpty && text.firstRange(of: /\bbare\b/) == nil)
    }
  }

  @Test(arguments: [
    ("int", "1"), ("integer", "1"), ("Int", "1"), ("float", "0.5"), ("real", "0.5"), ("double", "0.5"),
    ("bool", "true"),
    ("boolean", "true"), ("dict", "{}"), ("dictionary", "{}"), ("array", "[]"), ("string", "\"a\""),
  ])
  func `a kind can have its common short name`(_ kind: String, _ json: String) throws {
    let file = try SampleFile("{\"v\": \(json)}", name: "a.json")
    #expect(try Tool.run("get", "v", "--expect", kind, file.path).status == 0)
    guard LongForm.isWanted || ["int", "float", "bool", "dict"].contains(kind) else { return }
    #expect(try Tool.run("type", "v", "--expect", kind, file.path).status == 0)
    guard LongForm.isWanted || kind == "int" else { return }
    let other = try Tool.run("type", "v", "--expect", "date", file.path)
    #expect(other.status == 1 && other.errors.contains("expected date, found "))
    let unknown = try Tool.run("type", "v", "--expect", "thing", file.path)
    #expect(unknown.status == 64 && unknown.errors.contains("--expect") && unknown.errors.contains("- integer"))
  }

  #if os(Linux)
    /// Arguments that print a text about the tool. The dump takes a second.
    static let printing: [[String]] =
      [
        ["--help"], ["help"], ["help", "set"], ["set", "--help"], ["--generate-completion-script", "bash"],
        ["--generate-completion-script", "zsh"], ["--generate-completion-script", "fish"],
        ["plutil", "-help"], ["defaults", "--help"], ["defaults", "read", "--help"], ["-i", "a", "--help"],
      ] + (LongForm.isWanted ? [["--experimental-dump-help"]] : [])

    @Test(arguments: printing, ["> /dev/full", ">&-"])
    func `help and completions that cannot be printed exit with 1`(_ arguments: [String], _ redirection: String) throws
    {
      guard LongForm.isWanted || redirection == "> /dev/full" || arguments[0] == "help" else { return }
      let command = ([Tool.executable.path] + arguments).joined(separator: " ")
      let result = try Program.run(URL(filePath: "/bin/sh"), ["-c", "exec \(command) \(redirection)"])
      #expect(result.status == 1 && !result.errors.isEmpty, "\(arguments)")
    }

    @Test(arguments: LongForm.cases(printing, every: 4))
    func `help and completions that can be printed exit with 0`(_ arguments: [String]) throws {
      #expect(try Tool.run(arguments).status == 0)
    }
  #endif
}
