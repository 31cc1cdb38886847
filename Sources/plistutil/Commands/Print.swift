internal import ArchiveViews
import ArgumentParser
import FoundationEssentials
import KeyedArchiving
import PropertyLists
import ToolSupport

struct Print: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "print",
    abstract: "Print property lists in a readable form.",
    discussion: """
      The type of each value is visible, and nothing is left out unless you use --elide or --depth. The printed form \
      cannot be read back. Typedstreams and compiled nibs are printed as by archive show.

      With --unwrap, archives and property lists that are nested in data are printed in place of the data. Objects of \
      archives are printed as by archive json.

      Examples:
        plistutil print --depth 2 Info.plist
        plistutil print --unwrap --key WebMainResource Page.webarchive
      """)

  @OptionGroup var files: FileArguments
  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var reading: ReadingArguments

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Print only the value at PATH, such as items.0.name.", valueName: "path"),
    transform: PropertyListKeyPath.argument)
  var key: PropertyListKeyPath?

  @Flag(name: .shortAndLong, help: "Sort the keys of dictionaries.")
  var sort = false

  @Option(
    help: ArgumentHelp("Shorten strings to N characters and data to N bytes, and show their sizes.", valueName: "n"))
  var elide: Int?

  @Option(help: ArgumentHelp("Show N levels of containers, and the number of values in deeper ones.", valueName: "n"))
  var depth: Int?

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file, with the value.")
  var isForMachines = false

  @OptionGroup var color: ColorArgument

  func validate() throws {
    if let elide, elide < 0 { throw ValidationError("--elide must be at least 0.") }
    if isForMachines, sort || elide != nil || depth != nil {
      throw ValidationError("--json prints complete values; it cannot be combined with --sort, --elide or --depth.")
    }
    if let depth, depth < 0 { throw ValidationError("--depth must be at least 0.") }
  }

  func run() throws {
    var form = DescriptionOptions()
    form.sortsKeys = sort
    form.isColored = color.isOn()
    form.greatestLength = elide
    form.depth = depth
    try files.process(isForMachines: isForMachines) { [self, form] input, report throws(PropertyListError) in
      if unwrap.isGiven { return try printUnwrapped(input, form, &report) }
      let data = try input.data()
      if reading.inputFormat == nil, let source = try ArchiveSource(data) { return try printArchive(source, &report) }
      let node = try reading.document(input, data).root.descendant(at: key ?? PropertyListKeyPath())
      if report.isForMachines { return try report.machineLine(["value": PropertyList(node)]) }
      // One write for both, so that the heading is not printed if the value throws.
      try report.write(Data(report.heading.utf8) + node.readableForm(form))
    }
  }

  private func printUnwrapped(
    _ input: Input, _ form: DescriptionOptions, _ report: inout FileReport
  ) throws(PropertyListError) {
    let node =
      if let key {
        try unwrap.value(at: key, in: unwrap.file(input, reading), input, &report)
      } else {
        try unwrap.document(input, reading, &report).root
      }
    if report.isForMachines { return try report.machineLine(["value": PropertyList(node)]) }
    try report.write(Data(report.heading.utf8) + node.readableForm(form))
  }

  /// Prints a typedstream or nib in the form of `archive show`, or of `archive json` for JSON output.
  private func printArchive(_ source: ArchiveSource, _ report: inout FileReport) throws(PropertyListError) {
    let archive = try source.archive()
    let path = key ?? PropertyListKeyPath()
    let text: Data
    do {
      text =
        report.isForMachines
        ? try archive.jsonData(isIndented: false) : Data(try archive.tree(at: path, depth: depth).utf8)
    } catch {
      throw PropertyListError(error)
    }
    guard report.isForMachines else { return try report.write(Data(report.heading.utf8) + text + Data("\n".utf8)) }
    try report.machineLine(["value": PropertyList(text, format: .json).value(at: path)])
  }
}
