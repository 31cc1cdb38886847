/// The groups of an object that is being decoded. They contain its values, in the order they were written.
///
/// The boundaries of groups are skipped automatically. ``nextType`` is the type of the next value. See
/// ``TypedstreamDecodable`` for an example.
public struct TypedstreamGroups {
  let unarchiver: TypedstreamUnarchiver
  /// The index of the object in the table of objects.
  let slot: Int
  var cursor: TypedstreamCursor

  init(_ slot: Int, of unarchiver: TypedstreamUnarchiver) {
    self.unarchiver = unarchiver
    self.slot = slot
    let node = Int(unarchiver.tables.slots[slot].content)
    cursor = TypedstreamCursor(node + 1..<unarchiver.tables.nodes[node].end, in: unarchiver.tables)
  }

  /// The object, undecoded.
  public var object: Typedstream.Object { Typedstream.Object(tables: unarchiver.tables, id: slot) }

  /// The name of the object's class.
  public var className: String { object.class.name }

  /// The version of the object's class.
  public var version: Int { object.class.version }

  /// Returns the version of the object's class or of one of its superclasses. Returns nil for any other class.
  ///
  /// - Complexity: O(*n*) in the number of superclasses.
  public func version(ofClass name: String) -> Int? { object.class.chain.first { $0.name == name }?.version }

  /// True if there are no more values.
  public var isAtEnd: Bool { cursor.next == nil }

  /// The type of the next value, such as `i`, `@` or `{_NSPoint=ff}`. Nil at the end.
  public var nextType: String? {
    cursor.next.map { unarchiver.tables.text(ofType: Int(unarchiver.tables.nodes[$0].type)) }
  }

  /// Decodes the next value.
  ///
  /// - Throws: The errors of ``TypedstreamUnarchiver/decode(_:)-1hw7l``.
  public mutating func decode<T: TypedstreamDecodable>(_ type: T.Type = T.self) throws -> T {
    let value = try T._decode(nextPosition(), by: unarchiver)
    cursor.advance(unarchiver.tables)
    return value
  }

  /// Decodes the next value, or returns nil if the stream contains nil in its place.
  ///
  /// - Throws: The errors of ``TypedstreamUnarchiver/decode(_:)-1hw7l``.
  public mutating func decodeIfPresent<T: TypedstreamDecodable>(_ type: T.Type = T.self) throws -> T? {
    try decode(T?.self)
  }

  /// Decodes the next value as the first type in `types` that matches its class, like
  /// ``TypedstreamUnarchiver/decode(of:)``.
  ///
  /// - Throws: The errors of ``TypedstreamUnarchiver/decode(_:)-1hw7l``.
  public mutating func decode(of types: [any TypedstreamDecodable.Type]) throws -> any TypedstreamDecodable {
    let value = try unarchiver.value(of: types, at: nextPosition())
    cursor.advance(unarchiver.tables)
    return value
  }

  /// Returns the next value without decoding it.
  ///
  /// - Throws: ``TypedstreamError/Kind/valueNotFound`` at the end.
  public mutating func decodeValue() throws(TypedstreamError) -> Typedstream.Value {
    let value = Typedstream.Value(tables: unarchiver.tables, nodeIndex: try nextPosition().node)
    cursor.advance(unarchiver.tables)
    return value
  }

  /// Publishes the object being decoded, so that its parts can refer back to it.
  ///
  /// ```swift
  /// init(from groups: inout TypedstreamGroups) throws {
  ///   name = try groups.decode()
  ///   groups.publish(self)
  ///   parent = try groups.decodeIfPresent()   // weak
  ///   subfolders = try groups.decode()        // [Folder], whose parent is this folder
  /// }
  /// ```
  ///
  /// Call it in ``TypedstreamDecodable/init(from:)`` of a class as soon as the stored properties have values, and
  /// before you decode parts that can refer back. A circular reference to an object that was not published is an error.
  public func publish(_ object: some TypedstreamDecodable & AnyObject) { unarchiver.publish(object, as: slot) }

  /// Returns an error about the object, with its class and its offset in the stream.
  ///
  /// ```swift
  /// guard age >= 0 else { throw groups.failure(.invalidContents, "the age is negative: \(age)") }
  /// ```
  public func failure(_ kind: TypedstreamError.Kind, _ message: String) -> TypedstreamError {
    unarchiver.failure(kind, message, slot: slot)
  }

  /// Returns the position of the next value.
  func nextPosition() throws(TypedstreamError) -> TypedstreamPosition {
    guard let node = cursor.next else { throw failure(.valueNotFound, "the object has no more values") }
    return TypedstreamPosition(node: node)
  }

  func require(_ isTrue: Bool, _ message: @autoclosure () -> String) throws(TypedstreamError) {
    if !isTrue { throw failure(.invalidContents, message()) }
  }

  /// Throws if the object has more values, because its Foundation class stores no more.
  func finish() throws(TypedstreamError) {
    if let type = nextType {
      throw failure(
        .invalidContents, "the object has more values than its class stores; the next has the type \(type.quoted)")
    }
  }

  /// Decodes the number of elements that follow. Throws if the object does not have that many.
  mutating func decodeCount(valuesPerElement: Int = 1) throws -> Int {
    let count = try decode(Int.self)
    // Each value has at least one node, so the number of nodes is an upper bound.
    let left = cursor.greatestCount / valuesPerElement
    guard count >= 0, count <= left else {
      throw failure(.invalidContents, "expected \(count) elements, but at most \(left) are left")
    }
    return count
  }
}
