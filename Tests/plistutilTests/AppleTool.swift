import Foundation
import PropertyLists
import TestSupport

/// A tool with the arguments of Apple's `plutil`, in a folder with a few files.
struct AppleTool: Sendable {
  /// The tool of this package.
  static let ours = AppleTool(executable: Tool.executable, arguments: ["plutil"])

  /// The tool of the Swift toolchain, if it is the one written in Swift; nil if the path has none.
  static let toolchain: AppleTool? = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    for folder in folders {
      let executable = URL(filePath: "\(folder)/plutil")
      guard FileManager.default.isExecutableFile(atPath: executable.path),
        let help = try? Program.run(executable, ["-help"]), help.text.contains("Running in Swift mode")
      else { continue }
      return AppleTool(executable: executable, arguments: [])
    }
    return nil
  }()

  let executable: URL
  let arguments: [String]

  /// The result of a run.
  struct Outcome: Equatable {
    var output: String
    var errors: String
    var status: Int32
    /// The new and changed files, with their contents.
    var files: [String: String]
  }

  /// Runs the tool in the folder of the files.
  ///
  /// - Parameter files: the names and contents of the files.
  func run(_ arguments: [String], files: [String: String], input: String = "") throws -> Outcome {
    let folder = TemporaryFolder()
    for (name, content) in files { try Data(content.utf8).write(to: URL(filePath: folder.path(name))) }
    let program = try Program.run(executable, self.arguments + arguments, input: Data(input.utf8), in: folder.url)
    var changed: [String: String] = [:]
    for name in folder.names {
      let content = try Data(contentsOf: URL(filePath: folder.path(name)))
      if content != files[name].map({ Data($0.utf8) }) { changed[name] = Self.text(content) }
    }
    return Outcome(
      output: Self.text(program.output), errors: program.errors, status: program.wasKilled ? -1 : program.status,
      files: changed)
  }

  /// Text unchanged; a binary property list as XML with sorted keys, for comparison.
  private static func text(_ data: Data) -> String {
    guard data.starts(with: Data("bplist00".utf8)) else { return String(decoding: data, as: UTF8.self) }
    let xml = try? PropertyList(data).data(format: .xml, options: PropertyListWritingOptions(sortsKeys: true))
    return "binary: " + String(decoding: xml ?? Data(), as: UTF8.self)
  }
}
