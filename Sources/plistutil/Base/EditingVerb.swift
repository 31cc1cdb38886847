import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists

/// A verb that edits files.
///
/// Each verb declares these three option groups itself. If all verbs shared one group that contains them,
/// ArgumentParser would check them many times in a debug build.
protocol EditingVerb: ParsableCommand {
  var files: FileArguments { get }
  var reading: ReadingArguments { get }
  var destination: Destination { get }
}

/// The help text that all editing verbs share.
enum EditingHelp {
  static let text = """
    The edited file is printed, or replaces the old one with --in-place. It keeps its format and the order of its keys \
    and, in text formats, its comments and layout.
    """
}

extension EditingVerb {
  /// Calls `edited` for each file, and writes the result to the file's destination.
  func edit(
    _ edited:
      @escaping @Sendable (PropertyListDocument, PropertyListWritingOptions) throws(PropertyListError) -> EditedBytes
  ) throws {
    try files.process(to: destination) { [reading, destination] input, report throws(PropertyListError) in
      let options = PropertyListDocument.editingOptions(coerces: reading.coerce)
      try destination.write(edited(reading.document(input), options), for: input, to: &report)
    }
  }
}

extension PropertyListDocument {
  /// The options for writing values into an existing file.
  static func editingOptions(coerces: Bool) -> PropertyListWritingOptions {
    PropertyListWritingOptions(
      depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse, coercion: coerces ? .reversible : .refuse)
  }
}
