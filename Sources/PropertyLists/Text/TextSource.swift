package import FoundationEssentials

/// The text of an input in UTF-8, and how positions in it are found in the input.
package struct TextSource {
  package let text: Data
  /// Where the text begins in the input, after a byte order mark.
  package var start = 0
  /// The bytes of a code unit in the input; nil if offsets in the input are not known.
  package var unitWidth: Int? = 1

  /// The offsets in ``text`` of positions, which are in order. One walk finds all. A position after the end of the text
  /// has the offset of the end.
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

  /// A position as errors name it.
  package struct Position {
    package let byteOffset: Int?
    package let position: PropertyListError.TextPosition
  }

  /// What is wrong with an input that has no text.
  static var empty: PropertyListError {
    PropertyListError(
      .malformed, "the input is empty", byteOffset: 0, position: PropertyListError.TextPosition(line: 1, column: 1))
  }

  /// The position in the input of the byte at an offset of the UTF-8 text. To find many, use ``PositionIndex``.
  ///
  /// - Complexity: O(*n*).
  package func position(at offset: Int) -> Position {
    let bytes = text.bytes
    var walk = TextWalk()
    walk.advance(to: max(0, min(offset, bytes.byteCount)), in: bytes)
    return position(of: walk)
  }

  /// The position that a walk through the text has reached.
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

/// Counts the lines and characters of a text in UTF-8 up to an offset.
struct TextWalk {
  private(set) var offset = 0
  private(set) var line = 1
  private(set) var column = 1
  private(set) var scalars = 0
  private(set) var unitsOfUTF16 = 0

  /// Goes on to a later offset in the text. For an offset inside a character, the first byte of the character counts.
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

/// Finds any number of positions in a text, in any order, by one walk through it.
struct PositionIndex {
  private let source: TextSource
  /// The walk at every multiple of ``step``, as far as was asked for.
  private var walks = [TextWalk()]
  /// The walk to the offset that was asked for last. Mostly, the next one is a little greater.
  private var last = TextWalk()

  private static let step = 1 << 14

  init(_ source: TextSource) { self.source = source }

  /// The position in the input of the byte at an offset of the UTF-8 text.
  ///
  /// - Complexity: O(*n*) in the text for all offsets together, if they are in order; up to ``step`` bytes for each
  ///   that is not.
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
