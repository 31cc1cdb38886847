/// The bytes that libxml2 is given: those of a text, from a place on at which it begins anew, with the tags before them
/// that are open there.
struct XMLInput {
  private let source: TextSource
  /// The tags that are open where the text begins.
  private var opening: [UInt8] = []
  private var openingRead = 0
  private(set) var start: Int
  private var next: Int
  /// How many bytes are given at a time.
  private var pieceLength = Int.max
  private var tags = TagLengths()

  /// - Parameter start: the place of the document in the text.
  init(_ source: TextSource, from start: Int) {
    self.source = source
    self.start = start
    next = start
    tags.begin(at: start)
  }

  /// Begins anew with the byte number `start` of the text.
  mutating func begin(at start: Int, opening: [UInt8]) {
    self.opening = opening
    openingRead = 0
    self.start = start
    next = start
    // libxml2 looks through all that it has read for further faults, so that it first gets little.
    pieceLength = 256
    tags.begin(at: start)
  }

  /// - Returns: how many bytes there were; 0 at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if openingRead < opening.count {
      let end = min(openingRead + buffer.count, opening.count)
      unsafe Self.copy(opening.rawBytes.extracting(openingRead..<end), to: buffer)
      defer { openingRead = end }
      return end - openingRead
    }
    let bytes = source.text.bytes
    var end = min(next + min(buffer.count, pieceLength), bytes.byteCount)
    if pieceLength < bytes.byteCount { pieceLength *= 2 }
    tags.look(until: end, in: bytes)
    if let longTag = tags.longTag { end = min(end, longTag + TagLengths.greatest) }
    guard end > next else { return 0 }
    unsafe Self.copy(bytes.extracting(next..<end), to: buffer)
    defer { next = end }
    return end - next
  }

  /// Sound: the callers see to it that the piece is not longer than the buffer.
  private static func copy(_ piece: RawSpan, to buffer: UnsafeMutableRawBufferPointer) {
    unsafe piece.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
  }

  /// Where in the text the byte number `offset` stands of those that were read.
  func sourceOffset(_ offset: Int) -> Int { offset - opening.count + start }

  /// The beginning of a tag that is too long, if that is why libxml2 finds fault with what stands at `offset`. Its
  /// errors at the end of its input stand a few bytes before it.
  func longTag(endingAt offset: Int) -> Int? {
    guard let longTag = tags.longTag, offset >= longTag + TagLengths.greatest - 8 else { return nil }
    return longTag
  }
}

/// Finds tags that are too long. libxml2 compares each attribute of a tag with all others, so that the time for a long
/// tag grows with the square of its length; and no tag of a property list has use for attributes.
///
/// A tag counts only if libxml2 comes to it: where the text is not well-formed, what is taken for a tag here may be
/// none.
struct TagLengths {
  static let greatest = 1024

  /// Where the first tag begins that is too long.
  private(set) var longTag: Int?
  private var index = 0
  private var tagStart = ForwardSearch("<")
  private var commentEnd = ForwardSearch("-->")
  private var cdataEnd = ForwardSearch("]]>")
  private var instructionEnd = ForwardSearch("?>")

  /// Begins anew with the byte number `start`.
  mutating func begin(at start: Int) {
    index = start
    longTag = nil
  }

  /// Looks at the tags that begin before `end`.
  mutating func look(until end: Int, in bytes: RawSpan) {
    while longTag == nil, index < end {
      let start = tagStart.next(from: index, in: bytes) ?? bytes.byteCount
      index = start
      guard start < end else { return }
      if bytes.starts(with: "<!--", at: start) {
        index = commentEnd.next(from: start + 4, in: bytes) ?? bytes.byteCount
      } else if bytes.starts(with: "<![CDATA[", at: start) {
        index = cdataEnd.next(from: start + 9, in: bytes) ?? bytes.byteCount
      } else if bytes.starts(with: "<?", at: start) {
        index = instructionEnd.next(from: start + 2, in: bytes) ?? bytes.byteCount
      } else {
        lookAtTag(start, in: bytes)
      }
    }
  }

  private mutating func lookAtTag(_ start: Int, in bytes: RawSpan) {
    var quote: UInt8 = 0
    index = start + 1
    while index < bytes.byteCount, quote != 0 || bytes[index] != UInt8(ascii: ">") {
      let byte = bytes[index]
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
      index += 1
      guard index - start <= Self.greatest else {
        longTag = start
        return
      }
    }
  }
}
