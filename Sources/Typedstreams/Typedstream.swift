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

  /// The groups of the stream itself: one with one object in most, which is the root.
  public var groups: Groups { Groups(tables: tables, startIndex: 0, endIndex: tables.nodes.count) }

  /// The objects, in the order in which they begin in the stream.
  ///
  /// - Complexity: O(*n*) in the number of objects, classes and C strings.
  public var objects: [Object] {
    tables.slots.indices.lazy.filter { tables.slots[$0].kind == .object }.map { Object(tables: tables, id: $0) }
  }

  /// The classes, in the order in which they are met.
  ///
  /// - Complexity: O(*n*) in the number of objects, classes and C strings.
  public var classes: [Class] {
    tables.slots.indices.lazy.filter { tables.slots[$0].kind == .class }.map { Class(tables: tables, id: $0) }
  }

  /// The object with a number in the table of objects, classes and C strings; nil if there is none.
  public func object(withID id: Int) -> Object? {
    tables.slots.indices.contains(id) && tables.slots[id].kind == .object ? Object(tables: tables, id: id) : nil
  }

  /// Groups of values that one object, or the stream, has.
  public struct Groups: Collection, Sendable {
    let tables: TypedstreamTables
    public let startIndex: Int
    public let endIndex: Int

    /// The group at an index that ``index(after:)`` has returned.
    public subscript(position: Int) -> Group {
      precondition(position >= startIndex && position < endIndex)
      return Group(tables: tables, nodeIndex: position)
    }

    /// Returns the index of the next group, or ``endIndex``.
    public func index(after position: Int) -> Int { tables.next(after: position) }
  }

  /// Values that were written in one call, such as the two of the encoding `iI`.
  public struct Group: Sendable {
    let tables: TypedstreamTables
    let nodeIndex: Int

    /// The types of the values, one after another, as Objective-C's compiler spells them.
    public var encoding: String { tables.text(ofString: Int(tables.nodes[nodeIndex].type)) }

    /// The values, one for each type.
    public var values: Values {
      Values(tables: tables, startIndex: nodeIndex + 1, endIndex: tables.nodes[nodeIndex].end)
    }
  }

  /// The values of a group, a structure or an array.
  public struct Values: Collection, Sendable {
    let tables: TypedstreamTables
    public let startIndex: Int
    public let endIndex: Int

    /// The value at an index that ``index(after:)`` has returned.
    public subscript(position: Int) -> Value {
      precondition(position >= startIndex && position < endIndex)
      return Value(tables: tables, nodeIndex: position)
    }

    /// Returns the index of the next value, or ``endIndex``.
    public func index(after position: Int) -> Int { tables.next(after: position) }
  }

  /// A value with its type.
  public struct Value: Sendable {
    let tables: TypedstreamTables
    let nodeIndex: Int

    /// The type, such as `i`, `@`, `[12c]` or `{_NSPoint=ff}`.
    public var type: String { tables.text(ofType: Int(tables.nodes[nodeIndex].type)) }

    /// The value itself.
    public var content: Content {
      let node = tables.nodes[nodeIndex]
      switch node.kind {
      case .integer: return .integer(Int64(bitPattern: node.payload))
      case .unsignedInteger: return .unsignedInteger(node.payload)
      case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: node.payload)))
      case .double: return .double(Double(bitPattern: node.payload))
      case .string: return .string(tables.bytes[node.range])
      case .sharedString: return .sharedString(tables.bytes[tables.strings[node.slot].range])
      case .cString:
        return .cString(tables.bytes[tables.strings[Int(tables.slots[node.slot].content)].range], id: node.slot)
      case .data: return .data(tables.bytes[node.range])
      case .object: return .object(Object(tables: tables, id: node.slot))
      case .reference: return .reference(Object(tables: tables, id: node.slot))
      case .classReference: return .class(Class(tables: tables, id: node.slot))
      case .array: return .array(Values(tables: tables, startIndex: nodeIndex + 1, endIndex: node.end))
      case .structure: return .structure(Values(tables: tables, startIndex: nodeIndex + 1, endIndex: node.end))
      case .filler: return .filler
      case .null, .group: return .null
      }
    }
  }

  /// The forms that values have.
  public enum Content: Sendable {
    /// No object, class or string.
    case null
    /// A number of the types `c s i l q`.
    case integer(Int64)
    /// A number of the types `C B S I L Q`.
    case unsignedInteger(UInt64)
    /// A number of the type `f`.
    case float(Float)
    /// A number of the type `d`.
    case double(Double)
    /// The bytes of a string that is not shared (`+`): UTF-8 since Mac OS X, NeXTSTEP's encoding before.
    case string(ArraySlice<UInt8>)
    /// The bytes of a selector (`:`) or an atom (`%`).
    case sharedString(ArraySlice<UInt8>)
    /// The bytes of a C string (`*`), and its number in the table of objects.
    case cString(ArraySlice<UInt8>, id: Int)
    /// The elements of an array of bytes (`[Nc]`, `[NC]`).
    case data(ArraySlice<UInt8>)
    /// An object where it is met first.
    case object(Object)
    /// An object that was met before, and may contain this value.
    case reference(Object)
    /// A class (`#`); in files of NeXTSTEP also where an object may be.
    case `class`(Class)
    /// The elements of an array.
    case array(Values)
    /// The fields of a structure.
    case structure(Values)
    /// A value that takes no bytes (`!`).
    case filler
  }

  /// An object: a class, and the groups that the class and its superclasses have written.
  public struct Object: Sendable {
    let tables: TypedstreamTables
    /// The number in the table of objects, classes and C strings, by which references say which object they mean.
    public let id: Int

    /// The class.
    public var `class`: Class { Class(tables: tables, id: Int(tables.slots[id].classSlot)) }

    /// The groups of the object, wherever it is met first.
    public var groups: Groups {
      let nodeIndex = Int(tables.slots[id].content)
      return Groups(tables: tables, startIndex: nodeIndex + 1, endIndex: tables.nodes[nodeIndex].end)
    }
  }

  /// A class with its version.
  public struct Class: Sendable {
    let tables: TypedstreamTables
    /// The number in the table of objects, classes and C strings.
    public let id: Int

    /// The name.
    public var name: String { tables.className(id) }
    /// The version that the class had when it was written.
    public var version: Int { Int(tables.slots[id].detail) }
    /// The class that it inherits from; nil for a root class.
    public var superclass: Class? { tables.slots[id].superclass.map { Class(tables: tables, id: $0) } }

    /// The class and all that it inherits from, itself first.
    public var chain: [Class] { Array(sequence(first: self) { $0.superclass }) }
  }
}
