import FoundationEssentials
import PropertyListTools
import PropertyLists

/// Dictionaries that have a key twice.
enum RepeatedKeys {
  /// How many of them a warning names.
  private static let greatestCount = 20

  /// The document in a file, of which the last value of a key counts, as for Apple's and libplist's tools. Says where
  /// there are others. Of binary files the key is an error.
  ///
  /// - Parameter warn: is given a line for people.
  static func document(
    _ data: Data, of input: Input, format: PropertyListFormat?, _ options: PropertyListReadingOptions,
    isWhole: Bool = true, warn: (String) -> Void
  ) throws(PropertyListError) -> PropertyListDocument {
    do {
      let document = try PropertyListDocument(data, format: format, options: options)
      if isWhole { try document.validateWhole() }
      return document
    } catch {
      guard error.kind == .duplicateKey, options.duplicateKeys == .reject else { throw error }
    }
    var lenient = options
    lenient.duplicateKeys = .keepLast
    let document = try PropertyListDocument(data, format: format, options: lenient)
    if isWhole { try document.validateWhole() }
    let defects = PropertyListDocument.defects(in: data, format: format, options: options, limit: greatestCount + 1)
    for defect in defects.prefix(greatestCount) {
      let location = defect.position.map { ":\($0.line):\($0.column)" } ?? ""
      warn("\(input.name)\(location): warning: \(defect.detail); the last value counts")
    }
    if defects.count > greatestCount { warn("\(input.name): warning: more keys stand twice; lint lists them") }
    return document
  }
}

extension PropertyListError {
  /// The error of a key that stands twice in a text, with the option that takes the last value.
  var namingDuplicatesOption: PropertyListError {
    guard kind == .duplicateKey, position != nil else { return self }
    var error = self
    error.message += "; --keep-last-duplicates takes the last value"
    return error
  }
}
