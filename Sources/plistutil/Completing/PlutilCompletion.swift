import PropertyLists
import ToolSupport

/// Completes the arguments of Apple's `plutil`.
enum PlutilCompletion {
  /// The kind of an option's argument.
  enum Operand {
    case keyPath, format, printedFormat, type, value, file, kind, text
  }

  static let options: [(name: String, operands: [Operand], help: String)] = [
    ("-help", [], "Print the options."),
    ("-lint", [], "Check the syntax of the files."),
    ("-p", [], "Print the files in a readable form."),
    ("-convert", [.format], "Rewrite the files in a format."),
    ("-insert", [.keyPath, .type, .value], "Insert a value."),
    ("-replace", [.keyPath, .type, .value], "Replace a value."),
    ("-remove", [.keyPath], "Remove a value."),
    ("-extract", [.keyPath, .printedFormat], "Write the value at a key path."),
    ("-type", [.keyPath], "Print the type of a value."),
    ("-create", [.format], "Create an empty property list."),
    ("-expect", [.kind], "Fail if the value is of another type."),
    ("-append", [], "Append to the array at the key path."),
    ("-header", [], "Write a header for objc too."),
    ("-s", [], "Print nothing on success."),
    ("-o", [.file], "Write to a file; - is standard output."),
    ("-e", [.text], "Write next to each file, with this extension."),
    ("-r", [], "Write JSON on many lines, with sorted keys."),
    ("-n", [], "Print no newline after raw values."),
    ("-coerce", [], "Write values that JSON and OpenStep have no form for."),
    ("--", [], "All arguments after this are files."),
  ]

  private static let commands = [
    "-help", "-lint", "-p", "-convert", "-insert", "-replace", "-remove", "-extract", "-type", "-create",
  ]

  static let formats = ["xml1", "binary1", "json", "swift", "objc", "openstep", "gnustep", "strings"]

  static let types = [
    "-bool", "-integer", "-float", "-string", "-date", "-data", "-xml", "-json", "-array", "-dictionary",
  ]

  static func answer(to line: CommandLineWords) -> CompletionAnswer {
    var expected: ArraySlice<Operand> = []
    var takesOptions = true
    var hasCommand = false
    for word in line.before {
      if let operand = expected.popFirst() {
        if operand == .type, word == "-array" || word == "-dictionary" { expected = [] }
      } else if takesOptions, word == "--" {
        takesOptions = false
      } else if takesOptions, let option = options.first(where: { $0.name == word }) {
        expected = option.operands[...]
        if commands.contains(word) { hasCommand = true }
      }
    }
    if let operand = expected.first { return values(operand, line) }
    guard takesOptions, line.current.hasPrefix("-") else { return .files }
    let candidates = options.filter { !(hasCommand && commands.contains($0.name)) }
    return CompletionAnswer(candidates: candidates.map { .init(text: $0.name, help: $0.help) })
  }

  private static func values(_ operand: Operand, _ line: CommandLineWords) -> CompletionAnswer {
    switch operand {
    case .keyPath: KeyPathCompletion(.plutil).answer(to: line.current, line)
    case .format: .texts(formats)
    case .printedFormat: .texts(["raw"] + formats)
    case .type: .texts(types)
    case .value: line.before.last == "-bool" ? .texts(["YES", "NO"]) : .nothing
    case .file: .files
    case .kind: .texts(PropertyList.Kind.allCases.map(\.plutilName))
    case .text: .nothing
    }
  }
}
