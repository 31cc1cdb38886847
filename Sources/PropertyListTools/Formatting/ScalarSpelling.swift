internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// The spelling of values, keys and brackets in a formatted text. It is the same as that of the format's writer.
struct ScalarSpelling<Scanner: LayoutScanner> {
  private let format: PropertyListFormat
  private var fragments: FragmentWriter
  private var quotesAllText = false

  init(_ format: PropertyListFormat) {
    self.format = format
    // OpenStep text uses GNUstep's numbers and dates only if the original text does.
    fragments = FragmentWriter(
      format: format, options: PropertyListWritingOptions(coercion: format == .openStep ? .reversible : .refuse),
      layout: Scanner.standardLayout)
  }

  var indentUnit: [UInt8] { fragments.layout.indentUnit }
  var assignment: [UInt8] { fragments.layout.assignment ?? [] }

  /// Quotes all strings, as in a strings file.
  mutating func quotesAll() {
    quotesAllText = true
    fragments.layout.keyQuote = UInt8(ascii: "\"")
    fragments.layout.stringQuote = UInt8(ascii: "\"")
  }

  func key(_ key: String, _ range: Range<Int>, _ bytes: RawSpan) throws(PropertyListError) -> [UInt8] {
    if keepsSpelling(range, bytes) { return source(range, bytes) }
    return try fragments.key(key)
  }

  /// Returns the text of a value that is not a container.
  ///
  /// - Parameters:
  ///   - range: The range of the value in the text.
  ///   - column: The indentation of the value's line, in levels.
  ///   - isFloat: True for the real in `{"$float": …}`, the JSON form of 4-byte reals.
  func value(
    _ node: PropertyListDocument.Node, _ range: Range<Int>, column: Int, isRoot: Bool, isFloat: Bool = false,
    _ bytes: RawSpan
  ) throws(PropertyListError) -> [UInt8] {
    if keepsSpelling(range, bytes) { return source(range, bytes) }
    if isFloat, let real = node.real, let text = Self.floatText(real) { return text }
    if format == .xml, let data = node.data { return Self.element(of: data.bytes, column: column) }
    var fragments = fragments
    // A string that is the root is quoted, because the format could not be detected from a single word.
    if isRoot { fragments.layout.stringQuote = UInt8(ascii: "\"") }
    do { return try fragments.value(PropertyList(node)) } catch {
      guard error.kind == .notRepresentable else { throw error }
      // The writer cannot write this value, for example a JSON number that is infinite as a `Double`.
      return source(range, bytes)
    }
  }

  /// Returns the shortest digits that represent a 4-byte real; nil if the digits represent another number when they are
  /// read as an 8-byte real.
  private static func floatText(_ real: Double) -> [UInt8]? {
    let text = Float(real).description
    return real.isFinite && Double(text) == real ? Array(text.utf8) : nil
  }

  func opening(_ kind: NodeKind) -> [UInt8] { tag(kind, "<dict>", "<array>", "{", "[", "(") }

  func closing(_ kind: NodeKind) -> [UInt8] { tag(kind, "</dict>", "</array>", "}", "]", ")") }

  func empty(_ kind: NodeKind) -> [UInt8] { tag(kind, "<dict/>", "<array/>", "{}", "[]", "()") }

  private func tag(
    _ kind: NodeKind, _ xmlDictionary: String, _ xmlArray: String, _ dictionary: String, _ jsonArray: String,
    _ openStepArray: String
  ) -> [UInt8] {
    let text =
      switch (format, kind) {
      case (.xml, .dictionary): xmlDictionary
      case (.xml, _): xmlArray
      case (_, .dictionary): dictionary
      case (.json, _): jsonArray
      default: openStepArray
      }
    return Array(text.utf8)
  }

  /// Returns a part of the text unchanged, except for line ends.
  func source(_ range: Range<Int>, _ bytes: RawSpan) -> [UInt8] {
    var text: [UInt8] = []
    XMLText.decodeLines(bytes.extracting(range), into: &text)
    return text
  }

  /// Returns the form of a JSON dictionary that represents a value of a type that JSON lacks, such as `{"$date": "…"}`;
  /// nil for any other value. Such a dictionary is always written on one line, as by the JSON writer. This is possible
  /// because JSON has no comments.
  func form(of node: PropertyListDocument.Node) throws(PropertyListError) -> CoercedForm? {
    guard format == .json, node.kind == .dictionary, node.count == 1 else { return nil }
    let (key, value) = try node.entry(at: 0)
    return value.flat.kind.isContainer ? nil : CoercedForm(key: key.utf8Span.rawBytes)
  }

  /// Returns true if an XML tag has attributes, so that it must stay unchanged.
  func keepsTag(_ range: Range<Int>, _ bytes: RawSpan) -> Bool {
    guard format == .xml, let tag = XMLLayoutScanner.Element(bytes, at: range.lowerBound)?.tag else { return false }
    return (tag.content.upperBound..<tag.range.upperBound).contains { offset in
      bytes[offset] == UInt8(ascii: "=")
    }
  }

  /// Returns true if a key or value must keep its spelling, because another one would lose attributes, CDATA or a
  /// comment.
  private func keepsSpelling(_ range: Range<Int>, _ bytes: RawSpan) -> Bool {
    switch format {
    case .xml:
      if keepsTag(range, bytes) { return true }
      guard let content = XMLLayoutScanner.Element(bytes, at: range.lowerBound)?.content(bytes) else { return false }
      return bytes.extracting(content).firstIndex(of: UInt8(ascii: "<"), from: 0) != nil
    case .openStep:
      // Data with a comment. Base64 and GNUstep's values may contain slashes, but no comments.
      let text = bytes.extracting(range)
      guard text.byteCount > 2, text[0] == UInt8(ascii: "<"), text[1] != UInt8(ascii: "["), text[1] != UInt8(ascii: "*")
      else { return false }
      return text.firstIndex(of: UInt8(ascii: "/"), from: 1) != nil
    default: return false
    }
  }

  /// Returns a `<data>` element as Apple's writer writes it. Deeper lines are shorter, down to 12 characters at 8 tabs.
  private static func element(of data: RawSpan, column: Int) -> [UInt8] {
    var output = ByteBuffer()
    output.append("<data>\n")
    let tabs = min(column, 8)
    let bytesPerLine = TextLayout.base64LineLength(column: 8 * tabs) / 4 * 3
    for start in stride(from: 0, to: data.byteCount, by: bytesPerLine) {
      output.append(tabs: tabs)
      Base64Text.append(data, start..<min(start + bytesPerLine, data.byteCount), to: &output)
      output.append(byte: 0x0A)
    }
    output.append(tabs: column)
    output.append("</data>")
    return [UInt8](output.bytes, 0..<output.count)
  }
}
