/// What is done about what is wrong, so that the rest can be read. A null stands for what is no value or no key.
extension JSONScanner {
  /// What is known of the last fault, and of those before it.
  struct Mending {
    /// What was due where the last fault is; nil for a key.
    var due: Due?
    /// What comes next, where that is no entry or element of the innermost container.
    var next: Next?
    /// Whether the text has ended where it must not.
    var isAtEnd = false
    /// Whether brackets were wrong, so that there can be too many or too few at the end.
    var isUnbalanced = false
    /// For each quotation mark, the part of a line in which it closes no string.
    fileprivate var unclosed: [UInt8: Range<Int>] = [:]
    /// Where the white space ends that was looked at last in a string.
    fileprivate var spaceEnd = 0

    enum Due { case colon, value, mark, digit, quotationMark }

    enum Next { case colon, value, mark }
  }

  /// Records a fault and goes on behind it.
  mutating func mend(_ fault: PropertyListError, _ bytes: RawSpan) throws(PropertyListError) {
    if !(mending.isAtEnd && mending.isUnbalanced) { try report(fault) }
    guard !mending.isAtEnd, index < end else { throw fault }
    let due = mending.due
    mending.due = nil
    if fault.kind == .nestedTooDeeply {
      skipContainer(bytes)
      return appendStandIn()
    }
    if skipComment(bytes) {
      switch due {
      case .colon: mending.next = .colon
      case .value: mending.next = .value
      case .mark: mending.next = .mark
      case .digit, .quotationMark, nil: break
      }
      return
    }
    switch due {
    case nil: try mendKey(fault, bytes)
    case .colon: try mendColon(fault, bytes)
    case .value: try mendValue(fault, bytes)
    case .mark: try mendMark(fault, bytes)
    case .digit:
      _ = skipWord(bytes)
      appendStandIn()
    case .quotationMark: appendStandIn()
    }
  }

  /// Appends what stands for a key where one is due, and else for a value.
  private mutating func appendStandIn() {
    let isKey = builder.expectsKey
    builder.append(.null)
    mending.next = isKey ? .colon : builder.depth > 0 ? .mark : nil
  }

  /// Goes on where a key is due.
  private mutating func mendKey(_ fault: PropertyListError, _ bytes: RawSpan) throws(PropertyListError) {
    if followsComma, bytes[index] == UInt8(ascii: "}") {
      followsComma = false
    } else if skipWord(bytes) || skipQuoted(UInt8(ascii: "'"), bytes) {
      appendStandIn()
    } else {
      try skip(fault, bytes)
    }
  }

  /// Goes on where a colon is due.
  private mutating func mendColon(_ fault: PropertyListError, _ bytes: RawSpan) throws(PropertyListError) {
    if bytes[index] == UInt8(ascii: "=") {
      while index < end, bytes[index] == UInt8(ascii: "=") || bytes[index] == UInt8(ascii: ">") { index += 1 }
      mending.next = .value
    } else if Self.isLetter(bytes[index]) {
      // That it is no value, if it is none, is no second fault.
      _ = skipWord(bytes)
      appendStandIn()
    } else if beginsValue(bytes[index]) {
      mending.next = .value
    } else {
      builder.append(.null)
      try skip(fault, bytes)
    }
  }

  /// Goes on where a value is due.
  private mutating func mendValue(_ fault: PropertyListError, _ bytes: RawSpan) throws(PropertyListError) {
    let kind = builder.frames.last?.kind
    if kind == .array, followsComma, bytes[index] == UInt8(ascii: "]") {
      followsComma = false
    } else if skipWord(bytes) || skipQuoted(UInt8(ascii: "'"), bytes) {
      appendStandIn()
    } else {
      if kind == .dictionary { builder.append(.null) }
      try skip(fault, bytes)
    }
  }

  /// Goes on where a comma or the end of a container is due.
  private mutating func mendMark(_ fault: PropertyListError, _ bytes: RawSpan) throws(PropertyListError) {
    let byte = bytes[index]
    if byte == UInt8(ascii: ";") {
      index += 1
      followsComma = true
    } else if Self.isWord(byte), index > 0, Self.isWord(bytes[index - 1]) {
      // The rest of a number or a word.
      _ = skipWord(bytes)
      mending.next = .mark
    } else if builder.frames.last?.kind == .array ? beginsValue(byte) : isKey(bytes) {
      followsComma = true
    } else {
      try skip(fault, bytes)
    }
  }

  private func beginsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): true
    default: Self.isWord(byte)
    }
  }

  /// Whether a byte can stand in a number or a word.
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."),
      UInt8(ascii: "+"), UInt8(ascii: "-"), 0x80...:
      true
    default: isLetter(byte)
    }
  }

  /// Skips a number or a word, whatever it is.
  ///
  /// - Returns: whether there was one; so the others.
  private mutating func skipWord(_ bytes: RawSpan) -> Bool {
    let start = index
    while index < end, Self.isWord(bytes[index]) { index += 1 }
    return index > start
  }

  /// Skips a string in one line.
  private mutating func skipQuoted(_ quote: UInt8, _ bytes: RawSpan) -> Bool {
    guard bytes[index] == quote, mending.unclosed[quote]?.contains(index) != true else { return false }
    let start = index
    index += 1
    while index < end, bytes[index] != quote, bytes[index] >= 0x20 {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < end, bytes[index] == quote else {
      // All others behind it in this line stand behind a backslash, and so close nothing for each other.
      mending.unclosed[quote] = start..<index
      index = start
      return false
    }
    index += 1
    return true
  }

  private mutating func skipComment(_ bytes: RawSpan) -> Bool {
    if bytes.starts(with: "//", at: index) || bytes[index] == UInt8(ascii: "#") {
      while index < end, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
      return true
    }
    guard bytes.starts(with: "/*", at: index), let close = commentEnd.next(from: index + 2, in: bytes) else {
      return false
    }
    index = close + 2
    return true
  }

  /// Whether a string comes next, and a colon behind it.
  private mutating func isKey(_ bytes: RawSpan) -> Bool {
    let start = index
    defer { index = start }
    return skipQuoted(UInt8(ascii: "\""), bytes) && comesNext(UInt8(ascii: ":"), bytes)
  }

  private mutating func comesNext(_ byte: UInt8, _ bytes: RawSpan) -> Bool {
    skipSpace(bytes)
    return index < end && bytes[index] == byte
  }

  /// Whether the text of a string goes on in the line behind the next byte, which ends one.
  mutating func goesOnWithText(_ bytes: RawSpan) -> Bool {
    // Of many empty lines, each is looked at once.
    var index = max(index, mending.spaceEnd)
    while index < end, XMLText.isSpace(bytes[index]) { index += 1 }
    mending.spaceEnd = index
    guard index < end else { return false }
    switch bytes[index] {
    case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","), UInt8(ascii: ":"):
      return false
    default: return true
    }
  }

  /// Skips the container that begins with the next byte.
  private mutating func skipContainer(_ bytes: RawSpan) {
    var depth = 0
    repeat {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\"") where skipQuoted(UInt8(ascii: "\""), bytes): continue
      default: break
      }
      index += 1
    } while depth > 0 && index < end
  }

  /// Skips to behind the end of an entry or element, or to the end of its container.
  private mutating func skip(_ fault: PropertyListError, _ bytes: RawSpan) throws(PropertyListError) {
    while true {
      skipSpace(bytes)
      guard index < end, let kind = builder.frames.last?.kind else { break }
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): skipContainer(bytes)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if try meetEnd(kind, bytes) { return }
      case UInt8(ascii: ","), UInt8(ascii: ";"):
        index += 1
        followsComma = true
        return
      case UInt8(ascii: "\""):
        let start = index
        if !skipQuoted(UInt8(ascii: "\""), bytes) {
          index += 1
        } else if kind == .dictionary, comesNext(UInt8(ascii: ":"), bytes) {
          index = start
          followsComma = true
          return
        }
      default: index += 1
      }
    }
    // What is open now may have been closed in what was skipped.
    throw fault
  }

  /// Decides what the end of a container means that may be the end of another one than the innermost.
  ///
  /// - Returns: whether there is something to go on with; else it was skipped.
  private mutating func meetEnd(_ kind: NodeKind, _ bytes: RawSpan) throws(PropertyListError) -> Bool {
    followsComma = false
    let closed: NodeKind = bytes[index] == UInt8(ascii: "]") ? .array : .dictionary
    if closed == kind { return true }
    mending.isUnbalanced = true
    let start = index
    index += 1
    skipSpace(bytes)
    let next = index < end ? bytes[index] : 0
    let isWrongBracket =
      switch builder.frames.dropLast().last?.kind {
      case .array: next == UInt8(ascii: ",") || next == UInt8(ascii: "]")
      case .dictionary: next == UInt8(ascii: ",") || next == UInt8(ascii: "}")
      default: index == end
      }
    if isWrongBracket {
      try closeInnermost(bytes)
      mending.next = builder.depth > 0 ? .mark : nil
      return true
    }
    guard builder.frames.contains(where: { $0.kind == closed }) else {
      index = start + 1
      return false
    }
    index = start
    while let innermost = builder.frames.last, innermost.kind != closed {
      if innermost.kind == .dictionary, !builder.expectsKey { builder.append(.null) }
      try closeInnermost(bytes)
    }
    return true
  }

  /// Removes the entries of the innermost dictionary whose keys are none, or had bytes that are no UTF-8.
  mutating func dropStandIns() {
    let (source, original) = (source, original)
    builder.dropStandIns { key in
      let range = key.offset..<key.offset + key.length
      return source.text.bytes.extracting(range).hasSameBytes(as: original.text.bytes.extracting(range))
    }
  }
}
