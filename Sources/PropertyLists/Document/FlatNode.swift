/// What a value is, as it stands in a node table.
@_spi(Archives) @frozen
public enum NodeKind: UInt8 {
  case null, boolean
  /// `Int64`.
  case integer
  /// `UInt64` above `Int64.max`.
  case unsignedInteger
  case real, float, date, uid
  case string, data, array, dictionary

  @inlinable @inline(__always)
  public var isContainer: Bool { rawValue >= NodeKind.array.rawValue }

  // Not the one of all types with raw values, which is called by way of two witness tables.
  @inlinable @inline(__always)
  public static func == (first: NodeKind, second: NodeKind) -> Bool { first.rawValue == second.rawValue }

  /// As ``init(rawValue:)``, which the compiler does not inline across modules.
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

/// How the bytes of a string or of data stand in the document.
@_spi(Archives) @frozen
public enum ContentEncoding: UInt8 {
  /// UTF-8, or the bytes of the data.
  case verbatim
  /// Bytes that are all below 0x80.
  case ascii
  /// UTF-16, big-endian; the length counts bytes.
  case utf16
  /// The text of an XML element: UTF-8 with character references and literal line ends.
  case xmlText
  /// The text between the quotation marks of a JSON string: UTF-8 with escapes.
  case jsonText
  /// Base64 with white space.
  case base64

  /// Whether the same text can be spelled in several ways.
  var hasEscapes: Bool { self == .xmlText || self == .jsonText }
}

/// One value of a document, in 16 bytes.
///
/// Scalars of fixed size stand in the node itself, so that reading one costs nothing and no format is known above the
/// readers; strings and data are an offset and a length in the bytes of the document.
@_spi(Archives) @frozen
public struct FlatNode: Hashable, Sendable {
  public var tag: UInt64
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

  /// Where the content of a string or of data begins; for a container of a binary document, where its references begin.
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

  /// - Parameter value: an integer of at most 64 bits.
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

  /// - Parameter seconds: since 2001-01-01T00:00:00Z.
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

  /// A container in a node table: the offset is the index of the first child, which the others follow.
  ///
  /// - Parameter count: of elements; of a dictionary's entries, each a key and a value.
  @inlinable @inline(__always)
  public static func container(_ kind: NodeKind, offset: Int, count: Int) -> FlatNode {
    FlatNode(kind, .verbatim, offset: offset, payload: UInt64(truncatingIfNeeded: count))
  }
}

/// What is read out of a node; each only of the kinds it makes sense for.
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

  /// The bytes of a string or data as they stand in the document.
  @inlinable @inline(__always)
  public var length: Int { Int(truncatingIfNeeded: payload) }

  /// Where the bytes of a string or of data stand in the document.
  @inlinable @inline(__always)
  public var range: Range<Int> { offset..<offset + length }

  /// The elements of an array, the entries of a dictionary.
  @inlinable @inline(__always)
  public var count: Int { Int(truncatingIfNeeded: payload) }
}
