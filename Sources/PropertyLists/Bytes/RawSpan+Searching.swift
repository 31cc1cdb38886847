extension RawSpan {
  /// Where a byte stands first from `start` on.
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

  /// Where a text, which is not empty, stands first from `start` on.
  package func firstIndex(of text: StaticString, from start: Int) -> Int? {
    // Sound: the string is not empty.
    let first = unsafe text.utf8Start.pointee
    var index = start
    while let found = firstIndex(of: first, from: index) {
      if starts(with: text, at: found) { return found }
      index = found + 1
    }
    return nil
  }
}

/// Looks for a text from ever greater offsets, and does not look at the same bytes again.
struct ForwardSearch {
  private let text: StaticString
  /// From an offset that was asked for to what was found.
  private var last = -1..<(-1)
  /// The offset from which on there is nothing.
  private var missing = Int.max

  init(_ text: StaticString) { self.text = text }

  /// - Complexity: O(*n*) in the bytes, for all calls with ever greater offsets together.
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
