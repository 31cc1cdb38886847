internal import OrderedCollections
@_spi(Archives) internal import PropertyLists

/// A `Codable` value that is being encoded into an archive.
///
/// It is a class, because a type gets a container from the encoder first, and adds values to it later.
final class EncodedBox {
  enum Content {
    case nothing
    case null
    case keyed([(key: String, box: EncodedBox)])
    case unkeyed([EncodedBox])
    case value(any SecureCoding)
    /// A number or a Boolean in two forms: a node to store inline in an object, and a value to archive in a collection.
    case scalar(FlatNode, any SecureCoding)
  }

  var content = Content.nothing
  /// The type of the encoded value if that is a set or a dictionary, whose order differs from process to process. Nil
  /// for other values.
  var collection: (any HashedCollection.Type)?
  /// True if the encoded value is a collection, which does not count as a nesting level.
  var isCollection = false

  init(_ content: Content = .nothing) { self.content = content }

  /// Releases nested boxes in a loop, because recursion could overflow the stack.
  deinit {
    var rest = takeContainers()
    while let box = rest.popLast() { rest += box.takeContainers() }
  }

  func takeContent(of other: EncodedBox) {
    content = other.content
    other.content = .nothing
  }

  /// Empties the box, and returns its nested boxes except empty ones.
  private func takeContainers() -> [EncodedBox] {
    let boxes: [EncodedBox]
    switch content {
    case .keyed(let entries): boxes = entries.map(\.box)
    case .unkeyed(let elements): boxes = elements
    case .nothing, .null, .value, .scalar: return []
    }
    content = .nothing
    return boxes.filter(\.isContainer)
  }

  private var isContainer: Bool {
    switch content {
    case .keyed(let entries): !entries.isEmpty
    case .unkeyed(let elements): !elements.isEmpty
    case .nothing, .null, .value, .scalar: false
    }
  }

  /// Encodes a value and returns its box. `depth` is the number of values around it in the archiver's current object,
  /// not counting collections.
  static func box<T: Encodable>(
    _ value: T, _ coder: KeyedArchiver, _ trail: CodingTrail?, depth: Int
  ) throws -> EncodedBox {
    if let value = value as? any SecureCoding { return EncodedBox(.value(value)) }
    if let foundation = FoundationType.of(T.self) { return EncodedBox(.value(try foundation.counterpart(of: value))) }
    let encoder = ArchiveEncoder(coder, trail, depth: value is any StandardCollection ? depth : depth + 1)
    if try coder.needsMoreStack(within: depth) {
      try coder.onMoreStack { try value.encode(to: encoder) }
    } else {
      try value.encode(to: encoder)
    }
    encoder.box.note(value)
    return encoder.box
  }

  @inline(never)
  private func note(_ value: some Encodable) {
    isCollection = value is any StandardCollection
    if isCollection, let collection = value as? any HashedCollection { self.collection = type(of: collection) }
  }

  /// Adds the box of a key. Several containers of one value add to the same box.
  func append(_ box: EncodedBox, forKey key: String) {
    guard case .keyed(var entries) = content else {
      content = .keyed([(key, box)])
      return
    }
    content = .nothing
    entries.append((key, box))
    content = .keyed(entries)
  }

  func append(_ box: EncodedBox) {
    guard case .unkeyed(var elements) = content else {
      content = .unkeyed([box])
      return
    }
    content = .nothing
    elements.append(box)
    content = .unkeyed(elements)
  }

  /// Sorts the entries of a dictionary in an order that depends only on the keys; see ``CanonicalOrder``. If this box
  /// is not a dictionary, the entries keep their order.
  fileprivate func ordered(
    _ entries: [(key: String, box: EncodedBox)], for coder: KeyedArchiver
  ) throws -> [(key: String, box: EncodedBox)] {
    guard collection != nil else { return entries }
    return try CanonicalOrder.positions(of: entries.map(\.key), for: coder).map { entries[$0] }
  }

  /// Sorts the values of a set, or the keys and values of a dictionary, in an order that depends only on the elements
  /// or keys; see ``CanonicalOrder``. If this box is neither, the values keep their order.
  fileprivate func ordered(_ values: [EncodedBox], for coder: KeyedArchiver) throws -> [EncodedBox] {
    guard let count = collection?.valuesPerElement, values.count > count else { return values }
    let elements = stride(from: 0, to: values.count, by: count).map { values[$0..<min($0 + count, values.count)] }
    let order = try CanonicalOrder.positions(of: elements, for: coder) { values, archiver in
      try archiver.encode(elements: values, forRawKey: KeyedArchiver.rootObjectKey) {
        try $0.reference(by: archiver).node
      }
    }
    return order.flatMap { elements[$0] }
  }

  func reference(by coder: KeyedArchiver) throws -> ArchivedReference {
    switch content {
    case .nothing: try coder.reference(toValue: EncodedDictionary(entries: [], isCollection: false))
    case .null: ArchivedReference(node: .uid(0))
    case .keyed(let entries):
      try coder.reference(toValue: EncodedDictionary(entries: ordered(entries, for: coder), isCollection: isCollection))
    case .unkeyed(let elements):
      try coder.reference(toValue: EncodedArray(elements: ordered(elements, for: coder), isCollection: isCollection))
    case .value(let value), .scalar(_, let value): try value._archive(by: coder)
    }
  }
}

extension KeyedArchiver {
  /// Encodes a box as the contents of the current object.
  func encode(contents box: EncodedBox) throws {
    switch box.content {
    case .nothing: break
    case .keyed(let entries):
      for (key, box) in try box.ordered(entries, for: self) {
        try encode(userKey: key) { coder in
          if case .scalar(let node, _) = box.content { return node }
          return try box.reference(by: coder).node
        }
      }
    case .unkeyed(let elements):
      for (index, element) in try box.ordered(elements, for: self).enumerated() {
        try encode(element, withoutKeyAt: index)
      }
    case .null, .value, .scalar: try encode(box, withoutKeyAt: 0)
    }
  }

  /// Encodes a value under the key `$0`, `$1` and so on, as Apple's archiver does for values without a key.
  private func encode(_ box: EncodedBox, withoutKeyAt index: Int) throws {
    try encode(rawKey: "$\(index)") { coder in try box.reference(by: coder).node }
  }
}

/// A type that can only be encoded. Its archived objects are decoded as other types.
private protocol EncodedOnly: SecureCoding {}

extension EncodedOnly {
  init(coder: KeyedUnarchiver) throws { throw coder.failure(.typeMismatch, "\(Self.self) can only be encoded") }
}

/// A box with keys, which is archived as an `NSDictionary` with strings as keys.
private struct EncodedDictionary: EncodedOnly {
  static let archivedClass = OrderedDictionary<String, String>.archivedClass

  let entries: [(key: String, box: EncodedBox)]
  let isCollection: Bool

  func encode(with coder: KeyedArchiver) throws {
    if isCollection { coder.noteCollection() }
    var keys = Set<String>(minimumCapacity: entries.count)
    for (key, _) in entries where !keys.insert(key).inserted {
      throw KeyedArchiveError(.duplicateKey, "the key \(key.quoted) was encoded twice in one value")
    }
    try coder.encode(references: entries.map(\.key), forRawKey: "NS.keys")
    try coder.encode(elements: entries, forRawKey: "NS.objects") { try $0.box.reference(by: coder).node }
  }
}

/// A box without keys, which is archived as an `NSArray`.
private struct EncodedArray: EncodedOnly {
  static let archivedClass = ArchivedArray.archivedClass

  let elements: [EncodedBox]
  let isCollection: Bool

  func encode(with coder: KeyedArchiver) throws {
    if isCollection { coder.noteCollection() }
    try coder.encode(elements: elements, forRawKey: "NS.objects") { try $0.reference(by: coder).node }
  }
}

/// An encoder that stores a `Codable` value in an ``EncodedBox``, from which it is archived later.
struct ArchiveEncoder: Encoder {
  let box: EncodedBox
  fileprivate let coder: KeyedArchiver
  fileprivate let trail: CodingTrail?
  fileprivate let depth: Int

  var codingPath: [any CodingKey] { trail?.path ?? [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ coder: KeyedArchiver, _ trail: CodingTrail?, depth: Int, box: EncodedBox = EncodedBox()) {
    self.coder = coder
    self.trail = trail
    self.depth = depth
    self.box = box
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .keyed = box.content {} else { box.content = .keyed([]) }
    return KeyedEncodingContainer(KeyedContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .unkeyed = box.content {} else { box.content = .unkeyed([]) }
    return UnkeyedContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  @inline(__always)
  fileprivate func box(_ value: some Encodable, _ step: CodingStep) throws -> EncodedBox {
    try EncodedBox.box(value, coder, CodingTrail(trail, step), depth: depth)
  }

  /// Returns an encoder that stores the values of a nested container in a box.
  fileprivate func nested(_ nested: EncodedBox, _ step: CodingStep) -> ArchiveEncoder {
    ArchiveEncoder(coder, CodingTrail(trail, step), depth: depth + 1, box: nested)
  }
}

extension ArchiveEncoder: SingleValueEncodingContainer {
  func encodeNil() throws { box.content = .null }

  func encode<T: Encodable>(_ value: T) throws {
    let encoded = try EncodedBox.box(value, coder, trail, depth: depth)
    box.takeContent(of: encoded)
    box.collection = encoded.collection
    box.isCollection = encoded.isCollection
  }
}

private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ArchiveEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  private func append(_ content: EncodedBox.Content, _ key: Key) {
    encoder.box.append(EncodedBox(content), forKey: key.stringValue)
  }

  mutating func encodeNil(forKey key: Key) throws { append(.null, key) }
  mutating func encode(_ value: Bool, forKey key: Key) throws { append(.scalar(.boolean(value), value), key) }
  mutating func encode(_ value: String, forKey key: Key) throws { append(.value(value), key) }
  mutating func encode(_ value: Double, forKey key: Key) throws { append(.scalar(.real(value), value), key) }
  mutating func encode(_ value: Float, forKey key: Key) throws { append(.scalar(.float(value), value), key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { append(.scalar(.integer(value), value), key) }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    encoder.box.append(try encoder.box(value, .key(key)), forKey: key.stringValue)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    nested(key).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { nested(SuperKey()) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

  private func nested(_ key: any CodingKey) -> ArchiveEncoder {
    let nested = EncodedBox()
    encoder.box.append(nested, forKey: key.stringValue)
    return encoder.nested(nested, .key(key))
  }
}

private struct UnkeyedContainer: UnkeyedEncodingContainer {
  let encoder: ArchiveEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int { if case .unkeyed(let elements) = encoder.box.content { elements.count } else { 0 } }

  mutating func encodeNil() throws { encoder.box.append(EncodedBox(.null)) }

  mutating func encode<T: Encodable>(_ value: T) throws { encoder.box.append(try encoder.box(value, .index(count))) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    nested().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

  mutating func superEncoder() -> any Encoder { nested() }

  private func nested() -> ArchiveEncoder {
    let nested = EncodedBox()
    let step = CodingStep.index(count)
    encoder.box.append(nested)
    return encoder.nested(nested, step)
  }
}
