/// The layout of a text into which the output of a writer is inserted: line ends, white space and quotation marks. A
/// writer that has no layout writes a whole file.
package struct TextLayout {
  /// The line end: LF, CR LF or CR.
  package var lineEnd: [UInt8] = [0x0A]
  /// The indent of the line on which the value begins.
  package var indent: [UInt8] = []
  /// The additional indent of each level.
  package var indentUnit: [UInt8]
  /// True if the value is written on one line.
  package var isInline = false
  /// The text between a key and its value on the same line. Nil in XML, because the key and the value are on separate
  /// lines there.
  package var assignment: [UInt8]?
  /// The text before an entry or element that is not the first on its line.
  package var spacing: [UInt8]
  /// The text after an opening bracket if the container is on one line.
  package var padding: [UInt8] = []
  /// The text before a closing bracket if the container is on one line.
  package var closingPadding: [UInt8] = []
  /// The quotation mark of every key, or nil if keys are quoted only if necessary.
  package var keyQuote: UInt8?
  /// The quotation mark of every string, or nil if strings are quoted only if necessary.
  package var stringQuote: UInt8?
  /// True if the last element of an array is followed by a comma, when each element has a line of its own.
  package var hasTrailingCommas = false
  /// The number of characters in a line of base64, or nil to use the same number as Apple's writer at this indent.
  package var base64LineLength: Int?
  /// The prefix of the hexadecimal digits of a non-ASCII character, or nil if such characters are not escaped.
  package var characterEscape: StaticString?

  package init(indentUnit: [UInt8], assignment: [UInt8]? = nil, spacing: [UInt8]) {
    self.indentUnit = indentUnit
    self.assignment = assignment
    self.spacing = spacing
  }

  /// Appends a line end, and the indent of a line that is `depth` levels inside the value.
  func appendLine(depth: Int, to output: inout ByteBuffer) {
    output.append(lineEnd.rawBytes)
    output.append(indent.rawBytes)
    for _ in 0..<depth { output.append(indentUnit.rawBytes) }
  }

  /// Each added line gets a copy of white space from the text. This is the maximum number of bytes of such a copy.
  /// Without a limit, a long indent could make an inserted value thousands of times longer.
  package static var greatestSpace: Int { 400 }

  /// A position in a container: before the first entry or element, before another one, or before the closing bracket.
  package enum Position {
    case first, next, closing
  }

  /// Appends what is before an entry or element at level `depth`, or before the bracket that closes a container: either
  /// a line end and an indent, or white space on the same line.
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

  /// Appends the text between a key and its value.
  func appendAssignment(to output: inout ByteBuffer) {
    guard let assignment else { return }
    output.append(assignment.rawBytes)
  }

  /// Returns the number of characters in a line of base64 at level `depth`.
  package func base64LineLength(depth: Int) -> Int {
    base64LineLength ?? Self.base64LineLength(column: Self.width(indent) + depth * Self.width(indentUnit))
  }

  /// Returns the line length of Apple's writer at a column: 76 including the indent, but at least 12.
  package static func base64LineLength(column: Int) -> Int { (76 - min(column, 64)) / 4 * 4 }

  /// Returns the number of columns of an indent. A tab has eight.
  package static func width(_ indent: [UInt8]) -> Int { indent.reduce(0) { $0 + ($1 == 0x09 ? 8 : 1) } }
}
