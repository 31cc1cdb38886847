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
  /// Changes the whole value of each file.
  func update(_ edit: @escaping @Sendable (inout PropertyList) throws(PropertyListError) -> Void) throws {
    try files.process(to: destination) { [reading, destination] input, report throws(PropertyListError) in
      let document = try reading.document(input)
      var value = try PropertyList(document.root)
      try edit(&value)
      try destination.write(document.edited(value, coerces: reading.coerce), for: input, to: &report)
    }
  }

  /// Changes one value of each file.
  func make(_ edit: PropertyListEdit) throws {
    try files.process(to: destination) { [reading, destination] input, report throws(PropertyListError) in
      let document = try reading.document(input)
      let options = PropertyListDocument.editingOptions(coerces: reading.coerce)
      try destination.write(document.edited(by: edit, options: options), for: input, to: &report)
    }
  }
}

extension PropertyListDocument {
  /// The bytes of the file with another value, changed only where the values differ.
  func edited(_ value: PropertyList, coerces: Bool) throws(PropertyListError) -> Data {
    try data(updatedTo: value, options: Self.editingOptions(coerces: coerces))
  }

  /// What becomes of values that are put into a file.
  fileprivate static func editingOptions(coerces: Bool) -> PropertyListWritingOptions {
    PropertyListWritingOptions(
      depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse, coercion: coerces ? .reversible : .refuse)
  }
}
