import FoundationEssentials
import PropertyListTools
import PropertyLists

/// The text that an editor shows for a property list. Converts the edited text back to the format of the file.
struct ShownText {
  /// The format of the text.
  let format: PropertyListFormat
  let text: Data
  /// The options for reading the text.
  let options: PropertyListReadingOptions
  /// The document that was converted to text; nil if the text is the file itself.
  private let original: Original?

  private struct Original {
    let document: PropertyListDocument
    let value: PropertyList
    /// The value of the text before it was edited: the original value, without details that the text format cannot
    /// represent.
    let shown: PropertyList
  }

  /// Shows a text file as it is, even if it is malformed.
  init(text: Data, format: PropertyListFormat, options: PropertyListReadingOptions) {
    self.format = format
    self.text = text
    self.options = options
    original = nil
  }

  /// Converts a document to a text format.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` if a value would be missing from the text.
  init(_ document: PropertyListDocument, as name: FormatName) throws(PropertyListError) {
    format = name.format
    options = PropertyListReadingOptions(restoresCoercedValues: true)
    text = try document.root.data(
      format: name.format,
      options: PropertyListWritingOptions(
        depth: ParsingLimits.greatestDepth, coercion: .reversible, openStepDialect: name.dialect))
    original = Original(
      document: document, value: try PropertyList(document.root),
      shown: try PropertyList(text, format: name.format, options: options))
  }

  /// The file extension that shows editors the format of the text.
  var fileExtension: String { format == .json ? "json" : "plist" }

  /// Returns the new contents of the file for an edited text without defects.
  ///
  /// - Returns: nil if the text has the same values as before.
  func file(for edited: Data, coerces: Bool) throws(PropertyListError) -> Data? {
    guard let original else { return edited }
    let value = try PropertyList(edited, format: format, options: options)
    guard let restored = try value.restoring(original.value, shownAs: original.shown) else { return nil }
    let isBinary = original.document.format == .binary
    return try original.document.data(
      updatedTo: restored, options: PropertyListDocument.editingOptions(coerces: coerces || isBinary))
  }
}
