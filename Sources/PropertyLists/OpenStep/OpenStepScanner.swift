internal import FoundationEssentials

/// Makes nodes of a text in the OpenStep format: `( a, b )`, `{ k = v; }`, the same without braces in a strings file,
/// `<0fbd>`, and strings.
///
/// The grammar is that of Core Foundation (`CFOldStylePList.c`) with the values that GNUstep adds (`NSPropertyList.m`).
/// The containers that are open wait in ``NodeTableBuilder``, so that depth costs no stack. Each byte is looked at a
/// fixed number of times.
struct OpenStepScanner: ~Copyable {
  let source: TextSource
  /// The text before bytes were replaced that are no UTF-8.
  let original: TextSource
  let end: Int
  private let depthLimit: Int
  private(set) var faults: FaultLog
  private var placeIndex: PlaceIndex
  var builder: NodeTableBuilder
  /// The text of all strings with their escapes replaced, and the bytes of all data; what the offsets of the nodes
  /// refer to.
  var text: [UInt8] = []
  /// Where each node that ``builder`` has pending begins in the source.
  var places: [Int] = []
  /// Where each container that is open begins in the source.
  private var openPlaces: [Int] = []
  /// Whether the outermost dictionary has no braces.
  private(set) var isStringsFile = false

  /// What is looked at next.
  var index = 0
  /// Where the string ended that was read last, if it stood without quotation marks.
  var unquotedEnd = -1
  var angle = ForwardSearch(">")
  var bracket = ForwardSearch("]")
  private var commentEnd = ForwardSearch("*/")

  /// What is known of the last fault, to mend it.
  var mending = Mending()
  /// Whether the mark behind a value comes next, and not an entry or an element.
  private var isBehindValue = false

  init(_ source: TextSource, _ original: TextSource, _ options: PropertyListReadingOptions, _ faults: FaultLog) {
    self.source = source
    self.original = original
    self.faults = faults
    placeIndex = PlaceIndex(original)
    end = source.text.count
    depthLimit = options.limits.effectiveDepth
    builder = NodeTableBuilder(options: options, expectedNodes: end / 64)
  }

  /// The one value of the text with all that is in it.
  ///
  /// - Parameter bytes: the text of the source.
  mutating func scan(_ bytes: RawSpan) throws(PropertyListError) {
    do throws(PropertyListError) {
      try scanBeginning(bytes)
    } catch {
      try mendBeginning(error, bytes)
    }
    while builder.depth > 0 {
      do throws(PropertyListError) {
        if isBehindValue {
          isBehindValue = false
          try scanAfterValue(bytes)
        } else {
          try scanNext(bytes)
        }
      } catch {
        try mend(error, bytes)
      }
    }
    if try skipSpace(bytes), !mending.isUnbalanced { try report(unexpected(bytes, due: "the end of the text")) }
  }

  consuming func finish() -> TextContent { TextContent(text: Data(text), table: builder.finish()) }

  private mutating func scanBeginning(_ bytes: RawSpan) throws(PropertyListError) {
    if try !skipSpace(bytes) {
      // A strings file without entries.
      isStringsFile = true
      try open(.dictionary, at: index)
    } else if Self.beginsString(bytes[index]) {
      try scanStringOrEntries(bytes)
    } else {
      try scanValue(bytes, due: "a value")
    }
  }

  /// A string at the top is the value, if it is all there is, or else the first key of a strings file.
  private mutating func scanStringOrEntries(_ bytes: RawSpan) throws(PropertyListError) {
    let place = index
    let string = try scanString(bytes)
    guard try skipSpace(bytes) else { return append(string, at: place) }
    guard bytes[index] == UInt8(ascii: "=") || bytes[index] == UInt8(ascii: ";") else {
      mending.firstKey = (string, place)
      throw unexpected(bytes, due: #""=", ";" or the end of the text"#)
    }
    try beginStringsFile(with: string, at: place)
    try scanAfterKey(bytes)
  }

  mutating func beginStringsFile(with key: FlatNode, at place: Int) throws(PropertyListError) {
    isStringsFile = true
    try open(.dictionary, at: place)
    append(key, at: place)
  }
}

/// The containers.
extension OpenStepScanner {
  /// Whether the dictionary that is innermost ends with the text, and not with a brace.
  var isWithoutBraces: Bool { isStringsFile && builder.depth == 1 }

  /// The next entry or element of the innermost container, or its end. Of a container inside it, only the beginning.
  private mutating func scanNext(_ bytes: RawSpan) throws(PropertyListError) {
    let hasMore = try skipSpace(bytes)
    if builder.frames.last?.kind == .array {
      if hasMore, bytes[index] == UInt8(ascii: ")") {
        index += 1
        return try close(bytes)
      }
      return try scanValue(bytes, due: #"a value or ")""#)
    }
    if isWithoutBraces {
      guard hasMore else { return try close(bytes) }
    } else if hasMore, bytes[index] == UInt8(ascii: "}") {
      index += 1
      return try close(bytes)
    }
    guard hasMore, Self.beginsString(bytes[index]) else {
      throw unexpected(bytes, due: isWithoutBraces ? "a key" : #"a key or "}""#)
    }
    let place = index
    append(try scanString(bytes), at: place)
    try scanAfterKey(bytes)
  }

  /// What follows a key: `= value;`, or a semicolon alone, which makes the key its own value.
  private mutating func scanAfterKey(_ bytes: RawSpan) throws(PropertyListError) {
    let hasMore = try skipSpace(bytes)
    if hasMore, bytes[index] == UInt8(ascii: "=") {
      index += 1
      _ = try skipSpace(bytes)
      try scanValue(bytes, due: "a value")
    } else if hasMore, bytes[index] == UInt8(ascii: ";") {
      index += 1
      append(builder.pending[builder.pending.count - 1], at: places[places.count - 1])
    } else {
      throw unexpected(bytes, due: #""=" or ";""#)
    }
  }

  /// A value and the mark behind it; of a container, the beginning.
  private mutating func scanValue(_ bytes: RawSpan, due: StaticString) throws(PropertyListError) {
    guard index < end else { throw unexpected(bytes, due: due) }
    let place = index
    switch bytes[index] {
    case UInt8(ascii: "{"):
      index += 1
      return try open(.dictionary, at: place)
    case UInt8(ascii: "("):
      index += 1
      return try open(.array, at: place)
    case UInt8(ascii: "<"): append(try scanAngleBrackets(bytes), at: place)
    case let byte where Self.beginsString(byte): append(try scanString(bytes), at: place)
    default: throw unexpected(bytes, due: due)
    }
    try scanAfterValue(bytes)
  }

  /// What has to follow a value: a comma, unless the array ends; a semicolon in a dictionary.
  private mutating func scanAfterValue(_ bytes: RawSpan) throws(PropertyListError) {
    guard let kind = builder.frames.last?.kind else { return }
    let hasMore = try skipSpace(bytes)
    if kind == .array {
      if hasMore, bytes[index] == UInt8(ascii: ")") { return }
      guard hasMore, bytes[index] == UInt8(ascii: ",") else { throw missingMark(bytes, due: #""," or ")""#) }
    } else {
      guard hasMore, bytes[index] == UInt8(ascii: ";") else { throw missingMark(bytes, due: #"";""#) }
    }
    index += 1
  }

  mutating func append(_ node: FlatNode, at place: Int) {
    builder.append(node)
    places.append(place)
  }

  private mutating func open(_ kind: NodeKind, at place: Int) throws(PropertyListError) {
    guard builder.depth < depthLimit else {
      let limit = ParsingLimits.nestedTooDeeply(limit: depthLimit)
      // What is mended begins with the bracket.
      index = place
      throw failure(limit.message, limit.kind, at: place)
    }
    builder.open(kind)
    openPlaces.append(place)
  }

  private mutating func close(_ bytes: RawSpan) throws(PropertyListError) {
    try closeInnermost()
    try scanAfterValue(bytes)
  }

  mutating func closeInnermost() throws(PropertyListError) {
    // A second owner of the text, so that the builder can change while it looks at it.
    let text = text
    if !faults.faults.isEmpty { builder.dropStandIns(places: &places) }
    if let first = builder.close(in: text.rawBytes) {
      for duplicate in faults.limit == 1 ? [first] : builder.duplicates(in: text.rawBytes) {
        let key = NodeContent.text(builder.pending[duplicate], in: text.rawBytes)
        try report(failure("the key \(key.quoted) stands twice in a dictionary", .duplicateKey, at: places[duplicate]))
      }
      builder.dropDuplicates(in: text.rawBytes)
      _ = builder.close(in: text.rawBytes)
    }
    // The container takes the place of its children, of which the builder may have dropped some.
    places.removeLast(places.count - (builder.pending.count - 1))
    places.append(openPlaces.removeLast())
  }

  /// The mark behind a value comes next.
  mutating func goOnBehindValue() { isBehindValue = true }
}

/// Between the values.
extension OpenStepScanner {
  /// Skips white space and comments: that of Core Foundation, with U+2028 and U+2029.
  ///
  /// - Returns: whether there is more in the text.
  @inline(__always)
  mutating func skipSpace(_ bytes: RawSpan) throws(PropertyListError) -> Bool {
    guard skipAllSpace(bytes) else {
      mending.isOver = true
      throw failure("a comment without its end", at: index)
    }
    return index < end
  }

  /// As ``skipSpace(_:)``, but a comment without an end is no error.
  ///
  /// - Returns: false where such a comment begins.
  @inline(__always)
  @discardableResult
  mutating func skipAllSpace(_ bytes: RawSpan) -> Bool {
    while index < end {
      switch bytes[index] {
      case 0x09...0x0D, 0x20: index += 1
      case 0xE2 where Self.isLineSeparator(bytes, index): index += 3
      case UInt8(ascii: "/"):
        let start = index
        guard skipComment(bytes) else { return false }
        if index == start { return true }
      default: return true
      }
    }
    return true
  }

  /// Skips a comment, if one begins with the next byte.
  ///
  /// - Returns: false for one without an end.
  private mutating func skipComment(_ bytes: RawSpan) -> Bool {
    if bytes.starts(with: "//", at: index) {
      while index < end, bytes[index] != 0x0A, bytes[index] != 0x0D, !Self.isLineSeparator(bytes, index) { index += 1 }
    } else if bytes.starts(with: "/*", at: index) {
      guard let close = commentEnd.next(from: index + 2, in: bytes) else { return false }
      index = close + 2
    }
    return true
  }

  /// Whether U+2028 or U+2029 stands at a place.
  @inline(__always)
  static func isLineSeparator(_ bytes: RawSpan, _ index: Int) -> Bool {
    // E2 80 A8 and E2 80 A9.
    bytes[index] == 0xE2 && index + 2 < bytes.byteCount && bytes[index + 1] == 0x80 && bytes[index + 2] & ~1 == 0xA8
  }
}

/// What is wrong.
extension OpenStepScanner {
  /// Records a fault that needs no mending; throws it if there is room for no more.
  mutating func report(_ fault: PropertyListError) throws(PropertyListError) { try faults.report(fault) }

  mutating func failure(
    _ message: String, _ kind: PropertyListError.Kind = .malformed, at place: Int
  ) -> PropertyListError {
    let place = placeIndex.place(place)
    // A second owner of the text, so that the builder can change while it looks at it.
    let text = text
    let path = builder.currentPath(in: text.rawBytes)
    return PropertyListError(
      kind, message.printable(limit: 300), byteOffset: place.byteOffset, position: place.position,
      keyPath: path.components.isEmpty ? nil : path)
  }

  /// The character that is next, or the end of the text, where something else has to stand.
  mutating func unexpected(_ bytes: RawSpan, due: StaticString) -> PropertyListError {
    guard index < end else {
      mending.isOver = true
      mending.isAtEnd = true
      var message = "the end of the text where \(due) is due"
      if !isWithoutBraces, let kind = builder.frames.last?.kind, let place = openPlaces.last {
        let position = placeIndex.place(place).position
        message += #"; the "\#(kind == .array ? "(" : "{")" stands at \#(position.line):\#(position.column)"#
      }
      return failure(message, at: end)
    }
    let first = bytes[index]
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    let character = String(knownUTF8: bytes.extracting(index..<index + length), isASCII: first < 0x80).quoted
    var message: String
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): message = "a quotation mark where \(due) is due"
    case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "<"),
      UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: ";"), UInt8(ascii: ","):
      message = "\(character) where \(due) is due"
    default:
      message =
        index == unquotedEnd
        ? "\(character) in a string without quotation marks" : "\(character) where \(due) is due"
    }
    if isBehindStringOfLines(bytes) {
      let position = placeIndex.place(mending.lastQuoted.lowerBound).position
      message += "; the string before it begins at \(position.line):\(position.column)"
    }
    return failure(message, at: index)
  }

  /// As ``unexpected(_:due:)``, where a comma or a semicolon is due.
  private mutating func missingMark(_ bytes: RawSpan, due: StaticString) -> PropertyListError {
    mending.isMarkMissing = index < end && index != unquotedEnd
    return unexpected(bytes, due: due)
  }
}
