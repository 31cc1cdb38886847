/// The strings of a document that were created last. Large files repeat texts, such as the names of artists and of file
/// types. A text that equals one of these strings is not decoded and allocated again.
struct RecentStrings {
  /// The strings and their nodes. The slot depends on the text. Empty for the first long strings, because creating the
  /// table takes as long as creating many strings.
  private var slots: [(node: FlatNode, string: String)] = []
  /// The number of long strings that were created without the table.
  private var unsharedCount = 0

  private static var slotCount: Int { 128 }
  /// The maximum length of strings that Swift stores inline, in bytes. Sharing them has no benefit.
  static var inlineStringLength: Int { 15 }

  /// Returns the string of a node.
  ///
  /// - Throws: See ``NodeContent/string(_:in:)``.
  @inline(__always)
  mutating func string(_ node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> String {
    guard node.length > Self.inlineStringLength else { return try NodeContent.string(node, in: bytes) }
    return try longString(node, in: bytes)
  }

  private mutating func longString(_ node: FlatNode, in bytes: RawSpan) throws(PropertyListError) -> String {
    if slots.isEmpty {
      unsharedCount += 1
      guard unsharedCount > Self.slotCount else { return try NodeContent.string(node, in: bytes) }
      slots = Array(repeating: (.null, ""), count: Self.slotCount)
    }
    let slot = Self.slot(of: node, in: bytes)
    let known = slots[slot].node
    if known.length == node.length, known.encoding == node.encoding,
      bytes.equalBytes(known.offset, node.offset, count: node.length)
    {
      return slots[slot].string
    }
    let string = try NodeContent.string(node, in: bytes)
    slots[slot] = (node, string)
    return string
  }

  /// Returns the slot of a text, which depends on its first and its last eight bytes and on its length.
  @inline(__always)
  private static func slot(of node: FlatNode, in bytes: RawSpan) -> Int {
    let first = bytes.littleEndianWord(at: node.offset)
    let last = bytes.littleEndianWord(at: node.offset + node.length - 8)
    let mix = (first ^ UInt64(truncatingIfNeeded: node.length)) &* 0xD1B5_4A32_D192_ED03 ^ last
    return Int(truncatingIfNeeded: (mix &* 0x9E37_79B9_7F4A_7C15) >> 57)
  }
}
