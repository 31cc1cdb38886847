internal import FoundationEssentials
public import OrderedCollections

/// An array is decoded from an `NSArray` or an inline array.
extension Array: TypedstreamDecodable where Element: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSArray", "NSMutableArray"] }

  public init(from groups: inout TypedstreamGroups) throws {
    let count = try groups.decodeCount()
    self.init()
    reserveCapacity(Swift.min(count, 1024))
    for _ in 0..<count { append(try groups.decode(Element.self)) }
    try groups.finish()
  }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> [Element]
  {
    let tables = unarchiver.tables
    guard tables.nodes[position.node].kind == .array else { return try unarchiver.value(Self.self, at: position) }
    var elements: [Element] = []
    var element = position.node + 1
    while element < tables.nodes[position.node].end {
      try unarchiver.spend(0)
      elements.append(try Element._decode(TypedstreamPosition(node: element), by: unarchiver))
      element = tables.next(after: element)
    }
    return elements
  }
}

extension TypedstreamGroups {
  /// Decodes elements, and throws if two are equal.
  fileprivate mutating func decodeDistinct<Element: TypedstreamDecodable>(
    _ type: Element.Type, _ insert: (Element) -> Bool
  ) throws {
    for _ in 0..<(try decodeCount()) {
      let element = try decodeHashed(Element.self)
      if !insert(element) { throw standsTwice(element) }
    }
    try finish()
  }

  /// Decodes a value that will be hashed, and subtracts the work of hashing it from the budget. If a set is in another
  /// set, the outer set hashes its values again, and they are counted again.
  private mutating func decodeHashed<T: TypedstreamDecodable>(_ type: T.Type) throws -> T {
    let before = unarchiver.decoded
    let value = try decode(type)
    try unarchiver.spendHashing(unarchiver.decoded - before)
    return value
  }

  fileprivate func standsTwice(_ element: some Any) -> TypedstreamError {
    failure(.invalidContents, "\("\(element)".quoted) occurs twice")
  }

  /// Decodes keys and values, and throws if two keys are equal.
  fileprivate mutating func decodeEntries<Key: TypedstreamDecodable, Value: TypedstreamDecodable>(
    _ insert: (Key, Value) -> Bool
  ) throws {
    for _ in 0..<(try decodeCount(valuesPerElement: 2)) {
      let key = try decodeHashed(Key.self)
      let value = try decode(Value.self)
      if !insert(key, value) { throw standsTwice(key) }
    }
    try finish()
  }
}

/// A set is decoded from an `NSSet`.
extension Set: TypedstreamDecodable where Element: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSSet", "NSMutableSet"] }

  public init(from groups: inout TypedstreamGroups) throws {
    self.init()
    try groups.decodeDistinct(Element.self) { insert($0).inserted }
  }
}

/// An ordered set is decoded from an `NSSet`, in the order of the stream.
extension OrderedSet: TypedstreamDecodable where Element: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSSet", "NSMutableSet"] }

  public init(from groups: inout TypedstreamGroups) throws {
    self.init()
    try groups.decodeDistinct(Element.self) { append($0).inserted }
  }
}

/// A dictionary is decoded from an `NSDictionary`.
extension Dictionary: TypedstreamDecodable where Key: TypedstreamDecodable, Value: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSDictionary", "NSMutableDictionary"] }

  public init(from groups: inout TypedstreamGroups) throws {
    self.init()
    try groups.decodeEntries { updateValue($1, forKey: $0) == nil }
  }
}

/// An ordered dictionary is decoded from an `NSDictionary`, in the order of the stream.
extension OrderedDictionary: TypedstreamDecodable where Key: TypedstreamDecodable, Value: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { ["NSDictionary", "NSMutableDictionary"] }

  public init(from groups: inout TypedstreamGroups) throws {
    self.init()
    try groups.decodeEntries { updateValue($1, forKey: $0) == nil }
  }
}

/// An optional is decoded from a value or from nil.
extension Optional: TypedstreamDecodable where Wrapped: TypedstreamDecodable {
  public static var typedstreamClasses: [String] { Wrapped.typedstreamClasses }

  public init(from groups: inout TypedstreamGroups) throws { self = try Wrapped(from: &groups) }

  public static func _decode(_ position: TypedstreamPosition, by unarchiver: TypedstreamUnarchiver) throws -> Wrapped? {
    if unarchiver.tables.nodes[position.node].kind == .null { return nil }
    return try Wrapped._decode(position, by: unarchiver)
  }
}
