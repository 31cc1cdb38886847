import TestSupport
import Testing

@Suite("plistutil --help")
struct HelpTests {
  @Test(
    "every verb explains itself with an example",
    arguments: [
      "get", "extract", "type", "keys", "set", "insert", "replace", "remove", "append", "create", "merge", "diff",
      "patch",
      "find", "stats", "convert", "print", "lint", "fmt", "edit", "git",
    ])
  func everyVerbExplainsItselfWithAnExample(_ verb: String) throws {
    let help = try Tool.run(verb, "--help")
    #expect(help.status == 0 && help.errors.isEmpty)
    #expect(help.text.contains("Example: plistutil ") || help.text.contains("Examples:\n  plistutil "))
    #expect(try Tool.run("--help").text.contains("\n  \(verb == "extract" ? "get, extract" : verb)"))
  }
}
