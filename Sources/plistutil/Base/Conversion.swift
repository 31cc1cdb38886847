import PropertyLists
import ToolSupport

/// The settings of a conversion of files to another format.
struct Conversion {
  /// The format to write. If nil, a binary file is converted to XML, and any other file to the binary format.
  var format: FormatName?
  /// The path of the value to convert; nil for the root.
  var nodepath: PropertyListKeyPath?
  var reading: ReadingArguments
  var writing: WritingArguments
  /// True to print what is read and written, and how long it takes.
  var debug: Bool

  /// Returns the value to convert: the root, or the value at the path of `--nodepath`.
  func node(_ document: PropertyListDocument) throws(PropertyListError) -> PropertyListDocument.Node {
    guard let nodepath else { return document.root }
    return try document.root.descendant(at: nodepath)
  }

  /// Converts one file.
  ///
  /// - Parameter isLenient: true if a duplicate key is a warning instead of an error.
  func convert(
    _ input: Input, to destination: Destination, isLenient: Bool = false, _ report: inout FileReport
  ) throws(PropertyListError) {
    let clock = ContinuousClock()
    let start = clock.now
    let document =
      try isLenient ? reading.lenientDocument(input, &report) : reading.document(input, input.data(), isWritten: true)
    if debug { report.note("\(input.name): \(document.summary), read in \(clock.now - start)") }
    let target = format ?? FormatName(document.format == .binary ? .xml : .binary)
    let converted = clock.now
    try writing.write(node(document), target, coerces: reading.coerce, for: input, to: destination, &report)
    if debug {
      let name = if case .file(let path) = destination.target(input) { path.printable() } else { "-" }
      report.note("\(name): \(target.format.rawValue), written in \(clock.now - converted)")
    }
  }
}
