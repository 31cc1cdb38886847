package import PropertyLists
internal import SystemFiles

/// The exit codes of the tools.
package enum ExitCodes {
  package static let success: Int32 = 0
  package static let inputOutput: Int32 = 1
  package static let noSuchValue: Int32 = 1
  package static let notRepresentable: Int32 = 2
  package static let malformed: Int32 = 3
  package static let nestedTooDeeply: Int32 = 4
  package static let circularReference: Int32 = 5
  package static let usage: Int32 = 64

  /// The exit code of diff for two different files.
  package static let different: Int32 = 1
  /// The exit code of diff for every failure.
  package static let trouble: Int32 = 2

  /// The help text about exit codes.
  package static let help = """
    Exit codes: 0 success; 1 input or output failed, nothing at the path, or a change that does not fit; 2 not \
    representable in the format; 3 cannot be parsed; 4 nested too deeply; 5 circular reference; 64 usage error. For \
    several files, the highest code is used.
    """
}

extension PropertyListError {
  package var exitCode: Int32 {
    switch kind {
    case .inputOutput: ExitCodes.inputOutput
    // The key path leads to no value, or to a value that does not allow the operation.
    case .noSuchValue, .valueExists, .wrongKind, .conflict: ExitCodes.noSuchValue
    case .notRepresentable: ExitCodes.notRepresentable
    case .unknownFormat, .unsupportedVersion, .malformed, .duplicateKey, .limitExceeded: ExitCodes.malformed
    case .nestedTooDeeply: ExitCodes.nestedTooDeeply
    case .circularReference: ExitCodes.circularReference
    }
  }

  /// The name of the error's kind in JSON output.
  package var code: String {
    switch kind {
    case .inputOutput: "input-output"
    case .unknownFormat: "unknown-format"
    case .unsupportedVersion: "unsupported-version"
    case .malformed: "malformed"
    case .duplicateKey: "duplicate-key"
    case .nestedTooDeeply: "nested-too-deeply"
    case .circularReference: "circular-reference"
    case .limitExceeded: "limit-exceeded"
    case .notRepresentable: "not-representable"
    case .noSuchValue: "no-such-value"
    case .valueExists: "value-exists"
    case .wrongKind: "wrong-kind"
    case .conflict: "conflict"
    }
  }

  /// Returns the line that is printed for the error. It has the name of the file and, if known, the position of the
  /// error.
  package func line(about name: String) -> String {
    switch kind {
    case .inputOutput: return "\(ToolName.current): error: \(message.printable())"
    default:
      if let position { return "\(name):\(position.line):\(position.column): error: \(detail)" }
      if let byteOffset { return "\(name): error: \(detail), at byte \(byteOffset)" }
      return "\(name): error: \(detail)"
    }
  }

  /// The error as a JSON object.
  package var fields: PropertyList {
    var fields: PropertyList = ["kind": .string(code), "message": .string(FileSystem.showingBytes(message))]
    if let position {
      fields.dictionary?["line"] = .integer(.init(position.line))
      fields.dictionary?["column"] = .integer(.init(position.column))
    }
    if let byteOffset { fields.dictionary?["byteOffset"] = .integer(.init(byteOffset)) }
    if let keyPath { fields.dictionary?["keyPath"] = .string(keyPath.description) }
    return fields
  }
}
