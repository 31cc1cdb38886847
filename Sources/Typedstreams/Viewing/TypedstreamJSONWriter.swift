public import FoundationEssentials
@_spi(Archives) public import PropertyLists

/// Writes the groups of a stream as JSON; see ``Typedstream/jsonData(isIndented:limits:)``.
struct TypedstreamJSONWriter: ~Copyable {
  private let stream: Typedstream
  private let tables: TypedstreamTables
  private var json: JSONWriter
  private let isIndented: Bool
  /// The indices of the nodes whose parts are being written, the innermost last.
  private var open: [Int] = []
  /// The number of bytes that may still be written.
  private var budget: WorkBudget

  init(_ stream: Typedstream, isIndented: Bool, _ limits: ParsingLimits) {
    self.stream = stream
    tables = stream.tables
    json = JSONWriter(PropertyListWritingOptions(isCompact: !isIndented))
    self.isIndented = isIndented
    budget = WorkBudget(limits.effectiveExpandedSize(inputSize: stream.tables.bytes.count))
  }

  /// Returns the text. Indented text ends with a newline.
  consuming func finish() -> Data { isIndented ? json.finish() : json.finishFragment() }

  mutating func writeStream() throws(TypedstreamError) {
    json.beginDictionary(count: 3)
    key("byteOrder")
    json.string((stream.byteOrder == .littleEndian ? "<" : ">").utf8Span.rawBytes)
    key("groups")
    json.beginArray(count: 0)
    for index in tables.nodes.indices {
      closeParts(before: index)
      try write(tables.nodes[index], at: index)
    }
    closeParts(before: tables.nodes.count)
    json.endArray()
    key("system")
    json.number(stream.systemVersion.description)
    json.endDictionary()
  }

  private mutating func key(_ text: String) { json.key(text.utf8Span.rawBytes) }

  private mutating func spend(_ size: Int) throws(TypedstreamError) {
    guard budget.spend(size + 1 + (isIndented ? json.depth : 0)) else {
      throw TypedstreamError(
        .limitExceeded,
        "the stream is too large as \(isIndented ? "indented " : "")JSON; see expandedSize of ParsingLimits"
      )
    }
  }

  private var isInGroup: Bool { open.last.map { tables.nodes[$0].kind == .group } ?? false }

  /// Closes each open node whose parts end before an index.
  private mutating func closeParts(before index: Int) {
    while let last = open.last, tables.nodes[last].end == index {
      open.removeLast()
      json.endArray()
      let node = tables.nodes[last]
      if node.kind == .object {
        key("id")
        json.number(node.slot.description)
        json.endDictionary()
      }
      if isInGroup { json.endArray() }
    }
  }

  private mutating func write(_ node: TypedstreamTables.Node, at index: Int) throws(TypedstreamError) {
    try spend(1)
    if node.kind == .group {
      json.beginArray(count: 0)
      open.append(index)
      return
    }
    let isInGroup = isInGroup
    if isInGroup {
      json.beginArray(count: 2)
      let type = tables.types[Int(node.type)]
      try write(text: Int(type.start)..<Int(type.start) + Int(type.length))
    }
    switch node.kind {
    case .object:
      json.beginDictionary(count: 3)
      try writeClass(Int(tables.slots[node.slot].classSlot))
      key("groups")
      json.beginArray(count: 0)
      return open.append(index)
    case .array, .structure:
      json.beginArray(count: 0)
      return open.append(index)
    default: try write(leaf: node)
    }
    if isInGroup { json.endArray() }
  }

  private mutating func write(leaf node: TypedstreamTables.Node) throws(TypedstreamError) {
    switch node.kind {
    case .integer: json.number(Int64(bitPattern: node.payload).description)
    case .unsignedInteger: json.number(node.payload.description)
    case .float: write(Double(Float(bitPattern: UInt32(truncatingIfNeeded: node.payload))))
    case .double: write(Double(bitPattern: node.payload))
    case .string, .data: try write(text: node.range)
    case .sharedString: try write(text: tables.strings[node.slot].range)
    case .cString: try write(text: tables.strings[Int(tables.slots[node.slot].content)].range)
    case .reference:
      json.beginDictionary(count: 1)
      key("ref")
      json.number(node.slot.description)
      json.endDictionary()
    case .classReference:
      json.beginDictionary(count: 1)
      try writeClass(node.slot)
      json.endDictionary()
    case .null, .filler, .group, .object, .array, .structure: json.null()
    }
  }

  private mutating func write(_ value: Double) {
    if value.isFinite { json.number(value.description) } else { json.string(value.description.utf8Span.rawBytes) }
  }

  /// Writes bytes as text, or as hexadecimal digits if they are not UTF-8.
  private mutating func write(text range: Range<Int>) throws(TypedstreamError) {
    try spend(range.count)
    let bytes = tables.bytes
    let text = bytes.rawBytes.extracting(range)
    if text.isValidUTF8 { return json.string(text) }
    try spend(range.count)
    var digits = ByteBuffer()
    for byte in bytes[range] { digits.append(hexadecimal: byte) }
    json.beginDictionary(count: 1)
    key("hex")
    json.string(digits.bytes)
    json.endDictionary()
  }

  /// Writes the names and versions of a class and its superclasses.
  private mutating func writeClass(_ slot: Int) throws(TypedstreamError) {
    key("class")
    json.beginArray(count: 0)
    var next: Int? = slot
    while let slot = next {
      let entry = tables.slots[slot]
      try spend(Int(tables.strings[Int(entry.content)].length))
      json.string("\(tables.className(slot)) v\(entry.detail)".utf8Span.rawBytes)
      next = entry.superclass
    }
    json.endArray()
  }
}

extension Typedstream {
  /// Returns the groups of the stream as JSON, without loss of information.
  ///
  /// ```json
  /// {"byteOrder": "<", "groups": [[["@",
  ///   {"class": ["NSString v1", "NSObject v0"], "groups": [[["+", "Hello"]]], "id": 0}
  /// ]]], "system": 1000}
  /// ```
  ///
  /// A group is an array of values. A value is an array of its type and its content:
  ///
  /// | in the stream | in the JSON |
  /// |---|---|
  /// | integer | a number without point or exponent, exact from -2^63 to 2^64 - 1 |
  /// | real | a number with a point or an exponent; `"inf"`, `"-inf"`, `"nan"` as text |
  /// | string, selector, atom, C string, bytes | text; `{"hex": "beef"}` if it is not UTF-8 |
  /// | first occurrence of an object | `{"class": ["Name v1", …], "groups": […], "id": 0}`, the class before its superclasses |
  /// | object that occurred before | `{"ref": 0}` with its `id` |
  /// | class | `{"class": ["Name v1", …]}` |
  /// | array, structure | an array of the elements, or of the fields, without their types |
  /// | no object, class or string; a value of the type `!` | `null` |
  ///
  /// The `id` is the number in the stream's table of objects, classes and C strings.
  ///
  /// - Parameters:
  ///   - isIndented: true to write each value on a line of its own, false to write one line without white space.
  ///   - limits: the limits for the size of the text in proportion to the stream.
  /// - Returns: UTF-8 (RFC 8259). Control characters are escaped.
  /// - Throws: ``TypedstreamError/Kind/limitExceeded`` if repeated class names or the indentation of nested objects
  ///   make the text too large.
  /// - Complexity: O(*n*) in the size of the stream, plus the size of the class names for each object. Does not
  ///   recurse.
  public func jsonData(
    isIndented: Bool = true, limits: ParsingLimits = ParsingLimits()
  ) throws(TypedstreamError) -> Data {
    var writer = TypedstreamJSONWriter(self, isIndented: isIndented, limits)
    try writer.writeStream()
    return writer.finish()
  }
}
