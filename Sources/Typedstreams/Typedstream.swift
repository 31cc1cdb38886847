public import FoundationEssentials
public import PropertyLists

/// An archive of `NSArchiver` or NeXTSTEP's `NXTypedStream`. It has no keys: each class writes groups of values one
/// after another.
///
/// Typedstreams contain the text of messages in the database of Messages, colors in old preferences, and all objects of
/// old interface files.
///
/// ```swift
/// let stream = try Typedstream(data)
/// for group in stream.groups {
///   for value in group.values { print(value.type, value.content) }
/// }
/// ```
///
/// A stream can be read without knowing its classes. A `Typedstream` keeps groups and their encodings, classes and
/// their versions, and shared objects and strings. Only the width that a number has in the file is lost. To decode
/// Swift values, use ``TypedstreamUnarchiver``.
///
/// Two streams are equal if they have the same groups with the same sharing, the same byte order and the same system
/// version.
public struct Typedstream: Sendable, Equatable {
  /// The byte order of numbers.
  public enum ByteOrder: Hashable, Sendable {
    /// Lowest byte first, as on Intel and ARM processors.
    case littleEndian
    /// Highest byte first, as on Motorola and PowerPC processors.
    case bigEndian
  }

  /// The byte order of numbers.
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
  ///   - limits: the limits for the nesting depth of objects, arrays and structures, for the size of the input, and for
  ///     the number of values that it may expand to.
  /// - Throws: ``TypedstreamError/Kind/notATypedstream`` for other data, ``TypedstreamError/Kind/unsupportedVersion``,
  ///   ``TypedstreamError/Kind/unsupportedType`` for unions, pointers and bit fields,
  ///   ``TypedstreamError/Kind/malformed``, ``TypedstreamError/Kind/nestedTooDeeply``,
  ///   ``TypedstreamError/Kind/limitExceeded``.
  /// - Complexity: O(*n*) in the number of bytes. Values need no allocations of their own.
  public init(_ data: Data, limits: ParsingLimits = ParsingLimits()) throws(TypedstreamError) {
    try self.init(bytes: [UInt8](data), limits: limits)
  }

  /// Reads a stream without copying its bytes.
  ///
  /// - Throws: The errors of ``init(_:limits:)``.
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

  /// The groups of values at the top level of the stream. Most streams have one group with one object, which is the
  /// root.
  public var groups: Groups { Groups(tables: tables, startIndex: 0, endIndex: tables.nodes.count) }

  /// The objects, in the order they begin in the stream.
  ///
  /// - Complexity: O(*n*) in the number of objects, classes and C strings.
  public var objects: [Object] {
    tables.slots.indices.lazy.filter { tables.slots[$0].kind == .object }.map { Object(tables: tables, id: $0) }
  }

  /// The classes, in the order of their first use.
  ///
  /// ```swift
  /// print(stream.classes.map { "\($0.name) v\($0.version)" })   // ["NSString v1", "NSObject v0"]
  /// ```
  ///
  /// - Complexity: O(*n*) in the number of objects, classes and C strings.
  public var classes: [Class] {
    tables.slots.indices.lazy.filter { tables.slots[$0].kind == .class }.map { Class(tables: tables, id: $0) }
  }

  /// Returns the object with an ``Object/id``. Returns nil if the stream does not contain the id, or if it is that of a
  /// class or a C string.
  public func object(withID id: Int) -> Object? {
    tables.slots.indices.contains(id) && tables.slots[id].kind == .object ? Object(tables: tables, id: id) : nil
  }

  /// The groups of values of an object or of the stream.
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

  /// The values that were archived by one call, such as the two values of the encoding `iI`.
  public struct Group: Sendable {
    let tables: TypedstreamTables
    let nodeIndex: Int

    /// The types of the values, in the encoding of Objective-C's compiler.
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

  /// The content of a value.
  ///
  /// ```swift
  /// switch value.content {
  /// case .integer(let number): print(number)
  /// case .object(let object), .reference(let object): print(object.class.name, object.id)
  /// default: print(value.type)
  /// }
  /// ```
  public enum Content: Sendable {
    /// Nil: no object, class or string.
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
    /// The bytes of a C string (`*`), and its number in the table of objects, classes and C strings.
    case cString(ArraySlice<UInt8>, id: Int)
    /// The elements of an array of bytes (`[Nc]`, `[NC]`).
    case data(ArraySlice<UInt8>)
    /// The first occurrence of an object.
    case object(Object)
    /// A reference to an object that occurred before. That object may contain this value.
    case reference(Object)
    /// A class (`#`). In files of NeXTSTEP, a class can also occur in place of an object.
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
    /// The number in the table of objects, classes and C strings, by which references refer to the object.
    public let id: Int

    /// The class.
    public var `class`: Class { Class(tables: tables, id: Int(tables.slots[id].classSlot)) }

    /// The groups of the object.
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
    /// The superclass. Nil for a root class.
    public var superclass: Class? { tables.slots[id].superclass.map { Class(tables: tables, id: $0) } }

    /// The class, then its superclasses: `NSButton`, `NSControl`, `NSView`, `NSResponder`, `NSObject`.
    public var chain: [Class] { Array(sequence(first: self) { $0.superclass }) }
  }
}
