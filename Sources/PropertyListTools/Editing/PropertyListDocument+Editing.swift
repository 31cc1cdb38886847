public import FoundationEssentials
@_spi(Archives) public import PropertyLists

extension PropertyListDocument {
  /// The bytes of this document with another value, changed only where the two values differ.
  ///
  /// The format, the encoding, the byte order mark, the ends of the lines and all that is not part of a changed value
  /// stay byte for byte: comments, the order of the keys, indentation, spelling. What is added looks like what is
  /// there: it has the same indent, the same quotation marks, the same ends of lines. A character that the encoding of
  /// an XML file lacks is added as a reference.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// var value = try PropertyList(document.root)
  /// value.dictionary?["CFBundleVersion"] = "43"
  /// try document.data(updatedTo: value).write(to: url)
  /// ```
  ///
  /// - A value that changes is replaced where it stands; containers of the same kind are changed inside.
  /// - What is removed goes with its line, if nothing else stands there. Comments stay, but for those between a key and
  ///   its value.
  /// - A new entry stands behind the one that `new` has before it. A key that goes where another comes is renamed.
  /// - Entries whose order changes, and elements that are found again at another index, move with their bytes, with
  ///   what follows them on their line, and with the comments directly above them.
  /// - A dictionary or array that loses all it has, comments included, becomes an empty one.
  /// - Of entries with the same key, those that do not count go when their dictionary changes.
  ///
  /// Of the options, `sortsKeys` sorts the keys of all dictionaries, `isCompact` puts what is added on one line, and
  /// the others say what added values become that the format has no form for.
  ///
  /// The result is read again. If it had not the value that it ought to have, which no text is known for, and where
  /// there is no layout to keep, all of the new value is written as ``PropertyList/data(format:options:)`` does: for
  /// the binary format, for a document that was not read from bytes, and for a strings file that is to become something
  /// else than a dictionary.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` with the key path of an added value that the format cannot
  ///   hold; ``PropertyListError/Kind/nestedTooDeeply``.
  /// - Complexity: O(*n*) in the length of the document and the size of `new`; where an array was changed at many
  ///   positions, up to twenty million comparisons of their children more.
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
    // A strings file stays one, if it can.
    if new.kind == .dictionary, hasEntriesWithoutBraces { options.openStepDialect = .strings }
    return try new.data(format: format, options: options)
  }

  /// The bytes of this document with one value changed, as ``data(updatedTo:options:)`` gives them.
  ///
  /// ```swift
  /// let version = try PropertyListKeyPath("CFBundleVersion")
  /// try document.data(applying: .set("43", at: version)).write(to: url)
  /// ```
  ///
  /// - Throws: what ``PropertyList/apply(_:)`` and ``data(updatedTo:options:)`` throw.
  /// - Complexity: O(*n*) in the length of the document. Of a text in UTF-8, only the containers on the way to the
  ///   value become a tree.
  public func data(
    applying edit: PropertyListEdit, options: PropertyListWritingOptions = PropertyListWritingOptions()
  ) throws(PropertyListError) -> Data {
    try edited(by: edit, options: options).data
  }

  /// As ``data(applying:options:)``, for somebody who writes the bytes and needs no memory for all of them.
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

  /// The bytes with another value; nil if there is no layout to keep, or they would not have that value.
  func editedData(updatedTo new: PropertyList, options: PropertyListWritingOptions) throws(PropertyListError) -> Data? {
    guard let source = try inputText else { return nil }
    return try TextEdit(document: self, input: source, options: options).data(updatedTo: new)
  }

  /// The text of the input; nil for the binary format, and where there is no input.
  var inputText: TextSource? {
    get throws(PropertyListError) {
      guard let input else { return nil }
      var defects = DefectLog.first
      return try TextSource(input, format, defects: &defects)
    }
  }

  /// Whether this is a strings file.
  private var hasEntriesWithoutBraces: Bool {
    guard format == .openStep, let text = (try? inputText)?.text else { return false }
    var scanner = OpenStepLayoutScanner(end: text.count)
    return scanner.begin(text.bytes) == .entries
  }
}
