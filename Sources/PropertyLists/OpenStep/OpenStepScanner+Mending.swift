/// What is done about what is wrong, so that the rest can be read. A null stands for what is no value or no key.
extension OpenStepScanner {
  /// What is known of the last fault, and of those before it.
  struct Mending {
    /// Whether nothing more can be read.
    var isOver = false
    /// Whether the text has ended where it must not.
    var isAtEnd = false
    /// Whether a comma or a semicolon is missing before what comes next.
    var isMarkMissing = false
    /// Where a string begins that has no end.
    var unclosedString: Int?
    /// The string with quotation marks that was read last.
    var lastQuoted = 0..<0
    /// A string at the top with something behind it.
    var firstKey: (node: FlatNode, place: Int)?
    /// Whether brackets were wrong, so that there can be too many or too few at the end.
    var isUnbalanced = false
    /// For each quotation mark, from where on it closes no string.
    private var unclosed: [UInt8: Int] = [:]

    /// Whether it is known that a string with a quotation mark has no end.
    func hasNoEnd(_ quote: UInt8, from place: Int) -> Bool {
      guard !unclosed.isEmpty, let start = unclosed[quote] else { return false }
      return place >= start
    }

    mutating func addUnclosed(_ quote: UInt8, from place: Int) {
      unclosed[quote] = min(place, unclosed[quote] ?? place)
    }

    /// Forgets the last fault.
    mutating func reset() {
      isMarkMissing = false
      unclosedString = nil
    }
  }

  /// Whether bytes of a part of the text stand for others that were no UTF-8.
  func hasReplacedBytes(in range: Range<Int>, _ bytes: RawSpan) -> Bool {
    !original.text.bytes.extracting(range).hasSameBytes(as: bytes.extracting(range))
  }

  /// Goes on after a fault of the one value, or before the first entry of a strings file.
  mutating func mendBeginning(_ fault: PropertyListError, _ bytes: RawSpan) throws(PropertyListError) {
    if builder.depth > 0 { return try mend(fault, bytes) }
    try report(fault)
    guard !mending.isOver, let (key, place) = mending.firstKey,
      bytes.firstIndex(of: UInt8(ascii: ";"), from: index) != nil
    else { throw fault }
    try beginStringsFile(with: key, at: place)
    append(.null, at: index)
    try skip(bytes)
  }

  /// Records a fault and goes on behind it.
  mutating func mend(_ fault: PropertyListError, _ bytes: RawSpan) throws(PropertyListError) {
    if !(mending.isAtEnd && mending.isUnbalanced) { try report(fault) }
    guard !mending.isOver, let kind = builder.frames.last?.kind else { throw fault }
    defer { mending.reset() }
    if kind == .dictionary, !builder.expectsKey { append(.null, at: index) }
    if let place = mending.unclosedString {
      // Most strings end with their line.
      if kind == .array { append(.null, at: place) }
      index = endOfLine(place, bytes)
      if index == end { mending.isUnbalanced = true }
    } else if isBehindStringOfLines(bytes) {
      // It is the rest of a line whose beginning went into a string that lacks its end.
      index = endOfLine(index, bytes)
    } else if !(mending.isMarkMissing && canGoOn(kind, bytes)) {
      if kind == .array, !mending.isMarkMissing, index < end, bytes[index] != UInt8(ascii: ",") {
        append(.null, at: index)
      }
      try skip(bytes)
    }
  }

  private func endOfLine(_ start: Int, _ bytes: RawSpan) -> Int {
    var index = start
    while index < end, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
    return index
  }

  /// Whether what comes next stands in the line in which a string with several lines has ended.
  func isBehindStringOfLines(_ bytes: RawSpan) -> Bool {
    let string = mending.lastQuoted
    guard !string.isEmpty, string.upperBound <= index, index - string.upperBound < 64 else { return false }
    for place in string.upperBound..<index where bytes[place] != 0x20 && bytes[place] != 0x09 { return false }
    return endOfLine(string.lowerBound, bytes) < string.upperBound
  }

  /// Whether an entry, an element or the end of the container comes next.
  private mutating func canGoOn(_ kind: NodeKind, _ bytes: RawSpan) -> Bool {
    switch bytes[index] {
    case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "<"): kind == .array
    case UInt8(ascii: "}"): kind == .dictionary && !isWithoutBraces
    case let byte where Self.beginsString(byte): kind == .array || isKey(bytes)
    default: false
    }
  }

  /// Whether a string comes next, and an equals sign behind it.
  private mutating func isKey(_ bytes: RawSpan) -> Bool {
    let start = index
    defer { index = start }
    skipString(bytes)
    return index > start && comesNext(UInt8(ascii: "="), bytes)
  }

  /// Whether a byte comes next behind white space.
  private mutating func comesNext(_ byte: UInt8, _ bytes: RawSpan) -> Bool {
    skipAllSpace(bytes)
    return index < end && bytes[index] == byte
  }

  /// Skips a string, and nothing that begins like one but has no end.
  private mutating func skipString(_ bytes: RawSpan) {
    let quote = bytes[index]
    let start = index
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      while index < end, Self.beginsString(bytes[index]), bytes[index] != UInt8(ascii: "\""),
        bytes[index] != UInt8(ascii: "'")
      {
        index += 1
      }
      return
    }
    guard !mending.hasNoEnd(quote, from: start) else { return }
    index += 1
    while index < end, bytes[index] != quote { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
    if index < end {
      index += 1
    } else {
      mending.addUnclosed(quote, from: start)
      index = start
    }
  }

  /// Skips the rest of data in which something is no hexadecimal digit.
  mutating func skipHexadecimal(_ bytes: RawSpan) {
    while index < end {
      switch bytes[index] {
      case UInt8(ascii: ">"):
        index += 1
        return
      case UInt8(ascii: ";"), UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\""):
        return
      default: index += 1
      }
    }
  }

  /// Skips to the end of an entry or element, or to where another one or the end of its container stands.
  private mutating func skip(_ bytes: RawSpan) throws(PropertyListError) {
    var nested = 0
    while true {
      skipAllSpace(bytes)
      guard index < end, let kind = builder.frames.last?.kind else { break }
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "{"):
        nested += 1
        index += 1
      case UInt8(ascii: ")"), UInt8(ascii: "}"):
        if nested > 0 {
          nested -= 1
          index += 1
        } else if try meetEnd(byte, kind, bytes) {
          return
        }
      case UInt8(ascii: ";") where nested == 0 && kind == .dictionary:
        index += 1
        return
      case UInt8(ascii: ";") where nested == 0 && outerKind == .dictionary:
        // The array lacks its end.
        mending.isUnbalanced = true
        try closeInnermost()
        index += 1
        return
      case UInt8(ascii: ",") where nested == 0 && kind == .array:
        index += 1
        return
      case _ where Self.beginsString(byte):
        let start = index
        skipString(bytes)
        if index == start {
          index += 1
        } else if nested == 0, kind == .dictionary, comesNext(UInt8(ascii: "="), bytes) {
          index = start
          return
        }
      default: index += 1
      }
    }
    mending.isUnbalanced = true
  }

  private var outerKind: NodeKind? {
    builder.frames.count > 1 ? builder.frames[builder.frames.count - 2].kind : nil
  }

  /// Decides what the end of a container means that may be the end of another one than the innermost.
  ///
  /// - Returns: whether there is something to go on with; else it was skipped.
  private mutating func meetEnd(
    _ byte: UInt8, _ kind: NodeKind, _ bytes: RawSpan
  ) throws(PropertyListError) -> Bool {
    let closed: NodeKind = byte == UInt8(ascii: ")") ? .array : .dictionary
    if closed == kind, !isWithoutBraces { return true }
    mending.isUnbalanced = true
    let start = index
    index += 1
    if isWithoutBraces { return false }
    let isWrongBracket: Bool
    switch outerKind {
    case .dictionary: isWrongBracket = comesNext(UInt8(ascii: ";"), bytes)
    case .array: isWrongBracket = comesNext(UInt8(ascii: ","), bytes) || comesNext(UInt8(ascii: ")"), bytes)
    default:
      skipAllSpace(bytes)
      isWrongBracket = index == end
    }
    if isWrongBracket {
      try closeInnermost()
      goOnBehindValue()
      return true
    }
    let frames = builder.frames
    guard frames.indices.contains(where: { frames[$0].kind == closed && !(isStringsFile && $0 == 0) }) else {
      index = start + 1
      return false
    }
    index = start
    while let innermost = builder.frames.last, innermost.kind != closed {
      if innermost.kind == .dictionary, !builder.expectsKey { append(.null, at: index) }
      try closeInnermost()
    }
    return true
  }
}
