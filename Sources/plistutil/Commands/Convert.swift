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
  @OptionGroup var conversion: Conversion
  @OptionGroup var destination: Destination

  func run() throws {
    try files.process(to: destination) { [conversion, destination] input, report throws(PropertyListError) in
      try conversion.convert(input, to: destination, &report)
    }
  }
}
