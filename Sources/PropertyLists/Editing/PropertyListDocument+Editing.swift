public import FoundationEssentials

extension PropertyListDocument {
  /// The bytes of this document with another value, changed only where the two values differ.
  ///
  /// The format, the encoding, the byte order mark, the ends of the lines and all that is not part of a changed value stay
  /// byte for byte: comments, the order of the keys, indentation, spelling. What is added looks like what is there: it
  /// has the same indent, the same quotation marks, the same ends of lines. A character that the encoding of an XML file
  /// lacks is added as a reference.
  ///
  /// ```swift
  /// let document = try PropertyListDocument(contentsOf: url)
  /// var value = try PropertyList(document.root)
  /// value.dictionary?["CFBundleVersion"] = "43"
  /// try document.data(updatedTo: value).write(to: url)
  /// ```
  ///
  /// - A value that changes is replaced in its place; containers of the same kind are changed inside.
  /// - What is removed goes with its line, if nothing else stands there. Comments stay, but for those between a key and its
  ///   value.
  /// - A new entry stands behind the one that `new` has before it. A key that goes where another comes is renamed.
  /// - Entries whose order changes, and elements that are found again at another place, move with their bytes, with what
  ///   follows them on their line, and with the comments directly above them.
  /// - A dictionary or array that loses all it has, comments included, becomes an empty one.
  /// - Of entries with the same key, those that do not count go when their dictionary changes.
  ///
  /// Of the options, `sortsKeys` sorts the keys of all dictionaries, `isCompact` puts what is added on one line, and the
  /// others say what added values become that the format has no form for.
  ///
  /// The result is read again. If it had not the value that it ought to have, which no text is known for, and where there
  /// is no layout to keep, all of the new value is written as ``PropertyList/data(format:options:)`` does: for the binary
  /// format, for a document that was not read from bytes, and for a strings file that is to become something else than a
  /// dictionary.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` with the key path of an added value that the format cannot
  ///   hold; ``PropertyListError/Kind/nestedTooDeeply``.
  /// - Complexity: O(*n*) in the length of the document and the size of `new`; where an array was changed at many places,
  ///   up to four million comparisons more.
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

  /// The bytes with another value; nil if there is no layout to keep, or they would not have that value.
  func editedData(
    updatedTo new: PropertyList, options: PropertyListWritingOptions
  ) throws(PropertyListError) -> Data? {
    guard let source = try inputText else { return nil }
    return try TextEdit(self, source, options).data(updatedTo: new)
  }

  /// The text of the input; nil for the binary format, and where there is no input.
  private var inputText: TextSource? {
    get throws(PropertyListError) {
      guard let input else { return nil }
      var faults = FaultLog.first
      switch format {
      case .binary: return nil
      case .xml: return try XMLEncoding.decode(input, faults: &faults)
      case .openStep, .json: return try UnicodeEncoding.decode(input, faults: &faults) ?? TextSource(text: input)
      }
    }
  }

  /// Whether this is a strings file.
  private var hasEntriesWithoutBraces: Bool {
    guard format == .openStep, let text = (try? inputText)?.text else { return false }
    var scanner = OpenStepLayoutScanner(end: text.count)
    return scanner.begin(text.bytes) == .entries
  }
}

/// An edit of the text of a document.
private struct TextEdit {
  private let document: PropertyListDocument
  private let input: TextSource
  private let options: PropertyListWritingOptions

  init(_ document: PropertyListDocument, _ input: TextSource, _ options: PropertyListWritingOptions) {
    self.document = document
    self.input = input
    self.options = options
  }

  /// The bytes with the new value; nil if they would not have it.
  func data(updatedTo new: PropertyList) throws(PropertyListError) -> Data? {
    let edited: Data?
    switch document.format {
    case .xml: edited = try data(updatedTo: new, XMLLayoutScanner.self)
    case .openStep: edited = try data(updatedTo: new, OpenStepLayoutScanner.self)
    case .json: edited = try data(updatedTo: new, JSONLayoutScanner.self)
    case .binary: edited = nil
    }
    guard let edited, has(edited, new) else { return nil }
    return edited
  }

  private func data<Scanner: LayoutScanner>(
    updatedTo new: PropertyList, _ scanner: Scanner.Type
  ) throws(PropertyListError) -> Data? {
    let bytes = input.text.bytes
    var writer = SignatureWriter(expectedCount: document.objectCount)
    try document.root.walk(into: &writer, PropertyListWritingOptions(depth: ParsingLimits.greatestDepth))
    let old = writer.finish()
    let isExact = document.format != .xml && options.coercion == .reversible
    writer = SignatureWriter(
      expectedCount: old.count + 64, widensFloats: !isExact,
      dropsFractions: document.format == .xml && options.fractionalSeconds == .drop)
    try new.walk(into: &writer, sortsKeys: false, depth: options.effectiveDepth)
    let signatures = writer.finish()
    if old[0].hash == signatures[0].hash { return document.input }
    var layout = LayoutDetector<Scanner>.detect(bytes, standard: .standard(of: document.format))
    layout.isInline = layout.isInline || options.isCompact
    let fragments = FragmentWriter(document.format, options, layout)
    guard let repeated = repeatedKeys(Scanner.self) else { return nil }
    var editor = LayoutEditor<Scanner>(bytes, old: old, new: signatures, fragments, repeatedKeys: repeated)
    do throws(LayoutEditor<Scanner>.Failure) {
      let root = try editor.edit(bytes, to: new)
      return editor.text.data(root, of: input, document.input ?? Data())
    } catch {
      switch error {
      case .unknownLayout: return nil
      case .error(let error): throw error
      }
    }
  }

  /// The entries of dictionaries that have a key twice; nil if they were not found.
  private func repeatedKeys<Scanner: LayoutScanner>(_ scanner: Scanner.Type) -> [Int: [Int]]? {
    guard document.options.duplicateKeys == .keepLast, let data = document.input else { return [:] }
    var reading = document.options
    reading.duplicateKeys = .reject
    // Most texts have none.
    if (try? PropertyListDocument(data, format: document.format, options: reading)) != nil { return [:] }
    let bytes = input.text.bytes
    return RepeatedKeys<Scanner>(bytes) { range in
      // The reader knows all spellings of a text, if it stands alone.
      var text = Data(Array(bytes, range))
      if document.format == .xml {
        guard let start = text.firstIndex(of: UInt8(ascii: ">")), let end = text.lastIndex(of: UInt8(ascii: "<")) else {
          return nil
        }
        text = Data("<plist><string>".utf8) + (start < end ? text[(start + 1)..<end] : Data())
        text += Data("</string></plist>".utf8)
      }
      guard let key = try? PropertyListDocument(text, format: document.format).root.string else { return nil }
      return Array(key.utf8)
    }?.entries
  }

  /// Whether the bytes are read back as a value, or as what the format makes of it.
  private func has(_ bytes: Data, _ value: PropertyList) -> Bool {
    var reading = document.options
    reading.limits = ParsingLimits(depth: ParsingLimits.greatestDepth, inputSize: .max)
    guard let found = try? PropertyListDocument(bytes, format: document.format, options: reading) else { return false }
    return ValueComparison.isEqual(found, value, depth: options.effectiveDepth) { scalar throws(PropertyListError) in
      try PropertyList(
        scalar.data(format: document.format, options: options), format: document.format, options: reading)
    }
  }
}
