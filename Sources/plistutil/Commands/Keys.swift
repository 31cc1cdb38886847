import ArgumentParser
import PropertyLists
import ToolSupport

struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "keys",
    abstract: "Print the keys of the dictionary at a path, one per line.",
    discussion: """
      The keys are in the order of the file. To print the paths of all values, use find.

      \(KeyPathHelp.text)

      Example: plistutil keys '' Info.plist
      """)

  @Argument(
    help: ArgumentHelp("The path of the dictionary; '' is the whole file.", valueName: "path"),
    transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments

  @Flag(name: .shortAndLong, help: "Sort the keys.")
  var sort = false

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file, with the keys.")
  var isForMachines = false

  @OptionGroup var reading: ReadingArguments

  func run() throws {
    try files.process(isForMachines: isForMachines) { [self] input, report throws(PropertyListError) in
      let node = try reading.mappedDocument(input).root.descendant(at: path)
      guard node.kind == .dictionary else {
        throw PropertyListError(.wrongKind, "expected dictionary, found \(KindName(node.kind).name)", keyPath: path)
      }
      var keys = try node.keys
      if sort { keys.sort() }
      if isForMachines { return try report.machineLine(["keys": .array(keys.map { .string($0) })]) }
      let prefix = report.prefix
      try report.write(keys.map { "\(prefix)\($0.onStandardOutput)\n" }.joined())
    }
  }
}
