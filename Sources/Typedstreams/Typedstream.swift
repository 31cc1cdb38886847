public import FoundationEssentials
public import PropertyLists

/// What `NSArchiver` and NeXTSTEP's `NXTypedStream` write: an archive without keys, in which each class writes groups
/// of values one after another.
///
/// Messages have their text in one, old preferences their colors, and old interface files all of their objects.
///
/// ```swift
/// let stream = try Typedstream(data)
/// for group in stream.groups {
///   for value in group.values { print(value.type, value.content) }
/// }
/// ```
///
/// A stream is read without any class, and keeps all that it says: groups and their encodings, classes and their
/// versions, what is shared with what. Only how wide a number stood in the file is not kept. To get values of Swift,
/// use ``TypedstreamUnarchiver``.
///
/// Streams are equal when they have the same groups, shared in the same way, of the same byte order and system version.
public struct Typedstream: Sendable, Equatable {
  /// The order of the bytes of numbers.
  public enum ByteOrder: Hashable, Sendable {
    /// The lowest byte first, as on Intel and ARM processors.
    case littleEndian
    /// The highest byte first, as on Motorola and PowerPC processors.
    case bigEndian
  }

  /// The order of the bytes of numbers.
  public let byteOrder: ByteOrder
  /// The version of the system that wrote the stream: 1000 for Mac OS X and later, less for NeXTSTEP.
  public let systemVersion: Int
  /// The version of the format, always 4.
  public var streamerVersion: Int { TypedstreamHead.streamerVersion }

  let tables: TypedstreamTables

  init(byteOrder: ByteOrder, systemVersion: Int, tables: TypedstreamTables) {
    self.byteOrder = byteOrder
    self.systemVersion = systemVersion
    self.tables = tables
  }

  /// Reads a stream.
  ///
  /// - Parameters:
  ///   - data: the whole stream.
  ///   - limits: how deep objects, arrays and structures may be nested, how large the input may be, and how many values
  ///     it may stand for.
  /// - Throws: ``TypedstreamError``: ``TypedstreamError/Kind/notATypedstream`` for other bytes,
  ///   ``TypedstreamError/Kind/unsupportedVersion``, ``TypedstreamError/Kind/unsupportedType`` for unions, pointers and
  ///   bit fields, ``TypedstreamError/Kind/malformed``, ``TypedstreamError/Kind/nestedTooDeeply``,
  ///   ``TypedstreamError/Kind/limitExceeded``.
  /// - Complexity: O(*n*) in the bytes, with a number of allocations that does not depend on them.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws(TypedstreamError) {
    try self.init(bytes: [UInt8](data), limits: limits)
  }

  /// Reads a stream, of which no copy is made.
  ///
  /// - Throws: as ``init(_:limits:)``.
  public init(bytes: [UInt8], limits: ParsingLimits = ParsingLimits()) throws(TypedstreamError) {
    var reader = TypedstreamReader(bytes.rawBytes, limits)
    try reader.readStream()
    byteOrder = reader.isBigEndian ? .bigEndian : .littleEndian
    systemVersion = reader.systemVersion
    tables = TypedstreamTables(
      bytes: bytes, nodes: reader.nodes, slots: reader.slots, strings: reader.strings, types: reader.types.nodes)
  }

  public static func == (first: Typedstream, second: Typedstream) -> Bool {
    first.byteOrder == second.byteOrder && first.systemVersion == second.systemVersion && first.tables == second.tables
  }
}
