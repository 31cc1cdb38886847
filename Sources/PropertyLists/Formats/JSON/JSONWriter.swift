package import FoundationEssentials
internal import SystemFiles

/// A writer of JSON (RFC 8259), indented by two spaces per level, or on one line.
package struct JSONWriter: TextWriter, ~Copyable {
  static var formatName: String { "JSON" }

  var output = ByteBuffer()
  let options: PropertyListWritingOptions
  /// The layout of the surrounding text, if the value is inserted into one.
  private let layout: TextLayout?
  /// For each open container, true if it has a value already.
  private var hasValue: [Bool] = []
  private var followsKey = false
  /// True if the next key is the only one of its dictionary. A reader could then mistake the dictionary for a
  /// ``CoercedForm``.
  private var isOnlyKey = false

  package init(_ options: PropertyListWritingOptions, in layout: TextLayout? = nil) {
    self.options = options
    self.layout = layout
  }

  package consuming func finish() -> Data {
    output.append(byte: UInt8(ascii: "\n"))
    return output.takeData()
  }

  package consuming func finishFragment() -> Data { output.takeData() }

  var readyByteCount: Int { output.count }

  mutating func drain(to file: FileOutput) throws(PropertyListError) { try output.drain(to: file) }

  /// Writes the comma after the previous value and begins the line of the next value or key.
  @inline(__always)
  mutating func beginValue() {
    if followsKey {
      followsKey = false
      return
    }
    guard let isNotFirst = hasValue.last else { return }
    if isNotFirst { output.append(byte: UInt8(ascii: ",")) }
    hasValue[hasValue.count - 1] = true
    beginLine(before: isNotFirst ? .next : .first)
  }

  private mutating func beginLine(before position: TextLayout.Position) {
    if let layout { return layout.appendBreak(before: position, depth: hasValue.count, to: &output) }
    guard !options.isCompact else { return }
    output.append(byte: UInt8(ascii: "\n"))
    output.append(repeating: UInt8(ascii: " "), count: 2 * hasValue.count)
  }

  package mutating func null() {
    beginValue()
    output.append("null")
  }

  package mutating func boolean(_ value: Bool) {
    beginValue()
    output.append(value ? "true" : "false")
  }

  package mutating func integer(_ value: PropertyList.Integer) {
    beginValue()
    if value.isNegative {
      output.append(byte: UInt8(ascii: "-"))
      output.append(decimal: 0 &- value.bits)
    } else {
      output.append(decimal: value.bits)
    }
  }

  /// Writes a number.
  ///
  /// - Parameter digits: A number in JSON syntax.
  package mutating func number(_ digits: String) {
    beginValue()
    output.append(digits.utf8Span.rawBytes)
  }

  /// Writes a real with the fewest digits that are read back as the same value. There is always a fraction or an
  /// exponent, because the number would be read back as an integer otherwise.
  mutating func real(_ value: Double) throws(PropertyListError) {
    guard value.isFinite else { return try special(SpecialReal.text(of: value)) }
    number(value.description)
  }

  package mutating func string(_ utf8: RawSpan) {
    beginValue()
    JSONText.append(quoted: utf8, to: &output)
  }

  package mutating func beginArray(count: Int) { begin(UInt8(ascii: "[")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }

  package mutating func beginDictionary(count: Int) {
    begin(UInt8(ascii: "{"))
    isOnlyKey = count == 1
  }

  package mutating func endDictionary() { end(UInt8(ascii: "}")) }

  package mutating func key(_ utf8: RawSpan) {
    beginValue()
    let start = output.count
    JSONText.append(quoted: utf8, to: &output)
    if isOnlyKey, options.coercion == .reversible, CoercedForm.hasToBeEscaped(key: utf8) {
      // Writes the key again, after a dollar sign. Such a key has no characters that need an escape.
      output.truncate(to: start)
      output.append("\"$")
      output.append(utf8)
      output.append("\"")
    }
    isOnlyKey = false
    appendColon()
    followsKey = true
  }

  /// The number of open containers.
  package var depth: Int { hasValue.count }

  private mutating func begin(_ bracket: UInt8) {
    beginValue()
    output.append(byte: bracket)
    hasValue.append(false)
  }

  private mutating func end(_ bracket: UInt8) {
    if hasValue.removeLast() { beginLine(before: .closing) }
    output.append(byte: bracket)
  }

  mutating func appendColon() {
    if let layout { layout.appendAssignment(to: &output) } else { output.append(options.isCompact ? ":" : ": ") }
  }
}

extension Format {
  static let json = Format(JSONWriter.self, read: JSONTokenReader.read)
}

/// Functions that write values that JSON cannot represent.
///
/// | value | ``PropertyListWritingOptions/Coercion/reversible`` | ``PropertyListWritingOptions/Coercion/plain`` |
/// |---|---|---|
/// | date | `{"$date": "2001-01-01T00:00:00.5Z"}` | `"2001-01-01T00:00:00Z"` |
/// | date that has no such text | `{"$date": 1e+300}`, `{"$date": "nan"}` | an error |
/// | data | `{"$data": "AAEC"}` | `"AAEC"` |
/// | UID | `{"CF$UID": 3}` | `3` |
/// | 4-byte real | `{"$float": 0.1}`, `{"$float": "inf"}` | `0.10000000149011612` |
/// | not-a-number, infinities | `{"$real": "nan"}` | `"nan"`, `"inf"`, `"-inf"` |
extension JSONWriter {
  /// Writes a value as a dictionary with one entry, which is a ``CoercedForm``.
  ///
  /// - Parameter body: Writes the value of the form's entry.
  private mutating func form(_ form: CoercedForm, _ body: (inout ByteBuffer) -> Void) {
    beginValue()
    output.append("{")
    output.append(form.key)
    appendColon()
    body(&output)
    output.append("}")
  }

  private static func append(quoted text: String, to buffer: inout ByteBuffer) {
    buffer.append("\"")
    buffer.append(text.utf8Span.rawBytes)
    buffer.append("\"")
  }

  /// Writes a NaN or an infinity.
  ///
  /// - Parameter text: The text of the value, from ``SpecialReal``.
  mutating func special(_ text: String) throws(PropertyListError) {
    switch options.coercion {
    case .refuse: throw Self.refusal(text.hasSuffix("inf") ? "infinity" : "NaN")
    case .reversible: form(.real) { Self.append(quoted: text, to: &$0) }
    case .plain:
      beginValue()
      Self.append(quoted: text.hasPrefix("nan") ? "nan" : text, to: &output)
    }
  }

  mutating func float(_ value: Float) throws(PropertyListError) {
    guard options.coercion == .reversible else { return try real(Double(value)) }
    form(.float) { buffer in
      if value.isFinite {
        buffer.append(value.description.utf8Span.rawBytes)
      } else {
        Self.append(quoted: SpecialReal.text(of: value), to: &buffer)
      }
    }
  }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    switch options.coercion {
    case .refuse: throw Self.refusal("dates")
    case .reversible: form(.date) { Self.append(exactDate: seconds, to: &$0) }
    case .plain:
      beginValue()
      output.append("\"")
      try Self.append(date: seconds, options, to: &output)
      output.append("\"")
    }
  }

  private static func append(exactDate seconds: Double, to buffer: inout ByteBuffer) {
    guard seconds.isFinite else { return append(quoted: SpecialReal.text(of: seconds), to: &buffer) }
    var text = ByteBuffer()
    if DateText.appendExact(seconds, to: &text) {
      buffer.append("\"")
      buffer.append(text.bytes)
      buffer.append("\"")
    } else {
      buffer.append(seconds.description.utf8Span.rawBytes)
    }
  }

  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    switch options.coercion {
    case .refuse: throw Self.refusal("data")
    case .reversible:
      beginValue()
      output.append("{")
      output.append(CoercedForm.data.key)
      appendColon()
      output.append("\"")
      Base64Text.append(bytes, 0..<bytes.byteCount, to: &output)
      output.append("\"}")
    case .plain:
      beginValue()
      output.append("\"")
      Base64Text.append(bytes, 0..<bytes.byteCount, to: &output)
      output.append("\"")
    }
  }

  mutating func uid(_ value: UInt32) throws(PropertyListError) {
    switch options.coercion {
    case .refuse: throw Self.refusal("UIDs")
    case .reversible: form(.uid) { $0.append(decimal: value) }
    case .plain:
      beginValue()
      output.append(decimal: value)
    }
  }
}
