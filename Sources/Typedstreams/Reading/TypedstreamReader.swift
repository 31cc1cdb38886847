internal import KeyedArchiving
internal import PropertyLists

/// Reads a stream into flat tables. It has its own stack, so nesting does not use the stack of the thread.
///
/// All bytes are checked here. Code that uses the tables need not check them again.
struct TypedstreamReader: ~Copyable, ~Escapable {
  typealias Node = TypedstreamTables.Node
  private typealias Frame = TypedstreamFrame

  let bytes: RawSpan
  /// The offset of the next byte.
  var index = 0
  private(set) var isBigEndian = false
  private(set) var systemVersion = 0
  var nodes: [Node] = []
  var slots: [TypedstreamTables.Slot] = []
  var strings: [TypedstreamTables.SharedString] = []
  private(set) var types = TypedstreamTypes()
  let depthLimit: Int
  private let limits: ParsingLimits
  /// The greatest number of nodes. A stream from an archiver has fewer than two nodes for each byte.
  private let nodeLimit: Int
  private var outer: [Frame] = []
  private var frame = Frame()

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan, _ limits: ParsingLimits) {
    self.bytes = bytes
    self.limits = limits
    depthLimit = limits.effectiveDepth
    // At most 8 nodes for each byte, and 4096 more. A small stream could otherwise have any number of nodes, because
    // one byte can refer to a long encoding whose types take no bytes.
    nodeLimit = min(8 * min(bytes.byteCount, 1 << 40) + 4096, limits.effectiveExpandedSize(inputSize: bytes.byteCount))
  }

  /// Reads the whole stream.
  mutating func readStream() throws(TypedstreamError) {
    try readHeader()
    // Messages have a node for every eight bytes, interface files one for every three.
    nodes.reserveCapacity(min(bytes.byteCount / 6 + 8, 1 << 20))
    slots.reserveCapacity(min(bytes.byteCount / 20 + 4, 1 << 20))
    strings.reserveCapacity(16)
    types.nodes.reserveCapacity(16)
    outer.reserveCapacity(8)
    try readGroups()
  }

  private mutating func readHeader() throws(TypedstreamError) {
    let size = bytes.byteCount
    guard size <= limits.inputSize else { throw .tooLarge(limit: limits.inputSize) }
    guard size <= UInt32.max else { throw .tooLarge(limit: Int(UInt32.max)) }
    guard ArchiveFormat(bytes) == .typedstream else {
      throw TypedstreamError(.notATypedstream, "not a typedstream: the signature is missing", byteOffset: 0)
    }
    isBigEndian = bytes.starts(with: TypedstreamSignature.bigEndian, at: 2)
    let version = Int(bytes[0])
    guard version == TypedstreamHead.streamerVersion else {
      throw TypedstreamError(
        .unsupportedVersion,
        version == TypedstreamHead.oldStreamerVersion
          ? "streamer version 3, of NeXTSTEP before 1.0, is not supported; only version 4 is"
          : "streamer version \(version) is unknown; only version 4 is supported",
        byteOffset: 0)
    }
    index = 2 + TypedstreamSignature.length
    let start = index
    let system = try readInteger()
    guard system >= 0, system <= Int64(Int32.max) else {
      throw .malformed("the system version \(system) is out of range", at: start)
    }
    systemVersion = Int(system)
  }

  /// Reads all groups to the end of the stream, including those of objects.
  private mutating func readGroups() throws(TypedstreamError) {
    while true {
      while frame.type != frame.endOfTypes {
        guard nodes.count < nodeLimit else { throw tooMany() }
        try readValue()
      }
      switch frame.kind {
      case .groups:
        if frame.group != Frame.none { nodes[Int(frame.group)].close(at: nodes.count) }
        frame.group = Frame.none
        if frame.container == Frame.none {
          if index == bytes.byteCount { return }
        } else {
          guard index < bytes.byteCount else { throw cutOff("expected the end of an object") }
          if bytes[index] == TypedstreamHead.endOfObject {
            index += 1
            leave()
            continue
          }
        }
        try beginGroup()
      case .array:
        if !frame.beginElement() { leave() }
      case .structure: leave()
      }
    }
  }

  private mutating func beginGroup() throws(TypedstreamError) {
    let start = index
    guard let number = try readSharedString() else { throw .malformed("a group has no encoding", at: start) }
    if !strings[number].isEncoding {
      let indexes = try types.takeApart(strings[number].range, of: bytes, depth: depthLimit)
      strings[number].firstType = indexes.lowerBound
      strings[number].endOfTypes = indexes.upperBound
    }
    guard nodes.count < nodeLimit else { throw tooMany() }
    frame.group = UInt32(truncatingIfNeeded: nodes.count)
    frame.type = strings[number].firstType
    frame.endOfTypes = strings[number].endOfTypes
    nodes.append(
      Node(.group, type: UInt32(truncatingIfNeeded: number), low: 0, high: UInt32(truncatingIfNeeded: start)))
  }

  private mutating func enter(_ inner: Frame) throws(TypedstreamError) {
    guard outer.count < depthLimit else {
      throw TypedstreamError(
        .nestedTooDeeply, "objects, arrays and structures are nested more than \(depthLimit) deep", byteOffset: index)
    }
    outer.append(frame)
    frame = inner
  }

  private mutating func leave() {
    nodes[Int(frame.container)].close(at: nodes.count)
    // `outer` is empty only for the frame of the stream. That frame has no container, so this function is not called
    // for it.
    if let last = outer.popLast() { frame = last }
  }

  private func tooMany() -> TypedstreamError {
    TypedstreamError(
      .limitExceeded, "\(bytes.byteCount) bytes expand to more than \(nodeLimit) values", byteOffset: index)
  }

  /// Reads the value of the next type.
  @inline(__always)
  private mutating func readValue() throws(TypedstreamError) {
    let typeIndex = frame.type
    let type = types[typeIndex]
    frame.type = type.end
    switch type.letter {
    case UInt8(ascii: "@"): try readObject(typeIndex)
    case UInt8(ascii: "i"), UInt8(ascii: "l"): try readSigned(Int64(Int32.min)...Int64(Int32.max), typeIndex)
    case UInt8(ascii: "I"), UInt8(ascii: "L"): try readUnsigned(bits: 32, typeIndex)
    case UInt8(ascii: "+"): try readString(typeIndex)
    case UInt8(ascii: "c"):
      nodes.append(
        Node(.integer, type: typeIndex, payload: UInt64(bitPattern: Int64(Int8(bitPattern: try readByte())))))
    case UInt8(ascii: "C"), UInt8(ascii: "B"):
      nodes.append(Node(.unsignedInteger, type: typeIndex, payload: UInt64(try readByte())))
    case UInt8(ascii: "f"): try readFloat(typeIndex)
    case UInt8(ascii: "d"): try readDouble(typeIndex)
    case UInt8(ascii: "q"): try readSigned(Int64.min...Int64.max, typeIndex)
    case UInt8(ascii: "Q"):
      nodes.append(Node(.unsignedInteger, type: typeIndex, payload: UInt64(bitPattern: try readInteger())))
    case UInt8(ascii: "s"): try readSigned(Int64(Int16.min)...Int64(Int16.max), typeIndex)
    case UInt8(ascii: "S"): try readUnsigned(bits: 16, typeIndex)
    case UInt8(ascii: "*"): try readCString(typeIndex)
    case UInt8(ascii: ":"), UInt8(ascii: "%"):
      let number = try readSharedString()
      nodes.append(
        number.map { Node(.sharedString, type: typeIndex, low: UInt32(truncatingIfNeeded: $0), high: 0) }
          ?? Node(.null, type: typeIndex))
    case UInt8(ascii: "#"):
      let slot = try readClass()
      nodes.append(
        slot.map { Node(.classReference, type: typeIndex, low: $0, high: 0) } ?? Node(.null, type: typeIndex))
    case TypedstreamTables.TypeNode.rawArray: try readData(typeIndex, count: Int(type.count))
    case UInt8(ascii: "["):
      let node = UInt32(truncatingIfNeeded: nodes.count)
      nodes.append(Node(.array, type: typeIndex, low: 0, high: type.count))
      try checkCount(of: typeIndex)
      try enter(Frame(arrayAt: node, type, at: typeIndex))
    case UInt8(ascii: "{"):
      let node = UInt32(truncatingIfNeeded: nodes.count)
      nodes.append(Node(.structure, type: typeIndex))
      try enter(Frame(structureAt: node, type, at: typeIndex))
    default: nodes.append(Node(.filler, type: typeIndex))
    }
  }

  /// Reads a signed integer.
  ///
  /// - Parameter range: the range of values of the type.
  @inline(__always)
  private mutating func readSigned(_ range: ClosedRange<Int64>, _ type: UInt32) throws(TypedstreamError) {
    let start = index
    let value = try readInteger()
    guard range.contains(value) else { throw doesNotFit(value, type, at: start) }
    nodes.append(Node(.integer, type: type, payload: UInt64(bitPattern: value)))
  }

  /// Reads an unsigned integer. The stream contains it as a signed integer of any width. Keeps only as many bits as the
  /// type has.
  @inline(__always)
  private mutating func readUnsigned(bits: Int64, _ type: UInt32) throws(TypedstreamError) {
    let start = index
    let value = try readInteger()
    guard value >= -(1 << (bits - 1)), value < 1 << bits else { throw doesNotFit(value, type, at: start) }
    nodes.append(Node(.unsignedInteger, type: type, payload: UInt64(bitPattern: value & (1 << bits - 1))))
  }

  private mutating func readFloat(_ type: UInt32) throws(TypedstreamError) {
    let start = index
    let value: Float
    if index < bytes.byteCount, bytes[index] == TypedstreamHead.real {
      value = Float(bitPattern: UInt32(truncatingIfNeeded: try readNumber(width: 4)))
    } else {
      let integer = try readInteger()
      guard let exact = Float(exactly: integer) else { throw doesNotFit(integer, type, at: start) }
      value = exact
    }
    nodes.append(Node(.float, type: type, payload: UInt64(value.bitPattern)))
  }

  private mutating func readDouble(_ type: UInt32) throws(TypedstreamError) {
    let start = index
    let value: Double
    if index < bytes.byteCount, bytes[index] == TypedstreamHead.real {
      value = Double(bitPattern: try readNumber(width: 8))
    } else {
      let integer = try readInteger()
      guard let exact = Double(exactly: integer) else { throw doesNotFit(integer, type, at: start) }
      value = exact
    }
    nodes.append(Node(.double, type: type, payload: value.bitPattern))
  }

  @inline(never)
  private func doesNotFit(_ value: Int64, _ type: UInt32, at start: Int) -> TypedstreamError {
    let letter = Character(Unicode.Scalar(types[type].letter))
    return .malformed("the number \(value) does not fit in the type \(letter)", at: start)
  }

  @inline(__always)
  private mutating func readString(_ type: UInt32) throws(TypedstreamError) {
    guard index < bytes.byteCount else { throw cutOff("expected a string") }
    if bytes[index] == TypedstreamHead.null {
      index += 1
      nodes.append(Node(.null, type: type))
      return
    }
    let range = try readRange()
    nodes.append(
      Node(
        .string, type: type, low: UInt32(truncatingIfNeeded: range.lowerBound),
        high: UInt32(truncatingIfNeeded: range.count)))
  }

  private mutating func readData(_ type: UInt32, count: Int) throws(TypedstreamError) {
    guard count <= bytes.byteCount - index else {
      throw .malformed("expected \(count) bytes of data, but only \(bytes.byteCount - index) are left", at: index)
    }
    nodes.append(
      Node(.data, type: type, low: UInt32(truncatingIfNeeded: index), high: UInt32(truncatingIfNeeded: count)))
    index += count
  }

  /// Checks the number of elements of an array before they are read, so that a small stream cannot contain a huge
  /// array. An element takes at least one byte, except for types that take no bytes.
  private func checkCount(of typeIndex: UInt32) throws(TypedstreamError) {
    let count = types[typeIndex].count
    let left = bytes.byteCount - index
    guard Int(count) > left else {
      if count <= TypedstreamTypes.greatestEmptyCount || types.takesBytes(typeIndex + 1..<types[typeIndex].end) {
        return
      }
      throw .malformed("an array has too many elements without bytes: \(count)", at: index)
    }
    if count <= TypedstreamTypes.greatestEmptyCount, !types.takesBytes(typeIndex + 1..<types[typeIndex].end) { return }
    throw .malformed("an array of \(count) elements does not fit in the remaining \(left) bytes", at: index)
  }

  /// Reads an object or a reference to one. A new object gets its slot before its class is read, and is followed by its
  /// groups.
  @inline(__always)
  private mutating func readObject(_ type: UInt32) throws(TypedstreamError) {
    guard index < bytes.byteCount else { throw cutOff("expected an object") }
    switch bytes[index] {
    case TypedstreamHead.null:
      index += 1
      nodes.append(Node(.null, type: type))
    case TypedstreamHead.new:
      let start = index
      index += 1
      let slot = slots.count
      let node = UInt32(truncatingIfNeeded: nodes.count)
      slots.append(
        TypedstreamTables.Slot(
          kind: .object, content: node, classSlot: TypedstreamTables.Slot.none,
          detail: Int32(bitPattern: UInt32(truncatingIfNeeded: start))))
      let classStart = index
      guard let classSlot = try readClass() else { throw .malformed("an object has no class", at: classStart) }
      slots[slot].classSlot = classSlot
      nodes.append(Node(.object, type: type, low: 0, high: UInt32(truncatingIfNeeded: slot)))
      try enter(Frame(groupsOf: node))
    default:
      let start = index
      let slot = try readReference(in: slots.count, "objects")
      switch slots[slot].kind {
      case .object: nodes.append(Node(.reference, type: type, low: UInt32(truncatingIfNeeded: slot), high: 0))
      // Files of NeXTSTEP contain classes in place of objects.
      case .class: nodes.append(Node(.classReference, type: type, low: UInt32(truncatingIfNeeded: slot), high: 0))
      case .cString: throw .malformed("expected an object, but number \(slot) is a C string", at: start)
      }
    }
  }
}
