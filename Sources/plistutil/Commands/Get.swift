import ArgumentParser
import FoundationEssentials
import PropertyLists

struct Get: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "get",
    abstract: "Print or extract the value at a path.",
    discussion: """
      Without --format, a string, number, date or data is printed as its text, as scripts want it, and a container as \
      print does. Of several files, each line has the name of the file in front, as grep has it. Of a binary file, only \
      what is on the way is read, however large it is.

      \(KeyPathHelp.text)

      Examples:
        plistutil get CFBundleVersion Info.plist
        plistutil get --expect array -f json items.0.tags Data.plist
        plistutil get 'CFBundleURLTypes.0.com\\.example' -r Payload/
      """,
    aliases: ["extract"])

  @Argument(help: KeyPathHelp.argument, transform: PropertyListKeyPath.argument)
  var path: PropertyListKeyPath

  @OptionGroup var files: FileArguments

  @Option(name: .shortAndLong, help: ArgumentHelp("Write the value as a file of this format.", valueName: "format"))
  var format: FormatName?

  @OptionGroup var expected: ExpectedKind

  @Flag(name: [.customShort("n"), .customLong("no-newline")], help: "Print no line end behind such a text.")
  var omitsNewline = false

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file, with the value.")
  var isForMachines = false

  @OptionGroup var reading: ReadingArguments
  @OptionGroup var writing: WritingArguments
  @OptionGroup var destination: Destination

  func validate() throws {
    if destination.inPlace, format == nil {
      throw ValidationError("--in-place would put text in the place of the property list; it goes with --format.")
    }
    if isForMachines, format != nil { throw ValidationError("--json goes without --format.") }
    if isForMachines, destination.writesFiles {
      throw ValidationError("--json prints; it goes without --outfile, --in-place, --outfolder and --extension.")
    }
  }

  func run() throws {
    try files.process(to: destination, isForMachines: isForMachines) {
      [self] input, report throws(PropertyListError) in
      let document = try reading.mappedDocument(input)
      do throws(PropertyListError) {
        try take(from: document, input, &report)
      } catch {
        // What expands without end is a circle, or is only large.
        if error.kind == .limitExceeded { try document.validate() }
        throw error
      }
    }
  }

  private func take(
    from document: PropertyListDocument, _ input: Input, _ report: inout FileReport
  ) throws(PropertyListError) {
    let node = try document.root.descendant(at: path)
    try expected.check(node, at: path)
    if isForMachines {
      try report.machineLine(["value": PropertyList(node)])
    } else if let format {
      try writing.write(node, format, coerces: reading.coerce, for: input, to: destination, &report)
    } else {
      try destination.write(text(of: node, input, report), for: input, to: &report)
    }
  }

  /// What is printed without a format.
  private func text(
    of node: PropertyListDocument.Node, _ input: Input, _ report: borrowing FileReport
  ) throws(PropertyListError) -> Data {
    let isPrinted = destination.target(input) == .standardOutput
    guard node.kind != .array, node.kind != .dictionary else {
      var form = DescriptionOptions()
      form.sortsKeys = writing.sort
      return Data((isPrinted ? report.heading : "").utf8) + (try node.readableForm(form))
    }
    let text = try PropertyList(node).rawText ?? ""
    let line = isPrinted ? report.prefix + text.onStandardOutput : text
    return Data((line + (omitsNewline ? "" : "\n")).utf8)
  }
}
