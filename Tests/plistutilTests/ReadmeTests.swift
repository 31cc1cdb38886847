import Foundation
import TestSupport
import Testing

/// The examples of the README, as somebody would type them.
@Suite("The README's examples of plistutil")
struct ReadmeTests {
  /// A command, and what the README shows below it.
  struct Example: CustomStringConvertible {
    let command: String
    var output = ""
    var description: String { command }
  }

  static let examples: [Example] = {
    let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "README.md")
    let text = (try? String(contentsOf: readme, encoding: .utf8)) ?? ""
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
  }()

  @Test("print what it shows, one after the other in one folder")
  func printWhatItShows() throws {
    let folder = try TemporaryFolder()
    let work = folder.path("work")
    try FileManager.default.copyItem(at: Fixtures.url("readme"), to: URL(filePath: work))
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      at: URL(filePath: folder.path("bin/plistutil")), withDestinationURL: Tool.executable)
    #expect(Self.examples.count > 25)
    for example in Self.examples {
      let result = try Program.run(
        URL(filePath: "/bin/sh"), ["-c", "cd '\(work)' && { \(example.command); } 2>&1"],
        environment: [
          "PATH": folder.path("bin") + ":/usr/bin:/bin", "HOME": work, "XDG_CONFIG_HOME": folder.path("config"),
        ])
      #expect(result.text == example.output, "$ \(example.command)")
    }
  }
}
