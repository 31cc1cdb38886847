import FoundationEssentials
import PropertyListTools
import PropertyLists

/// Reading of files whose dictionaries have duplicate keys.
enum RepeatedKeys {
  /// The greatest number of warnings.
  private static let greatestCount = 20

  /// Returns the document in a file. The last value of a duplicate key is used, as in Apple's and libplist's tools, and
  /// each duplicate is a warning. In binary files, a duplicate key is an error.
  ///
  /// - Parameters:
  ///   - isWhole: true to validate the whole document.
  ///   - warn: called with the text of each warning.
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
      warn("\(input.name)\(location): warning: \(defect.detail); the last value is used")
    }
    if defects.count > greatestCount { warn("\(input.name): warning: more keys occur twice; use lint to list them") }
    return document
  }
}

extension PropertyListError {
  /// This error. If it is about a duplicate key in a text format, its message also names the option that accepts
  /// duplicate keys.
  var namingDuplicatesOption: PropertyListError {
    guard kind == .duplicateKey, position != nil else { return self }
    var error = self
    error.message += "; --keep-last-duplicates uses the last value"
    return error
  }
}
