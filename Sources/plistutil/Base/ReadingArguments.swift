import ArgumentParser
import FoundationEssentials
import PropertyLists

/// The options for reading files.
struct ReadingArguments: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("The format of the input; detected if not given.", valueName: "format"))
  var inputFormat: FormatName?

  @Flag(help: "If a dictionary has a key twice, use the last value, as Apple does, instead of refusing the file.")
  var keepLastDuplicates = false

  @Flag(
    help: """
      Write values that JSON and OpenStep have no form for, such as dates, in a form that can be read back, and read \
      that form.
      """)
  var coerce = false

  init() {}

  init(inputFormat: FormatName?, keepLastDuplicates: Bool, coerce: Bool) {
    self.inputFormat = inputFormat
    self.keepLastDuplicates = keepLastDuplicates
    self.coerce = coerce
  }

  var options: PropertyListReadingOptions {
    PropertyListReadingOptions(duplicateKeys: keepLastDuplicates ? .keepLast : .reject, restoresCoercedValues: coerce)
  }

  /// Returns the format of an input; nil to detect it from the beginning of the data.
  func format(of input: Input, _ data: Data) -> PropertyListFormat? { inputFormat?.format ?? input.formatByName(data) }

  /// Reads and validates a document.
  func document(_ input: Input) throws(PropertyListError) -> PropertyListDocument { try document(input, input.data()) }

  /// Validates a document in data that has been read already.
  ///
  /// - Parameter isWritten: true if the caller writes the whole document next. The limit for the expanded size is then
  ///   checked by the writer instead of here.
  func document(
    _ input: Input, _ data: Data, isWritten: Bool = false
  ) throws(PropertyListError) -> PropertyListDocument {
    let document = try read(input, data)
    if isWritten { try document.validate() } else { try document.validateWhole() }
    return document
  }

  /// Reads and validates a document. Duplicate keys are warnings.
  func lenientDocument(_ input: Input, _ report: inout FileReport) throws(PropertyListError) -> PropertyListDocument {
    let data = try input.data()
    return try RepeatedKeys.document(data, of: input, format: format(of: input, data), options) { report.note($0) }
  }

  /// Opens a document without validating all of it. Only the values that are used are read and checked.
  func mappedDocument(_ input: Input) throws(PropertyListError) -> PropertyListDocument {
    try read(input, input.mappedData())
  }

  private func read(_ input: Input, _ data: Data) throws(PropertyListError) -> PropertyListDocument {
    do { return try PropertyListDocument(data, format: format(of: input, data), options: options) } catch {
      throw error.namingDuplicatesOption
    }
  }
}

/// An error about a file that is not the one being processed.
struct OtherFileError: Error {
  let error: PropertyListError
  let input: Input
}

extension ReadingArguments {
  /// Calls `body` with the value in another file.
  func withValue<Result>(
    of input: Input, _ body: (PropertyList) throws(PropertyListError) -> Result
  ) throws(OtherFileError) -> Result {
    do { return try body(PropertyList(document(input).root)) } catch {
      throw OtherFileError(error: error, input: input)
    }
  }
}

extension PropertyListDocument.Node {
  /// The keys of a dictionary, in the order of the file.
  var keys: [String] {
    get throws(PropertyListError) {
      try (0..<count).map { position throws(PropertyListError) in try entry(at: position).key }
    }
  }
}
