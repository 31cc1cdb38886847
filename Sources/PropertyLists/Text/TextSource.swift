package import FoundationEssentials

/// The text of an input as UTF-8, with the mapping from offsets in the text to positions in the input.
package struct TextSource {
  package let text: Data
  /// The offset of the text in the input: the length of the byte order mark, or 0 without one.
  package var start = 0
  /// The number of bytes of a code unit in the input, or nil if offsets in the input are unknown.
  package var unitWidth: Int? = 1

  /// Converts positions, which must be in ascending order, to offsets in ``text``. Scans the text once. For a position
  /// after the end of the text, the offset is the end.
  package func offsets(of positions: [PropertyListError.TextPosition]) -> [Int] {
    let bytes = text.bytes
    var walk = TextWalk()
    return positions.map { position in
      while walk.offset < bytes.byteCount,
        walk.line < position.line || (walk.line == position.line && walk.column < position.column)
      {
        walk.advance(to: walk.offset + 1, in: bytes)
      }
      return walk.offset
    }
  }

  /// A position, in the form that errors use.
  package struct Position {
    package let byteOffset: Int?
    package let position: PropertyListError.TextPosition
  }

  /// The error for an empty input.
  static var empty: PropertyListError {
    PropertyListError(
      .malformed, "the input is empty", byteOffset: 0, position: PropertyListError.TextPosition(line: 1, column: 1))
  }

  /// Converts an offset in the UTF-8 text to a position in the input. To find many positions, use ``PositionIndex``.
  ///
  /// - Complexity: O(*n*) in the offset.
  package func position(at offset: Int) -> Position {
    let bytes = text.bytes
    var walk = TextWalk()
    walk.advance(to: max(0, min(offset, bytes.byteCount)), in: bytes)
    return position(of: walk)
  }

  /// Returns the position that a walk through the text has reached, as a position in the input.
  func position(of walk: TextWalk) -> Position {
    var byteOffset: Int?
    switch unitWidth {
    case 1: byteOffset = start + walk.offset
    case 2: byteOffset = start + 2 * walk.unitsOfUTF16
    case 4: byteOffset = start + 4 * walk.scalars
    default: break
    }
    return Position(
      byteOffset: byteOffset, position: PropertyListError.TextPosition(line: walk.line, column: walk.column))
  }
}

/// A walk that counts the lines and characters of a UTF-8 text up to an offset.
struct TextWalk {
  private(set) var offset = 0
  private(set) var line = 1
  private(set) var column = 1
  private(set) var scalars = 0
  private(set) var unitsOfUTF16 = 0

  /// Advances to a later offset in the text. An offset inside a character counts like one after its first byte.
  mutating func advance(to end: Int, in bytes: RawSpan) {
    while offset < end {
      let byte = bytes[offset]
      offset += 1
      guard byte & 0xC0 != 0x80 else { continue }
      scalars += 1
      unitsOfUTF16 += byte >= 0xF0 ? 2 : 1
      if byte == 0x0A || (byte == 0x0D && !(offset < bytes.byteCount && bytes[offset] == 0x0A)) {
        line += 1
        column = 1
      } else {
        column += 1
      }
    }
  }
}

/// An index of a text that finds positions in any order, after a single walk through the text.
struct PositionIndex {
  private let source: TextSource
  /// The walk at every multiple of ``step``, up to the highest requested offset.
  private var walks = [TextWalk()]
  /// The walk to the last requested offset. The next request is usually for a slightly higher one.
  private var last = TextWalk()

  private static let step = 1 << 14

  init(_ source: TextSource) { self.source = source }

  /// Converts an offset in the UTF-8 text to a position in the input.
  ///
  /// - Complexity: O(*n*) in the length of the text for all offsets together. Each offset that is less than the
  ///   previous one adds up to ``step`` bytes.
  mutating func position(at offset: Int) -> TextSource.Position {
    let bytes = source.text.bytes
    let end = max(0, min(offset, bytes.byteCount))
    while walks.count <= end / Self.step {
      var walk = walks[walks.count - 1]
      walk.advance(to: walks.count * Self.step, in: bytes)
      walks.append(walk)
    }
    if last.offset > end || last.offset < end / Self.step * Self.step { last = walks[end / Self.step] }
    last.advance(to: end, in: bytes)
    return source.position(of: last)
  }
}
