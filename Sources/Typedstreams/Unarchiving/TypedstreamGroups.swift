/// The groups of an object that is being decoded: its values, in the order in which they were written.
///
/// The heads of groups are passed over by themselves; ``nextType`` says what comes next.
public struct TypedstreamGroups {
  let unarchiver: TypedstreamUnarchiver
  /// The object, in the table of objects.
  let slot: Int
  var cursor: TypedstreamCursor

  init(_ slot: Int, of unarchiver: TypedstreamUnarchiver) {
    self.unarchiver = unarchiver
    self.slot = slot
    let node = Int(unarchiver.tables.slots[slot].content)
    cursor = TypedstreamCursor(node + 1..<unarchiver.tables.nodes[node].end, in: unarchiver.tables)
  }

  /// The object, as it stands in the stream.
  public var object: Typedstream.Object { Typedstream.Object(tables: unarchiver.tables, id: slot) }

  /// The name of the object's class.
  public var className: String { object.class.name }

  /// The version of the object's class.
  public var version: Int { object.class.version }

  /// The version of a class that the object's class inherits from, or of that class itself; nil if it is none of them.
  public func version(ofClass name: String) -> Int? { object.class.chain.first { $0.name == name }?.version }

  /// True if there are no more values.
  public var isAtEnd: Bool { cursor.next == nil }

  /// The type of the next value, such as `i`, `@` or `{_NSPoint=ff}`; nil at the end.
  public var nextType: String? {
    cursor.next.map { unarchiver.tables.text(ofType: Int(unarchiver.tables.nodes[$0].type)) }
  }

  /// Decodes the next value.
  ///
  /// - Throws: as ``TypedstreamUnarchiver/decode(_:)``.
  public mutating func decode<T: TypedstreamDecodable>(_ type: T.Type = T.self) throws -> T {
    let value = try T._decode(nextPosition(), by: unarchiver)
    cursor.advance(unarchiver.tables)
    return value
  }

  /// Decodes the next value, which may be nil.
  ///
  /// - Throws: as ``TypedstreamUnarchiver/decode(_:)``.
  public mutating func decodeIfPresent<T: TypedstreamDecodable>(_ type: T.Type = T.self) throws -> T? {
    try decode(T?.self)
  }

  /// Decodes the next value as the first of several types that its class allows.
  ///
  /// - Throws: as ``TypedstreamUnarchiver/decode(_:)``.
  public mutating func decode(of types: [any TypedstreamDecodable.Type]) throws -> any TypedstreamDecodable {
    let value = try unarchiver.value(of: types, at: nextPosition())
    cursor.advance(unarchiver.tables)
    return value
  }

  /// Takes the next value as it stands in the stream. No object is made of it.
  ///
  /// - Throws: ``TypedstreamError/Kind/valueNotFound`` at the end.
  public mutating func decodeValue() throws(TypedstreamError) -> Typedstream.Value {
    let value = Typedstream.Value(tables: unarchiver.tables, nodeIndex: try nextPosition().node)
    cursor.advance(unarchiver.tables)
    return value
  }

  /// Makes the object that is being decoded known to the objects it consists of, which may refer back to it.
  ///
  /// Call it in ``TypedstreamDecodable/init(from:)`` of a class as soon as the stored properties have values, and
  /// before decoding what can lead back. A circle that nobody published is an error.
  public func publish(_ object: some TypedstreamDecodable & AnyObject) { unarchiver.publish(object, as: slot) }

  /// An error about the object, with its class and its offset in the stream.
  public func failure(_ kind: TypedstreamError.Kind, _ message: String) -> TypedstreamError {
    unarchiver.failure(kind, message, slot: slot)
  }

  /// The position of the next value.
  func nextPosition() throws(TypedstreamError) -> TypedstreamPosition {
    guard let node = cursor.next else { throw failure(.valueNotFound, "the object has no more values") }
    return TypedstreamPosition(node: node)
  }

  func require(_ isTrue: Bool, _ message: @autoclosure () -> String) throws(TypedstreamError) {
    if !isTrue { throw failure(.invalidContents, message()) }
  }

  /// Checks that nothing is left that a value of a class of Foundation would lose.
  func finish() throws(TypedstreamError) {
    if let type = nextType {
      throw failure(.invalidContents, "more values than the class has, the next of the type \(type.quoted)")
    }
  }

  /// Decodes how many elements come next.
  mutating func decodeCount(valuesPerElement: Int = 1) throws -> Int {
    let count = try decode(Int.self)
    // What is left has a node for each value at least.
    let left = cursor.greatestCount / valuesPerElement
    guard count >= 0, count <= left else {
      throw failure(.invalidContents, "\(count) elements, with \(left) left at most")
    }
    return count
  }
}
