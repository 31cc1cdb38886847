import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists
import ToolSupport

struct Fmt: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "fmt",
    abstract: "Format property lists in XML, OpenStep and JSON; comments are kept.",
    discussion: """
      The layout is that of convert. XML has a line for each key and value, indented with tabs; JSON is indented with \
      two spaces, OpenStep with four. Values are written as by convert, and the text is UTF-8. Comments stay where \
      they are; several empty lines become one. XML elements with CDATA, comments or attributes are not changed. \
      Before anything is written, the values are checked to be the same as before.

      The formatted file is printed, or replaces the old one with --in-place, which leaves files that have the layout \
      already unchanged. With --check, nothing is written: the names of the files that would change are printed, and \
      the exit code is 1 if there are any. Binary files have no layout; --check and --in-place skip them.

      Examples:
        plistutil fmt Info.plist
        plistutil fmt --sort --in-place -r Resources/
        plistutil fmt --check -r .
      """)

  @OptionGroup var files: FileArguments

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("The format of the input; detected if not given.", valueName: "format"))
  var inputFormat: FormatName?

  @Flag(name: .shortAndLong, help: "Sort the keys of dictionaries; comments move with their entries.")
  var sort = false

  @Flag(help: "Print the names of the files that would change, and write nothing.")
  var check = false

  @OptionGroup var destination: Destination

  func validate() throws {
    if check, destination.writesFiles || destination.outfile != nil {
      throw ValidationError(
        "--check writes nothing; it cannot be combined with --outfile, --in-place, --outfolder or --extension.")
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
        throw PropertyListError(error.kind, "\(error.message); use convert -f xml")
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
