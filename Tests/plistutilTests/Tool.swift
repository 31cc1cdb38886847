import Foundation
import TestSupport

/// The tool as a process.
enum Tool {
  static let executable = Program.executable("plistutil")

  /// The output of `--experimental-dump-help`, which takes a second.
  static let dumpedHelp: Result<Program, any Error> = Result { try Tool.run("--experimental-dump-help") }

  @discardableResult
  static func run(_ arguments: String..., input: Data = Data()) throws -> Program {
    try Program.run("plistutil", arguments, input: input)
  }

  static func run(_ arguments: [String], input: Data = Data()) throws -> Program {
    try Program.run("plistutil", arguments, input: input)
  }
}
