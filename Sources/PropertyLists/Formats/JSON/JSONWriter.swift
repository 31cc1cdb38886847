package import FoundationEssentials
internal import SystemFiles

/// Writes JSON (RFC 8259), indented by two spaces a level, or on one line.
package struct JSONWriter: TextWriter, ~Copyable {
  static var formatName: String { "JSON" }

  var output = ByteBuffer()
  let options: PropertyListWritingOptions
  /// How lines are set out, if the value becomes a part of another text.
  private let layout: TextLayout?
  /// For each open container, whether it has a value already.
  private var hasValue: [Bool] = []
  private var followsKey = false
  /// Whether the key that comes next is the only one of its dictionary, which the reader may take for a form.
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

  /// Writes what stands before a value or a key: the comma behind the one before it, and the beginning of the line.
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

  /// - Parameter digits: a number of JSON.
  package mutating func number(_ digits: String) {
    beginValue()
    output.append(digits.utf8Span.rawBytes)
  }

  /// The fewest digits that are read back as the same value, always with a fraction or an exponent, so that it stays a
  /// real.
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
      // A key of such a name has nothing in it that is escaped.
      output.truncate(to: start)
      output.append("\"$")
      output.append(utf8)
      output.append("\"")
    }
    isOnlyKey = false
    appendColon()
    followsKey = true
  }

  /// How many containers are open.
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
