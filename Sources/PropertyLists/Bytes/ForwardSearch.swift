/// Looks for a text from ever later places, and does not look at the same bytes again.
struct ForwardSearch {
  private let text: StaticString
  /// What was found from where on.
  private var last: (start: Int, found: Int?)?

  init(_ text: StaticString) { self.text = text }

  mutating func next(from start: Int, in bytes: RawSpan) -> Int? {
    if let last, start >= last.start, last.found.map({ $0 >= start }) ?? true { return last.found }
    let found = bytes.firstIndex(of: text, from: start)
    last = (start, found)
    return found
  }
}
