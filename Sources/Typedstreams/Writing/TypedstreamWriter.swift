public import FoundationEssentials
internal import KeyedArchiving
internal import PropertyLists

/// Writes a stream from its tables in the form of Apple's archiver: each number in its shortest form, a string, class
/// or object at its first use, and a reference at every later use.
struct TypedstreamWriter: ~Copyable {
  private let tables: TypedstreamTables
  private let isBigEndian: Bool
  private var output = ByteBuffer()
  /// The number of shared strings that have been written. The table lists them in the order of their first use, so a
  /// string with an index below this number has been written.
  private var metStrings = 0
  /// The number of objects, classes and C strings that have been written. The table lists them in the order of their
  /// first use, so an entry with an index below this number has been written.
  private var metSlots = 0
  /// For each object that is being written, the index of the node after it.
  private var ends: [Int] = []

  init(_ tables: TypedstreamTables, _ byteOrder: Typedstream.ByteOrder) {
    self.tables = tables
    isBigEndian = byteOrder == .bigEndian
  }

  consuming func finish() -> Data { output.takeData() }

  mutating func writeStream(systemVersion: Int) {
    output.reserve(tables.bytes.count + 64)
    output.append(byte: UInt8(TypedstreamHead.streamerVersion))
    output.append(byte: UInt8(TypedstreamSignature.length))
    output.append(isBigEndian ? TypedstreamSignature.bigEndian : TypedstreamSignature.littleEndian)
    write(integer: Int64(systemVersion))
    for index in tables.nodes.indices {
      endObjects(before: index)
      write(tables.nodes[index])
    }
    endObjects(before: tables.nodes.count)
  }

  private mutating func endObjects(before index: Int) {
    while ends.last == index {
      ends.removeLast()
      output.append(byte: TypedstreamHead.endOfObject)
    }
  }

  private mutating func write(_ node: TypedstreamTables.Node) {
    switch node.kind {
    case .group: write(sharedString: Int(node.type))
    case .object:
      output.append(byte: TypedstreamHead.new)
      metSlots += 1
      write(class: Int(tables.slots[node.slot].classSlot))
      ends.append(node.end)
    case .reference: write(reference: node.slot)
    case .classReference: write(class: node.slot)
    case .cString: write(cString: node.slot)
    case .sharedString: write(sharedString: node.slot)
    case .string: write(string: node.range)
    case .data: append(node.range)
    case .integer, .unsignedInteger: write(number: node)
    case .float: write(Float(bitPattern: UInt32(truncatingIfNeeded: node.payload)))
    case .double: write(Double(bitPattern: node.payload))
    case .null: output.append(byte: TypedstreamHead.null)
    case .array, .structure, .filler: break
    }
  }

  /// Writes a number in the form of its type. An unsigned number is written like the signed number with the same bits.
  private mutating func write(number node: TypedstreamTables.Node) {
    switch tables.types[Int(node.type)].letter {
    case UInt8(ascii: "c"), UInt8(ascii: "C"), UInt8(ascii: "B"):
      output.append(byte: UInt8(truncatingIfNeeded: node.payload))
    case UInt8(ascii: "s"), UInt8(ascii: "S"): write(integer: Int64(Int16(truncatingIfNeeded: node.payload)))
    case UInt8(ascii: "q"), UInt8(ascii: "Q"): write(integer: Int64(bitPattern: node.payload))
    default: write(integer: Int64(Int32(truncatingIfNeeded: node.payload)))
    }
  }

  /// Writes an integer. The ranges are those of `typedstream.m`.
  private mutating func write(integer value: Int64) {
    switch value {
    case Int64(TypedstreamHead.leastInteger)...127: output.append(byte: UInt8(truncatingIfNeeded: value))
    case -32767...32767: write(TypedstreamHead.int16, UInt64(bitPattern: value), width: 2)
    case Int64(Int32.min)...Int64(Int32.max): write(TypedstreamHead.int32, UInt64(bitPattern: value), width: 4)
    default: write(TypedstreamHead.int64, UInt64(bitPattern: value), width: 8)
    }
  }

  private mutating func write(_ head: UInt8, _ bits: UInt64, width: Int) {
    output.append(byte: head)
    if isBigEndian {
      output.append(bigEndian: bits, width: width)
    } else {
      output.append(littleEndianWord: bits, length: width)
    }
  }

  private mutating func write(_ value: Float) {
    if let integer = Self.integer(Double(value)) { return write(integer: integer) }
    write(TypedstreamHead.real, UInt64(value.bitPattern), width: 4)
  }

  private mutating func write(_ value: Double) {
    if let integer = Self.integer(value) { return write(integer: integer) }
    write(TypedstreamHead.real, value.bitPattern, width: 8)
  }

  /// Returns the 32-bit integer that a real is written as, or nil if it must be written as a real. Negative zero is
  /// written as a real, because an integer would lose its sign.
  private static func integer(_ value: Double) -> Int64? {
    value == 0 && value.sign == .minus ? nil : Int32(exactly: value).map { Int64($0) }
  }

  private mutating func write(reference number: Int) { write(integer: Int64(number + TypedstreamHead.leastInteger)) }

  private mutating func write(string range: Range<Int>) {
    write(integer: Int64(range.count))
    append(range)
  }

  private mutating func append(_ range: Range<Int>) {
    let bytes = tables.bytes
    output.append(bytes.rawBytes.extracting(range))
  }

  private mutating func write(sharedString number: Int) {
    guard number >= metStrings else { return write(reference: number) }
    metStrings = number + 1
    output.append(byte: TypedstreamHead.new)
    write(string: tables.strings[number].range)
  }

  private mutating func write(cString slot: Int) {
    guard slot >= metSlots else { return write(reference: slot) }
    metSlots = slot + 1
    output.append(byte: TypedstreamHead.new)
    write(sharedString: Int(tables.slots[slot].content))
  }

  /// Writes a class and its superclasses. Stops at the first class that was written before, and writes a reference to
  /// it. After a root class, writes nil.
  private mutating func write(class slot: Int) {
    var slot = slot
    while slot >= metSlots {
      let entry = tables.slots[slot]
      metSlots = slot + 1
      output.append(byte: TypedstreamHead.new)
      write(sharedString: Int(entry.content))
      write(integer: Int64(entry.detail))
      guard let superclass = entry.superclass else { return output.append(byte: TypedstreamHead.null) }
      slot = superclass
    }
    write(reference: slot)
  }
}

extension Typedstream {
  /// Returns the bytes of the stream in the form of Apple's archiver: each number in its shortest form, shared strings,
  /// classes and objects at their first use, and references at every later use.
  ///
  /// If the stream was read from bytes that Apple's archiver had written, returns the same bytes.
  ///
  /// ```swift
  /// let swapped = try Typedstream(data).data(byteOrder: .bigEndian)
  /// ```
  ///
  /// - Parameter byteOrder: the byte order of numbers. Nil for that of this stream.
  /// - Complexity: O(*n*) in the size of the stream. Does not recurse.
  public func data(byteOrder: ByteOrder? = nil) -> Data {
    var writer = TypedstreamWriter(tables, byteOrder ?? self.byteOrder)
    writer.writeStream(systemVersion: systemVersion)
    return writer.finish()
  }
}
