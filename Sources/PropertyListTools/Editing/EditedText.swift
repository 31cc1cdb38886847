internal import FoundationEssentials
@_spi(Archives) internal import PropertyLists

/// A text that consists of pieces of an original text, and of new pieces.
struct EditedText {
  /// A piece of the text.
  enum Piece {
    /// A range of the original text.
    case source(Range<Int>)
    /// A range of ``added``.
    case added(Range<Int>)
    /// A list of pieces that were added together, by its index in ``parts``.
    case part(Int)
  }

  /// The text of all new pieces.
  private(set) var added: [UInt8] = []
  private var parts: [[Piece]] = []
  /// The skipped containers of the original text, from its start to its end, each with the number of its placeholder
  /// (``StandIns``).
  private var passed: [(range: Range<Int>, number: Int)] = []

  /// Adds a new text and returns its piece.
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

  /// Records a skipped container. It must follow those that were recorded before.
  mutating func pass(_ range: Range<Int>, standIn number: Int) { passed.append((range, number)) }

  /// Returns the skipped containers in a range of the original text.
  func passed(in range: Range<Int>) -> ArraySlice<(range: Range<Int>, number: Int)> {
    let first = passed.partitioningIndex { $0.range.lowerBound >= range.lowerBound }
    return passed[first...].prefix { $0.range.upperBound <= range.upperBound }
  }

  /// Returns the bytes of a new piece.
  @_lifetime(borrow self)
  func bytes(ofAdded range: Range<Int>) -> RawSpan { added.rawBytes.extracting(range) }

  /// Calls `body` with the range of each piece in order, and with true if the range is in ``added``. Uses no recursion.
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
  /// Appends a range of the original text.
  mutating func append(source start: Int, _ end: Int) {
    guard start < end else { return }
    if case .source(let former)? = last, former.upperBound == start {
      self[count - 1] = .source(former.lowerBound..<end)
    } else {
      append(.source(start..<end))
    }
  }
}

/// Functions that return the bytes of an edited text, in the encoding of the original.
extension EditedText {
  /// Returns the bytes of all pieces in the encoding of the original, or nil if that encoding cannot be written.
  func data(_ root: Piece, of source: TextSource, _ input: Data) -> Data? {
    switch source.unitWidth {
    case 1: return EditedBytes(self, root, of: source, head: input.prefix(source.start)).data
    case nil:
      guard let name = XMLEncoding.declaredEncoding(input.bytes) else { return nil }
      return data(root, of: source, input, inEncoding: name)
    default:
      guard let (encoding, markLength) = UnicodeEncoding.detect(input.bytes) else { return nil }
      var text = ByteBuffer()
      append(root, of: source, to: &text)
      var output = ByteBuffer()
      output.append(input.bytes.extracting(0..<markLength))
      encoding.append(text.bytes, to: &output)
      return output.takeData()
    }
  }

  /// Appends the text as UTF-8.
  func append(_ root: Piece, of source: TextSource, to output: inout ByteBuffer) {
    let bytes = source.text.bytes
    forEach(of: root) { range, isAdded in
      if isAdded { output.append(self.bytes(ofAdded: range)) } else { output.append(bytes.extracting(range)) }
    }
  }

  /// Returns the text as UTF-8, with a placeholder for each container that was recorded with ``pass(_:standIn:)``.
  func outline(_ root: Piece, of source: TextSource, _ standIns: StandIns) -> Data {
    var output = ByteBuffer()
    let bytes = source.text.bytes
    forEach(of: root) { range, isAdded in
      guard !isAdded else { return output.append(self.bytes(ofAdded: range)) }
      var offset = range.lowerBound
      for passed in passed(in: range) {
        output.append(bytes.extracting(offset..<passed.range.lowerBound))
        standIns.append(passed.number, to: &output)
        offset = passed.range.upperBound
      }
      output.append(bytes.extracting(offset..<range.upperBound))
    }
    return output.takeData()
  }

  /// Returns the text in a named encoding. Whole lines of the original text keep their bytes, because a character may
  /// have several encoded forms. The rest of the text is encoded again.
  private func data(_ root: Piece, of source: TextSource, _ input: Data, inEncoding name: String) -> Data? {
    let text = source.text.bytes
    guard let lines = LineStarts(text, input.bytes) else { return nil }
    var output: [UInt8] = []
    // The text that has not been encoded yet.
    var pending: [UInt8] = []
    var isEncoded = true
    func encode() {
      guard !pending.isEmpty else { return }
      if let bytes = LibXML2.encode(pending.rawBytes, to: name) { output += bytes } else { isEncoded = false }
      pending.removeAll(keepingCapacity: true)
    }
    forEach(of: root) { range, isAdded in
      guard !isAdded else { return pending.append(bytes: bytes(ofAdded: range)) }
      guard let whole = lines.whole(in: range) else { return pending.append(bytes: text.extracting(range)) }
      pending.append(bytes: text.extracting(range.lowerBound..<whole.text.lowerBound))
      encode()
      output.append(bytes: input.bytes.extracting(whole.input))
      pending.append(bytes: text.extracting(whole.text.upperBound..<range.upperBound))
    }
    encode()
    return isEncoded ? Data(output) : nil
  }
}

/// The offsets of the lines in a text and in its input. In all encodings that are read by name, an LF is never part of
/// another character.
private struct LineStarts {
  private let inText: [Int]
  private let inInput: [Int]

  /// Finds the lines. Returns nil if the text and the input have different numbers of lines.
  init?(_ text: RawSpan, _ input: RawSpan) {
    inText = Self.starts(text)
    inInput = Self.starts(input)
    guard inText.count == inInput.count else { return nil }
  }

  /// Returns the offset at the beginning of each line. The last element is the end of the text, because the last line
  /// ends there.
  private static func starts(_ text: RawSpan) -> [Int] {
    var starts = [0]
    while let feed = text.firstIndex(of: 0x0A, from: starts[starts.count - 1]) { starts.append(feed + 1) }
    return starts + [text.byteCount]
  }

  /// Finds the lines that are completely in a range of the text. Returns the range of these lines in the text and their
  /// range in the input; nil if there are none.
  func whole(in range: Range<Int>) -> (text: Range<Int>, input: Range<Int>)? {
    let first = inText.partitioningIndex { $0 >= range.lowerBound }
    var last = inText.partitioningIndex { $0 >= range.upperBound }
    if last == inText.count || inText[last] > range.upperBound { last -= 1 }
    guard first < last else { return nil }
    return (inText[first]..<inText[last], inInput[first]..<inInput[last])
  }
}
