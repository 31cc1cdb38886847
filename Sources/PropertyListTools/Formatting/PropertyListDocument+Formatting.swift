public import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension PropertyListDocument {
  /// The text of this document in the one layout of its format, with its comments.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// try document.formattedData().write(to: url)
  /// ```
  ///
  /// It is what ``PropertyList/data(format:options:)`` writes of the value, and so the same for the same value, but for
  /// what people wrote on purpose:
  ///
  /// - Comments stay, each byte for byte but for the ends of its lines: those on the line of a value stay on it, others
  ///   get a line of their own with the indent of what is there.
  /// - An empty line between two entries, elements or comments stays; of several, one does.
  /// - An element of XML with CDATA, a comment or attributes keeps its spelling, and so does data of OpenStep with a
  ///   comment.
  ///
  /// A strings file stays one. The encoding is UTF-8 without a byte order mark, and lines end with LF. The text of a
  /// formatted document is the same again.
  ///
  /// The values are compared before the text is given out.
  ///
  /// - Parameter sortsKeys: whether the keys of every dictionary are sorted, by their UTF-16 code units. Entries move
  ///   with the comments above them and on their lines.
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` for the binary format, which has no layout;
  ///   ``PropertyListError/Kind/duplicateKey`` also where the document takes the last of several values;
  ///   ``PropertyListError/Kind/malformed`` for what a reader takes, but which no writer writes, such as a reference to
  ///   white space between tags.
  /// - Complexity: O(*n*) in the length of the text and of what is written, which has an indent on each line; O(*n*
  ///   log *n*) if keys are sorted.
  public func formattedData(sortsKeys: Bool = false) throws(PropertyListError) -> Data {
    guard format != .binary else { throw PropertyListError(.notRepresentable, "a binary property list has no layout") }
    guard let input, let source = try inputText else {
      let options = PropertyListWritingOptions(sortsKeys: sortsKeys, depth: ParsingLimits.greatestDepth)
      return try root.data(format: format, options: options)
    }
    // Each node is one that the text shows: no dictionary stands for something else.
    var options = options
    options.recognizesUIDDictionaries = false
    options.restoresCoercedValues = false
    options.duplicateKeys = .reject
    let plain = try PropertyListDocument(input, format: format, options: options)
    let formatted: Data =
      switch format {
      case .xml: try TextFormatter<XMLLayoutScanner>.format(plain, source, sortsKeys: sortsKeys)
      case .json: try TextFormatter<JSONLayoutScanner>.format(plain, source, sortsKeys: sortsKeys)
      default: try TextFormatter<OpenStepLayoutScanner>.format(plain, source, sortsKeys: sortsKeys)
      }
    // The same values have the same bytes in the binary format.
    let comparing = PropertyListWritingOptions(depth: ParsingLimits.greatestDepth)
    var sorting = comparing
    sorting.sortsKeys = sortsKeys
    let found = try? PropertyListDocument(formatted, format: format, options: options).root
    guard let found,
      try plain.root.data(format: .binary, options: sorting) == found.data(format: .binary, options: comparing)
    else { throw PropertyListError(.conflict, "the formatted text would not have the values of the file") }
    return formatted
  }
}
