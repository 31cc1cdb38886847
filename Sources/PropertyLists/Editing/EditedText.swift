/// A text made of pieces of another one and of new ones.
struct EditedText {
  /// A piece.
  enum Piece {
    /// Of the text there was.
    case source(Range<Int>)
    /// Of ``added``.
    case added(Range<Int>)
    /// All pieces of a part, by its number.
    case part(Int)
  }

  /// Everything that is new.
  private(set) var added: [UInt8] = []
  private var parts: [[Piece]] = []

  /// Adds a text.
  mutating func add(_ text: RawSpan) -> Piece {
    let start = added.count
    added.append(bytes: text)
    return .added(start..<added.count)
  }

  mutating func add(_ text: [UInt8]) -> Piece { add(text.rawBytes) }

  mutating func add(_ pieces: [Piece]) -> Piece {
    parts.append(pieces)
    return .part(parts.count - 1)
  }

  /// The text of what was added.
  @_lifetime(borrow self)
  func bytes(ofAdded range: Range<Int>) -> RawSpan { added.rawBytes.extracting(range) }

  /// Tells the pieces of a part in their order, without parts in them. It keeps its own stack, so that the depth of the
  /// parts costs no stack of the thread.
  func forEach<Failure: Error>(of root: Piece, _ body: (Piece) throws(Failure) -> Void) throws(Failure) {
    var open: [(part: Int, next: Int)] = []
    var next = root
    while true {
      if case .part(let part) = next { open.append((part, 0)) } else { try body(next) }
      while let last = open.last, last.next == parts[last.part].count { open.removeLast() }
      guard let last = open.last else { return }
      open[open.count - 1].next += 1
      next = parts[last.part][last.next]
    }
  }
}

extension [EditedText.Piece] {
  /// Appends a stretch of the text there was.
  mutating func append(source start: Int, _ end: Int) {
    guard start < end else { return }
    if case .source(let former)? = last, former.upperBound == start {
      self[count - 1] = .source(former.lowerBound..<end)
    } else {
      append(.source(start..<end))
    }
  }
}
