/// Finds the elements of a property list in XML.
struct XMLLayoutScanner: LayoutScanner {
  var index = 0
  private let end: Int

  init(end: Int) { self.end = end }

  static var assignment: UInt8? { nil }
  static func separator(in kind: NodeKind) -> LayoutSeparator { .none }

  /// Behind the declaration, the document type and the tag `<plist>`.
  mutating func begin(_ bytes: RawSpan) -> LayoutRoot? {
    while true {
      skipTrivia(bytes)
      let isBeforeValue = bytes.starts(with: "<!", at: index) || Self.isName("plist", bytes, at: index + 1)
      guard isBeforeValue else { return index < end ? .value : nil }
      guard let close = Self.tagEnd(bytes, from: index) else { return nil }
      index = close
    }
  }

  func trivia(_ bytes: RawSpan, at place: Int) -> Trivia? {
    guard place < end else { return nil }
    switch bytes[place] {
    case 0x20, 0x09:
      var close = place + 1
      while close < end, bytes[close] == 0x20 || bytes[close] == 0x09 { close += 1 }
      return Trivia(kind: .space, end: close)
    case 0x0A: return Trivia(kind: .newline, end: place + 1)
    case 0x0D: return Trivia(kind: .newline, end: place + 1 < end && bytes[place + 1] == 0x0A ? place + 2 : place + 1)
    case UInt8(ascii: "<"):
      if bytes.starts(with: "<!--", at: place) { return comment(bytes, "-->", from: place + 4) }
      if bytes.starts(with: "<?", at: place) { return comment(bytes, "?>", from: place + 2) }
      return nil
    default: return nil
    }
  }

  private func comment(_ bytes: RawSpan, _ close: StaticString, from start: Int) -> Trivia? {
    bytes.firstIndex(of: close, from: start).map { Trivia(kind: .comment, end: $0 + close.utf8CodeUnitCount) }
  }

  /// Where the tag ends that begins at a place. A `>` may stand in its quotation marks.
  static func tagEnd(_ bytes: RawSpan, from start: Int) -> Int? {
    var quote: UInt8 = 0
    var place = start
    while place < bytes.byteCount {
      let byte = bytes[place]
      place += 1
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: ">") {
        return place
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      }
    }
    return nil
  }

  func closes(_ bytes: RawSpan, at place: Int) -> Bool { bytes.starts(with: "</", at: place) }

  mutating func token(_ bytes: RawSpan) -> LayoutToken? {
    let start = index
    guard start + 2 < end, bytes[start] == UInt8(ascii: "<"), let close = Self.tagEnd(bytes, from: start) else {
      return nil
    }
    index = close
    if bytes[start + 1] == UInt8(ascii: "/") {
      if Self.isName("dict", bytes, at: start + 2) { return LayoutToken(kind: .end(.dictionary), range: start..<close) }
      if Self.isName("array", bytes, at: start + 2) { return LayoutToken(kind: .end(.array), range: start..<close) }
      return nil
    }
    let isEmpty = bytes[close - 2] == UInt8(ascii: "/")
    if Self.isName("dict", bytes, at: start + 1) {
      return LayoutToken(kind: isEmpty ? .empty(.dictionary) : .begin(.dictionary), range: start..<close)
    }
    if Self.isName("array", bytes, at: start + 1) {
      return LayoutToken(kind: isEmpty ? .empty(.array) : .begin(.array), range: start..<close)
    }
    if !isEmpty {
      guard let content = Self.content(bytes, from: close), let behind = Self.tagEnd(bytes, from: content.upperBound)
      else {
        return nil
      }
      index = behind
    }
    return LayoutToken(kind: .scalar, range: start..<index)
  }

  /// Goes from tag to tag, whatever their names are.
  mutating func skipValue(_ bytes: RawSpan) -> Range<Int>? {
    let start = index
    var depth = 0
    repeat {
      guard let mark = bytes.firstIndex(of: UInt8(ascii: "<"), from: index), mark + 2 < end else { return nil }
      switch bytes[mark + 1] {
      case UInt8(ascii: "!"), UInt8(ascii: "?"):
        guard let behind = Self.markupEnd(bytes, from: mark) else { return nil }
        index = behind
        continue
      case UInt8(ascii: "/"): depth -= 1
      default: depth += 1
      }
      guard let close = Self.tagEnd(bytes, from: mark) else { return nil }
      if bytes[close - 2] == UInt8(ascii: "/") { depth -= 1 }
      index = close
    } while depth > 0
    return depth == 0 ? start..<index : nil
  }

  /// Where a comment, a processing instruction or a CDATA section ends that begins at a place.
  private static func markupEnd(_ bytes: RawSpan, from start: Int) -> Int? {
    if bytes.starts(with: "<![CDATA[", at: start) { return bytes.firstIndex(of: "]]>", from: start + 9).map { $0 + 3 } }
    if bytes.starts(with: "<!--", at: start) { return bytes.firstIndex(of: "-->", from: start + 4).map { $0 + 3 } }
    return bytes.firstIndex(of: "?>", from: start + 2).map { $0 + 2 }
  }

  /// What stands between the tags of an element without elements in it.
  ///
  /// - Parameter start: behind the opening tag.
  static func content(_ bytes: RawSpan, from start: Int) -> Range<Int>? {
    var place = start
    while let mark = bytes.firstIndex(of: UInt8(ascii: "<"), from: place) {
      if bytes.starts(with: "</", at: mark) { return start..<mark }
      guard let behind = markupEnd(bytes, from: mark) else { return nil }
      place = behind
    }
    return nil
  }

  /// Whether a tag has a name, which stands at a place.
  static func isName(_ name: StaticString, _ bytes: RawSpan, at place: Int) -> Bool {
    let behind = place + name.utf8CodeUnitCount
    guard bytes.starts(with: name, at: place), behind < bytes.byteCount else { return false }
    let byte = bytes[behind]
    return byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || XMLText.isSpace(byte)
  }
}
