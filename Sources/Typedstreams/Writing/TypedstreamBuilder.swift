internal import KeyedArchiving
@_spi(Archives) internal import PropertyLists

/// Builds a stream from groups and values, in the order of `NSArchiver`.
///
/// ```swift
/// var builder = TypedstreamBuilder()
/// try builder.beginGroup("@")
/// try builder.beginObject(TypedstreamClass("NSString", version: 1))
/// try builder.beginGroup("+")
/// try builder.append("Hello")
/// try builder.endObject()
/// let data = try builder.finish().data()
/// ```
///
/// The encoding of a group determines the expected values, and each value is checked. Arrays and structures begin and
/// end automatically: `{_NSPoint=ff}` expects two numbers. Equal shared strings, C strings and classes are written
/// once.
///
/// After an error, a builder can no longer be used.
public struct TypedstreamBuilder {
  typealias Tables = TypedstreamTables
  typealias Frame = TypedstreamFrame

  private let byteOrder: Typedstream.ByteOrder
  private let systemVersion: Int32
  var bytes: [UInt8] = []
  var nodes: [Tables.Node] = []
  var slots: [Tables.Slot] = []
  var strings: [Tables.SharedString] = []
  var types = TypedstreamTypes()
  var stringNumbers: [[UInt8]: UInt32] = [:]
  var cStringSlots: [UInt32: UInt32] = [:]
  private var classSlots: [ClassKey: UInt32] = [:]
  private var outer: [Frame] = []
  var frame = Frame()
  /// The objects that were appended for values, by value. Equal values share an object.
  var sharedObjects: [ArchivedValue: Object] = [:]

  private static let depthLimit = ParsingLimits().depth

  /// An object of the stream. Append it again to write a reference to it.
  public struct Object: Hashable, Sendable {
    /// The number in the table of objects, classes and C strings.
    public let id: Int
  }

  private struct ClassKey: Hashable {
    let level: TypedstreamClass.Level
    let superclass: UInt32
  }

  /// Creates an empty stream.
  ///
  /// - Parameters:
  ///   - byteOrder: the byte order of numbers.
  ///   - systemVersion: the version of the system that the stream is for. A negative version counts as 0.
  public init(byteOrder: Typedstream.ByteOrder = .littleEndian, systemVersion: Int32 = 1000) {
    self.byteOrder = byteOrder
    self.systemVersion = max(systemVersion, 0)
  }

  /// Returns the stream that was built.
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if a group lacks values, or if an object has not ended.
  public func finish() throws(TypedstreamError) -> Typedstream {
    try checkGroupIsOver("the stream ends")
    guard outer.isEmpty else { throw Self.invalid("the stream ends inside an object; call endObject() first") }
    var nodes = nodes
    if frame.group != Frame.none { nodes[Int(frame.group)].close(at: nodes.count) }
    return Typedstream(
      byteOrder: byteOrder, systemVersion: Int(systemVersion),
      tables: Tables(bytes: bytes, nodes: nodes, slots: slots, strings: strings, types: types.nodes))
  }

  /// Begins a group of the open object, or of the stream.
  ///
  /// - Parameter encoding: the types of the values, such as `iI`.
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the last group lacks values,
  ///   ``TypedstreamError/Kind/malformed`` or ``TypedstreamError/Kind/unsupportedType`` if the encoding is invalid.
  public mutating func beginGroup(_ encoding: String) throws(TypedstreamError) {
    try checkGroupIsOver("a group begins")
    let number = Int(try sharedString(Array(encoding.utf8)))
    if !strings[number].isEncoding {
      do {
        let bytes = bytes
        let indexes = try types.takeApart(strings[number].range, of: bytes.rawBytes, depth: Self.depthLimit)
        strings[number].firstType = indexes.lowerBound
        strings[number].endOfTypes = indexes.upperBound
      } catch {
        throw TypedstreamError(error.kind, error.message)
      }
    }
    closeGroup()
    frame.group = UInt32(truncatingIfNeeded: nodes.count)
    frame.type = strings[number].firstType
    frame.endOfTypes = strings[number].endOfTypes
    // A built group has no offset in a stream.
    nodes.append(Tables.Node(.group, type: UInt32(truncatingIfNeeded: number), low: 0, high: UInt32.max))
    try advance()
  }

  /// Begins a new object. The expected value must be an object. Append its groups next.
  ///
  /// - Returns: the object, for references to it.
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if the expected value is not an object,
  ///   ``TypedstreamError/Kind/nestedTooDeeply``.
  @discardableResult
  public mutating func beginObject(_ class: TypedstreamClass) throws(TypedstreamError) -> Object {
    let type = try take("an object") { $0 == UInt8(ascii: "@") }
    let slot = slots.count
    let node = UInt32(truncatingIfNeeded: nodes.count)
    slots.append(Tables.Slot(kind: .object, content: node, classSlot: Tables.Slot.none, detail: -1))
    slots[slot].classSlot = try classSlot(`class`)
    nodes.append(Tables.Node(.object, type: type, low: 0, high: UInt32(truncatingIfNeeded: slot)))
    try enter(Frame(groupsOf: node))
    return Object(id: slot)
  }

  /// Ends the innermost open object.
  ///
  /// - Throws: ``TypedstreamError/Kind/invalidValue`` if its last group lacks values, or if no object is open.
  public mutating func endObject() throws(TypedstreamError) {
    try checkGroupIsOver("an object ends")
    guard frame.container != Frame.none else { throw Self.invalid("no object is open") }
    closeGroup()
    leave()
    try advance()
  }

  private func checkGroupIsOver(_ event: StaticString) throws(TypedstreamError) {
    guard frame.kind == .groups, frame.type == frame.endOfTypes else {
      throw Self.invalid("\(event) before the last group has all of its values")
    }
  }

  private mutating func closeGroup() {
    if frame.group != Frame.none { nodes[Int(frame.group)].close(at: nodes.count) }
    frame.group = Frame.none
  }

  private mutating func enter(_ inner: Frame) throws(TypedstreamError) {
    guard outer.count < Self.depthLimit else {
      throw TypedstreamError(
        .nestedTooDeeply, "objects, arrays and structures are nested more than \(Self.depthLimit) deep")
    }
    outer.append(frame)
    frame = inner
  }

  private mutating func leave() {
    nodes[Int(frame.container)].close(at: nodes.count)
    if let last = outer.popLast() { frame = last }
  }

  /// Moves to the next value that the caller must append: ends complete containers, and begins arrays and structures.
  mutating func advance() throws(TypedstreamError) {
    while true {
      if frame.type == frame.endOfTypes {
        switch frame.kind {
        case .groups: return
        case .structure: leave()
        case .array:
          if !frame.beginElement() { leave() }
        }
        continue
      }
      let typeIndex = frame.type
      let type = types[typeIndex]
      let node = UInt32(truncatingIfNeeded: nodes.count)
      switch type.letter {
      case UInt8(ascii: "!"):
        frame.type = type.end
        nodes.append(Tables.Node(.filler, type: typeIndex))
      case UInt8(ascii: "{"):
        frame.type = type.end
        nodes.append(Tables.Node(.structure, type: typeIndex))
        try enter(Frame(structureAt: node, type, at: typeIndex))
      case UInt8(ascii: "["):
        guard type.count <= TypedstreamTypes.greatestEmptyCount || types.takesBytes(typeIndex + 1..<type.end) else {
          throw Self.invalid("an array has too many elements without bytes: \(type.count)")
        }
        frame.type = type.end
        nodes.append(Tables.Node(.array, type: typeIndex, low: 0, high: type.count))
        try enter(Frame(arrayAt: node, type, at: typeIndex))
      default: return
      }
    }
  }

  static func invalid(_ message: String) -> TypedstreamError { TypedstreamError(.invalidValue, message) }

  /// Returns the index of a text in the table of shared strings. Adds the text if it is new.
  mutating func sharedString(_ text: [UInt8]) throws(TypedstreamError) -> UInt32 {
    if let number = stringNumbers[text] { return number }
    let range = try keep(text)
    let number = UInt32(truncatingIfNeeded: strings.count)
    strings.append(
      Tables.SharedString(
        start: UInt32(truncatingIfNeeded: range.lowerBound), length: UInt32(truncatingIfNeeded: range.count)))
    stringNumbers[text] = number
    return number
  }

  mutating func keep(_ text: [UInt8]) throws(TypedstreamError) -> Range<Int> {
    guard text.count < Int(UInt32.max) - bytes.count else {
      throw TypedstreamError(.limitExceeded, "the stream cannot be larger than 4 GiB")
    }
    let start = bytes.count
    bytes += text
    return start..<bytes.count
  }

  /// Returns the slot of a class: its index in the table of objects. Adds the class if it is new, before its
  /// superclasses.
  mutating func classSlot(_ class: TypedstreamClass) throws(TypedstreamError) -> UInt32 {
    guard `class`.levels.count <= Self.depthLimit else {
      throw TypedstreamError(.nestedTooDeeply, "a class has more than \(Self.depthLimit) superclasses")
    }
    var known = Tables.Slot.none
    var newCount = `class`.levels.count
    while newCount > 0, let slot = classSlots[ClassKey(level: `class`.levels[newCount - 1], superclass: known)] {
      known = slot
      newCount -= 1
    }
    guard newCount > 0 else { return known }
    let first = UInt32(truncatingIfNeeded: slots.count)
    for (index, level) in `class`.levels.prefix(newCount).enumerated() {
      let superclass = index == newCount - 1 ? known : first + UInt32(truncatingIfNeeded: index) + 1
      slots.append(
        Tables.Slot(
          kind: .class, content: try sharedString(Array(level.name.utf8)), classSlot: superclass,
          detail: level.version))
      classSlots[ClassKey(level: level, superclass: superclass)] = first + UInt32(truncatingIfNeeded: index)
    }
    return first
  }
}
