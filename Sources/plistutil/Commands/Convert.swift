import ArgumentParser
import PropertyLists
import ToolSupport

/// The verb `convert`, for any number of files.
struct Convert: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "convert",
    abstract: "Convert property lists into another format.",
    discussion: """
      Without --format, a binary property list becomes XML, and any other binary. Several files need --in-place, \
      --outfolder or --extension, or else are written to standard output one behind the other. The file is written \
      anew: comments and layout are lost, which fmt and the verbs that edit keep.

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
