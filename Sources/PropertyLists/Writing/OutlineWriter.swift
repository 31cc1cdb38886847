internal import FoundationEssentials

/// Writes the form that the tools of libimobiledevice print: an entry a line, indented by a space a level, without
/// quotation marks.
///
/// | value | form |
/// |---|---|
/// | entry | `key: value` |
/// | array | `key[2]:`, then `0: value` in lines of their own |
/// | dictionary | `key:`, then its entries in lines of their own |
/// | data | base64 |
/// | date | `2001-01-01T00:00:00Z` |
/// | others | as ``DescriptionWriter`` has them |
struct OutlineWriter: PropertyListSink, ~Copyable {
  static var takesKeysFirst: Bool { false }

  private var output = ByteBuffer()
  /// Of each open container the index of its next element; nil for a dictionary.
  private var nextIndex: [Int?] = []
  /// Whether nothing was written yet.
  private var isFirst = true

  init() {}

  consuming func finish() -> Data {
    output.append("\n")
    return output.takeData()
  }

  private mutating func beginLine() {
    if !isFirst { output.append("\n") }
    isFirst = false
    output.append(repeating: UInt8(ascii: " "), count: max(nextIndex.count - 1, 0))
  }

  /// What stands before a value: its index, or a space behind its key.
  private mutating func beginValue(isContainer: Bool = false) {
    guard let last = nextIndex.last else { return }
    guard let index = last else {
      if !isContainer { output.append(" ") }
      return
    }
    beginLine()
    output.append(decimal: UInt(index))
    output.append(isContainer ? ":" : ": ")
    nextIndex[nextIndex.count - 1] = index + 1
  }

  private mutating func scalar(_ text: String) {
    beginValue()
    output.append(text.utf8Span.rawBytes)
  }

  mutating func null() throws(PropertyListError) { scalar("null") }
  mutating func boolean(_ value: Bool) throws(PropertyListError) { scalar(value ? "true" : "false") }
  mutating func integer(_ value: PropertyList.Integer) throws(PropertyListError) { scalar(value.description) }
  mutating func real(_ value: Double) throws(PropertyListError) { scalar(value.description) }
  mutating func float(_ value: Float) throws(PropertyListError) { scalar(value.description) }
  mutating func uid(_ value: UInt32) throws(PropertyListError) { scalar("CF$UID:\(value)") }

  mutating func date(_ seconds: Double) throws(PropertyListError) {
    scalar(DateText.text(seconds) ?? "\(seconds) seconds from 2001")
  }

  mutating func string(_ utf8: RawSpan) throws(PropertyListError) {
    beginValue()
    JSONText.append(printable: utf8, to: &output)
  }

  mutating func data(_ bytes: RawSpan) throws(PropertyListError) {
    beginValue()
    Base64Text.append(bytes, 0..<bytes.byteCount, to: &output)
  }

  mutating func key(_ utf8: RawSpan) throws(PropertyListError) {
    beginLine()
    JSONText.append(printable: utf8, to: &output)
    output.append(":")
  }

  mutating func beginArray(count: Int) throws(PropertyListError) {
    // The count stands between the key and its colon.
    if let last = nextIndex.last, last == nil { output.truncate(to: output.count - 1) }
    beginValue(isContainer: true)
    if !nextIndex.isEmpty {
      if nextIndex[nextIndex.count - 1] != nil { output.truncate(to: output.count - 1) }
      output.append("[")
      output.append(decimal: UInt(count))
      output.append("]:")
    }
    nextIndex.append(0)
  }

  mutating func endArray() throws(PropertyListError) { nextIndex.removeLast() }

  mutating func beginDictionary(count: Int) throws(PropertyListError) {
    beginValue(isContainer: true)
    nextIndex.append(nil)
  }

  mutating func endDictionary() throws(PropertyListError) { nextIndex.removeLast() }
}
