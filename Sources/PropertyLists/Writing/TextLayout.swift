/// How a text format sets out its lines. With one, a writer writes a value to be put into a text, and not a file.
package struct TextLayout {
  /// LF, CR LF or CR.
  package var lineEnd: [UInt8] = [0x0A]
  /// What the line begins with on which the value begins.
  package var indent: [UInt8] = []
  /// What each level adds to it.
  package var indentUnit: [UInt8]
  /// Whether the value is to stand on one line.
  package var isInline = false
  /// What stands between a key and its value, where both are on one line; in XML nil: each has a line of its own.
  package var assignment: [UInt8]?
  /// What stands before an entry or element that is not the first on its line.
  package var spacing: [UInt8]
  /// What stands behind the opening bracket on the same line, and before the closing one.
  package var padding: [UInt8] = []
  package var closingPadding: [UInt8] = []
  /// The quotation mark around every key and every string; nil for such around those that need it.
  package var keyQuote: UInt8?
  package var stringQuote: UInt8?
  /// Whether the last element of an array has a comma behind it, where each has a line of its own.
  package var hasTrailingCommas = false
  /// The characters of a line of base64; nil for as many as Apple's writer has in a line of that indent.
  package var base64LineLength: Int?
  /// What precedes the hexadecimal digits of a character beyond ASCII; nil if such characters are written as they are.
  package var characterEscape: StaticString?

  package init(indentUnit: [UInt8], assignment: [UInt8]? = nil, spacing: [UInt8]) {
    self.indentUnit = indentUnit
    self.assignment = assignment
    self.spacing = spacing
  }

  /// What a line of the level `depth` below the value begins with.
  func appendLine(depth: Int, to output: inout ByteBuffer) {
    output.append(lineEnd.rawBytes)
    output.append(indent.rawBytes)
    for _ in 0..<depth { output.append(indentUnit.rawBytes) }
  }

  /// How much space is repeated in every line that is added, lest a file turn each byte into thousands.
  package static var greatestSpace: Int { 400 }

  /// A position in a container.
  package enum Position {
    case first, next, closing
  }

  /// What stands before an entry or element of the level `depth`, or before the bracket that closes a container.
  func appendBreak(before position: Position, depth: Int, to output: inout ByteBuffer) {
    guard isInline else { return appendLine(depth: depth, to: &output) }
    let space =
      switch position {
      case .first: padding
      case .next: spacing
      case .closing: closingPadding
      }
    output.append(space.rawBytes)
  }

  /// What stands between a key and its value.
  func appendAssignment(to output: inout ByteBuffer) {
    guard let assignment else { return }
    output.append(assignment.rawBytes)
  }

  /// The characters of a line of base64 at the level `depth`.
  package func base64LineLength(depth: Int) -> Int {
    base64LineLength ?? Self.base64LineLength(column: Self.width(indent) + depth * Self.width(indentUnit))
  }

  /// The line length of Apple's writer at a column: 76 with the indent, but no fewer than 12.
  package static func base64LineLength(column: Int) -> Int { (76 - min(column, 64)) / 4 * 4 }

  /// The columns of an indent, with tabs of eight.
  package static func width(_ indent: [UInt8]) -> Int { indent.reduce(0) { $0 + ($1 == 0x09 ? 8 : 1) } }
}
