import Foundation
import TestSupport

/// The tool as a process.
enum Tool {
  static let executable = Program.executable("plistutil")

  @discardableResult
  static func run(_ arguments: String..., input: Data = Data()) throws -> Program {
    try Program.run("plistutil", arguments, input: input)
  }

  static func run(_ arguments: [String], input: Data = Data()) throws -> Program {
    try Program.run("plistutil", arguments, input: input)
  }
}
