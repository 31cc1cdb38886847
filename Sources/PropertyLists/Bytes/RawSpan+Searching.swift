extension RawSpan {
  /// Returns the first index of a byte from `start`, or nil if it does not occur.
  package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    var index = start
    while index + 8 <= byteCount {
      let found = ByteClass.equal(littleEndianWord(at: index), byte)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < byteCount {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// Returns the first index of a text from `start`, or nil if it does not occur. The text must not be empty.
  package func firstIndex(of text: StaticString, from start: Int) -> Int? {
    // Memory-safe: the string is not empty.
    let first = unsafe text.utf8Start.pointee
    var index = start
    while let found = firstIndex(of: first, from: index) {
      if starts(with: text, at: found) { return found }
      index = found + 1
    }
    return nil
  }
}

/// A search for a text from increasing offsets that does not scan the same bytes twice.
struct ForwardSearch {
  private let text: StaticString
  /// The range from the start of the last search to its result.
  private var last = -1..<(-1)
  /// The start offset of a search that did not find the text; `Int.max` before such a search. Later searches from there
  /// or beyond are skipped.
  private var missing = Int.max

  init(_ text: StaticString) { self.text = text }

  /// Returns the offset of the first occurrence of the text at or after `start`, or nil if not found.
  ///
  /// - Complexity: O(*n*) in the bytes for all calls together, if the offsets increase.
  mutating func next(from start: Int, in bytes: RawSpan) -> Int? {
    guard start < missing else { return nil }
    if last.lowerBound <= start, start <= last.upperBound { return last.upperBound }
    guard let found = bytes.firstIndex(of: text, from: start) else {
      missing = start
      return nil
    }
    last = start..<found
    return found
  }
}
