import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

struct Diff: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "diff",
    abstract: "Compare two property lists, or all property lists in two folders.",
    discussion: """
      Files are compared by value; their formats may differ. Each difference is printed on a line: - removed, + \
      inserted, ~ replaced, > moved inside an array, # keys in another order. Each path is valid after the changes of \
      the lines before it. Use patch to apply the changes that --patch writes.

      Exit codes: 0 the same; 1 different; 2 trouble.

      Examples:
        plistutil diff Old.plist New.plist
        plistutil diff --patch -f json Old.plist New.plist -o changes.json
        plistutil diff -r Before.app After.app
      """)

  @Argument(file: "The old file or folder; - is standard input.", "old")
  var old: String

  @Argument(file: "The new file or folder.", "new")
  var new: String

  @Flag(name: .shortAndLong, help: "Compare the property lists in two folders and their subfolders.")
  var recursive = false

  @Option(
    help: ArgumentHelp(
      "With --recursive, read only files whose names match PATTERN, for example '*.json'; can be repeated.",
      valueName: "pattern"))
  var name: [String] = []

  @Flag(help: "Ignore the order of keys in dictionaries.")
  var ignoreKeyOrder = false

  @Flag(name: .shortAndLong, help: "Print nothing, and only set the exit code.")
  var quiet = false

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each pair of files, with the changes as in a patch.")
  var isForMachines = false

  @Flag(help: "Write the changes as a patch, which is a property list.")
  var patch = false

  @Option(name: .shortAndLong, help: ArgumentHelp("The format of the patch; xml if not given.", valueName: "format"))
  var format: FormatName?

  @Option(file: "Write the patch to FILE.", "file", name: .shortAndLong)
  var outfile: String?

  @OptionGroup var reading: ReadingArguments
  @OptionGroup var color: ColorArgument

  func validate() throws {
    if [quiet, isForMachines, patch].count(where: { $0 }) > 1 {
      throw ValidationError("--quiet, --json and --patch cannot be combined.")
    }
    if !patch, format != nil || outfile != nil {
      throw ValidationError("--format and --outfile work only with --patch.")
    }
    if patch, recursive { throw ValidationError("--patch cannot be combined with --recursive.") }
    if !name.isEmpty, !recursive { throw ValidationError("--name works only with --recursive.") }
    if old == "-", new == "-" { throw Input.readTwice }
  }

  func run() throws {
    let pairs = try FilePairs(old, new, recursive: recursive, patterns: name, isForMachines: isForMachines)
    let batch = Batch(
      inputs: pairs.inputs, jobs: ProcessInfo.processInfo.activeProcessorCount, isForMachines: isForMachines,
      lossExitCode: ExitCodes.trouble)
    let isColored = color.isOn()
    let exitCode = batch.run { [self] input, report throws(PropertyListError) in
      guard let pair = pairs[input] else { return }
      try compare(pair, isColored: isColored, &report)
    }
    if pairs.hasDefects { throw ExitCode(max(exitCode, ExitCodes.trouble)) }
    // An exit code for a signal is kept; others are limited to 2.
    if exitCode != ExitCodes.success { throw ExitCode(exitCode < 128 ? min(exitCode, ExitCodes.trouble) : exitCode) }
  }

  private func compare(_ pair: FilePairs.Pair, isColored: Bool, _ report: inout FileReport) throws(PropertyListError) {
    guard let old = pair.old, let new = pair.new else {
      report.raise(ExitCodes.different)
      guard !quiet else { return }
      let side = pair.old == nil ? "new" : "old"
      if isForMachines { return try report.machineLine(["onlyIn": .string(side)]) }
      return try report.line("only in \(side): \((pair.old ?? pair.new)?.name ?? "")")
    }
    let difference: PropertyListDifference
    do {
      difference = PropertyListDifference(
        from: try reading.withValue(of: old) { $0 }, to: try reading.withValue(of: new) { $0 },
        ignoresKeyOrder: ignoreKeyOrder)
    } catch {
      report.fail(error.error, about: error.input)
      return report.raise(ExitCodes.trouble)
    }
    if !difference.isEmpty { report.raise(ExitCodes.different) }
    do { try print(difference, old, new, isColored: isColored, &report) } catch {
      report.raise(ExitCodes.trouble)
      throw error
    }
  }

  private func print(
    _ difference: PropertyListDifference, _ old: Input, _ new: Input, isColored: Bool, _ report: inout FileReport
  ) throws(PropertyListError) {
    if patch {
      let format = format ?? FormatName(.xml)
      let data = try difference.patch.data(
        format: format.format,
        options: PropertyListWritingOptions(
          depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse, coercion: .reversible,
          openStepDialect: format.dialect))
      if outfile == nil, format.format == .binary { try Console.refuseBinary() }
      guard let outfile, outfile != "-" else { return try report.write(data) }
      return try report.replace(outfile, with: data)
    }
    if isForMachines {
      return try report.machineLine(
        ["old": .string(old.machineName), "changes": difference.patch["changes"] ?? []], about: new)
    }
    guard !quiet, !difference.isEmpty else { return }
    var text = recursive ? "\(old.name) \(new.name)\n" : ""
    for change in difference.changes {
      text += isColored ? "\(Self.color(of: change))\(change)\u{1B}[0m\n" : "\(change)\n"
    }
    try report.write(Data(text.utf8))
  }

  private static func color(of change: PropertyListDifference.Change) -> String {
    switch change {
    case .removal: "\u{1B}[31m"
    case .insertion: "\u{1B}[32m"
    case .replacement: "\u{1B}[33m"
    case .move, .reordering: "\u{1B}[36m"
    }
  }
}
