import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

/// The options for a value on the command line, one for each type.
struct ValueArguments: ParsableArguments {
  @Option(name: .customLong("string"), parsing: .unconditionalSingleValue, help: "A string.")
  var strings: [String] = []

  @Option(
    name: .customLong("integer"), parsing: .unconditionalSingleValue,
    help: "An integer, decimal or hexadecimal with 0x.")
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
    completion: .file(), transform: FileName.argument)
  var dataFiles: [String] = []

  @Option(name: .customLong("uid"), help: "A UID, a reference in a keyed archive.")
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
    completion: .file(), transform: FileName.argument)
  var valueFiles: [String] = []

  private var count: Int {
    let options = [strings, integers, reals, booleans, dates, data, dataFiles, uids, xml, json, openStep, valueFiles]
    return options.reduce(nulls + arrays + dictionaries) { $0 + $1.count }
  }

  func validate() throws {
    if count > 1 { throw ValidationError("More than one value is given.") }
    // Files are read only once, when the work begins.
    guard dataFiles.isEmpty, valueFiles.isEmpty else { return }
    _ = try validating { () throws(PropertyListError) in try read() }
  }

  var isGiven: Bool { count > 0 }

  /// True if the value is read from standard input.
  var hasStandardInput: Bool { (dataFiles + valueFiles).contains("-") }

  /// Returns the value; nil if no option was given.
  ///
  /// - Parameter reading: the options for reading a file.
  func value(_ reading: ReadingArguments? = nil) throws -> PropertyList? {
    let file = (dataFiles + valueFiles).first
    return try telling(about: file.map { Input($0).name } ?? "") { () throws(PropertyListError) in
      try read(reading)
    }
  }

  private func read(_ reading: ReadingArguments? = nil) throws(PropertyListError) -> PropertyList? {
    let texts: [(option: String, texts: [String], kind: PropertyList.Kind, form: String)] = [
      ("--string", strings, .string, "text"),
      (
        "--integer", integers, .integer,
        "an integer from \(Int64.min) to \(UInt64.max), in decimal, or in hexadecimal with 0x"
      ),
      ("--real", reals, .real, "a number such as -1.5 or 2e10, nan, inf or -inf"),
      ("--bool", booleans, .boolean, "true, false, yes, no, 1 or 0"),
      ("--date", dates, .date, "a date such as 2001-01-01T00:00:00Z or '2001-01-01 00:00:00 +0000'"),
      ("--data", data, .data, "base64, such as AAEC"),
      ("--uid", uids, .uid, "an integer from 0 to \(UInt32.max)"),
    ]
    for (option, texts, kind, form) in texts {
      guard let text = texts.first else { continue }
      guard !FileSystem.hasStandIns(text), let value = try? PropertyList(rawText: text, as: kind) else {
        let shown = FileSystem.showingBytes(text).quoted
        throw PropertyListError(.malformed, "\(option): \(shown) is not \(kind == .string ? "UTF-8" : form)")
      }
      return value
    }
    if nulls > 0 { return .null }
    if arrays > 0 { return [] }
    if dictionaries > 0 { return [:] }
    let formats: [(option: String, texts: [String], format: PropertyListFormat, example: String)] = [
      ("--xml", xml, .xml, "<integer>5</integer>"), ("--json", json, .json, #"{"a": [1, "text", true]}"#),
      ("--openstep", openStep, .openStep, "{ a = (b, c); }"),
    ]
    let options = PropertyListReadingOptions(restoresCoercedValues: true)
    for (option, texts, format, example) in formats {
      guard let text = texts.first else { continue }
      do { return try PropertyList(Data(ProgramArguments.text(text).utf8), format: format, options: options) } catch {
        throw PropertyListError(error.kind, "\(option): \(error); expected a value such as '\(example)'")
      }
    }
    if let file = dataFiles.first { return .data(try Input(file).data()) }
    return try valueFiles.first.map { (file) throws(PropertyListError) in try Self.value(inFile: file, reading) }
  }

  /// Returns the value in a file of any format.
  ///
  /// - Parameter reading: the options that say if duplicate keys are allowed; if nil, they are errors.
  static func value(inFile file: String, _ reading: ReadingArguments?) throws(PropertyListError) -> PropertyList {
    var options = PropertyListReadingOptions(restoresCoercedValues: true)
    if reading?.keepLastDuplicates == true { options.duplicateKeys = .keepLast }
    let (input, data) = (Input(file), try Input(file).data())
    do { return try PropertyList(data, format: input.formatByName(data), options: options) } catch {
      throw reading == nil ? error : error.namingDuplicatesOption
    }
  }
}
