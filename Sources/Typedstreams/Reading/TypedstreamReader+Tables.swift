internal import PropertyLists

/// Reads integers, shared strings, classes and C strings.
extension TypedstreamReader {
  /// Reads an integer of any width.
  @inline(__always)
  mutating func readInteger() throws(TypedstreamError) -> Int64 {
    guard index < bytes.byteCount else { throw cutOff("expected an integer") }
    let head = Int8(bitPattern: bytes[index])
    if head >= Int8(TypedstreamHead.leastInteger) {
      index += 1
      return Int64(head)
    }
    return try readWideInteger()
  }

  @inline(never)
  private mutating func readWideInteger() throws(TypedstreamError) -> Int64 {
    switch bytes[index] {
    case TypedstreamHead.int16: Int64(Int16(truncatingIfNeeded: try readNumber(width: 2)))
    case TypedstreamHead.int32: Int64(Int32(truncatingIfNeeded: try readNumber(width: 4)))
    case TypedstreamHead.int64: Int64(bitPattern: try readNumber(width: 8))
    case let head: throw .malformed("expected an integer, found the byte \(Self.name(head))", at: index)
    }
  }

  /// Reads a number of `width` bytes after its head byte.
  mutating func readNumber(width: Int) throws(TypedstreamError) -> UInt64 {
    guard bytes.byteCount - index > width else { throw cutOff("expected a number of \(width) bytes") }
    var value: UInt64 = 0
    for offset in 1...width {
      let byte = UInt64(bytes[index + offset])
      value = isBigEndian ? value << 8 | byte : value | byte << UInt64(8 * (offset - 1))
    }
    index += 1 + width
    return value
  }

  @inline(__always)
  mutating func readByte() throws(TypedstreamError) -> UInt8 {
    guard index < bytes.byteCount else { throw cutOff("expected a byte") }
    index += 1
    return bytes[index - 1]
  }

  @inline(never)
  func cutOff(_ what: String) -> TypedstreamError { .malformed("the stream is cut off: \(what)", at: bytes.byteCount) }

  /// Returns a byte in hexadecimal digits, with its meaning.
  private static func name(_ head: UInt8) -> String {
    let digits = "0x" + String(head, radix: 16)
    return switch head {
    case TypedstreamHead.real: digits + " (a real)"
    case TypedstreamHead.new: digits + " (a new object)"
    case TypedstreamHead.null: digits + " (nil)"
    case TypedstreamHead.endOfObject: digits + " (the end of an object)"
    default: digits
    }
  }

  /// Reads a reference, and returns the index of its entry in a table that has `count` entries so far.
  @inline(__always)
  mutating func readReference(in count: Int, _ things: StaticString) throws(TypedstreamError) -> Int {
    let start = index
    let number = try readInteger() &- Int64(TypedstreamHead.leastInteger)
    guard number >= 0, number < Int64(count) else {
      throw .malformed("reference \(number) is out of range: the stream has \(count) \(things) so far", at: start)
    }
    return Int(number)
  }

  /// Reads the length of a string, and skips its bytes.
  @inline(__always)
  mutating func readRange() throws(TypedstreamError) -> Range<Int> {
    let start = index
    let length = try readInteger()
    guard length >= 0, length <= Int64(bytes.byteCount - index) else {
      throw .malformed(
        "a string has a length of \(length) bytes, but the remaining length is \(bytes.byteCount - index)", at: start)
    }
    let first = index
    index += Int(length)
    return first..<index
  }

  /// Reads a shared string or a reference to one. Returns its index in the table of shared strings, or nil if the
  /// stream contains nil instead.
  @inline(__always)
  mutating func readSharedString() throws(TypedstreamError) -> Int? {
    guard index < bytes.byteCount else { throw cutOff("expected a shared string") }
    switch bytes[index] {
    case TypedstreamHead.null:
      index += 1
      return nil
    case TypedstreamHead.new:
      index += 1
      let range = try readRange()
      strings.append(
        TypedstreamTables.SharedString(
          start: UInt32(truncatingIfNeeded: range.lowerBound), length: UInt32(truncatingIfNeeded: range.count)))
      return strings.count - 1
    default: return try readReference(in: strings.count, "shared strings")
    }
  }

  /// Reads a class with its superclasses, or a reference to a class. Returns its slot, or nil if the stream contains
  /// nil instead. A class gets its slot before its superclass is read.
  mutating func readClass() throws(TypedstreamError) -> UInt32? {
    typealias Slot = TypedstreamTables.Slot
    let firstNew = slots.count
    while true {
      guard index < bytes.byteCount else { throw cutOff("expected a class") }
      let start = index
      let slot: UInt32?
      switch bytes[index] {
      case TypedstreamHead.null:
        index += 1
        slot = nil
      case TypedstreamHead.new:
        index += 1
        guard slots.count - firstNew < depthLimit else {
          throw TypedstreamError(
            .nestedTooDeeply, "a class has more than \(depthLimit) superclasses", byteOffset: start)
        }
        guard let name = try readSharedString() else { throw .malformed("a class has no name", at: start + 1) }
        let versionStart = index
        guard let version = Int32(exactly: try readInteger()) else {
          throw .malformed("the version of a class does not fit in 4 bytes", at: versionStart)
        }
        link(UInt32(truncatingIfNeeded: slots.count), from: firstNew)
        slots.append(
          Slot(kind: .class, content: UInt32(truncatingIfNeeded: name), classSlot: Slot.none, detail: version))
        continue
      default:
        let number = try readReference(in: slots.count, "objects")
        guard slots[number].kind == .class else {
          throw .malformed("expected a class, but number \(number) is not a class", at: start)
        }
        guard number < firstNew else { throw .malformed("a class inherits from itself", at: start) }
        try checkChain(above: number, length: slots.count - firstNew, at: start)
        slot = UInt32(truncatingIfNeeded: number)
      }
      guard slots.count > firstNew else { return slot }
      if let slot { link(slot, from: firstNew) }
      return UInt32(truncatingIfNeeded: firstNew)
    }
  }

  /// Sets the superclass of the last class in ``slots``. Does nothing if ``slots`` still has only `firstNew` entries.
  @inline(__always)
  private mutating func link(_ superclass: UInt32, from firstNew: Int) {
    if slots.count > firstNew { slots[slots.count - 1].classSlot = superclass }
  }

  /// Throws if a chain of superclasses is too long after new classes were added to it. Other chains were checked when
  /// they were read.
  ///
  /// - Parameters:
  ///   - slot: the superclass of the last new class.
  ///   - length: the number of new classes.
  private func checkChain(above slot: Int, length: Int, at start: Int) throws(TypedstreamError) {
    if length == 0 { return }
    var length = length + 1
    var next = slots[slot].superclass
    while let slot = next {
      length += 1
      next = slots[slot].superclass
    }
    guard length <= depthLimit else {
      throw TypedstreamError(.nestedTooDeeply, "a class has more than \(depthLimit) superclasses", byteOffset: start)
    }
  }

  /// Reads a C string or a reference to one. A new C string gets a slot, and its text is a shared string.
  mutating func readCString(_ type: UInt32) throws(TypedstreamError) {
    guard index < bytes.byteCount else { throw cutOff("expected a C string") }
    let start = index
    switch bytes[index] {
    case TypedstreamHead.null:
      index += 1
      nodes.append(Node(.null, type: type))
    case TypedstreamHead.new:
      index += 1
      let slot = slots.count
      slots.append(
        TypedstreamTables.Slot(kind: .cString, content: 0, classSlot: TypedstreamTables.Slot.none, detail: 0))
      guard let text = try readSharedString() else { throw .malformed("a C string has no text", at: start + 1) }
      slots[slot].content = UInt32(truncatingIfNeeded: text)
      nodes.append(Node(.cString, type: type, low: UInt32(truncatingIfNeeded: slot), high: 0))
    default:
      let slot = try readReference(in: slots.count, "objects")
      guard slots[slot].kind == .cString else {
        throw .malformed("expected a C string, but number \(slot) is not a C string", at: start)
      }
      nodes.append(Node(.cString, type: type, low: UInt32(truncatingIfNeeded: slot), high: 0))
    }
  }
}
