public import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension PropertyListDocument {
  /// Returns the text of this document in the standard layout of its format, with its comments.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// try document.formattedData().write(to: url)
  /// ```
  ///
  /// The result is the text that ``PropertyList/data(format:options:)`` writes for the value, and therefore the same
  /// for equal values, except that intentional parts of the text are kept:
  ///
  /// - Comments stay, byte for byte except for line ends. Comments on the line of a value stay on it; others get a line
  ///   of their own with the current indent.
  /// - An empty line between two entries, elements or comments stays. Several are reduced to one.
  /// - An XML element with CDATA, a comment or attributes keeps its spelling, and so does OpenStep data with a comment.
  ///
  /// A strings file remains a strings file. The encoding is UTF-8 without a byte order mark, and lines end with LF.
  /// Formatting the result again does not change it.
  ///
  /// The formatted text is read back, and its values are compared with those of the document, before it is returned.
  ///
  /// - Parameter sortsKeys: True if the keys of each dictionary are sorted by UTF-16 code units. Entries move with the
  ///   comments above them and on their lines.
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` for the binary format, which has no layout;
  ///   ``PropertyListError/Kind/duplicateKey``, even if the document uses the last of several values;
  ///   ``PropertyListError/Kind/malformed`` for text that readers accept but writers do not write, such as a reference
  ///   to white space between tags.
  /// - Complexity: O(*n*) in the length of the text and of the result, which has an indent on each line; O(*n* log *n*)
  ///   if keys are sorted.
  public func formattedData(sortsKeys: Bool = false) throws(PropertyListError) -> Data {
    guard format != .binary else { throw PropertyListError(.notRepresentable, "a binary property list has no layout") }
    guard let input, let source = try inputText else {
      let options = PropertyListWritingOptions(sortsKeys: sortsKeys, depth: ParsingLimits.greatestDepth)
      return try root.data(format: format, options: options)
    }
    // Every node must correspond to the text: dictionaries are not replaced by the values they represent.
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
    // Equal values have the same bytes in the binary format.
    let comparing = PropertyListWritingOptions(depth: ParsingLimits.greatestDepth)
    var sorting = comparing
    sorting.sortsKeys = sortsKeys
    let found = try? PropertyListDocument(formatted, format: format, options: options).root
    guard let found,
      try plain.root.data(format: .binary, options: sorting) == found.data(format: .binary, options: comparing)
    else { throw PropertyListError(.conflict, "formatting would change the values of the file") }
    return formatted
  }
}
