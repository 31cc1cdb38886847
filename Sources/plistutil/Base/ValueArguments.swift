import ArgumentParser
import FoundationEssentials
import PropertyLists

/// A value on the command line, with its type.
struct ValueArguments: ParsableArguments {
  @Option(name: .customLong("string"), parsing: .unconditionalSingleValue, help: "A string.")
  var strings: [String] = []

  @Option(name: .customLong("integer"), parsing: .unconditionalSingleValue, help: "An integer, decimal or with 0x.")
  var integers: [String] = []

  @Option(name: .customLong("real"), parsing: .unconditionalSingleValue, help: "A real.")
  var reals: [String] = []

  @Option(name: .customLong("bool"), help: "A boolean: true, false, yes, no, 1 or 0.")
  var booleans: [String] = []

  @Option(
    name: .customLong("date"), parsing: .unconditionalSingleValue,
    help: "A date: 2001-01-01T00:00:00Z, or 2001-01-01 00:00:00 +0000.")
  var dates: [String] = []

  @Option(name: .customLong("data"), help: ArgumentHelp("Data in base64.", valueName: "base64"))
  var data: [String] = []

  @Option(
    name: .customLong("data-file"), help: ArgumentHelp("Data: the bytes of FILE.", valueName: "file"),
    completion: .file())
  var dataFiles: [String] = []

  @Option(name: .customLong("uid"), help: "A UID, the reference of keyed archives.")
  var uids: [String] = []

  @Flag(name: .customLong("null"), help: "The null object.")
  var nulls: Int

  @Flag(name: .customLong("array"), help: "An empty array.")
  var arrays: Int

  @Flag(name: .customLong("dictionary"), help: "An empty dictionary.")
  var dictionaries: Int

  @Option(name: .customLong("xml"), help: ArgumentHelp("A value in XML.", valueName: "text"))
  var xml: [String] = []

  @Option(
    name: .customLong("json"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A value in JSON.", valueName: "text"))
  var json: [String] = []

  @Option(
    name: .customLong("openstep"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A value in OpenStep.", valueName: "text")
  )
  var openStep: [String] = []

  @Option(
    name: .customLong("value-file"), help: ArgumentHelp("The value in FILE, in any format.", valueName: "file"),
    completion: .file())
  var valueFiles: [String] = []

  private var count: Int {
    let options = [
      strings, integers, reals, booleans, dates, data, dataFiles, uids, xml, json, openStep, valueFiles,
    ]
    return options.reduce(nulls + arrays + dictionaries) { $0 + $1.count }
  }

  func validate() throws {
    if count > 1 { throw ValidationError("More than one value is given.") }
    // Files are read once, when the work begins.
    guard dataFiles.isEmpty, valueFiles.isEmpty else { return }
    _ = try validating(read)
  }

  var isMissing: Bool { count == 0 }

  /// Whether the value comes from standard input.
  var hasStandardInput: Bool { (dataFiles + valueFiles).contains("-") }

  /// The value; nil if none was given.
  func value() throws -> PropertyList? {
    try telling(about: (dataFiles + valueFiles).first?.printable() ?? "", read)
  }

  private func read() throws(PropertyListError) -> PropertyList? {
    let texts: [([String], PropertyList.Kind)] = [
      (strings, .string), (integers, .integer), (reals, .real), (booleans, .boolean), (dates, .date), (data, .data),
      (uids, .uid),
    ]
    for (texts, kind) in texts {
      if let text = texts.first { return try PropertyList(rawText: text, as: kind) }
    }
    if nulls > 0 { return .null }
    if arrays > 0 { return [] }
    if dictionaries > 0 { return [:] }
    let options = PropertyListReadingOptions(restoresCoercedValues: true)
    for (texts, format) in [(xml, .xml), (json, .json), (openStep, .openStep)] as [([String], PropertyListFormat)] {
      if let text = texts.first { return try PropertyList(Data(text.utf8), format: format, options: options) }
    }
    if let file = dataFiles.first { return .data(try Input(file).data()) }
    guard let file = valueFiles.first else { return nil }
    return try PropertyList(Input(file).data(), options: options)
  }
}
