internal import FoundationEssentials
internal import SystemFiles

/// A writer of the OpenStep format. Core Foundation, GNUstep and libplist read the same values from its output, except
/// that libplist decodes the escape of a backslash wrongly (`oplist.c`).
///
/// The layout is that of Apple's and GNUstep's descriptions: one value per line, indented by four spaces per level.
/// Non-ASCII text is written as UTF-8, which all readers accept. It is not escaped, because libplist does not decode
/// the two UTF-16 escapes of a character above U+FFFF. Forms that only ``PropertyListWritingOptions/Coercion`` enables
/// are in `OpenStepWriter+Coercion.swift`.
struct OpenStepWriter: TextWriter, ~Copyable {
  static var formatName: String { "OpenStep" }

  var output = ByteBuffer()
  let options: PropertyListWritingOptions
  /// The layout of the surrounding text, if the value is inserted into one.
  private let layout: TextLayout?
  private var frames: [Frame] = []
  private var followsKey = false

  private var lookalike = UIDLookalike()

  /// An open container.
  private struct Frame {
    let isDictionary: Bool
    let isEmpty: Bool
    var hasValue = false
  }

  init(_ options: PropertyListWritingOptions, in layout: TextLayout? = nil) {
    self.options = options
    self.layout = layout
  }

  consuming func finish() -> Data {
    output.append("\n")
    return output.takeData()
  }

  consuming func finishFragment() -> Data { output.takeData() }

  var readyByteCount: Int { output.count }

  mutating func drain(to file: FileOutput) throws(PropertyListError) { try output.drain(to: file) }

  /// True if numbers, booleans and dates are written in GNUstep's notation.
  var isTyped: Bool { options.openStepDialect == .gnustep || options.coercion == .reversible }

  /// True if the next value is the root of a file.
  var isRoot: Bool { frames.isEmpty && layout == nil }

  mutating func null() throws(PropertyListError) {
    try beginValue()
    switch options.coercion {
    case .refuse: throw Self.refusal("null")
    case .reversible: output.append("<*N>")
    case .plain: appendWord("NULL")
    }
    endValue()
  }

  mutating func boolean(_ value: Bool) throws(PropertyListError) {
    try beginValue()
    if isTyped {
      output.append(value ? "<*BY>" : "<*BN>")
    } else {
      guard options.coercion == .plain else { throw Self.refusal("booleans") }
      appendWord(value ? "1" : "0")
    }
    endValue()
  }

  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError) {
    if isTyped { try lookalike.check(value) }
    try beginValue()
    if isTyped {
      appendTyped("<*I", value.description)
    } else {
      guard options.coercion == .plain else { throw Self.refusal("integers") }
      appendWord(value.description)
    }
    endValue()
  }

  mutating func real(_ value: Double) throws(PropertyListError) {
    try beginValue()
    try appendReal(value)
    endValue()
  }

  mutating func float(_ value: Float) throws(PropertyListError) {
    try beginValue()
    try appendFloat(value)
    endValue()
  }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    try beginValue()
    try appendDate(seconds)
    endValue()
  }

  mutating func uid(_ value: UInt32) throws(PropertyListError) {
    switch options.coercion {
    case .reversible where options.writesUIDDictionaries:
      try beginDictionary(count: 1)
      try key("CF$UID".utf8Span.rawBytes)
      // This dictionary is read back as a UID on purpose.
      lookalike.forget()
      try integer(PropertyList.Integer(UInt64(value)))
      try endDictionary()
    case .plain: try integer(PropertyList.Integer(UInt64(value)))
    case .refuse, .reversible: throw Self.refusal("UIDs")
    }
  }

  mutating func string(_ utf8: RawSpan) throws(PropertyListError) {
    try beginValue()
    appendText(utf8, layout?.stringQuote)
    endValue()
  }

  /// Writes bytes in groups of four, as Apple and GNUstep do.
  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    try beginValue()
    output.append("<")
    for index in 0..<bytes.byteCount {
      if index > 0, index & 3 == 0, !options.isCompact { output.append(" ") }
      output.append(hexadecimal: bytes[index])
    }
    output.append(">")
    endValue()
  }

  mutating func beginArray(count: Int) throws(PropertyListError) {
    try beginValue()
    output.append("(")
    frames.append(Frame(isDictionary: false, isEmpty: count == 0))
  }

  mutating func endArray() throws(PropertyListError) { endContainer(")") }

  mutating func beginDictionary(count: Int) throws(PropertyListError) {
    if !hasNoBraces(isRoot) {
      try beginValue()
      output.append("{")
    } else if count == 0 {
      // A comment is written, because an empty file is not a property list.
      output.append("/* no entries */")
    }
    frames.append(Frame(isDictionary: true, isEmpty: count == 0))
    lookalike.begin(count: count)
  }

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) {
    lookalike.see(key: utf8, options)
    beginLine()
    appendText(utf8, layout?.keyQuote)
    if let layout { layout.appendAssignment(to: &output) } else { output.append(options.isCompact ? "=" : " = ") }
    followsKey = true
  }

  mutating func endDictionary() throws(PropertyListError) {
    if hasNoBraces(frames.count == 1) { frames.removeLast() } else { endContainer("}") }
  }

  private func hasNoBraces(_ isOutermost: Bool) -> Bool {
    options.openStepDialect == .strings && isOutermost && layout == nil
  }

  private mutating func beginValue() throws(PropertyListError) {
    lookalike.forget()
    if followsKey {
      followsKey = false
    } else if !frames.isEmpty {
      if frames[frames.count - 1].hasValue { output.append(",") }
      beginLine()
    } else if layout == nil, options.openStepDialect == .strings {
      throw PropertyListError(.notRepresentable, "the root of a strings file must be a dictionary")
    }
  }

  private mutating func endValue() {
    guard let frame = frames.last, frame.isDictionary else { return }
    output.append(";")
  }

  /// Begins the line of an entry or element of the innermost container.
  private mutating func beginLine() {
    let isNotFirst = frames[frames.count - 1].hasValue
    let isFirstOfFile = hasNoBraces(frames.count == 1) && !isNotFirst
    frames[frames.count - 1].hasValue = true
    if !isFirstOfFile { beginLine(before: isNotFirst ? .next : .first, depth: frames.count) }
  }

  private mutating func beginLine(before position: TextLayout.Position, depth: Int) {
    if let layout { return layout.appendBreak(before: position, depth: depth, to: &output) }
    guard !options.isCompact else { return }
    output.append("\n")
    output.append(repeating: UInt8(ascii: " "), count: 4 * (options.openStepDialect == .strings ? depth - 1 : depth))
  }

  private mutating func endContainer(_ bracket: StaticString) {
    let frame = frames.removeLast()
    if !frame.isEmpty {
      if !frame.isDictionary, let layout, layout.hasTrailingCommas, !layout.isInline { output.append(",") }
      beginLine(before: .closing, depth: frames.count)
    }
    output.append(bracket)
    endValue()
  }

  /// Writes a string. Writes no quotation marks only if all readers accept the string without them and all other
  /// writers omit them, too.
  ///
  /// Core Foundation accepts letters, digits and `_$/:.-` unquoted. GNUstep accepts more, and libplist does not accept
  /// the slash and the colon. Apple's and GNUstep's writers quote the hyphen. The root is always quoted, because the
  /// format could not be detected from a single word.
  ///
  /// - Parameter quote: The quotation mark of the surrounding strings, which is written even if the string needs none;
  ///   nil to write quotation marks only if they are needed.
  private mutating func appendText(_ text: RawSpan, _ quote: UInt8?) {
    if quote == nil, options.openStepDialect != .strings || layout != nil, !isRoot, Self.isWord(text) {
      output.append(text)
    } else {
      appendQuoted(text, quote ?? UInt8(ascii: "\""))
    }
  }

  private static func isWord(_ text: RawSpan) -> Bool {
    for index in 0..<text.byteCount {
      switch text[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."):
        continue
      default: return false
      }
    }
    return text.byteCount > 0
  }

  /// Writes the plain form of a number. Writes quotation marks only if Core Foundation needs them.
  mutating func appendWord(_ text: String) {
    if !isRoot, !text.utf8.contains(UInt8(ascii: "+")) {
      output.append(text.utf8Span.rawBytes)
    } else {
      appendQuoted(text.utf8Span.rawBytes)
    }
  }

  /// Writes a quoted string. Control characters that have no escape letter are written as `\U00xx`, because libplist
  /// reads only two digits of an octal escape.
  private mutating func appendQuoted(_ text: RawSpan, _ quote: UInt8 = UInt8(ascii: "\"")) {
    output.append(byte: quote)
    var start = 0
    var index = 0
    while index < text.byteCount {
      let length = text[index] == quote ? 1 : Self.escapedLength(text, index)
      guard length > 0 else {
        index += 1
        continue
      }
      output.append(text.extracting(start..<index))
      if length == 1 { appendEscape(text[index]) } else { appendNumber(text[index + 1]) }
      index += length
      start = index
    }
    output.append(text.extracting(start..<text.byteCount))
    output.append(byte: quote)
  }

  /// Returns the length in bytes of the character at an offset if it needs an escape, else 0.
  @inline(__always)
  private static func escapedLength(_ text: RawSpan, _ index: Int) -> Int {
    switch text[index] {
    case 0..<0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "\\"): 1
    // The control characters from U+0080 to U+009F. Their second byte is their code.
    case 0xC2: index + 1 < text.byteCount && text[index + 1] < 0xA0 ? 2 : 0
    default: 0
    }
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): output.append("\\\"")
    case UInt8(ascii: "'"): output.append("\\'")
    case UInt8(ascii: "\\"): output.append("\\\\")
    case 0x07: output.append("\\a")
    case 0x08: output.append("\\b")
    case 0x09: output.append("\\t")
    case 0x0A: output.append("\\n")
    case 0x0B: output.append("\\v")
    case 0x0C: output.append("\\f")
    case 0x0D: output.append("\\r")
    default: appendNumber(byte)
    }
  }

  private mutating func appendNumber(_ number: UInt8) {
    output.append("\\U00")
    output.append(hexadecimal: number)
  }
}

extension Format {
  static let openStep = Format(OpenStepWriter.self, read: OpenStepTokenReader.read)
}
