import ArgumentParser
import PropertyLists

/// The options for writing values.
struct WritingArguments: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Sort the keys of dictionaries.")
  var sort = false

  @Flag(name: .shortAndLong, help: "Write JSON and OpenStep on one line.")
  var compact = false

  @Flag(
    name: [.customShort("C"), .customLong("plain")],
    help: """
      Write values that JSON and OpenStep have no form for as text or numbers, as libplist's tool does with -C. They \
      are not read back as the original values.
      """)
  var plain = false

  init() {}

  init(sort: Bool, compact: Bool, plain: Bool) {
    self.sort = sort
    self.compact = compact
    self.plain = plain
  }

  /// Returns the options for the writers of the library.
  ///
  /// - Parameter coerces: true to write values that the format cannot represent in a form that can be read back.
  func options(coerces: Bool, dialect: PropertyListWritingOptions.OpenStepDialect) -> PropertyListWritingOptions {
    PropertyListWritingOptions(
      sortsKeys: sort, depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse,
      coercion: plain ? .plain : coerces ? .reversible : .refuse, isCompact: compact, openStepDialect: dialect)
  }

  /// Writes the value of a file in a format, to its destination.
  ///
  /// Apple's XML drops fractions of seconds silently, and so does the text that libplist's tool writes with -C. This
  /// tool drops them too, because most binary files could not be converted otherwise, but prints a warning.
  func write(
    _ node: PropertyListDocument.Node, _ name: FormatName, coerces: Bool, for input: Input,
    to destination: Destination, _ report: inout FileReport
  ) throws(PropertyListError) {
    var options = options(coerces: coerces, dialect: name.dialect)
    let dropsFractions = name.format == .xml || plain && name.format != .binary
    if dropsFractions { options.fractionalSeconds = .drop }
    let fraction: PropertyListKeyPath?
    do {
      try options.checkStrings(in: node)
      fraction = try destination.write(node, name.format, options, for: input, to: &report)
    } catch {
      throw explained(error, name, coerces: coerces)
    }
    if let fraction, dropsFractions {
      var cut = PropertyListError.noFractions(in: name.format)
      cut.keyPath = fraction
      report.note("\(report.name): warning: dates are cut to whole seconds: \(cut.detail)")
    }
  }

  /// Returns an error whose message also names the options that make the tool write the value, if the error is about a
  /// value that the format cannot represent.
  func explained(_ error: PropertyListError, _ name: FormatName, coerces: Bool) -> PropertyListError {
    guard error.kind == .notRepresentable, !coerces, !plain, name.format == .json || name.format == .openStep else {
      return error
    }
    var error = error
    error.message += "; --coerce writes it in a form that can be read back"
    // In a strings file, -C does not help: containers and data are written there only with --coerce.
    if name.dialect != .strings { error.message += ", -C writes it as text" }
    return error
  }
}
