@_spi(Archives) internal import PropertyLists

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
  /// The values of the text there was that nobody looked into, in its order, with the numbers that stand in for them.
  private var passed: [(range: Range<Int>, number: Int)] = []

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

  /// Notes a value that is passed over, which comes after those noted before.
  mutating func pass(_ range: Range<Int>, standIn number: Int) { passed.append((range, number)) }

  /// The values that were passed over in a range of the text there was.
  func passed(in range: Range<Int>) -> ArraySlice<(range: Range<Int>, number: Int)> {
    let first = passed.partitioningIndex { $0.range.lowerBound >= range.lowerBound }
    return passed[first...].prefix { $0.range.upperBound <= range.upperBound }
  }

  /// The text of what was added.
  @_lifetime(borrow self)
  func bytes(ofAdded range: Range<Int>) -> RawSpan { added.rawBytes.extracting(range) }

  /// Tells where the pieces of a part stand, in order, and whether in ``added``. It has a stack of its own.
  func forEach<Failure: Error>(
    of root: Piece, _ body: (_ range: Range<Int>, _ isAdded: Bool) throws(Failure) -> Void
  ) throws(Failure) {
    var open: [(part: Int, next: Int)] = []
    var next = root
    while true {
      switch next {
      case .source(let range): try body(range, false)
      case .added(let range): try body(range, true)
      case .part(let part): open.append((part, 0))
      }
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
