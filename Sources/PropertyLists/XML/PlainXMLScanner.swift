/// The fast lane: reads the plain dialect of XML that property list writers emit.
///
/// Known are: a declaration without or with UTF-8 as its encoding, Apple's document type, `<plist>` with the version or
/// without, the elements of the format without attributes, character references, white space. Everything else, and
/// every error, makes it give up; so it accepts nothing that libxml2 would not accept, and has nothing to say about
/// what it does not accept.
struct PlainXMLScanner: ~Copyable {
  private var builder: NodeTableBuilder
  private var index: Int
  private let end: Int
  private let depthLimit: Int

  /// - Parameter start: the place of the document in `bytes`.
  /// - Returns: nil for a document that is not in the plain dialect.
  /// - Complexity: O(*n*) in the length of the text.
  static func scan(_ bytes: RawSpan, from start: Int, options: PropertyListReadingOptions) -> NodeTable? {
    var scanner = PlainXMLScanner(start..<bytes.byteCount, options)
    guard scanner.scanProlog(bytes), scanner.scanValues(bytes), scanner.scanEpilog(bytes) else { return nil }
    return scanner.takeTable()
  }

  private init(_ range: Range<Int>, _ options: PropertyListReadingOptions) {
    index = range.lowerBound
    end = range.upperBound
    depthLimit = options.limits.effectiveDepth
    // A list of dictionaries has about one node for 32 bytes.
    builder = NodeTableBuilder(options: options, expectedNodes: end / 32 + 16)
  }

  private consuming func takeTable() -> NodeTable { builder.finish() }

  /// The eight bytes from `offset` on, or 0 at the end of the text, which no tag is equal to.
  @inline(__always)
  private func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
    offset &+ 8 <= end ? bytes.littleEndianWord(at: offset) : 0
  }

  @inline(__always)
  private mutating func skipSpace(_ bytes: RawSpan) {
    while index < end, XMLText.isSpace(bytes[index]) { index += 1 }
  }

  private mutating func skip(_ text: StaticString, _ bytes: RawSpan) -> Bool {
    guard bytes.starts(with: text, at: index) else { return false }
    index += text.utf8CodeUnitCount
    return true
  }
}

/// Around the value.
extension PlainXMLScanner {
  private mutating func scanProlog(_ bytes: RawSpan) -> Bool {
    if skip("<?xml version=\"1.0\"", bytes) {
      _ = skip(" encoding=\"UTF-8\"", bytes) || skip(" encoding=\"utf-8\"", bytes)
      _ = skip(" standalone=\"yes\"", bytes) || skip(" standalone=\"no\"", bytes)
      guard skip("?>", bytes) else { return false }
      skipSpace(bytes)
    }
    if skip("<!DOCTYPE plist ", bytes) {
      let isKnown =
        (skip("PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" ", bytes)
          || skip("PUBLIC \"-//Apple Computer//DTD PLIST 1.0//EN\" ", bytes)
          || skip("SYSTEM ", bytes))
        && (skip("\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">", bytes)
          || skip("\"https://www.apple.com/DTDs/PropertyList-1.0.dtd\">", bytes)
          || skip("\"file://localhost/System/Library/DTDs/PropertyList.dtd\">", bytes))
      guard isKnown else { return false }
      skipSpace(bytes)
    }
    return skip("<plist version=\"1.0\">", bytes) || skip("<plist>", bytes)
  }

  private mutating func scanEpilog(_ bytes: RawSpan) -> Bool {
    skipSpace(bytes)
    guard skip("</plist>", bytes) else { return false }
    skipSpace(bytes)
    return index == end
  }
}

/// The tags as the words they are compared with, the first character in the lowest byte.
private enum Tag {
  @inline(__always)
  static func word(_ text: StaticString) -> UInt64 {
    var word: UInt64 = 0
    // Sound: at most as many bytes are read as the static string has.
    for index in 0..<min(8, text.utf8CodeUnitCount) {
      unsafe word |= UInt64(text.utf8Start[index]) << UInt64(8 * index)
    }
    return word
  }

  @inline(__always) static var key: UInt64 { word("<key>") }
  @inline(__always) static var string: UInt64 { word("<string>") }
  @inline(__always) static var integer: UInt64 { word("<integer>") }
  @inline(__always) static var real: UInt64 { word("<real>") }
  @inline(__always) static var date: UInt64 { word("<date>") }
  @inline(__always) static var data: UInt64 { word("<data>") }
  @inline(__always) static var dict: UInt64 { word("<dict>") }
  @inline(__always) static var array: UInt64 { word("<array>") }
  @inline(__always) static var `true`: UInt64 { word("<true/>") }
  @inline(__always) static var `false`: UInt64 { word("<false/>") }
  @inline(__always) static var emptyString: UInt64 { word("<string/") }
  @inline(__always) static var emptyDict: UInt64 { word("<dict/>") }
  @inline(__always) static var emptyData: UInt64 { word("<data/>") }
  @inline(__always) static var emptyArray: UInt64 { word("<array/>") }
  @inline(__always) static var endDict: UInt64 { word("</dict>") }
  @inline(__always) static var endArray: UInt64 { word("</array>") }
  @inline(__always) static var endKey: UInt64 { word("</key>") }
  @inline(__always) static var endString: UInt64 { word("</string") }
  @inline(__always) static var endInteger: UInt64 { word("</intege") }
  @inline(__always) static var endReal: UInt64 { word("</real>") }
  @inline(__always) static var endDate: UInt64 { word("</date>") }
  @inline(__always) static var endData: UInt64 { word("</data>") }

  @inline(__always) static var fiveBytes: UInt64 { 0xFF_FFFF_FFFF }
  @inline(__always) static var sixBytes: UInt64 { 0xFFFF_FFFF_FFFF }
  @inline(__always) static var sevenBytes: UInt64 { 0xFF_FFFF_FFFF_FFFF }
}

/// The values.
extension PlainXMLScanner {
  /// One value with all that is in it.
  private mutating func scanValues(_ bytes: RawSpan) -> Bool {
    repeat {
      skipSpace(bytes)
      let word = word(bytes, index)
      if builder.expectsKey {
        if word & Tag.fiveBytes == Tag.key {
          index += 5
          guard scanText(bytes), scanTag(Tag.endKey, length: 6, bytes) else { return false }
        } else if word & Tag.sevenBytes == Tag.endDict {
          index += 7
          guard builder.close(in: bytes) == nil else { return false }
        } else {
          return false
        }
        continue
      }
      guard scanValue(word, bytes) else { return false }
    } while builder.depth > 0
    return true
  }

  /// The value, or the end of an array, that begins with `word`.
  @inline(__always)
  private mutating func scanValue(_ word: UInt64, _ bytes: RawSpan) -> Bool {
    switch UInt8(truncatingIfNeeded: word >> 8) {
    case UInt8(ascii: "s"):
      if word == Tag.string {
        index += 8
        return scanText(bytes) && scanTag(Tag.endString, length: 9, bytes)
      }
      guard word == Tag.emptyString, index + 8 < end, bytes[index + 8] == UInt8(ascii: ">") else { return false }
      index += 9
      builder.append(.string(.verbatim, offset: index, length: 0))
      return true
    case UInt8(ascii: "i"):
      guard word == Tag.integer, index + 8 < end, bytes[index + 8] == UInt8(ascii: ">") else { return false }
      index += 9
      return scanScalar(.integer, bytes, closedBy: Tag.endInteger, length: 10)
    case UInt8(ascii: "r"):
      guard word & Tag.sixBytes == Tag.real else { return false }
      index += 6
      return scanScalar(.real, bytes, closedBy: Tag.endReal, length: 7)
    case UInt8(ascii: "t"):
      guard word & Tag.sevenBytes == Tag.true else { return false }
      index += 7
      builder.append(.boolean(true))
      return true
    case UInt8(ascii: "f"):
      guard word == Tag.false else { return false }
      index += 8
      builder.append(.boolean(false))
      return true
    case UInt8(ascii: "d"):
      if word & Tag.sixBytes == Tag.dict { return open(.dictionary, length: 6) }
      if word & Tag.sixBytes == Tag.date {
        index += 6
        return scanScalar(.date, bytes, closedBy: Tag.endDate, length: 7)
      }
      if word & Tag.sixBytes == Tag.data {
        index += 6
        return scanScalar(.data, bytes, closedBy: Tag.endData, length: 7)
      }
      if word & Tag.sevenBytes == Tag.emptyDict { return openAndClose(.dictionary, length: 7, bytes) }
      guard word & Tag.sevenBytes == Tag.emptyData else { return false }
      index += 7
      builder.append(.data(.base64, offset: index, length: 0))
      return true
    case UInt8(ascii: "a"):
      if word & Tag.sevenBytes == Tag.array { return open(.array, length: 7) }
      guard word == Tag.emptyArray else { return false }
      return openAndClose(.array, length: 8, bytes)
    case UInt8(ascii: "/"):
      guard word == Tag.endArray, builder.frames.last?.kind == .array else { return false }
      index += 8
      return builder.close(in: bytes) == nil
    default: return false
    }
  }

  private mutating func open(_ kind: NodeKind, length: Int) -> Bool {
    index += length
    guard builder.depth < depthLimit else { return false }
    builder.open(kind)
    return true
  }

  private mutating func openAndClose(_ kind: NodeKind, length: Int, _ bytes: RawSpan) -> Bool {
    open(kind, length: length) && builder.close(in: bytes) == nil
  }

  /// The text of an element that is no string, up to the next `<`, which has to begin the closing tag.
  @inline(__always)
  private mutating func scanScalar(
    _ element: XMLElement, _ bytes: RawSpan, closedBy tag: UInt64, length: Int
  ) -> Bool {
    let start = index
    while true {
      let found = ByteClass.equal(word(bytes, index), UInt8(ascii: "<"))
      if found != 0 {
        index += found.trailingZeroBitCount / 8
        break
      }
      index += 8
      guard index < end else { return false }
    }
    guard index > start, case .success(let node) = XMLElement.scalar(element, bytes, start..<index) else {
      return false
    }
    builder.append(node)
    return scanTag(tag, length: length, bytes)
  }

  /// A tag of `length` bytes, of which `tag` has the first eight.
  @inline(__always)
  private mutating func scanTag(_ tag: UInt64, length: Int, _ bytes: RawSpan) -> Bool {
    let mask = length < 8 ? (1 << UInt64(8 * length)) - 1 : UInt64.max
    guard word(bytes, index) & mask == tag, index + length <= end else { return false }
    // Of the closing tags, `</string>` and `</integer>` are longer than a word.
    if length == 9, bytes[index + 8] != UInt8(ascii: ">") { return false }
    if length == 10, bytes[index + 8] != UInt8(ascii: "r") || bytes[index + 9] != UInt8(ascii: ">") { return false }
    index += length
    return true
  }

  /// The text of a string or key, up to the next `<`.
  @inline(__always)
  private mutating func scanText(_ bytes: RawSpan) -> Bool {
    let start = index
    var isPlain = true
    var isASCII = true
    scan: while index &+ 8 <= end {
      let stops = ByteClass.stopsText(bytes.littleEndianWord(at: index), stopsAtHigh: isASCII)
      if stops == 0 {
        index &+= 8
        continue
      }
      index &+= stops.trailingZeroBitCount / 8
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "<"):
        if !isASCII, !isValidUTF8(bytes, start) { return false }
        builder.append(.string(isPlain ? .verbatim : .xmlText, offset: start, length: index - start))
        return true
      case UInt8(ascii: "&"):
        guard let (_, length) = XMLText.reference(in: bytes, at: index) else { return false }
        isPlain = false
        index += length
      case UInt8(ascii: ">"):
        // XML 1.0 section 2.4: `]]>` may not stand in text.
        if index >= start + 2, bytes[index - 1] == UInt8(ascii: "]"), bytes[index - 2] == UInt8(ascii: "]") {
          return false
        }
        index += 1
      case 0x09, 0x0A: index += 1
      case 0x0D:
        isPlain = false
        index += 1
      default:
        guard byte >= 0x80 else { return false }
        isASCII = false
      }
    }
    return false
  }

  /// Whether the text from `start` on is UTF-8 without U+FFFE and U+FFFF, which XML does not allow.
  private func isValidUTF8(_ bytes: RawSpan, _ start: Int) -> Bool {
    let text = bytes.extracting(start..<index)
    for offset in 0..<max(0, text.byteCount - 2)
    where text[offset] == 0xEF && text[offset + 1] == 0xBF && text[offset + 2] >= 0xBE { return false }
    return text.isValidUTF8
  }
}
