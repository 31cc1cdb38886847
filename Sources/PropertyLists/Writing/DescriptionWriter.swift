internal import FoundationEssentials
internal import SystemFiles

/// The options of the human-readable form that ``DescriptionWriter`` writes.
package struct DescriptionOptions: Hashable, Sendable {
  /// True if the keys of dictionaries are sorted.
  package var sortsKeys = false
  /// True if values are colored by their kind, with terminal escape sequences.
  package var isColored = false
  /// The maximum number of characters of a string and bytes of data that are shown, or nil for all.
  package var greatestLength: Int?
  /// The maximum number of container levels that are shown, or nil for all.
  package var depth: Int?
  /// True if containers are written on one line.
  package var isOnOneLine = false

  package init() {}
}

/// A writer of the human-readable form, which is that of libplist's tool. Nothing is omitted unless requested, the type
/// of every value is recognizable, and no text can send commands to a terminal.
///
/// | value | form |
/// |---|---|
/// | string | `"text"` with the escapes of JSON |
/// | integer, real | `42`, `2.0` |
/// | boolean, null | `true`, `null` |
/// | date | `2001-01-01 00:00:00 +0000` |
/// | data | `<00010203 0405>` |
/// | UID | `CF$UID:3` |
/// | omitted content | `"text" … 200 characters`, `<00010203> … 200 bytes`, `[ … 3 elements ]`, `{ … 3 entries }` |
struct DescriptionWriter: NodeSink, ~Copyable {
  private var output = ByteBuffer()
  private let options: DescriptionOptions
  /// For each open container, true if it has a value already.
  private var hasValue: [Bool] = []
  private var followsKey = false
  /// The number of open containers whose contents are not shown.
  private var hiddenDepth = 0

  init(_ options: DescriptionOptions = DescriptionOptions()) { self.options = options }

  consuming func finish() -> Data {
    output.append("\n")
    return output.takeData()
  }

  var readyByteCount: Int { output.count }

  mutating func drain(to file: FileOutput) throws(PropertyListError) { try output.drain(to: file) }

  /// Writes the comma and the white space before a value. Returns false, without writing, if the value is not shown.
  private mutating func beginValue() -> Bool {
    guard hiddenDepth == 0 else { return false }
    if followsKey {
      followsKey = false
      return true
    }
    guard let isNotFirst = hasValue.last else { return true }
    hasValue[hasValue.count - 1] = true
    if options.isOnOneLine {
      if isNotFirst { output.append(", ") }
    } else {
      output.append(isNotFirst ? ",\n" : "\n")
      output.append(repeating: UInt8(ascii: " "), count: 2 * hasValue.count)
    }
    return true
  }

  /// The terminal escape sequences of the colors.
  private enum Color {
    static let key: StaticString = "\u{1B}[1m"
    static let string: StaticString = "\u{1B}[32m"
    static let number: StaticString = "\u{1B}[36m"
    static let constant: StaticString = "\u{1B}[35m"
    static let date: StaticString = "\u{1B}[33m"
    static let data: StaticString = "\u{1B}[34m"
    static let omission: StaticString = "\u{1B}[2m"
  }

  private mutating func begin(color: StaticString) {
    if options.isColored { output.append(color) }
  }

  private mutating func endColor() {
    if options.isColored { output.append("\u{1B}[0m") }
  }

  /// Writes a note about omitted content, such as ` … 200 bytes`.
  private mutating func omission(_ count: Int, _ unit: StaticString) {
    begin(color: Color.omission)
    output.append(" … ")
    output.append(decimal: UInt(count))
    output.append(unit)
    endColor()
  }

  mutating func scalar(_ node: FlatNode) {
    guard beginValue() else { return }
    switch node.kind {
    case .integer, .unsignedInteger, .real, .float: begin(color: Color.number)
    case .date: begin(color: Color.date)
    default: begin(color: Color.constant)
    }
    if node.kind == .date { appendDate(node.real) } else { output.append(node.scalarText.utf8Span.rawBytes) }
    endColor()
  }

  private mutating func appendDate(_ seconds: Double) {
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

  mutating func string(_ utf8: RawSpan) {
    guard beginValue() else { return }
    begin(color: Color.string)
    let shown = utf8.prefixOfCharacters(options.greatestLength)
    JSONText.append(quoted: utf8.extracting(..<shown), to: &output)
    endColor()
    if shown < utf8.byteCount { omission(utf8.characterCount, " characters") }
  }

  mutating func key(_ utf8: RawSpan) {
    guard beginValue() else { return }
    begin(color: Color.key)
    JSONText.append(quoted: utf8, to: &output)
    endColor()
    output.append(": ")
    followsKey = true
  }

  mutating func data(_ bytes: RawSpan) {
    guard beginValue() else { return }
    begin(color: Color.data)
    output.append("<")
    let shown = min(bytes.byteCount, options.greatestLength ?? .max)
    for index in 0..<shown {
      if index > 0, index & 3 == 0 { output.append(" ") }
      output.append(hexadecimal: bytes[index])
    }
    output.append(">")
    endColor()
    if shown < bytes.byteCount { omission(bytes.byteCount, " bytes") }
  }

  mutating func begin(_ kind: NodeKind, count: Int) {
    guard beginValue() else {
      hiddenDepth += 1
      return
    }
    output.append(kind == .array ? "[" : "{")
    if let depth = options.depth, hasValue.count >= depth, count > 0 {
      omission(count, kind == .array ? " elements ]" : " entries }")
      hiddenDepth = 1
    } else {
      hasValue.append(false)
    }
  }

  mutating func end(_ kind: NodeKind) {
    guard hiddenDepth == 0 else {
      hiddenDepth -= 1
      return
    }
    if hasValue.removeLast(), !options.isOnOneLine {
      output.append("\n")
      output.append(repeating: UInt8(ascii: " "), count: 2 * hasValue.count)
    }
    output.append(kind == .array ? "]" : "}")
  }
}

extension FlatNode {
  /// The human-readable text of a scalar of fixed size, except a date.
  var scalarText: String {
    switch kind {
    case .boolean: boolean ? "true" : "false"
    case .integer, .unsignedInteger: integer.description
    case .real: real.description
    case .float: float.description
    case .uid: "CF$UID:\(uid)"
    case .null, .date, .string, .data, .array, .dictionary: "null"
    }
  }
}

extension RawSpan {
  /// Returns the number of bytes in the first `limit` Unicode scalars, or in all of them if `limit` is nil or larger.
  /// The bytes must be UTF-8.
  fileprivate func prefixOfCharacters(_ limit: Int?) -> Int {
    guard let limit, limit < byteCount else { return byteCount }
    var count = 0
    for index in 0..<byteCount where self[index] & 0xC0 != 0x80 {
      if count == limit { return index }
      count += 1
    }
    return byteCount
  }

  /// The number of Unicode scalars. The bytes must be UTF-8.
  fileprivate var characterCount: Int {
    var count = 0
    for index in 0..<byteCount where self[index] & 0xC0 != 0x80 { count += 1 }
    return count
  }
}
