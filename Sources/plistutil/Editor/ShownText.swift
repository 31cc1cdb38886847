import FoundationEssentials
import PropertyListTools
import PropertyLists

/// A property list as text for an editor, and how what becomes of the text gets back into the file.
struct ShownText {
  /// The format of the text.
  let format: PropertyListFormat
  let text: Data
  /// How the text is read.
  let options: PropertyListReadingOptions
  /// The file that the text is another form of; nil if the text is the file itself.
  private let original: Original?

  private struct Original {
    let document: PropertyListDocument
    let value: PropertyList
    /// What the text says before it is edited: the value, without what the format has no form for.
    let shown: PropertyList
  }

  /// The text of a file that is text already, as it is; it may be malformed.
  init(text: Data, format: PropertyListFormat, options: PropertyListReadingOptions) {
    self.format = format
    self.text = text
    self.options = options
    original = nil
  }

  /// The text of a file in another format.
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

  /// The extension by which editors know the text.
  var fileExtension: String { format == .json ? "json" : "plist" }

  /// What the file is to hold for an edited text without defects.
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
