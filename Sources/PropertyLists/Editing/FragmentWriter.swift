internal import FoundationEssentials

/// Writes values that are put into a text, as the text has others.
struct FragmentWriter {
  let format: PropertyListFormat
  let options: PropertyListWritingOptions
  var layout: TextLayout

  init(_ format: PropertyListFormat, _ options: PropertyListWritingOptions, _ layout: TextLayout) {
    self.format = format
    self.options = options
    self.layout = layout
  }

  /// The text of a value.
  ///
  /// - Throws: what the writer of the format throws.
  func value(_ value: PropertyList) throws(PropertyListError) -> [UInt8] {
    let text: Data
    switch format {
    case .openStep:
      var writer = OpenStepWriter(options, in: layout)
      try value.walk(into: &writer, sortsKeys: false, depth: options.effectiveDepth)
      text = writer.finishFragment()
    case .json:
      var writer = JSONWriter(options, in: layout)
      try value.walk(into: &writer, sortsKeys: false, depth: options.effectiveDepth)
      text = writer.finishFragment()
    case .xml, .binary:
      var writer = XMLWriter(options, in: layout)
      try value.walk(into: &writer, sortsKeys: false, depth: options.effectiveDepth)
      text = writer.finishFragment()
    }
    return layout.escapesNonASCII ? Self.escaped(text, format) : Array(text)
  }

  /// The text of a key.
  func key(_ key: String) throws(PropertyListError) -> [UInt8] {
    var writer = self
    writer.layout.assignment = nil
    writer.layout.stringQuote = layout.keyQuote
    guard format == .xml else { return try writer.value(.string(key)) }
    var xml = XMLWriter(options, in: writer.layout)
    try xml.key(key.utf8Span.rawBytes)
    return Array(xml.finishFragment())
  }

  /// Text of JSON or OpenStep with escapes for all that is no ASCII, which stands in strings alone.
  private static func escaped(_ text: Data, _ format: PropertyListFormat) -> [UInt8] {
    var result: [UInt8] = []
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      guard !scalar.isASCII else {
        result.append(UInt8(truncatingIfNeeded: scalar.value))
        continue
      }
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        let digits = String(unit, radix: 16)
        result += Array((format == .json ? "\\u" : "\\U").utf8)
        result += Array(repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count) + Array(digits.utf8)
      }
    }
    return result
  }

  /// The pieces that take the place of a value of another kind, or of the same kind that is no container.
  ///
  /// - Parameters:
  ///   - kind: what stood there.
  ///   - range: where.
  func replacement(
    of kind: NodeKind, at range: Range<Int>, by new: PropertyList, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece] {
    if format == .xml, let pieces = try elementReplacement(of: kind, at: range, by: new, bytes, &text) { return pieces }
    var writer = self
    if format == .openStep, kind == .string, !range.isEmpty {
      let first = bytes[range.lowerBound]
      writer.layout.stringQuote = first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") ? first : nil
    }
    if format == .openStep, writer.layout.stringQuote == nil, range.upperBound < bytes.byteCount,
      OpenStepLexer.isUnquoted(bytes[range.upperBound])
    {
      // A comment may follow, whose slash would be part of a string without quotation marks.
      writer.layout.stringQuote = UInt8(ascii: "\"")
    }
    if format == .openStep, kind == .data, case .data(let data) = new {
      return [text.add(OpenStepData(bytes, in: range).text(of: data.bytes))]
    }
    return [text.add(try writer.value(new))]
  }
}

/// XML.
extension FragmentWriter {
  /// A scalar of the same kind, between the tags that there are.
  ///
  /// - Returns: nil if it is another element.
  private func elementReplacement(
    of kind: NodeKind, at range: Range<Int>, by new: PropertyList, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece]? {
    let name: StaticString
    switch (kind, new) {
    case (.string, .string): name = "string"
    case (.integer, .integer), (.unsignedInteger, .integer): name = "integer"
    case (.real, .real), (.real, .float): name = "real"
    case (.date, .date): name = "date"
    case (.data, .data(let data)):
      if let pieces = dataReplacement(at: range, by: data.bytes, bytes, &text) { return pieces }
      name = "data"
    case (.uid, .uid(let uid)): return try uidReplacement(at: range, by: uid, bytes, &text)
    default: return nil
    }
    guard let content = XMLLayoutScanner.Element(bytes, at: range.lowerBound)?.content(bytes) else { return nil }
    let element = try value(new)
    let length = name.utf8CodeUnitCount
    var pieces: [EditedText.Piece] = []
    pieces.append(source: range.lowerBound, content.lowerBound)
    // Without `<name>` and `</name>`.
    pieces.append(text.add(Array(element[(length + 2)..<(element.count - length - 3)])))
    pieces.append(source: content.upperBound, range.upperBound)
    return pieces
  }

  /// Base64 in lines like those there are.
  private func dataReplacement(
    at range: Range<Int>, by data: RawSpan, _ bytes: RawSpan, _ text: inout EditedText
  ) -> [EditedText.Piece]? {
    guard data.byteCount > 0, let lines = Base64Lines(bytes, in: range) else { return nil }
    let indent = Array(bytes, layout: lines.indent)
    var length = lines.length ?? Int.max
    if lines.length == nil, lines.beginsLine {
      length = layout.base64LineLength ?? TextLayout.base64LineLength(column: TextLayout.width(indent))
    }
    let bytesPerLine = max(min(length, 1 << 40) / 4, 1) * 3
    var output = ByteBuffer()
    for start in stride(from: 0, to: data.byteCount, by: bytesPerLine) {
      if start > 0 {
        output.append(layout.lineEnd.rawBytes)
        output.append(indent.rawBytes)
      }
      Base64Text.append(data, start..<min(start + bytesPerLine, data.byteCount), to: &output)
    }
    var pieces: [EditedText.Piece] = []
    pieces.append(source: range.lowerBound, lines.start)
    pieces.append(text.add(output.bytes))
    pieces.append(source: lines.ending.lowerBound, range.upperBound)
    return pieces
  }

  /// The number in a dictionary that stands for a UID.
  private func uidReplacement(
    at range: Range<Int>, by uid: PropertyList.UID, _ bytes: RawSpan, _ text: inout EditedText
  ) throws(PropertyListError) -> [EditedText.Piece]? {
    var scanner = XMLLayoutScanner(end: range.upperBound)
    scanner.index = range.lowerBound
    // The opening tag, and the key.
    for _ in 0..<2 {
      guard scanner.token(bytes) != nil else { return nil }
      scanner.skipTrivia(bytes)
    }
    guard let number = scanner.token(bytes)?.range else { return nil }
    let integer = PropertyList.integer(PropertyList.Integer(Int64(uid.value)))
    guard
      let inner = try elementReplacement(of: .integer, at: number, by: integer, bytes, &text)
    else { return nil }
    var pieces: [EditedText.Piece] = []
    pieces.append(source: range.lowerBound, number.lowerBound)
    pieces += inner
    pieces.append(source: number.upperBound, range.upperBound)
    return pieces
  }
}
