import ArgumentParser
import FoundationEssentials
import PropertyLists

/// How files are read.
struct ReadingArguments: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("The format of the input, where its beginning does not tell.", valueName: "format"))
  var inputFormat: FormatName?

  @Flag(
    help: "Where a dictionary has a key twice, take the last value, as Apple does, instead of refusing the file."
  )
  var keepLastDuplicates = false

  @Flag(
    help: """
      In JSON and OpenStep, write what they have no form for, such as dates, so that it can be read back, and read it \
      back.
      """)
  var coerce = false

  var options: PropertyListReadingOptions {
    PropertyListReadingOptions(
      duplicateKeys: keepLastDuplicates ? .keepLast : .reject, restoresCoercedValues: coerce)
  }

  /// A document that is known to be without fault.
  func document(_ input: Input) throws(PropertyListError) -> PropertyListDocument {
    let options = options
    let document = try PropertyListDocument(
      input.data(limit: options.limits.inputSize), format: inputFormat?.format, options: options)
    try document.validate()
    return document
  }

  /// A document of which only what is looked at is read, and checked.
  func mappedDocument(_ input: Input) throws(PropertyListError) -> PropertyListDocument {
    let options = options
    return try PropertyListDocument(
      input.mappedData(limit: options.limits.inputSize), format: inputFormat?.format, options: options)
  }
}
