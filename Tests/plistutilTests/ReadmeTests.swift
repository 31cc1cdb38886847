import Foundation
import TestSupport
import Testing

/// The examples of the README and of the guide to the tool, as somebody would type them.
@Suite("The examples of plistutil in the documentation")
struct ReadmeTests {
  /// A command, and what the text shows below it.
  struct Example: CustomStringConvertible {
    let command: String
    var output = ""
    var description: String { command }
  }

  static func examples(in document: String) throws -> [Example] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: document)
    let text = try String(contentsOf: file, encoding: .utf8)
    var examples: [Example] = []
    var isConsole = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isConsole = line == "```console"
      } else if isConsole, line.hasPrefix("$ ") {
        examples.append(Example(command: String(line.dropFirst(2))))
      } else if isConsole {
        examples[examples.count - 1].output += line + "\n"
      }
    }
    return examples
  }

  @Test("print what it shows, one after the other in one folder", arguments: ["README.md", "Documentation/Tool.md"])
  func printWhatItShows(_ document: String) throws {
    try run(document)
  }

  /// The other programs that the recipes are for.
  private static let hasPrograms = ["git", "jq", "lesspipe"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  @Test("and so do the recipes, where the programs are installed", .enabled(if: hasPrograms))
  func recipes() throws {
    try run("Documentation/Recipes.md")
  }

  private func run(_ document: String) throws {
    let folder = try TemporaryFolder()
    let work = folder.path("work")
    try FileManager.default.copyItem(at: Fixtures.url("readme"), to: URL(filePath: work))
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: URL(filePath: folder.path("bin/plistutil")), withDestinationURL: Tool.executable)
    let examples = try Self.examples(in: document)
    #expect(examples.count > 10)
    for example in examples {
      let result = try Program.run(
        URL(filePath: "/bin/sh"), ["-c", "cd '\(work)' && { \(example.command); } 2>&1"],
        environment: [
          "PATH": folder.path("bin") + ":/usr/bin:/bin", "HOME": work, "XDG_CONFIG_HOME": folder.path("config"),
          "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
          "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
        ])
      #expect(result.text == example.output, "$ \(example.command)")
    }
  }
}
