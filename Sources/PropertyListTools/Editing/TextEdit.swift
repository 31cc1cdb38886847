internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// An edit of the text of a document.
struct TextEdit {
  let document: PropertyListDocument
  let input: TextSource
  let options: PropertyListWritingOptions

  /// Returns the bytes of the document with the new value. Returns nil if the text cannot be edited, or if reading the
  /// bytes back would not give that value.
  func data(updatedTo new: PropertyList) throws(PropertyListError) -> Data? {
    switch try edit(from: ValueSignatures(of: document), to: new, nil) {
    case .unchanged: return document.input
    case .unknownLayout: return nil
    case .text(let text, let root):
      guard let edited = text.data(root, of: input, document.input ?? Data()), has(edited, new) else { return nil }
      return edited
    }
  }

  /// Returns the bytes of the document after an edit. Returns nil if the text cannot be edited, or if reading the bytes
  /// back would not give the new value. For this check, placeholders replace the containers that the edit did not
  /// examine.
  func bytes(_ outline: EditOutline) throws(PropertyListError) -> EditedBytes? {
    switch try edit(
      from: ValueSignatures(of: outline.old, depth: ParsingLimits.greatestDepth), to: outline.new, outline.standIns)
    {
    case .unchanged: return document.input.map { EditedBytes($0) }
    case .unknownLayout: return nil
    case .text(let text, let root):
      guard has(text.outline(root, of: input, outline.standIns), outline.new) else { return nil }
      return EditedBytes(text, root, of: input, head: (document.input ?? Data()).prefix(input.start))
    }
  }

  private enum Outcome {
    case unchanged
    case text(EditedText, EditedText.Piece)
    case unknownLayout
  }

  private func edit(
    from old: ValueSignatures, to new: PropertyList, _ standIns: StandIns?
  ) throws(PropertyListError) -> Outcome {
    switch document.format {
    case .xml: try edit(from: old, to: new, standIns, XMLLayoutScanner.self)
    case .openStep: try edit(from: old, to: new, standIns, OpenStepLayoutScanner.self)
    case .json: try edit(from: old, to: new, standIns, JSONLayoutScanner.self)
    // A file in a format without a layout is written completely.
    default: .unknownLayout
    }
  }

  private func edit<Scanner: LayoutScanner>(
    from old: ValueSignatures, to new: PropertyList, _ standIns: StandIns?, _ scanner: Scanner.Type
  ) throws(PropertyListError) -> Outcome {
    let bytes = input.text.bytes
    let isExact = document.format != .xml && options.coercion == .reversible
    var signatureOptions: SignatureOptions = isExact ? [] : .widensFloats
    if document.format == .xml, options.fractionalSeconds == .drop { signatureOptions.insert(.dropsFractions) }
    let signatures = try ValueSignatures(
      of: new, signatureOptions, depth: options.effectiveDepth, expectedCount: old.count + 64)
    if old[0].hash == signatures[0].hash { return .unchanged }
    var layout = LayoutDetector<Scanner>.detect(bytes, standard: Scanner.standardLayout)
    layout.isInline = layout.isInline || options.isCompact
    let fragments = FragmentWriter(format: document.format, options: options, layout: layout)
    guard let repeated = repeatedKeys(Scanner.self) else { return .unknownLayout }
    var editor = LayoutEditor<Scanner>(
      scanner: Scanner(end: bytes.byteCount), fragments: fragments, old: old, new: signatures, repeatedKeys: repeated,
      standIns: standIns)
    do throws(LayoutEditor<Scanner>.Failure) {
      let root = try editor.edit(bytes, to: new)
      return .text(editor.text, root)
    } catch {
      switch error {
      case .unknownLayout: return .unknownLayout
      case .error(let error): throw error
      }
    }
  }

  /// Returns the entries of dictionaries that have duplicate keys, or nil if the text does not have the expected
  /// structure.
  private func repeatedKeys<Scanner: LayoutScanner>(_ scanner: Scanner.Type) -> [Int: [Int]]? {
    guard document.options.duplicateKeys == .keepLast, let data = document.input else { return [:] }
    var reading = document.options
    reading.duplicateKeys = .reject
    // Most texts have no duplicate keys.
    if (try? PropertyListDocument(data, format: document.format, options: reading)) != nil { return [:] }
    let bytes = input.text.bytes
    return RepeatedKeys<Scanner>(bytes)?.entries
  }

  /// Returns true if the bytes are read back as a value, or as the coerced form of the value.
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
