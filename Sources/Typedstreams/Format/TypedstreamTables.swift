/// The contents of a typedstream: four flat tables, and the bytes that they refer to. A value is an entry of a table,
/// so it needs no memory of its own.
///
/// Offsets and indices have 32 bits, so a stream must be smaller than 4 GiB.
final class TypedstreamTables: Sendable {
  /// The text of strings, data and type encodings. For a stream that was read, all of its bytes.
  let bytes: [UInt8]
  /// The groups, objects and values of the stream. Each is followed by its parts. The groups of the stream itself are
  /// at the top level.
  let nodes: [Node]
  /// The objects, classes and C strings, in the order of their first use. References contain the index in this table,
  /// which is called a slot.
  let slots: [Slot]
  /// The shared strings, in the order of their first use. References contain the index in this table.
  let strings: [SharedString]
  /// The types in those ``strings`` that are encodings. Each type is followed by its parts.
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
    /// The index of the type in ``TypedstreamTables/types``. For a group, the index of its encoding in
    /// ``TypedstreamTables/strings``.
    let type: UInt32
    /// The content, depending on the kind: two halves of 32 bits, or a number of 64 bits.
    private(set) var payload: UInt64

    enum Kind: UInt8 {
      // These kinds have parts. The low half of the payload is the index after the last part.

      /// A group of values that were archived together, in an object or at the top level of the stream. The high half
      /// of the payload is the group's offset in the stream, in bytes.
      case group
      /// The first occurrence of an object. The high half of the payload is the object's slot.
      case object
      /// An array. The high half of the payload is the number of elements.
      case array
      case structure

      // These kinds have no parts. A slot is an index in `slots`.

      /// An object that occurred before, by its slot.
      case reference
      /// A class, by its slot.
      case classReference
      /// A C string, by its slot.
      case cString
      /// A selector or an atom, by its number in ``TypedstreamTables/strings``.
      case sharedString
      /// A string that is not shared. The low half of the payload is its offset, the high half its length.
      case string
      /// Bytes. The low half of the payload is their offset, the high half their length.
      case data
      case integer
      case unsignedInteger
      case float
      case double
      /// Nil: no string, no object or no class.
      case null
      /// A value of the type `!`, which takes no bytes.
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

    /// The index after the node's last part, for a kind with parts.
    @inline(__always) var end: Int { low }
    @inline(__always) var hasParts: Bool { kind.rawValue <= Kind.structure.rawValue }
    /// The slot of an object, a reference, a class or a C string. For a shared string, its index in
    /// ``TypedstreamTables/strings``.
    @inline(__always) var slot: Int { kind == .object ? high : low }
    /// The range of the bytes of a string or data.
    @inline(__always) var range: Range<Int> { low..<low + high }

    /// The offset of a group in the stream, in bytes. Nil for a group that was not read, but built.
    var groupOffset: Int? { kind == .group && high != Int(UInt32.max) ? high : nil }

    @inline(__always)
    mutating func close(at end: Int) { payload |= UInt64(truncatingIfNeeded: end) }
  }

  /// An object, a class or a C string. References after it can refer to it.
  struct Slot: BitwiseCopyable, Equatable {
    let kind: Kind
    /// For an object, its node index. For a class or a C string, the index of its name or text in
    /// ``TypedstreamTables/strings``.
    var content: UInt32
    /// For an object, the slot of its class. For a class, the slot of its superclass, or ``none`` if it has no
    /// superclass.
    var classSlot: UInt32
    /// The version of a class, or the offset of an object in the stream, in bytes.
    var detail: Int32

    enum Kind: UInt8 { case object, `class`, cString }

    static let none = UInt32.max

    var superclass: Int? { classSlot == Self.none ? nil : Int(classSlot) }
    /// The offset of an object in the stream, in bytes. Nil for an object that was not read, but built.
    var offset: Int? { detail == -1 ? nil : Int(UInt32(bitPattern: detail)) }
  }

  /// A string that is written once and then referenced.
  struct SharedString: BitwiseCopyable {
    let start: UInt32
    let length: UInt32
    /// The index in ``TypedstreamTables/types`` of the first type, if the string is an encoding that a group uses.
    var firstType = UInt32.max
    /// The index after the last type, if the string is an encoding that a group uses.
    var endOfTypes = UInt32.max

    @inline(__always) var range: Range<Int> { Int(start)..<Int(start) + Int(length) }
    @inline(__always) var isEncoding: Bool { firstType != UInt32.max }
  }

  /// A type in an encoding, such as the `i` of `iI`, or the array, the structure and the two numbers of `[2{ff}]`.
  struct TypeNode: BitwiseCopyable {
    /// The first character of the type; ``rawArray`` for an array that is read as bytes.
    var letter: UInt8
    /// The number of elements of an array.
    var count: UInt32 = 0
    /// The index after the last part of the type.
    var end: UInt32
    /// The offset of the type's text, in bytes.
    let start: UInt32
    /// The length of the type's text, in bytes.
    var length: UInt32

    /// The value of ``letter`` for an array of N characters, `[Nc]` or `[NC]`. Its elements are read as bytes.
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

  /// Returns the text of a type.
  func text(ofType index: Int) -> String {
    let type = types[index]
    return text(Int(type.start)..<Int(type.start) + Int(type.length))
  }

  /// Returns the name of the class in a slot.
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

  /// Returns true if two nodes are equal. Does not compare their parts, because the parts are separate nodes. Does not
  /// compare their types, because the types are equal if the encodings of the groups are equal.
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
