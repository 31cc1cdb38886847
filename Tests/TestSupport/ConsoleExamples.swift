import Foundation

/// The console examples of a document: commands after `$`, and their output.
public struct ConsoleExamples {
  /// A command, and its output in the document.
  public struct Example: CustomStringConvertible {
    public let command: String
    public internal(set) var output = ""
    public var description: String { command }
  }

  public let examples: [Example]

  /// Reads the `console` blocks of a document.
  ///
  /// - Parameter document: The path of the document in the package.
  public init(_ document: String) throws {
    let root = Fixtures.url("").deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
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
    self.examples = examples
  }

  /// Runs the commands one after the other in a copy of `Fixtures/readme`, and calls `body` with the output of each. CR
  /// LF in the output is replaced by LF, as in the document.
  ///
  /// - Parameter tools: The programs of this package that the commands use.
  public func run(tools: [String], _ body: (Example, String) -> Void) throws {
    let folder = TemporaryFolder()
    let work = folder.path("work")
    try FileManager.default.copyItem(at: Fixtures.url("readme"), to: URL(filePath: work))
    try FileManager.default.createDirectory(atPath: folder.path("bin"), withIntermediateDirectories: false)
    for tool in tools {
      try FileManager.default.createSymbolicLink(
        at: URL(filePath: folder.path("bin/\(tool)")), withDestinationURL: Program.executable(tool))
    }
    // One shell for all, with a line after the output of each.
    let end = "end of the output of an example"
    let script = #"cd "$1" || exit; end=$2; shift 2; for line; do ( eval "$line" ) 2>&1; echo "$end"; done"#
    let result = try Program.run(
      URL(filePath: "/bin/sh"), ["-c", script, "sh", work, end] + examples.map(\.command),
      environment: [
        "PATH": folder.path("bin") + ":/usr/bin:/bin", "HOME": work, "XDG_CONFIG_HOME": folder.path("config"),
        "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com",
        "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
      ])
    let outputs = result.text.replacing("\r\n", with: "\n").components(separatedBy: end + "\n").dropLast()
    guard outputs.count == examples.count else { throw CocoaError(.fileReadCorruptFile) }
    for (example, output) in zip(examples, outputs) { body(example, output) }
  }
}
