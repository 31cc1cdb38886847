internal import PropertyLists

/// The parsed type encodings of a stream. They are those of Objective-C's compiler (`@encode`), with two letters that
/// only this format has: `+` for a string that is not shared, `%` for a shared string.
struct TypedstreamTypes {
  typealias TypeNode = TypedstreamTables.TypeNode

  /// The types of the encodings parsed so far, each before its parts.
  var nodes: [TypeNode] = []
  /// The node indices of the arrays and structures that are open at this point of the encoding.
  private var open: [Int] = []

  @inline(__always)
  subscript(index: UInt32) -> TypeNode { nodes[Int(index)] }

  /// The greatest number of elements in an array whose elements take no bytes. Without this limit, a few bytes could
  /// describe a huge array.
  static let greatestEmptyCount: UInt32 = 4096

  /// Parses an encoding, and adds its types to ``nodes``.
  ///
  /// - Parameters:
  ///   - range: the range of the encoding in the bytes.
  ///   - depth: the greatest nesting depth of types.
  /// - Returns: the range of indices of its types.
  /// - Complexity: O(*n*) in the length of the encoding.
  @inline(never)
  mutating func takeApart(
    _ range: Range<Int>, of bytes: RawSpan, depth: Int
  ) throws(TypedstreamError) -> Range<UInt32> {
    let first = UInt32(truncatingIfNeeded: nodes.count)
    open.removeAll(keepingCapacity: true)
    var offset = range.lowerBound
    while offset < range.upperBound {
      let letter = bytes[offset]
      switch letter {
      case UInt8(ascii: "@"), UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "+"), UInt8(ascii: "*"),
        UInt8(ascii: "c"), UInt8(ascii: "C"), UInt8(ascii: "s"), UInt8(ascii: "S"), UInt8(ascii: "l"),
        UInt8(ascii: "L"), UInt8(ascii: "q"), UInt8(ascii: "Q"), UInt8(ascii: "f"), UInt8(ascii: "d"),
        UInt8(ascii: "B"), UInt8(ascii: "#"), UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: "!"):
        append(letter, at: offset)
        offset += 1
      case UInt8(ascii: "["):
        try begin(letter, at: offset, depth: depth)
        offset += 1
        offset = try readCount(at: offset, in: range, of: bytes)
      case UInt8(ascii: "{"):
        try begin(letter, at: offset, depth: depth)
        offset = Self.endOfName(from: offset + 1, in: range, of: bytes)
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        offset += 1
        try end(letter, at: offset, in: range, of: bytes)
      default: throw Self.unsupported(letter, at: offset, in: range, of: bytes)
      }
    }
    guard open.isEmpty else { throw Self.bad(range, bytes, "has an unclosed bracket", at: range.upperBound) }
    return first..<UInt32(truncatingIfNeeded: nodes.count)
  }

  /// Returns true if a value of one of the types takes bytes.
  func takesBytes(_ indexes: Range<UInt32>) -> Bool {
    var index = indexes.lowerBound
    while index < indexes.upperBound {
      let type = self[index]
      switch type.letter {
      case UInt8(ascii: "!"), UInt8(ascii: "{"): index += 1
      case UInt8(ascii: "["), TypeNode.rawArray:
        if type.letter == TypeNode.rawArray, type.count > 0 { return true }
        index = type.count == 0 ? type.end : index + 1
      default: return true
      }
    }
    return false
  }

  private mutating func append(_ letter: UInt8, at offset: Int) {
    nodes.append(
      TypeNode(
        letter: letter, end: UInt32(truncatingIfNeeded: nodes.count + 1), start: UInt32(truncatingIfNeeded: offset),
        length: 1))
  }

  private mutating func begin(_ letter: UInt8, at offset: Int, depth: Int) throws(TypedstreamError) {
    guard open.count < depth else {
      throw TypedstreamError(.nestedTooDeeply, "types are nested more than \(depth) deep", byteOffset: offset)
    }
    open.append(nodes.count)
    append(letter, at: offset)
  }

  /// Reads the number of elements of an array. Returns the offset after the number.
  private mutating func readCount(
    at start: Int, in range: Range<Int>, of bytes: RawSpan
  ) throws(TypedstreamError) -> Int {
    var offset = start
    var count: UInt64 = 0
    while offset < range.upperBound, bytes[offset] &- UInt8(ascii: "0") < 10 {
      count = count * 10 + UInt64(bytes[offset] - UInt8(ascii: "0"))
      guard count <= UInt32.max else { throw Self.bad(range, bytes, "has an array of too many elements", at: start) }
      offset += 1
    }
    guard offset > start else { throw Self.bad(range, bytes, "has an array without a count", at: start) }
    nodes[nodes.count - 1].count = UInt32(count)
    return offset
  }

  /// Returns the offset after the name of a structure and the equals sign, or `start` if it has no name.
  private static func endOfName(from start: Int, in range: Range<Int>, of bytes: RawSpan) -> Int {
    var offset = start
    while offset < range.upperBound {
      switch bytes[offset] {
      case UInt8(ascii: "="): return offset + 1
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "("): return start
      default: offset += 1
      }
    }
    return start
  }

  private mutating func end(
    _ letter: UInt8, at end: Int, in range: Range<Int>, of bytes: RawSpan
  ) throws(TypedstreamError) {
    let opening = letter == UInt8(ascii: "]") ? UInt8(ascii: "[") : UInt8(ascii: "{")
    guard let index = open.popLast(), nodes[index].letter == opening else {
      throw Self.bad(range, bytes, "closes a bracket that is not open", at: end - 1)
    }
    nodes[index].end = UInt32(truncatingIfNeeded: nodes.count)
    nodes[index].length = UInt32(truncatingIfNeeded: end) - nodes[index].start
    guard opening == UInt8(ascii: "[") else { return }
    guard nodes.count > index + 1, Int(nodes[index + 1].end) == nodes.count else {
      throw Self.bad(range, bytes, "has an array whose elements are not of one type", at: end - 1)
    }
    if nodes[index + 1].letter | 0x20 == UInt8(ascii: "c") { nodes[index].letter = TypeNode.rawArray }
  }

  private static func unsupported(
    _ letter: UInt8, at offset: Int, in range: Range<Int>, of bytes: RawSpan
  ) -> TypedstreamError {
    let what: StaticString
    switch letter {
    case UInt8(ascii: "("): what = "a union (whose bytes are not portable)"
    case UInt8(ascii: "^"): what = "a pointer"
    case UInt8(ascii: "b"): what = "a bit field"
    case UInt8(ascii: "v"): what = "the type void"
    default: return bad(range, bytes, "has an unknown type", at: offset)
    }
    return TypedstreamError(
      .unsupportedType, "the encoding \(text(range, bytes)) has \(what), which cannot be read", byteOffset: offset)
  }

  private static func bad(
    _ range: Range<Int>, _ bytes: RawSpan, _ finding: StaticString, at offset: Int
  ) -> TypedstreamError {
    .malformed("the encoding \(text(range, bytes)) \(finding)", at: offset)
  }

  private static func text(_ range: Range<Int>, _ bytes: RawSpan) -> String {
    // The text is cut at about one line, because an encoding can be as long as the input.
    let shown = range.lowerBound..<min(range.upperBound, range.lowerBound + 200)
    return String(decoding: [UInt8](bytes, shown), as: UTF8.self).quoted
  }
}
