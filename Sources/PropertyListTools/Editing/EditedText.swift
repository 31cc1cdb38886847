internal import FoundationEssentials
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

/// The bytes of an edited text, in the encoding of the text it was made of.
extension EditedText {
  /// The bytes of all pieces, in the encoding of the text there was; nil if that is one that is not written.
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

  /// The text in UTF-8.
  func append(_ root: Piece, of source: TextSource, to output: inout ByteBuffer) {
    let bytes = source.text.bytes
    forEach(of: root) { range, isAdded in
      if isAdded { output.append(self.bytes(ofAdded: range)) } else { output.append(bytes.extracting(range)) }
    }
  }

  /// The text in UTF-8 with stand-ins instead of what was passed over.
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

  /// The text in an encoding by name. Whole lines of the text there was keep their bytes, for a character can have
  /// several forms; all others are encoded anew.
  private func data(_ root: Piece, of source: TextSource, _ input: Data, inEncoding name: String) -> Data? {
    let text = source.text.bytes
    guard let lines = LineStarts(text, input.bytes) else { return nil }
    var output: [UInt8] = []
    // What is to be encoded next.
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

/// Where the lines of a text begin, and where in the input. In no encoding that is read by
/// its name is an LF part of another character.
private struct LineStarts {
  private let inText: [Int]
  private let inInput: [Int]

  /// - Returns: nil if the two have not the same number of lines.
  init?(_ text: RawSpan, _ input: RawSpan) {
    inText = Self.starts(text)
    inInput = Self.starts(input)
    guard inText.count == inInput.count else { return nil }
  }

  /// The beginnings of all lines, and the end of the text, which ends the last one.
  private static func starts(_ text: RawSpan) -> [Int] {
    var starts = [0]
    while let feed = text.firstIndex(of: 0x0A, from: starts[starts.count - 1]) { starts.append(feed + 1) }
    return starts + [text.byteCount]
  }

  /// The lines that lie in a range of the text as a whole.
  func whole(in range: Range<Int>) -> (text: Range<Int>, input: Range<Int>)? {
    let first = inText.partitioningIndex { $0 >= range.lowerBound }
    var last = inText.partitioningIndex { $0 >= range.upperBound }
    if last == inText.count || inText[last] > range.upperBound { last -= 1 }
    guard first < last else { return nil }
    return (inText[first]..<inText[last], inInput[first]..<inInput[last])
  }
}
