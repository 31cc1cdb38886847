import ArgumentParser
import PropertyLists
import ToolSupport

/// The options for converting files to another format.
struct Conversion: ParsableArguments {
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

  init() {}

  init(
    format: FormatName?, nodepath: PropertyListKeyPath?, reading: ReadingArguments, writing: WritingArguments,
    debug: Bool
  ) {
    self.format = format
    self.nodepath = nodepath
    self.reading = reading
    self.writing = writing
    self.debug = debug
  }

  /// Returns the value to convert.
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
