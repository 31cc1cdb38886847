import Foundation
import PropertyLists
import TestSupport
import Testing

/// The tool as a process.
enum Tool {
  static let executable = Program.executable("plistutil")

  /// The output of `--experimental-dump-help`, which takes a second.
  static let dumpedHelp: Result<Program, any Error> = Result { try Tool.run("--experimental-dump-help") }

  private static let commands = Result {
    try PropertyList(dumpedHelp.get().output, format: .json)["command"]
  }

  /// Returns the description of a verb in the dumped help.
  static func description(of verb: String...) throws -> PropertyList {
    let command = try verb.reduce(commands.get()) { command, name in
      command?["subcommands"]?.array?.first {
        $0["commandName"]?.string == name || $0["aliases"]?.array?.contains(.string(name)) == true
      }
    }
    return try #require(command, "\(verb)")
  }

  @discardableResult
  static func run(_ arguments: String..., input: Data = Data()) throws -> Program {
    try Program.run("plistutil", arguments, input: input)
  }

  static func run(_ arguments: [String], input: Data = Data()) throws -> Program {
    try Program.run("plistutil", arguments, input: input)
  }
}
