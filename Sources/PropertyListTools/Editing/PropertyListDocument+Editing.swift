public import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension PropertyListDocument {
  /// Returns the bytes of this document with a new value. Only the parts where the two values differ are changed.
  ///
  /// The format, the encoding, the byte order mark, line ends, and everything outside of changed values stay the same,
  /// byte for byte: comments, the order of the keys, indentation and spelling. Added text looks like the existing text:
  /// it has the same indent, quotation marks and line ends. If the encoding of an XML file lacks a character, it is
  /// added as a reference.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// var value = try PropertyList(document.root)
  /// value.dictionary?["CFBundleVersion"] = "43"
  /// try document.data(updatedTo: value).write(to: url)
  /// ```
  ///
  /// - A changed value is replaced at its position. Containers of the same kind are edited recursively.
  /// - A removed child takes its line with it, if there is nothing else on the line. Comments stay, except those
  ///   between a key and its value.
  /// - A new entry is inserted after the one that precedes it in `new`. A removed key next to a new one is renamed.
  /// - Entries and elements that change their order move with their bytes, with the white space and comments that
  ///   follow them on their line, and with the comments directly above them.
  /// - A dictionary or array is written as an empty one if neither children nor comments are left in it.
  /// - If a dictionary changes, those of its duplicate entries that are ignored are removed.
  ///
  /// Of the options, `sortsKeys` sorts the keys of all dictionaries, `isCompact` writes added values on one line, and
  /// the others control how values that the format cannot represent are added.
  ///
  /// The result is read back. If it does not have the new value (no example is known), the whole new value is written
  /// as by ``PropertyList/data(format:options:)``. The same happens if the text cannot be edited: in the binary format,
  /// in documents that were not read from bytes, and in strings files if the new value is not a dictionary.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` with the key path of an added value that the format cannot
  ///   represent; ``PropertyListError/Kind/nestedTooDeeply``.
  /// - Complexity: O(*n*) in the length of the document and the size of `new`. If an array changed at many positions,
  ///   up to twenty million comparisons of children in addition.
  public func data(
    updatedTo new: PropertyList, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> Data {
    var new = new
    if options.sortsKeys {
      let reading = PropertyListReadingOptions(limits: ParsingLimits(depth: options.effectiveDepth))
      new = try PropertyList(PropertyListDocument(new, options: reading, sortsKeys: true).root)
    }
    if let edited = try editedData(updatedTo: new, options: options) { return edited }
    var options = options
    // A strings file remains a strings file if the new value is a dictionary.
    if new.kind == .dictionary, hasEntriesWithoutBraces { options.openStepDialect = .strings }
    return try new.data(format: format, options: options)
  }

  /// Returns the bytes of this document with one value changed, like ``data(updatedTo:options:)``.
  ///
  /// ```swift
  /// let version = try PropertyListKeyPath("CFBundleVersion")
  /// try document.data(applying: .set("43", at: version)).write(to: url)
  /// ```
  ///
  /// - Throws: The errors of ``PropertyList/apply(_:)`` and ``data(updatedTo:options:)``.
  /// - Complexity: O(*n*) in the length of the document. For text in UTF-8, trees are created only for the containers
  ///   along the path to the value.
  public func data(
    applying edit: PropertyListEdit, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> Data {
    try edited(by: edit, options: options).data
  }

  /// Returns the bytes, as ``data(applying:options:)`` does, in a form that can be written without holding all of them
  /// in memory.
  package func edited(
    by edit: PropertyListEdit, options: PropertyListWritingOptions
  ) throws(PropertyListError) -> EditedBytes {
    if !options.sortsKeys, self.options.duplicateKeys == .reject, let source = try inputText, source.unitWidth == 1,
      let outline = try EditOutline(self, edit),
      let edited = try TextEdit(document: self, input: source, options: options).bytes(outline)
    {
      return edited
    }
    var value = try PropertyList(root)
    try value.apply(edit)
    return EditedBytes(try data(updatedTo: value, options: options))
  }

  /// Returns the bytes of the document, edited so that its value is `new`. Returns nil if the document is binary or was
  /// not read from bytes, if its text cannot be edited, or if the edited text would not read back as `new`.
  func editedData(updatedTo new: PropertyList, options: PropertyListWritingOptions) throws(PropertyListError) -> Data? {
    guard let source = try inputText else { return nil }
    return try TextEdit(document: self, input: source, options: options).data(updatedTo: new)
  }

  /// The text of the input, or nil for the binary format and for a document without an input.
  var inputText: TextSource? {
    get throws(PropertyListError) {
      guard let input else { return nil }
      var defects = DefectLog.first
      return try TextSource(input, format, defects: &defects)
    }
  }

  /// True if this is a strings file.
  private var hasEntriesWithoutBraces: Bool {
    guard format == .openStep, let text = (try? inputText)?.text else { return false }
    var scanner = OpenStepLayoutScanner(end: text.count)
    return scanner.begin(text.bytes) == .entries
  }
}
