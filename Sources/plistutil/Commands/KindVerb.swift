import ArgumentParser
import PropertyLists
import ToolSupport

struct KindVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "type",
    abstract: "Print the kind of the value at a path.",
    discussion: """
      The kinds are \(KindName.allValueStrings.joined(separator: ", ")).

      \(KeyPathHelp.text)

      Example: plistutil type CFBundleVersion Info.plist
      """)

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments
  @OptionGroup var expected: ExpectedKind

  @Flag(name: [.customShort("n"), .customLong("no-newline")], help: "Print no newline at the end.")
  var omitsNewline = false

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file.")
  var isForMachines = false

  @OptionGroup var reading: ReadingArguments

  func run() throws {
    try files.process(isForMachines: isForMachines) { [self] input, report throws(PropertyListError) in
      let node = try reading.mappedDocument(input).root.descendant(at: path)
      try expected.check(node, at: path)
      let name = KindName(node.kind).name
      if isForMachines { return try report.machineLine(["type": .string(name)]) }
      try report.write(report.prefix + name + (omitsNewline ? "" : "\n"))
    }
  }
}
