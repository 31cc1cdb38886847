/// Looks for a text from ever later places, and does not look at the same bytes again.
struct ForwardSearch {
  private let text: StaticString
  /// From a place that was asked for to what was found.
  private var last = -1..<(-1)
  /// The place from which on there is nothing.
  private var missing = Int.max

  init(_ text: StaticString) { self.text = text }

  /// - Complexity: O(*n*) in the bytes, for all calls with ever later places together.
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
