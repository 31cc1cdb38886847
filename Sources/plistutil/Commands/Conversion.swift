import ArgumentParser
import FoundationEssentials
import PropertyLists

/// What the tool does without a verb, with the options of libplist's tool of the same name.
struct Conversion: ParsableArguments {
  @Option(name: .shortAndLong, help: ArgumentHelp("Read FILE; - is standard input.", valueName: "file"))
  var infile: String?

  @Option(name: .shortAndLong, help: ArgumentHelp("Write FILE; - is standard output.", valueName: "file"))
  var outfile: String?

  @Option(name: .shortAndLong, help: ArgumentHelp("The format to write.", valueName: "xml|bin"))
  var format: FormatArgument?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Read FILE and print it in a form for people, whatever --outfile says.", valueName: "file"))
  var print: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Take only the value at PATH: keys and indices between slashes, as in items/0/name; \\/ is a slash in a key.",
      valueName: "path"))
  var nodepath: String?

  @Flag(name: .shortAndLong, help: "Sort the keys of dictionaries.")
  var sort = false

  @Flag(
    help: "Where a dictionary of XML has a key twice, take the last value, as Apple does, instead of refusing the file."
  )
  var keepLastDuplicates = false

  @Flag(name: .shortAndLong, help: "Say on standard error what is read and written, and how long it takes.")
  var debug = false

  /// Whether any option was given.
  var isUsed: Bool {
    infile != nil || outfile != nil || format != nil || print != nil || nodepath != nil || sort || keepLastDuplicates
      || debug
  }

  func validate() throws {
    if print != nil, infile != nil { throw ValidationError("--print FILE names the input, and so does --infile.") }
    if print != nil, format != nil { throw ValidationError("--print has a form of its own; it goes without --format.") }
  }

  func run() throws {
    let input = Input(print ?? infile ?? "-")
    if !isUsed, Input.isTerminal { throw CleanExit.helpRequest() }
    try input.reportingErrors { () throws(PropertyListError) in
      let clock = ContinuousClock()
      let start = clock.now
      let document = try input.document(
        options: PropertyListReadingOptions(duplicateKeys: keepLastDuplicates ? .keepLast : .reject))
      try document.validate()
      if debug {
        note("\(input.name): \(document.summary), read in \(clock.now - start)")
      }
      var node = document.root
      if let nodepath { node = try node.descendant(at: PropertyListKeyPath(nodepath, syntax: .slashes)) }
      if print != nil {
        return try FileSystem.write(node.readableForm(sortsKeys: sort), to: 1, named: "standard output")
      }
      let target = format?.format ?? (document.format == .binary ? .xml : .binary)
      let converted = clock.now
      let data = try convert(node, to: target, input)
      if let outfile, outfile != "-", outfile != "/dev/stdout" {
        try FileSystem.replace(outfile, with: data)
      } else {
        try FileSystem.write(data, to: 1, named: "standard output")
      }
      if debug {
        note("\(outfile ?? "-"): \(target), \(grouped(data.count)) bytes, written in \(clock.now - converted)")
      }
    }
  }

  /// Apple's XML drops fractions of seconds in silence. Here they are dropped too, since most binary files could not be
  /// converted otherwise, but not in silence.
  private func convert(
    _ node: PropertyListDocument.Node, to format: PropertyListFormat, _ input: Input
  ) throws(PropertyListError) -> Data {
    let exact = PropertyListWritingOptions(
      sortsKeys: sort, depth: ParsingLimits.greatestDepth, fractionalSeconds: .refuse)
    do throws(PropertyListError) {
      return try node.data(format: format, options: exact)
    } catch {
      guard error.kind == .notRepresentable else { throw error }
      var rounding = exact
      rounding.fractionalSeconds = .drop
      let data = try node.data(format: format, options: rounding)
      note("\(input.name): warning: dates are cut to whole seconds: \(error.detail)")
      return data
    }
  }
}

/// A format as it is named after `--format`: like libplist's tool, anything that begins with `xml` or `bin`.
struct FormatArgument: ExpressibleByArgument {
  let format: PropertyListFormat

  init?(argument: String) {
    if argument.hasPrefix("xml") {
      format = .xml
    } else if argument.hasPrefix("bin") {
      format = .binary
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { ["xml", "bin"] }
}
