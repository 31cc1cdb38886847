/// All that a typedstream consists of, in four flat tables and the bytes that they point into. Nothing is allocated for
/// a single value.
///
/// Offsets and indexes are 32 bits wide, so a stream has less than 4 GiB.
final class TypedstreamTables: Sendable {
  /// The text of strings, data and type encodings; for a stream that was read, all of it.
  let bytes: [UInt8]
  /// Groups, objects and values, each before its parts. The groups of the stream itself are at the top.
  let nodes: [Node]
  /// The table of objects, classes and C strings, in the order in which they are met.
  let slots: [Slot]
  /// The table of shared strings, in the order in which they are met.
  let strings: [SharedString]
  /// The types of the encodings among the strings, each before its parts.
  let types: [TypeNode]

  init(bytes: [UInt8], nodes: [Node], slots: [Slot], strings: [SharedString], types: [TypeNode]) {
    self.bytes = bytes
    self.nodes = nodes
    self.slots = slots
    self.strings = strings
    self.types = types
  }

  /// A group, an object or a value.
  struct Node: BitwiseCopyable {
    let kind: Kind
    /// The index of the type; for a group the number of its encoding among the strings.
    let type: UInt32
    /// What it is, by its kind: two halves, or a number of 64 bits.
    private(set) var payload: UInt64

    enum Kind: UInt8 {
      // Parts follow. The low half of the payload is the index after the last of them.

      /// The group of an object, or of the stream; the high half is where it begins in the bytes.
      case group
      /// An object where it is met first; the high half is its slot.
      case object
      /// An array; the high half is the number of elements.
      case array
      case structure

      // No parts follow.

      /// An object that was met before, by its slot.
      case reference
      /// A class, by its slot, met before or not.
      case classReference
      /// A C string, by its slot, met before or not.
      case cString
      /// A selector or an atom, by its number among the strings, met before or not.
      case sharedString
      /// A string that is not shared: length and offset.
      case string
      /// Bytes: length and offset.
      case data
      case integer
      case unsignedInteger
      case float
      case double
      /// No string, no object, no class.
      case null
      /// A value that takes no bytes, of the type `!`.
      case filler
    }

    @inline(__always)
    init(_ kind: Kind, type: UInt32, payload: UInt64 = 0) {
      self.kind = kind
      self.type = type
      self.payload = payload
    }

    @inline(__always)
    init(_ kind: Kind, type: UInt32, low: UInt32, high: UInt32) {
      self.init(kind, type: type, payload: UInt64(high) << 32 | UInt64(low))
    }

    @inline(__always) var low: Int { Int(payload & 0xFFFF_FFFF) }
    @inline(__always) var high: Int { Int(payload >> 32) }

    /// The index after the parts, of a node that has some.
    @inline(__always) var end: Int { low }
    @inline(__always) var hasParts: Bool { kind.rawValue <= Kind.structure.rawValue }
    /// The index in the table of objects, of an object, a class or a C string.
    @inline(__always) var slot: Int { kind == .object ? high : low }
    /// The bytes of a string or data.
    @inline(__always) var range: Range<Int> { low..<low + high }

    /// Where a group begins in the bytes; nil for one that was not read.
    var groupOffset: Int? { kind == .group && high != Int(UInt32.max) ? high : nil }

    @inline(__always)
    mutating func close(at end: Int) { payload |= UInt64(truncatingIfNeeded: end) }
  }

  /// An object, a class or a C string in the table that references lead to.
  struct Slot: BitwiseCopyable, Equatable {
    let kind: Kind
    /// The index of an object among the nodes; the number of a class's name or a C string's text among the strings.
    var content: UInt32
    /// The slot of an object's class, or of a superclass; ``none`` for a class without one.
    var classSlot: UInt32
    /// The version of a class; where an object begins in the bytes.
    var detail: Int32

    enum Kind: UInt8 { case object, `class`, cString }

    static let none = UInt32.max

    var superclass: Int? { classSlot == Self.none ? nil : Int(classSlot) }
    /// Where an object begins in the bytes; nil for one that was not read.
    var offset: Int? { detail == -1 ? nil : Int(UInt32(bitPattern: detail)) }
  }

  /// A string that is written once and then referred to.
  struct SharedString: BitwiseCopyable {
    let start: UInt32
    let length: UInt32
    /// Where its types are, if it is an encoding that has been used.
    var firstType = UInt32.max
    var endOfTypes = UInt32.max

    @inline(__always) var range: Range<Int> { Int(start)..<Int(start) + Int(length) }
    @inline(__always) var isEncoding: Bool { firstType != UInt32.max }
  }

  /// A type of an encoding, such as the `i` of `iI`, or the array, the structure and the two numbers of `[2{ff}]`.
  struct TypeNode: BitwiseCopyable {
    /// The first character of the type; ``rawArray`` for an array that is read as bytes.
    var letter: UInt8
    /// How many elements an array has.
    var count: UInt32 = 0
    /// The index after its parts.
    var end: UInt32
    /// Its text.
    let start: UInt32
    var length: UInt32

    /// `[Nc]` or `[NC]`.
    static let rawArray = UInt8(ascii: "]")
  }

  /// Returns the index after a node and its parts.
  @inline(__always)
  func next(after index: Int) -> Int {
    let node = nodes[index]
    return node.hasParts ? node.end : index + 1
  }

  func text(ofString number: Int) -> String { text(strings[number].range) }

  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  /// The text of a type.
  func text(ofType index: Int) -> String {
    let type = types[index]
    return text(Int(type.start)..<Int(type.start) + Int(type.length))
  }

  /// The name of the class of a slot that has one.
  func className(_ slot: Int) -> String { text(ofString: Int(slots[slot].content)) }
}

extension TypedstreamTables: Equatable {
  static func == (first: TypedstreamTables, second: TypedstreamTables) -> Bool {
    if first === second { return true }
    guard first.nodes.count == second.nodes.count, first.slots.count == second.slots.count,
      first.strings.count == second.strings.count
    else { return false }
    for (one, other) in zip(first.strings, second.strings)
    where first.bytes[one.range] != second.bytes[other.range] { return false }
    for (one, other) in zip(first.slots, second.slots) {
      guard one.kind == other.kind, one.content == other.content, one.classSlot == other.classSlot,
        one.kind == .object || one.detail == other.detail
      else { return false }
    }
    for (one, other) in zip(first.nodes, second.nodes) where !isEqual(one, first, other, second) { return false }
    return true
  }

  /// Returns true if two nodes are equal but for their parts. The type of a value is that of its group.
  private static func isEqual(
    _ node: Node, _ tables: TypedstreamTables, _ other: Node, _ others: TypedstreamTables
  ) -> Bool {
    guard node.kind == other.kind else { return false }
    return switch node.kind {
    case .string, .data: tables.bytes[node.range] == others.bytes[other.range]
    case .group: node.type == other.type && node.end == other.end
    default: node.payload == other.payload
    }
  }
}
