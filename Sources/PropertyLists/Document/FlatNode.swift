/// The kind of a value in a node table.
@_spi(Archives) @frozen
public enum NodeKind: UInt8 {
  case null, boolean
  /// An integer that fits into `Int64`.
  case integer
  /// An integer above `Int64.max`.
  case unsignedInteger
  case real, float, date, uid
  case string, data, array, dictionary

  @inlinable @inline(__always)
  public var isContainer: Bool { rawValue >= NodeKind.array.rawValue }

  // Replaces the generic operator for types with raw values, which is slow, because it is called through two witness
  // tables.
  @inlinable @inline(__always)
  public static func == (first: NodeKind, second: NodeKind) -> Bool { first.rawValue == second.rawValue }

  /// Creates a kind, as ``init(rawValue:)`` does. The compiler does not inline that initializer across modules.
  @inlinable @inline(__always)
  public init(bits: UInt8) {
    switch bits {
    case 1: self = .boolean
    case 2: self = .integer
    case 3: self = .unsignedInteger
    case 4: self = .real
    case 5: self = .float
    case 6: self = .date
    case 7: self = .uid
    case 8: self = .string
    case 9: self = .data
    case 10: self = .array
    case 11: self = .dictionary
    default: self = .null
    }
  }
}

/// The encoding of the bytes of a string or of data in the document.
@_spi(Archives) @frozen
public enum ContentEncoding: UInt8 {
  /// Text in UTF-8, or the bytes of data themselves.
  case verbatim
  /// ASCII: all bytes are below 0x80.
  case ascii
  /// UTF-16, big-endian. The length is in bytes.
  case utf16
  /// The text of an XML element: UTF-8 with character references and unconverted line ends.
  case xmlText
  /// The text between the quotation marks of a JSON string: UTF-8 with escapes.
  case jsonText
  /// Base64 with white space.
  case base64

  /// True if the same text can be encoded in several ways.
  var hasEscapes: Bool { self == .xmlText || self == .jsonText }
}

/// One value of a document, in 16 bytes.
///
/// A scalar of fixed size is stored in the node itself, so that reading it is free, and code above the readers needs no
/// knowledge of formats. A string or data is an offset and a length in the bytes of the document.
@_spi(Archives) @frozen
public struct FlatNode: Hashable, Sendable {
  /// The kind in the lowest four bits, the encoding in the next four, and the offset in the others.
  public var tag: UInt64
  /// The bits of a scalar of fixed size, the length of a string or of data in bytes, or the count of a container.
  public var payload: UInt64

  @inlinable @inline(__always)
  public init(_ kind: NodeKind, _ encoding: ContentEncoding = .verbatim, offset: Int = 0, payload: UInt64 = 0) {
    tag = UInt64(truncatingIfNeeded: offset) << 8 | UInt64(encoding.rawValue) << 4 | UInt64(kind.rawValue)
    self.payload = payload
  }

  @inlinable @inline(__always)
  public var kind: NodeKind { NodeKind(bits: UInt8(truncatingIfNeeded: tag & 0xF)) }

  @inlinable @inline(__always)
  public var encoding: ContentEncoding {
    ContentEncoding(rawValue: UInt8(truncatingIfNeeded: (tag >> 4) & 0xF)) ?? .verbatim
  }

  /// The offset of the content of a string or of data. For a container of a binary document, the offset of its
  /// references. For a container of a ``NodeTable``, the index of its first child; the other children follow.
  @inlinable @inline(__always)
  public var offset: Int { Int(tag >> 8) }
}

@_spi(Archives) extension FlatNode {
  @inlinable @inline(__always)
  public static var null: FlatNode { FlatNode(.null) }

  @inlinable @inline(__always)
  public static func boolean(_ value: Bool) -> FlatNode { FlatNode(.boolean, payload: value ? 1 : 0) }

  @inlinable @inline(__always)
  public static func integer(_ value: PropertyList.Integer) -> FlatNode {
    let isSigned = value.isNegative || value.bits <= UInt64(Int64.max)
    return FlatNode(isSigned ? .integer : .unsignedInteger, payload: value.bits)
  }

  /// Creates an integer.
  ///
  /// - Parameter value: An integer of at most 64 bits.
  @inlinable @inline(__always)
  public static func integer(_ value: some FixedWidthInteger) -> FlatNode {
    let bits = UInt64(truncatingIfNeeded: value)
    let isSigned = value < 0 || bits <= UInt64(Int64.max)
    return FlatNode(isSigned ? .integer : .unsignedInteger, payload: bits)
  }

  @inlinable @inline(__always)
  public static func real(_ value: Double) -> FlatNode { FlatNode(.real, payload: value.bitPattern) }

  @inlinable @inline(__always)
  public static func float(_ value: Float) -> FlatNode { FlatNode(.float, payload: UInt64(value.bitPattern)) }

  /// Creates a date.
  ///
  /// - Parameter seconds: The seconds since 2001-01-01T00:00:00Z.
  public static func date(_ seconds: Double) -> FlatNode { FlatNode(.date, payload: seconds.bitPattern) }

  @inlinable @inline(__always)
  public static func uid(_ value: UInt32) -> FlatNode { FlatNode(.uid, payload: UInt64(value)) }

  @inlinable @inline(__always)
  public static func string(_ encoding: ContentEncoding, offset: Int, length: Int) -> FlatNode {
    FlatNode(.string, encoding, offset: offset, payload: UInt64(truncatingIfNeeded: length))
  }

  @inlinable @inline(__always)
  public static func data(_ encoding: ContentEncoding, offset: Int, length: Int) -> FlatNode {
    FlatNode(.data, encoding, offset: offset, payload: UInt64(truncatingIfNeeded: length))
  }

  /// Creates a container.
  ///
  /// - Parameters:
  ///   - offset: See ``offset``.
  ///   - count: The number of elements, or of entries (pairs of a key and a value).
  @inlinable @inline(__always)
  public static func container(_ kind: NodeKind, offset: Int, count: Int) -> FlatNode {
    FlatNode(kind, .verbatim, offset: offset, payload: UInt64(truncatingIfNeeded: count))
  }
}

/// The content of a node. Each property is valid only for nodes of the kind that it is named after or describes.
@_spi(Archives) extension FlatNode {
  @inlinable @inline(__always)
  public var boolean: Bool { payload != 0 }

  @inlinable @inline(__always)
  public var integer: PropertyList.Integer {
    kind == .integer ? PropertyList.Integer(Int64(bitPattern: payload)) : PropertyList.Integer(payload)
  }

  @inlinable @inline(__always)
  public var real: Double { Double(bitPattern: payload) }

  @inlinable @inline(__always)
  public var float: Float { Float(bitPattern: UInt32(truncatingIfNeeded: payload)) }

  @inlinable @inline(__always)
  public var uid: UInt32 { UInt32(truncatingIfNeeded: payload) }

  /// The length of a string or data in the document, in bytes.
  @inlinable @inline(__always)
  public var length: Int { Int(truncatingIfNeeded: payload) }

  /// The range of the bytes of a string or of data in the document.
  @inlinable @inline(__always)
  public var range: Range<Int> { offset..<offset + length }

  /// The number of elements of an array or entries of a dictionary.
  @inlinable @inline(__always)
  public var count: Int { Int(truncatingIfNeeded: payload) }
}
