import PropertyLists
import TestSupport
import Testing

@Suite("plistutil --help") struct HelpTests {
  @Test(arguments: [
    "get", "extract", "type", "keys", "set", "insert", "replace", "remove", "append", "create", "merge", "diff",
    "patch",
    "find", "stats", "convert", "print", "lint", "fmt", "edit", "git",
  ])
  func `the help of every verb has an example`(_ verb: String) throws {
    let help = try #require(try Tool.description(of: verb)["discussion"]?.string)
    #expect(help.contains("Example: plistutil ") || help.contains("Examples:\n  plistutil "))
    #expect(try Self.main.get().text.contains("\n  \(verb == "extract" ? "get, extract" : verb)"))
  }

  private static let main = Result { try Tool.run("--help") }

  @Test("help prints the example", arguments: ["extract", "git"])
  func printsExample(_ verb: String) throws {
    let help = try Tool.run(verb, "--help")
    #expect(help.status == 0 && help.errors.isEmpty)
    #expect(help.text.contains("Example: plistutil ") || help.text.contains("Examples:\n  plistutil "))
  }

  @Test(
    "a mistyped verb or subcommand is a usage error with a suggestion",
    arguments: [
      (["help", "conver"], "There is no verb \"conver\"; did you mean convert? plistutil --help lists the verbs."),
      (["help", "archive", "clases"], "There is no verb \"clases\"; did you mean classes? plistutil archive --help"),
      (["archive", "clases", "x"], "There is no verb \"clases\"; did you mean classes? plistutil archive --help"),
      (["git", "instal"], "There is no verb \"instal\"; did you mean install? plistutil git --help"),
    ])
  func mistyped(_ arguments: [String], _ message: String) throws {
    let result = try Tool.run(arguments)
    #expect(result.status == 64 && result.text == "" && result.errors.contains(message), "\(result.errors)")
    #expect(!result.errors.contains("plistutil plistutil"))
  }

  @Test(arguments: [["archive"], ["archive", "help"], ["archive", "--bogus"]])
  func `a hint names the tool once`(_ arguments: [String]) throws {
    let result = try Tool.run(arguments)
    #expect((result.text + result.errors).contains("See 'plistutil "))
    #expect(!(result.text + result.errors).contains("plistutil plistutil"))
  }
}
