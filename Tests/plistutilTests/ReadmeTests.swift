import Foundation
import TestSupport
import Testing

/// The examples of the README and of the tool's guide, as a user would type them.
@Suite("The examples of plistutil in the documentation") struct ReadmeTests {
  @Test(arguments: ["README.md", "Documentation/Tool.md"])
  func `the commands print the documented output`(_ document: String) throws { try run(document) }

  /// The other programs that the recipes use.
  private static let hasPrograms = ["git", "jq", "lesspipe"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  @Test(.enabled(if: hasPrograms)) func `the recipes print the documented output, where the programs are installed`()
    throws
  {
    try run("Documentation/Recipes.md")
  }

  private func run(_ document: String) throws {
    let examples = try ConsoleExamples(document)
    #expect(examples.examples.count > 10)
    try examples.run(tools: ["plistutil", "storeutil"]) { #expect($1 == $0.output, "$ \($0)") }
  }
}
