import ArgumentParser
import FoundationEssentials
import PropertyListTools
import PropertyLists

/// A verb that edits files.
///
/// The verbs hold these groups themselves: for a group inside another, ArgumentParser checks a debug build many times.
protocol EditingVerb: ParsableCommand {
  var files: FileArguments { get }
  var reading: ReadingArguments { get }
  var destination: Destination { get }
}

/// What the help of every editing verb says.
enum EditingHelp {
  static let text = """
    The edited file is printed, or takes the place of the old one with --in-place. It keeps its format, the order of its \
    keys and, in text formats, comments and layout.
    """
}

extension EditingVerb {
  /// Writes each file with another value, or with one value changed.
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
  /// What becomes of values that are put into a file.
  static func editingOptions(coerces: Bool) -> PropertyListWritingOptions {
    PropertyListWritingOptions(
      depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse, coercion: coerces ? .reversible : .refuse)
  }
}
