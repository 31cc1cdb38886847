internal import FoundationEssentials

/// Makes nodes of a text in JSON (RFC 8259).
///
/// Nothing is taken that the standard does not allow: no comments, no comma before a bracket, no text after the value.
/// Strings without escapes stay where they are in the source, and so do those with escapes, which are replaced when
/// somebody asks. The containers that are open wait in ``NodeTableBuilder``, so that depth costs no stack.
struct JSONScanner: ~Copyable {
  let source: TextSource
  /// The text before bytes were replaced that are no UTF-8.
  let original: TextSource
  let end: Int
  private(set) var faults: FaultLog
  private var placeIndex: PlaceIndex
  private let depthLimit: Int
  /// Whether the forms of ``CoercedForm`` are read as the values they stand for.
  let restoresCoercedValues: Bool
  var builder: NodeTableBuilder
  /// Where each container that is open begins in the source.
  private var openPlaces: [Int] = []
  /// Whether a comma stands before what is looked at next.
  var followsComma = false
  var commentEnd = ForwardSearch("*/")
  /// What is known of the last fault, to mend it.
  var mending = Mending()
  /// The bytes that have no place in the source: data whose base64 has escapes. Their offsets count from its end.
  var added: [UInt8] = []

  /// What is looked at next.
  var index = 0

  init(_ source: TextSource, _ original: TextSource, _ options: PropertyListReadingOptions, _ faults: FaultLog) {
    self.source = source
    self.original = original
    self.faults = faults
    placeIndex = PlaceIndex(original)
    end = source.text.count
    depthLimit = options.limits.effectiveDepth
    restoresCoercedValues = options.restoresCoercedValues
    var options = options
    // A dictionary of JSON is a dictionary; what stands for something else is seen to here.
    options.recognizesUIDDictionaries = false
    builder = NodeTableBuilder(options: options, expectedNodes: end / 32 + 16)
  }

  /// The one value of the text with all that is in it.
  ///
  /// - Parameter bytes: the text of the source.
  mutating func scan(_ bytes: RawSpan) throws(PropertyListError) {
    skipSpace(bytes)
    do throws(PropertyListError) {
      try scanValue(bytes, due: "a value")
    } catch {
      try mend(error, bytes)
    }
    while builder.depth > 0 || mending.next != nil {
      do throws(PropertyListError) {
        if let next = mending.next {
          mending.next = nil
          try scan(next, bytes)
        } else {
          try scanNext(bytes)
        }
      } catch {
        try mend(error, bytes)
      }
    }
    skipSpace(bytes)
    if index < end, !mending.isUnbalanced { try report(unexpected(bytes, due: "the end of the text")) }
  }

  /// What comes next where an entry or an element had to be mended.
  private mutating func scan(_ next: Mending.Next, _ bytes: RawSpan) throws(PropertyListError) {
    skipSpace(bytes)
    switch next {
    case .colon: try scanAfterKey(bytes)
    case .value: try scanValue(bytes, due: "a value")
    case .mark: try scanAfterValue(bytes)
    }
  }

  consuming func finish() -> TextContent {
    var text = source.text
    if !added.isEmpty { text += added }
    return TextContent(text: text, table: builder.finish())
  }
}

/// The containers.
extension JSONScanner {
  /// The next entry or element of the innermost container, or its end. Of a container inside it, only the beginning.
  private mutating func scanNext(_ bytes: RawSpan) throws(PropertyListError) {
    skipSpace(bytes)
    if builder.frames.last?.kind == .array {
      if !followsComma, index < end, bytes[index] == UInt8(ascii: "]") { return try close(bytes) }
      return try scanValue(bytes, due: followsComma ? "a value" : #"a value or "]""#)
    }
    if !followsComma, index < end, bytes[index] == UInt8(ascii: "}") { return try close(bytes) }
    guard index < end, bytes[index] == UInt8(ascii: "\"") else {
      throw unexpected(bytes, due: followsComma ? "a key" : #"a key or "}""#)
    }
    builder.append(try scanString(bytes))
    skipSpace(bytes)
    try scanAfterKey(bytes)
  }

  @inline(__always)
  private mutating func scanAfterKey(_ bytes: RawSpan) throws(PropertyListError) {
    guard index < end, bytes[index] == UInt8(ascii: ":") else {
      mending.due = .colon
      throw unexpected(bytes, due: #"":""#)
    }
    index += 1
    skipSpace(bytes)
    try scanValue(bytes, due: "a value")
  }

  /// A value and the comma behind it; of a container, the beginning.
  @inline(__always)
  private mutating func scanValue(_ bytes: RawSpan, due: StaticString) throws(PropertyListError) {
    guard index < end else { throw unexpected(bytes, due: due) }
    switch bytes[index] {
    case UInt8(ascii: "\""): builder.append(try scanString(bytes))
    case UInt8(ascii: "{"): return try open(.dictionary)
    case UInt8(ascii: "["): return try open(.array)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): builder.append(try scanNumber(bytes))
    case UInt8(ascii: "t") where skip("true", bytes): builder.append(.boolean(true))
    case UInt8(ascii: "f") where skip("false", bytes): builder.append(.boolean(false))
    case UInt8(ascii: "n") where skip("null", bytes): builder.append(.null)
    default:
      mending.due = .value
      throw unexpected(bytes, due: due)
    }
    try scanAfterValue(bytes)
  }

  /// What has to follow a value in a container: a comma, or the end of the container, which stays for the next look.
  @inline(__always)
  private mutating func scanAfterValue(_ bytes: RawSpan) throws(PropertyListError) {
    guard let kind = builder.frames.last?.kind else { return }
    skipSpace(bytes)
    followsComma = index < end && bytes[index] == UInt8(ascii: ",")
    if followsComma {
      index += 1
    } else if index == end || bytes[index] != (kind == .array ? UInt8(ascii: "]") : UInt8(ascii: "}")) {
      mending.due = .mark
      throw unexpected(bytes, due: kind == .array ? #""," or "]""# : #""," or "}""#)
    }
  }

  private mutating func open(_ kind: NodeKind) throws(PropertyListError) {
    // A form that stands for a scalar is no level.
    let isScalar = restoresCoercedValues && kind == .dictionary && builder.depth == depthLimit
    guard builder.depth < depthLimit || isScalar else { throw nestedTooDeeply(at: index) }
    builder.open(kind)
    openPlaces.append(index)
    followsComma = false
    index += 1
  }

  private mutating func close(_ bytes: RawSpan) throws(PropertyListError) {
    try closeInnermost(bytes)
    index += 1
    try scanAfterValue(bytes)
  }

  mutating func closeInnermost(_ bytes: RawSpan) throws(PropertyListError) {
    if !faults.faults.isEmpty { dropStandIns() }
    if let first = builder.settleDuplicates(in: bytes) {
      for duplicate in faults.limit == 1 ? [first] : builder.duplicates(in: bytes) {
        let key = builder.pending[duplicate]
        try report(
          failure(
            "the key \(NodeContent.text(key, in: bytes).quoted) stands twice in a dictionary", .duplicateKey,
            at: key.offset - 1))
      }
      builder.dropDuplicates(in: bytes)
    }
    let place = openPlaces.removeLast()
    if restoresCoercedValues, let value = try restoredValue(at: place, bytes) {
      builder.close(as: value)
    } else {
      if builder.depth > depthLimit { try report(nestedTooDeeply(at: place)) }
      builder.close()
    }
  }
}

/// Between the values.
extension JSONScanner {
  @inline(__always)
  mutating func skipSpace(_ bytes: RawSpan) {
    while index < end, XMLText.isSpace(bytes[index]) { index += 1 }
  }

  private mutating func skip(_ word: StaticString, _ bytes: RawSpan) -> Bool {
    guard bytes.starts(with: word, at: index) else { return false }
    index += word.utf8CodeUnitCount
    return true
  }
}

/// What is wrong.
extension JSONScanner {
  /// Records a fault that needs no mending; throws it if there is room for no more.
  mutating func report(_ fault: PropertyListError) throws(PropertyListError) { try faults.report(fault) }

  mutating func failure(
    _ message: String, _ kind: PropertyListError.Kind = .malformed, at place: Int
  ) -> PropertyListError {
    let path = builder.currentPath(in: source.text.bytes)
    let place = placeIndex.place(place)
    return PropertyListError(
      kind, message.printable(limit: 300), byteOffset: place.byteOffset, position: place.position,
      keyPath: path.components.isEmpty ? nil : path)
  }

  private mutating func nestedTooDeeply(at place: Int) -> PropertyListError {
    let limit = ParsingLimits.nestedTooDeeply(limit: depthLimit)
    return failure(limit.message, limit.kind, at: place)
  }

  /// The character or word that is next, or the end of the text, where something else has to stand.
  mutating func unexpected(_ bytes: RawSpan, due: StaticString) -> PropertyListError {
    guard index < end else {
      mending.isAtEnd = true
      var message = "the end of the text where \(due) is due"
      if let kind = builder.frames.last?.kind, let place = openPlaces.last {
        let position = placeIndex.place(place).position
        message += #"; the "\#(kind == .array ? "[" : "{")" stands at \#(position.line):\#(position.column)"#
      }
      return failure(message, at: end)
    }
    let first = bytes[index]
    var length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    while Self.isLetter(first), index + length < end, length < 40, Self.isLetter(bytes[index + length]) { length += 1 }
    let found = String(knownUTF8: bytes.extracting(index..<index + length), isASCII: first < 0x80).quoted
    var message = "\(first == UInt8(ascii: "\"") ? "a quotation mark" : found) where \(due) is due"
    switch first {
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      var before = index
      while before > 0, XMLText.isSpace(bytes[before - 1]) { before -= 1 }
      if before > 0, bytes[before - 1] == UInt8(ascii: ",") { message += "; JSON has no comma before it" }
    case UInt8(ascii: "/"), UInt8(ascii: "#"): message += "; JSON has no comments"
    case UInt8(ascii: "'"): message += "; strings of JSON stand between double quotation marks"
    default: break
    }
    return failure(message, at: index)
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
