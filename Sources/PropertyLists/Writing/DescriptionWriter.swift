package import FoundationEssentials

/// Writes the form that people read: that of libplist's tool, in which nothing is elided, every type can be told from
/// its value, and no text can send a terminal commands.
///
/// | value | form |
/// |---|---|
/// | string | `"text"` with the escapes of JSON |
/// | integer, real | `42`, `2.0` |
/// | boolean, null | `true`, `null` |
/// | date | `2001-01-01 00:00:00 +0000` |
/// | data | `<00010203 0405>` |
/// | UID | `CF$UID:3` |
struct DescriptionWriter: PropertyListSink, ~Copyable {
  static var takesKeysFirst: Bool { false }

  private var output = ByteBuffer()
  /// For each open container, whether it has a value already.
  private var hasValue: [Bool] = []
  private var followsKey = false

  init() {}

  consuming func finish() -> Data {
    output.append("\n")
    return output.takeData()
  }

  private mutating func beginValue() {
    if followsKey {
      followsKey = false
      return
    }
    guard let isNotFirst = hasValue.last else { return }
    output.append(isNotFirst ? ",\n" : "\n")
    hasValue[hasValue.count - 1] = true
    output.append(repeating: UInt8(ascii: " "), count: 2 * hasValue.count)
  }

  mutating func null() throws(PropertyListError) {
    beginValue()
    output.append("null")
  }

  mutating func boolean(_ value: Bool) throws(PropertyListError) {
    beginValue()
    output.append(value ? "true" : "false")
  }

  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError) {
    beginValue()
    output.append(value.description.utf8Span.rawBytes)
  }

  mutating func real(_ value: Double) throws(PropertyListError) {
    beginValue()
    output.append(value.description.utf8Span.rawBytes)
  }

  mutating func float(_ value: Float) throws(PropertyListError) {
    beginValue()
    output.append(value.description.utf8Span.rawBytes)
  }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    beginValue()
    var text = ByteBuffer()
    guard DateText.append(seconds, to: &text) else {
      output.append("<date ")
      output.append(seconds.description.utf8Span.rawBytes)
      output.append(" seconds from 2001>")
      return
    }
    // YYYY-MM-DDThh:mm:ssZ
    let whole = text.count - 1
    let day = text.count - 10
    output.append(text.bytes.extracting(0..<day))
    output.append(" ")
    output.append(text.bytes.extracting(day + 1..<whole))
    DateText.appendFraction(of: seconds, to: &output)
    output.append(" +0000")
  }

  mutating func uid(_ value: UInt32) throws(PropertyListError) {
    beginValue()
    output.append("CF$UID:")
    output.append(decimal: value)
  }

  mutating func string(_ utf8: RawSpan) throws(PropertyListError) {
    beginValue()
    appendQuoted(utf8)
  }

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) {
    beginValue()
    appendQuoted(utf8)
    output.append(": ")
    followsKey = true
  }

  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    beginValue()
    output.append("<")
    for index in 0..<bytes.byteCount {
      if index > 0, index & 3 == 0 { output.append(" ") }
      output.append(hexadecimal: bytes[index])
    }
    output.append(">")
  }

  mutating func beginArray(count: Int) throws(PropertyListError) { begin("[") }
  mutating func endArray() throws(PropertyListError) { end("]") }
  mutating func beginDictionary(count: Int) throws(PropertyListError) { begin("{") }
  mutating func endDictionary() throws(PropertyListError) { end("}") }

  private mutating func begin(_ bracket: StaticString) {
    beginValue()
    output.append(bracket)
    hasValue.append(false)
  }

  private mutating func end(_ bracket: StaticString) {
    if hasValue.removeLast() {
      output.append("\n")
      output.append(repeating: UInt8(ascii: " "), count: 2 * hasValue.count)
    }
    output.append(bracket)
  }

  private mutating func appendQuoted(_ text: RawSpan) {
    output.append("\"")
    for index in 0..<text.byteCount {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "\""): output.append("\\\"")
      case UInt8(ascii: "\\"): output.append("\\\\")
      case 0x0A: output.append("\\n")
      case 0x0D: output.append("\\r")
      case 0x09: output.append("\\t")
      case 0..<0x20, 0x7F:
        output.append("\\u00")
        output.append(hexadecimal: byte)
      default:
        // The control characters U+0080 to U+009F, which terminals obey too, are the byte 0xC2 and the next.
        if byte == 0xC2, index + 1 < text.byteCount, text[index + 1] < 0xA0 {
          output.append("\\u00")
        } else if byte < 0xA0, index > 0, text[index - 1] == 0xC2 {
          output.append(hexadecimal: byte)
        } else {
          output.append(byte: byte)
        }
      }
    }
    output.append("\"")
  }
}

extension PropertyList: CustomDebugStringConvertible {
  /// The value as people read it, on several lines if it is a container. The form may change.
  public var debugDescription: String {
    var writer = DescriptionWriter()
    do throws(PropertyListError) {
      try walk(into: &writer, sortsKeys: false, depth: ParsingLimits.greatestDepth)
    } catch {
      return "<\(error)>"
    }
    return String(decoding: writer.finish().dropLast(), as: UTF8.self)
  }
}

extension PropertyListDocument.Node: CustomDebugStringConvertible {
  /// As ``PropertyList/debugDescription``; for a binary document that cannot be read, the error.
  public var debugDescription: String {
    do throws(PropertyListError) {
      return String(decoding: try readableForm().dropLast(), as: UTF8.self)
    } catch {
      return "<\(error)>"
    }
  }

  /// The value as people read it, in UTF-8 and with a line end.
  package func readableForm(sortsKeys: Bool = false) throws(PropertyListError) -> Data {
    var writer = DescriptionWriter()
    try walk(into: &writer, PropertyListWritingOptions(sortsKeys: sortsKeys, depth: ParsingLimits.greatestDepth))
    return writer.finish()
  }
}
