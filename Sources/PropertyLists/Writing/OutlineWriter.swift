internal import FoundationEssentials

/// A writer of the form that the tools of libimobiledevice print: one entry per line, indented by one space per level,
/// without quotation marks.
///
/// | value | form |
/// |---|---|
/// | entry | `key: value` |
/// | array | `key[2]:`, then `0: value` on separate lines |
/// | dictionary | `key:`, then its entries on separate lines |
/// | data | base64 |
/// | date | `2001-01-01T00:00:00Z` |
/// | others | as in ``DescriptionWriter`` |
struct OutlineWriter: NodeSink, ~Copyable {
  private var output = ByteBuffer()
  /// For each open container, the index of its next element, or nil for a dictionary.
  private var nextIndex: [Int?] = []
  /// True until something has been written.
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

  /// Writes the text before a value: its index in an array, or a space after its key in a dictionary.
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

  mutating func scalar(_ node: FlatNode) {
    beginValue()
    let date = node.kind == .date ? DateText.text(node.real) ?? "\(node.real) seconds from 2001" : nil
    output.append((date ?? node.scalarText).utf8Span.rawBytes)
  }

  mutating func string(_ utf8: RawSpan) {
    beginValue()
    JSONText.append(printable: utf8, to: &output)
  }

  mutating func data(_ bytes: RawSpan) {
    beginValue()
    Base64Text.append(bytes, 0..<bytes.byteCount, to: &output)
  }

  mutating func key(_ utf8: RawSpan) {
    beginLine()
    JSONText.append(printable: utf8, to: &output)
    output.append(":")
  }

  mutating func begin(_ kind: NodeKind, count: Int) {
    // The count of an array is between the key and its colon.
    if kind == .array, let last = nextIndex.last, last == nil { output.truncate(to: output.count - 1) }
    beginValue(isContainer: true)
    if kind == .array, let last = nextIndex.last {
      if last != nil { output.truncate(to: output.count - 1) }
      output.append("[")
      output.append(decimal: UInt(count))
      output.append("]:")
    }
    nextIndex.append(kind == .array ? 0 : nil)
  }

  mutating func end(_ kind: NodeKind) { nextIndex.removeLast() }
}
