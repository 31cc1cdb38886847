/// The fast lane: reads the plain dialect of XML that property list writers emit.
///
/// Known are: a declaration without or with UTF-8 as its encoding, Apple's document type, `<plist>` with the version or without, the
/// elements of the format without attributes, character references, white space. Everything else, and every error, makes it
/// give up; so it accepts nothing that libxml2 would not accept, and has nothing to say about what it does not accept.
struct PlainXMLScanner: ~Copyable {
  private var builder: NodeTableBuilder
  private var index = 0
  private let end: Int
  private let depthLimit: Int

  /// - Returns: nil for a document that is not in the plain dialect.
  /// - Complexity: O(*n*) in the length of the text.
  static func scan(_ bytes: RawSpan, options: PropertyListReadingOptions) -> NodeTable? {
    var scanner = PlainXMLScanner(bytes.byteCount, options)
    guard scanner.scanProlog(bytes), scanner.scanValues(bytes), scanner.scanEpilog(bytes) else { return nil }
    return scanner.takeTable()
  }

  private init(_ end: Int, _ options: PropertyListReadingOptions) {
    self.end = end
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

  static let key = word("<key>")
  static let string = word("<string>")
  static let integer = word("<integer>")
  static let real = word("<real>")
  static let date = word("<date>")
  static let data = word("<data>")
  static let dict = word("<dict>")
  static let array = word("<array>")
  static let `true` = word("<true/>")
  static let `false` = word("<false/>")
  static let emptyString = word("<string/")
  static let emptyDict = word("<dict/>")
  static let emptyArray = word("<array/>")
  static let endDict = word("</dict>")
  static let endArray = word("</array>")
  static let endKey = word("</key>")
  static let endString = word("</string")
  static let endInteger = word("</intege")
  static let endReal = word("</real>")
  static let endDate = word("</date>")
  static let endData = word("</data>")

  static let fiveBytes: UInt64 = 0xFF_FFFF_FFFF
  static let sixBytes: UInt64 = 0xFFFF_FFFF_FFFF
  static let sevenBytes: UInt64 = 0xFF_FFFF_FFFF_FFFF
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
          guard scanText(bytes) else { return false }
          guard self.word(bytes, index) & Tag.sixBytes == Tag.endKey & Tag.sixBytes else { return false }
          index += 6
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
        guard scanText(bytes), self.word(bytes, index) == Tag.endString, index + 8 < end,
          bytes[index + 8] == UInt8(ascii: ">")
        else { return false }
        index += 9
        return true
      }
      guard word == Tag.emptyString, index + 8 < end, bytes[index + 8] == UInt8(ascii: ">") else { return false }
      index += 9
      builder.append(.string(.verbatim, offset: index, length: 0))
      return true
    case UInt8(ascii: "i"):
      guard word == Tag.integer, index + 8 < end, bytes[index + 8] == UInt8(ascii: ">") else { return false }
      index += 9
      return scanScalar(.integer, bytes) && skip("</integer>", bytes)
    case UInt8(ascii: "r"):
      guard word & Tag.sixBytes == Tag.real else { return false }
      index += 6
      return scanScalar(.real, bytes) && skip("</real>", bytes)
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
        return scanScalar(.date, bytes) && skip("</date>", bytes)
      }
      if word & Tag.sixBytes == Tag.data {
        index += 6
        return scanScalar(.data, bytes) && skip("</data>", bytes)
      }
      guard word & Tag.sevenBytes == Tag.emptyDict else { return false }
      return openAndClose(.dictionary, length: 7, bytes)
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

  /// The text of an element that is no string, up to the next `<`.
  @inline(__always)
  private mutating func scanScalar(_ element: XMLElement, _ bytes: RawSpan) -> Bool {
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
    guard case .success(let node) = XMLElement.scalar(element, bytes, start..<index), index > start else {
      return false
    }
    builder.append(node)
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
