internal import FoundationEssentials
internal import SystemFiles

/// A writer of the XML format. Its output is the same as that of Apple's writer (`CFPropertyList.c`).
struct XMLWriter: TextWriter, ~Copyable {
  static var formatName: String { "XML" }

  private var output = ByteBuffer()
  private var indent = 0
  private let options: PropertyListWritingOptions
  /// The layout of the surrounding text, if the value is inserted into one.
  private let layout: TextLayout?
  /// True if the output is a fragment, which is inserted into a text; false if it is a file.
  private let isFragment: Bool
  /// True if the next value is on the line of its key, or is the first of a fragment.
  private var isOnLine = false

  private var lookalike = UIDLookalike()

  init(_ options: PropertyListWritingOptions, in layout: TextLayout? = nil) {
    self.options = options
    self.layout = layout
    isFragment = layout != nil
    isOnLine = isFragment
    guard !isFragment else { return }
    output.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    output.append(XMLText.documentType)
    output.append("\n<plist version=\"1.0\">\n")
  }

  consuming func finish() -> Data {
    output.append("</plist>\n")
    return output.takeData()
  }

  var readyByteCount: Int { output.count }

  mutating func drain(to file: FileOutput) throws(PropertyListError) { try output.drain(to: file) }

  @inline(__always)
  private mutating func beginLine() {
    if !isFragment { output.append(tabs: indent) } else { beginLineOfFragment() }
  }

  /// Ends a line whose LF has been written. In a fragment, removes the LF again: there, ``layout`` determines the line
  /// ends.
  @inline(__always)
  private mutating func endLine() {
    if isFragment { output.truncate(to: output.count - 1) }
  }

  /// Begins the line of a value. Resets ``lookalike``, because a dictionary that contains this value cannot look like a
  /// UID.
  @inline(__always)
  private mutating func beginValue() {
    lookalike.forget()
    beginLine()
  }

  mutating func null() throws(PropertyListError) { throw Self.refusal("null") }

  mutating func boolean(_ value: Bool) throws(PropertyListError) {
    beginValue()
    output.append(value ? "<true/>\n" : "<false/>\n")
    endLine()
  }

  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError) {
    try lookalike.check(value)
    beginValue()
    output.append("<integer>")
    if value.isNegative {
      output.append(byte: UInt8(ascii: "-"))
      output.append(decimal: 0 &- value.bits)
    } else {
      output.append(decimal: value.bits)
    }
    output.append("</integer>\n")
    endLine()
  }

  mutating func real(_ value: Double) throws(PropertyListError) {
    beginValue()
    output.append("<real>")
    RealText.append(value, to: &output)
    output.append("</real>\n")
    endLine()
  }

  mutating func float(_ value: Float) throws(PropertyListError) { try real(Double(value)) }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    beginValue()
    output.append("<date>")
    try Self.append(date: seconds, options, to: &output)
    output.append("</date>\n")
    endLine()
  }

  mutating func uid(_ value: UInt32) throws(PropertyListError) {
    guard options.writesUIDDictionaries else { throw Self.refusal("UIDs") }
    try beginDictionary(count: 1)
    try key("CF$UID".utf8Span.rawBytes)
    // This dictionary is read back as a UID on purpose.
    lookalike.forget()
    try integer(PropertyList.Integer(UInt64(value)))
    try endDictionary()
  }

  mutating func string(_ utf8: RawSpan) throws(PropertyListError) {
    if !isFragment, output.append(tabs: indent, "<string>", cleanText: utf8, "</string>\n") {
      lookalike.forget()
      return
    }
    beginValue()
    output.append("<string>")
    try appendEscaped(utf8)
    output.append("</string>\n")
    endLine()
  }

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) {
    lookalike.see(key: utf8, options)
    if !isFragment, output.append(tabs: indent, "<key>", cleanText: utf8, "</key>\n") { return }
    beginLine()
    output.append("<key>")
    try appendEscaped(utf8)
    output.append("</key>\n")
    endLine()
    if isFragment { endKeyOfFragment() }
  }

  /// Writes Base64 in lines with the indent of the tag. The deeper the indent, the shorter are the lines, down to 12
  /// characters at 8 tabs.
  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    beginValue()
    if let layout { return appendData(bytes, in: layout) }
    output.append("<data>\n")
    endLine()
    let tabs = min(indent, 8)
    let bytesPerLine = (76 - 8 * tabs) / 4 * 3
    for start in stride(from: 0, to: bytes.byteCount, by: bytesPerLine) {
      output.append(tabs: tabs)
      Base64Text.append(bytes, start..<min(start + bytesPerLine, bytes.byteCount), to: &output)
      output.append(byte: UInt8(ascii: "\n"))
    }
    beginLine()
    output.append("</data>\n")
    endLine()
  }

  mutating func beginArray(count: Int) throws(PropertyListError) { beginContainer("<array/>\n", "<array>\n", count) }

  mutating func endArray() throws(PropertyListError) { endContainer("</array>\n") }

  mutating func beginDictionary(count: Int) throws(PropertyListError) {
    beginContainer("<dict/>\n", "<dict>\n", count)
    lookalike.begin(count: count)
  }

  mutating func endDictionary() throws(PropertyListError) { endContainer("</dict>\n") }

  /// For each open container, true if it has a closing tag.
  private var hasClosingTag: [Bool] = []

  private mutating func beginContainer(_ empty: StaticString, _ opening: StaticString, _ count: Int) {
    beginValue()
    output.append(count == 0 ? empty : opening)
    endLine()
    hasClosingTag.append(count > 0)
    if count > 0 { indent += 1 }
  }

  private mutating func endContainer(_ closing: StaticString) {
    guard hasClosingTag.removeLast() else { return }
    indent -= 1
    beginLine()
    output.append(closing)
    endLine()
  }

  mutating func keyAlone(_ utf8: RawSpan) throws(PropertyListError) { try key(utf8) }

  consuming func finishFragment() -> Data { output.takeData() }

  private mutating func beginLineOfFragment() {
    if isOnLine {
      isOnLine = false
    } else if let layout, !layout.isInline {
      layout.appendLine(depth: indent, to: &output)
    }
  }

  private mutating func endKeyOfFragment() {
    guard let assignment = layout?.assignment else { return }
    output.append(assignment.rawBytes)
    isOnLine = true
  }

  /// Writes Base64 in lines. They have the length of such lines in the surrounding text; if that has none, the length
  /// that Apple's writer uses.
  private mutating func appendData(_ bytes: RawSpan, in layout: TextLayout) {
    output.append("<data>")
    if layout.isInline {
      Base64Text.append(bytes, 0..<bytes.byteCount, to: &output)
    } else {
      let bytesPerLine = max(layout.base64LineLength(depth: indent) / 4, 1) * 3
      for start in stride(from: 0, to: bytes.byteCount, by: bytesPerLine) {
        layout.appendLine(depth: indent, to: &output)
        Base64Text.append(bytes, start..<min(start + bytesPerLine, bytes.byteCount), to: &output)
      }
      layout.appendLine(depth: indent, to: &output)
    }
    output.append("</data>")
  }

  /// Writes text. Escapes `&`, `<` and `>`, as Apple's writer does, and CR, because XML readers would turn it into LF.
  ///
  /// - Throws: ``PropertyListError/Kind/notRepresentable`` for characters that XML 1.0 does not allow.
  @inline(__always)
  private mutating func appendEscaped(_ text: RawSpan) throws(PropertyListError) {
    var index = output.append(cleanTextOf: text, from: 0)
    while index < text.byteCount {
      try appendSpecial(text, &index)
      index = output.append(cleanTextOf: text, from: index)
    }
  }

  private mutating func appendSpecial(_ text: RawSpan, _ index: inout Int) throws(PropertyListError) {
    let byte = text[index]
    index += 1
    if output.append(referenceFor: byte) { return }
    switch byte {
    case 0x09: output.append(byte: byte)
    // XML readers turn every kind of line end into LF.
    case 0x0A: if let layout { output.append(layout.lineEnd.rawBytes) } else { output.append(byte: byte) }
    case 0xEF:
      if index + 1 < text.byteCount, text[index] == 0xBF, text[index + 1] >= 0xBE {
        throw PropertyListError(.notRepresentable, "XML does not allow U+\(text[index + 1] == 0xBE ? "FFFE" : "FFFF")")
      }
      output.append(byte: byte)
    default:
      if byte < 0x20 {
        throw PropertyListError(
          .notRepresentable, "XML does not allow the control character \(Unicode.Scalar(byte).number)")
      }
      output.append(byte: byte)
    }
  }
}

extension Format {
  static let xml = Format(XMLWriter.self, declaredEncoding: XMLEncoding.declaredEncoding, read: XMLReader.read)
}
