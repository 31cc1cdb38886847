import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

struct Fmt: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "fmt",
    abstract: "Set out property lists in XML, OpenStep and JSON in one layout; comments stay.",
    discussion: """
      The layout is that of convert: in XML a line for each key and value, indented with tabs; in JSON with two spaces, \
      in OpenStep with four. Values are spelled as convert spells them, and the text is UTF-8. Comments stay where they \
      are, and of empty lines one. An XML element with CDATA, a comment or attributes keeps its spelling. The values \
      stay the same, which is checked before anything is written.

      The formatted file is printed, or takes the place of the old one with --in-place, which leaves a file alone that \
      has the layout already. With --check nothing is written: the names of the files are printed that would change, \
      and the exit code is 1 if there are any. Binary files have no layout: --check and --in-place pass over them.

      Examples:
        plistutil fmt Info.plist
        plistutil fmt --sort --in-place -r Resources/
        plistutil fmt --check -r .
      """)

  @OptionGroup var files: FileArguments

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("The format of the input, where its beginning does not tell.", valueName: "format"))
  var inputFormat: FormatName?

  @Flag(name: .shortAndLong, help: "Sort the keys of dictionaries; comments move with their entries.")
  var sort = false

  @Flag(help: "Print the names of the files that would change, and write nothing.")
  var check = false

  @OptionGroup var destination: Destination

  func validate() throws {
    if check, destination.writesFiles || destination.outfile != nil {
      throw ValidationError(
        "--check writes nothing; it goes without --outfile, --in-place, --outfolder and --extension.")
    }
    if let format = inputFormat?.format, format == .binary {
      throw ValidationError("A binary property list has no layout.")
    }
  }

  func run() throws {
    try files.process(to: destination) { [self] input, report throws(PropertyListError) in
      let data = try input.data()
      let document = try PropertyListDocument(data, format: inputFormat?.format)
      if document.format == .binary, check || destination.inPlace { return }
      let formatted: Data
      do throws(PropertyListError) { formatted = try document.formattedData(sortsKeys: sort) } catch {
        guard document.format == .binary else { throw error }
        throw PropertyListError(error.kind, "\(error.message); convert -f xml gives it one")
      }
      if check {
        guard formatted != data else { return }
        report.raise(ExitCodes.different)
        return try report.line(input.name)
      }
      if destination.inPlace, formatted == data { return }
      try destination.write(formatted, for: input, to: &report)
    }
  }
}
