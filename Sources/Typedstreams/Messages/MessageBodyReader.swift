internal import FoundationEssentials
internal import PropertyLists

/// Reads a message from the tables of a typedstream.
///
/// The runs follow the text. A run consists of two numbers: the number of a set of attributes, counted from 1, and a
/// length in UTF-16 units. After the first run that uses a set, the set itself follows.
struct MessageBodyReader {
  let tables: TypedstreamTables
  /// The approximate number of bytes that decoded attributes may still take. Without a limit, references could make a
  /// small stream expand to any number of values.
  private var budget: WorkBudget

  init(tables: TypedstreamTables) {
    self.tables = tables
    budget = WorkBudget(1 << 20 + 16 * tables.bytes.count)
  }

  mutating func body() throws(TypedstreamError) -> MessageBody {
    guard tables.nodes.count > 1, let root = object(at: 1) else {
      throw TypedstreamError(
        .classNotAllowed, "expected NSString or NSAttributedString at the root of the stream, found no object")
    }
    if let text = try string(root) { return MessageBody(text: text, runs: []) }
    guard isKind(root, Self.attributedString) else {
      throw failure(.classNotAllowed, "expected NSString or NSAttributedString, found an object of another class", root)
    }
    var values = values(of: root)
    guard let first = values.pop(tables), let object = object(at: first), let text = try string(object) else {
      throw failure(.invalidContents, "the attributed string has no text", root)
    }
    var body = MessageBody(text: text, runs: [])
    try readRuns(of: &body, &values, root)
    return body
  }

  private mutating func readRuns(
    of body: inout MessageBody, _ values: inout TypedstreamCursor, _ root: Int
  ) throws(TypedstreamError) {
    var sets: [(attributes: [MessageBody.Attribute], size: Int)] = []
    let units = body.text.utf16
    var rest = units.count
    var index = units.startIndex
    while rest > 0 {
      guard let first = values.pop(tables), let number = integer(at: first), let second = values.pop(tables),
        let length = integer(at: second)
      else { throw failure(.invalidContents, "the runs end before the end of the text", root) }
      guard length >= 0, length <= Int64(rest) else {
        throw failure(
          .invalidContents,
          "the length of a run must be from 0 to \(rest) UTF-16 units, the rest of the text, not \(length)", root)
      }
      if number == Int64(sets.count) + 1 {
        guard let nodeIndex = values.pop(tables), let set = object(at: nodeIndex), isKind(set, Self.dictionary) else {
          throw failure(.invalidContents, "a run has no dictionary of attributes", root)
        }
        let before = budget.spent
        sets.append((try attributes(set), budget.spent - before))
      }
      guard number >= 1, number <= Int64(sets.count) else {
        throw failure(
          .invalidContents, "a run refers to attributes number \(number), but \(sets.count) are known", root)
      }
      let end = units.index(index, offsetBy: Int(length))
      // Each run is charged for its attributes, because visiting or comparing them takes time for each run.
      try spend(16 + sets[Int(number) - 1].size / 8, root)
      body.runs.append(MessageBody.Run(range: index..<end, attributes: sets[Int(number) - 1].attributes))
      rest -= Int(length)
      index = end
    }
  }

  private func failure(_ kind: TypedstreamError.Kind, _ message: String, _ slot: Int) -> TypedstreamError {
    TypedstreamError(
      kind, message, byteOffset: tables.slots[slot].offset, objectID: slot,
      className: tables.className(Int(tables.slots[slot].classSlot)))
  }

  private mutating func attributes(_ dictionary: Int) throws(TypedstreamError) -> [MessageBody.Attribute] {
    var attributes: [MessageBody.Attribute] = []
    var values = values(of: dictionary)
    guard let nodeIndex = values.pop(tables), let size = integer(at: nodeIndex) else { return [] }
    attributes.reserveCapacity(Int(clamping: max(min(size, 16), 0)))
    while let key = values.pop(tables), let value = values.pop(tables) {
      guard let name = object(at: key).flatMap(stringRange), let object = object(at: value) else { continue }
      try count(name.count, dictionary)
      if let known = MessageAttributeName(tables.bytes[name]), let attribute = try attribute(known, object) {
        attributes.append(attribute)
      } else {
        attributes.append(.other(tables.text(name), try self.value(object, depth: 0)))
      }
    }
    return attributes
  }

  /// Subtracts the approximate memory of a value from the budget: `bytes`, and 64 bytes that each value takes in
  /// addition. Throws an error about `object` if the budget is used up.
  private mutating func count(_ bytes: Int, _ object: Int) throws(TypedstreamError) { try spend(64 + bytes, object) }

  private mutating func spend(_ amount: Int, _ object: Int) throws(TypedstreamError) {
    guard budget.spend(amount) else {
      throw failure(
        .limitExceeded, "attributes that refer to each other expand to more than \(budget.limit) bytes", object)
    }
  }

  /// Returns the attribute with this name and with the object as its value. Returns nil if the object is not a valid
  /// value for it.
  private mutating func attribute(
    _ name: MessageAttributeName, _ object: Int
  ) throws(TypedstreamError) -> MessageBody.Attribute? {
    switch name {
    case .part: number(object).map { .part(Int(clamping: $0)) }
    case .writingDirection: number(object).map { .writingDirection(Int(clamping: $0)) }
    case .transferID: try string(object).map { .transferID($0) }
    case .fileName: try string(object).map { .fileName($0) }
    case .mediaWidth: real(object).map { .mediaWidth($0) }
    case .mediaHeight: real(object).map { .mediaHeight($0) }
    case .detectedData: try detected(.data, object)
    case .calendarEvent: try detected(.calendarEvent, object)
    case .phoneNumber: try detected(.phoneNumber, object)
    case .address: try detected(.address, object)
    case .link: try url(object).map { .link($0) }
    case .isRichLink: number(object).map { .isRichLink($0 != 0) }
    case .mention: try string(object).map { .mention($0) }
    case .bold: style(.bold, object)
    case .italic: style(.italic, object)
    case .underline: style(.underline, object)
    case .strikethrough: style(.strikethrough, object)
    case .effect: number(object).map { .effect(MessageBody.Effect(rawValue: Int(clamping: $0))) }
    case .oneTimeCode: try oneTimeCode(object).map { .oneTimeCode($0) }
    case .transcription: try string(object).map { .transcription($0) }
    }
  }

  private mutating func detected(
    _ kind: MessageBody.Detected.Kind, _ object: Int
  ) throws(TypedstreamError) -> MessageBody.Attribute? {
    try data(object).map { .detected(MessageBody.Detected(kind: kind, archive: $0)) }
  }

  private func style(_ style: MessageBody.Styles, _ object: Int) -> MessageBody.Attribute? {
    number(object).map { .style($0 == 0 ? [] : style) }
  }

  private mutating func oneTimeCode(_ object: Int) throws(TypedstreamError) -> MessageBody.OneTimeCode? {
    guard case .dictionary(let entries) = try value(object, depth: 0), case .string(let code)? = entries["code"],
      case .string(let displayed)? = entries["displayCode"]
    else { return nil }
    return MessageBody.OneTimeCode(code: code, displayCode: displayed)
  }

  /// Returns the value of an attribute that this package does not know, which can be any object. For a collection
  /// inside four other collections, returns only its class.
  private mutating func value(_ object: Int, depth: Int) throws(TypedstreamError) -> MessageBody.Value {
    try count(0, object)
    if let string = try string(object) { return .string(string) }
    if let integer = number(object) { return .integer(integer) }
    if let real = real(object) { return .real(real) }
    if let data = try data(object) { return .data(data) }
    if let url = try url(object) { return .url(url) }
    if depth < 4, isKind(object, Self.array) {
      var values = values(of: object)
      _ = values.pop(tables)
      var elements: [MessageBody.Value] = []
      while let nodeIndex = values.pop(tables) {
        if let element = self.object(at: nodeIndex) { elements.append(try value(element, depth: depth + 1)) }
      }
      return .array(elements)
    }
    if depth < 4, isKind(object, Self.dictionary) {
      var values = values(of: object)
      _ = values.pop(tables)
      var entries: [String: MessageBody.Value] = [:]
      while let key = values.pop(tables), let nodeIndex = values.pop(tables) {
        guard let object = self.object(at: key), let name = try string(object), let element = self.object(at: nodeIndex)
        else { continue }
        entries[name] = try value(element, depth: depth + 1)
      }
      return .dictionary(entries)
    }
    return .object(className: tables.className(Int(tables.slots[object].classSlot)))
  }

  // Readers for objects of Foundation's classes, by their indices in the table of objects. They return nil for objects
  // of other classes.

  private static let attributedString = Array("NSAttributedString".utf8)
  private static let string = Array("NSString".utf8)
  private static let number = Array("NSNumber".utf8)
  private static let data = Array("NSData".utf8)
  private static let url = Array("NSURL".utf8)
  private static let array = Array("NSArray".utf8)
  private static let dictionary = Array("NSDictionary".utf8)

  /// Returns the values of an object, by its index in the table of objects.
  private func values(of object: Int) -> TypedstreamCursor {
    let node = Int(tables.slots[object].content)
    return TypedstreamCursor(node + 1..<tables.nodes[node].end, in: tables)
  }

  /// Returns true if an object has a class or one of its subclasses.
  private func isKind(_ object: Int, _ name: [UInt8]) -> Bool {
    var slot: Int? = Int(tables.slots[object].classSlot)
    while let classSlot = slot {
      let range = tables.strings[Int(tables.slots[classSlot].content)].range
      if range.count == name.count, tables.bytes[range].elementsEqual(name) { return true }
      slot = tables.slots[classSlot].superclass
    }
    return false
  }

  /// Returns the object that a value contains or refers to, by its index in the table of objects; nil for other values.
  private func object(at nodeIndex: Int) -> Int? {
    let node = tables.nodes[nodeIndex]
    return node.kind == .object || node.kind == .reference ? node.slot : nil
  }

  private func stringRange(_ object: Int) -> Range<Int>? {
    guard isKind(object, Self.string) else { return nil }
    var values = values(of: object)
    guard let nodeIndex = values.pop(tables), tables.nodes[nodeIndex].kind == .string else { return nil }
    return tables.nodes[nodeIndex].range
  }

  private mutating func string(_ object: Int) throws(TypedstreamError) -> String? {
    guard let range = stringRange(object) else { return nil }
    try count(range.count, object)
    return tables.text(range)
  }

  private func integer(at nodeIndex: Int) -> Int64? {
    let node = tables.nodes[nodeIndex]
    switch node.kind {
    case .integer: return Int64(bitPattern: node.payload)
    case .unsignedInteger: return Int64(exactly: node.payload)
    default: return nil
    }
  }

  /// Returns the node index of the number in an `NSNumber`. It follows a string with the type of the number.
  private func indexOfNumber(_ object: Int) -> Int? {
    guard isKind(object, Self.number) else { return nil }
    var values = values(of: object)
    return values.pop(tables) == nil ? nil : values.pop(tables)
  }

  private func number(_ object: Int) -> Int64? { indexOfNumber(object).flatMap { integer(at: $0) } }

  private func real(_ object: Int) -> Double? {
    guard let nodeIndex = indexOfNumber(object) else { return nil }
    let node = tables.nodes[nodeIndex]
    switch node.kind {
    case .double: return Double(bitPattern: node.payload)
    case .float: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: node.payload)))
    default: return integer(at: nodeIndex).map { Double($0) }
    }
  }

  private mutating func data(_ object: Int) throws(TypedstreamError) -> Data? {
    guard isKind(object, Self.data) else { return nil }
    var values = values(of: object)
    guard values.pop(tables) != nil, let nodeIndex = values.pop(tables), tables.nodes[nodeIndex].kind == .data else {
      return nil
    }
    try count(tables.nodes[nodeIndex].range.count, object)
    return Data(tables.bytes[tables.nodes[nodeIndex].range])
  }

  /// Returns the URL of an `NSURL`. The base of a base URL is ignored.
  private mutating func url(_ object: Int, isBase: Bool = false) throws(TypedstreamError) -> URL? {
    guard isKind(object, Self.url) else { return nil }
    var values = values(of: object)
    guard let flag = values.pop(tables), let isRelative = integer(at: flag) else { return nil }
    var base: URL?
    if isRelative != 0 {
      guard let nodeIndex = values.pop(tables) else { return nil }
      if !isBase, let other = self.object(at: nodeIndex) { base = try url(other, isBase: true) }
    }
    guard let nodeIndex = values.pop(tables), let text = self.object(at: nodeIndex), let string = try string(text)
    else { return nil }
    return URL(string: string, relativeTo: base)
  }
}
