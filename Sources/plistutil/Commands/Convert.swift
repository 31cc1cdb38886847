import ArgumentParser
import PropertyLists
import ToolSupport

/// The verb `convert`, for any number of files.
struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "convert",
    abstract: "Convert property lists to another format.",
    discussion: """
      Without --format, a binary property list is converted to XML, and any other to binary. Without --in-place, \
      --outfolder or --extension, several files are written to standard output, one after another. Comments and layout \
      are lost; fmt and the verbs that edit keep them.

      Examples:
        plistutil convert -f xml Info.plist
        plistutil convert -f binary --in-place -r Payload/
        plistutil convert -f json --coerce --extension json *.plist
      """)

  @OptionGroup var files: FileArguments

  @Option(name: .shortAndLong, help: ArgumentHelp("The format to write.", valueName: "format"))
  var format: FormatName?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Use only the value at PATH, with slashes between keys and indices: items/0/name; \\/ is a slash in a key.",
      valueName: "path"), transform: PropertyListKeyPath.slashedArgument)
  var nodepath: PropertyListKeyPath?

  @OptionGroup var reading: ReadingArguments
  @OptionGroup var writing: WritingArguments

  @Flag(name: .shortAndLong, help: "Print on standard error what is read and written, and how long it takes.")
  var debug = false

  @OptionGroup var destination: Destination

  func run() throws {
    let conversion = Conversion(format: format, nodepath: nodepath, reading: reading, writing: writing, debug: debug)
    try files.process(to: destination) { [destination] input, report throws(PropertyListError) in
      try conversion.convert(input, to: destination, &report)
    }
  }
}
