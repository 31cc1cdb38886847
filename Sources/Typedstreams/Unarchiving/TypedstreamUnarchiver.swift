public import FoundationEssentials
public import KeyedArchiving
@_spi(Archives) public import PropertyLists

/// An unarchiver that decodes values and objects from a typedstream.
///
/// ```swift
/// let text = try TypedstreamUnarchiver.unarchivedObject(of: Archived.AttributedString.self, from: data)
/// ```
///
/// Only the types that your decoding calls name are instantiated: `decode([Invoice].self)` allows an array of invoices
/// and nothing else, at any depth. Classes are not looked up by name, so the bytes cannot choose a type. A number is
/// decoded exactly or not at all, except for 8-byte reals that are decoded as `Float`, which are rounded.
///
/// Several values in one stream are decoded one after another, in the order they were archived:
///
/// ```swift
/// let unarchiver = try TypedstreamUnarchiver(forReadingFrom: data)
/// let title = try unarchiver.decode(String.self)
/// let pages = try unarchiver.decode(Int.self)
/// print(title, pages, unarchiver.isAtEnd)   // Groceries 3 true
/// ```
///
/// The same calls open data that contains an archive. If you decode a type and the next value is data, the first bytes
/// decide: the root of a keyed archive or typedstream is decoded as that type, and a `Decodable` type is decoded from a
/// property list. The same types are allowed in the nested archive, and its values count toward the same limits.
///
/// ```swift
/// let stream = try TypedstreamUnarchiver(forReadingFrom: data)
/// let color = try stream.decode(Archived.Color.self)   // an NSColor, or an NSData with a keyed archive of one
/// ```
public final class TypedstreamUnarchiver {
  /// The stream.
  public let stream: Typedstream

  /// More types of objects that an `ArchivedValue` may contain, for example in the attributes of text.
  ///
  /// ```swift
  /// unarchiver.additionalTypes = [Highlight.self]
  /// let text = try unarchiver.decode(Archived.AttributedString.self)   // attributes can have objects of this type
  /// ```
  ///
  /// Set it before the first decoding call.
  public var additionalTypes: [any (TypedstreamDecodable & SecureCoding).Type] = []

  /// True if an `ArchivedValue` keeps an object of an unknown class as a ``Typedstream/Object``. If false, which is the
  /// default, decoding such an object throws an error.
  ///
  /// A class is unknown if this package does not know it, no type in ``additionalTypes`` is for it, and no type was set
  /// for it with ``setClass(_:forClassName:)``.
  ///
  /// ```swift
  /// unarchiver.keepsUnknownObjects = true
  /// if case .object(let object as Typedstream.Object) = try unarchiver.decode(ArchivedValue.self) {
  ///   print(object.class.name)
  /// }
  /// ```
  public var keepsUnknownObjects = false

  let tables: TypedstreamTables
  private var top: TypedstreamCursor
  private(set) var mapped: [String: any TypedstreamDecodable.Type] = [:]
  /// The cached results of ``admits(_:classSlot:)``.
  private var admissions: [Admission: Bool] = [:]
  /// For each entry of the table of objects, true while the object is being decoded.
  private var isBegun: [Bool]
  /// The index of the object being decoded in the table of objects. Nil outside of objects.
  private var current: Int?
  /// The decoded instances of classes, by the index of their object in the table of objects.
  private var made: [Int: AnyObject] = [:]
  /// The number of levels of values in each instance in ``made``, including the level of the instance itself.
  private var heights: [Int: Int] = [:]
  /// The number of values that may still be decoded; see `ParsingLimits.expandedSize`.
  private(set) var budget: WorkBudget
  /// The part of the budget that was used for hashing, in values.
  private var hashed = 0
  let limits: ParsingLimits
  private var depth = 0
  /// The greatest depth so far in the value being decoded.
  private var deepest = 0
  /// The number of levels of objects around the data that contains the stream.
  private let levelsAround: Int
  private var stackRoom: StackRoom

  private struct Admission: Hashable {
    let classSlot: Int
    let type: ObjectIdentifier
  }

  /// Opens a stream.
  ///
  /// - Parameters:
  ///   - data: the whole stream.
  ///   - limits: the limits for the size and depth of the stream, and for the number of decoded values.
  /// - Throws: The errors of ``Typedstream/init(_:limits:)``.
  public convenience init(forReadingFrom data: Data, limits: ParsingLimits = ParsingLimits()) throws(TypedstreamError) {
    self.init(try Typedstream(data, limits: limits), limits: limits)
  }

  /// Opens a stream that has been read.
  ///
  /// - Parameter limits: the limits for the number of decoded values.
  public convenience init(_ stream: Typedstream, limits: ParsingLimits = ParsingLimits()) {
    self.init(
      stream, limits, valueLimit: limits.effectiveValueCount(inputSize: stream.tables.bytes.count), levelsAround: 0)
  }

  /// Opens a stream that may be nested in another archive.
  init(_ stream: Typedstream, _ limits: ParsingLimits, valueLimit: Int, levelsAround: Int) {
    self.stream = stream
    self.limits = limits
    self.levelsAround = levelsAround
    stackRoom = StackRoom(reserve: levelsAround)
    tables = stream.tables
    top = TypedstreamCursor(0..<tables.nodes.count, in: tables)
    isBegun = Array(repeating: false, count: tables.slots.count)
    budget = WorkBudget(valueLimit)
  }

  /// Decodes the first value of a stream.
  ///
  /// - Parameter limits: the limits for the size and depth of the stream, and for the number of decoded values.
  /// - Throws: ``TypedstreamError``, or an error of a type's own ``TypedstreamDecodable/init(from:)``.
  /// - Complexity: O(*n*) in the size of the decoded value.
  public static func unarchivedObject<Root: TypedstreamDecodable>(
    of type: Root.Type, from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> Root {
    try TypedstreamUnarchiver(forReadingFrom: data, limits: limits).decode(type)
  }

  /// Decodes the first value of a stream as one of several types.
  ///
  /// - Throws: The errors of ``unarchivedObject(of:from:limits:)``.
  public static func unarchivedObject(
    of types: [any TypedstreamDecodable.Type], from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> any TypedstreamDecodable {
    try TypedstreamUnarchiver(forReadingFrom: data, limits: limits).decode(of: types)
  }

  /// True if all values of the stream have been decoded.
  public var isAtEnd: Bool { top.next == nil }

  /// Decodes the next value of the stream.
  ///
  /// - Throws: ``TypedstreamError/Kind/valueNotFound`` if the value is missing or nil;
  ///   ``TypedstreamError/Kind/classNotAllowed`` or ``TypedstreamError/Kind/typeMismatch`` if it has another type;
  ///   another ``TypedstreamError``; or an error of the type's own ``TypedstreamDecodable/init(from:)``. After an
  ///   error, the value is still the next one.
  public func decode<T: TypedstreamDecodable>(_ type: T.Type = T.self) throws -> T {
    let value = try T._decode(nextPosition(), by: self)
    top.advance(tables)
    return value
  }

  /// Decodes the next value of the stream as the first type in `types` that matches its class. An inline number or
  /// string has no class, and is decoded as the first type that accepts it.
  ///
  /// ```swift
  /// switch try unarchiver.decode(of: [String.self, Date.self]) {
  /// case let text as String: print("text", text)
  /// case let date as Date: print("date", date)
  /// default: break
  /// }
  /// ```
  ///
  /// - Throws: The errors of ``decode(_:)-1hw7l``.
  public func decode(of types: [any TypedstreamDecodable.Type]) throws -> any TypedstreamDecodable {
    let value = try value(of: types, at: nextPosition())
    top.advance(tables)
    return value
  }

  /// Skips the next value of the stream.
  func advance() { top.advance(tables) }

  func nextPosition() throws(TypedstreamError) -> TypedstreamPosition {
    guard let node = top.next else { throw TypedstreamError(.valueNotFound, "the stream has no more values") }
    return TypedstreamPosition(node: node)
  }

  /// Sets the only type that objects of a class are decoded as, in this stream. Decoding calls still have to name the
  /// type. Nil removes the type that was set.
  ///
  /// ```swift
  /// unarchiver.setClass(Card.self, forClassName: "OldCard")
  /// let card = try unarchiver.decode(Card.self)
  /// ```
  ///
  /// Use ``Typedstream/Object`` for a class that your program has no type for. Calls that decode an `ArchivedValue`
  /// need not name it.
  public func setClass(_ type: (any TypedstreamDecodable.Type)?, forClassName name: String) {
    mapped[name] = type
    admissions = [:]
  }

  /// Returns the type that was set with ``setClass(_:forClassName:)``, or nil if none was set.
  public func `class`(forClassName name: String) -> (any TypedstreamDecodable.Type)? { mapped[name] }

  /// True if an object of a class may be decoded as a type.
  func admits(_ type: any TypedstreamDecodable.Type, classSlot: Int) -> Bool {
    let admission = Admission(classSlot: classSlot, type: ObjectIdentifier(type))
    if let known = admissions[admission] { return known }
    let name = tables.className(classSlot)
    let isAdmitted =
      if let target = mapped[name] {
        ObjectIdentifier(target) == admission.type
      } else if type is Typedstream.Object.Type {
        true
      } else { type.typedstreamClasses.contains(name) }
    admissions[admission] = isAdmitted
    return isAdmitted
  }

  /// Returns the index of the object at a position in the table of objects. Throws an error that names `type` if there
  /// is no object.
  func slot(at position: TypedstreamPosition, for type: Any.Type) throws(TypedstreamError) -> Int {
    let node = tables.nodes[position.node]
    switch node.kind {
    case .object, .reference: return node.slot
    case .null: throw failure(.valueNotFound, "expected \(type), found nil", at: position)
    default: throw failure(.typeMismatch, "expected \(type), found \(description(of: node))", at: position)
    }
  }

  /// Checks that the object at a position may be decoded as a type, and returns its index in the table of objects.
  /// Returns nil for data that contains an archive.
  func slot(of type: any TypedstreamDecodable.Type, at position: TypedstreamPosition) throws(TypedstreamError) -> Int? {
    let node = tables.nodes[position.node]
    if node.kind == .object || node.kind == .reference, admits(type, classSlot: Int(tables.slots[node.slot].classSlot))
    {
      return node.slot
    }
    if nestedRange(at: position) != nil { return nil }
    let slot = try slot(at: position, for: type)
    try admit(type, slot)
    return slot
  }

  func description(of node: TypedstreamTables.Node) -> String {
    node.kind == .classReference
      ? "the class \(tables.className(node.slot).quoted)"
      : "a value of the type \(tables.text(ofType: Int(node.type)).quoted)"
  }

  func admit(_ type: any TypedstreamDecodable.Type, _ slot: Int) throws(TypedstreamError) {
    guard admits(type, classSlot: Int(tables.slots[slot].classSlot)) else {
      throw failure(
        .classNotAllowed, "expected \(type), found an object of another class", slot: slot)
    }
  }

  /// Decodes a value of a type. If several references lead to the object, it is decoded again for each of them.
  func value<T: TypedstreamDecodable>(_ type: T.Type, at position: TypedstreamPosition) throws -> T {
    guard let slot = try slot(of: type, at: position) else { return try nested(type, at: position) }
    return try once(slot) { try contents(of: type, slot) }
  }

  /// Returns an instance of a class. Decodes it at the first reference.
  func object<T: TypedstreamDecodable & AnyObject>(_ type: T.Type, at position: TypedstreamPosition) throws -> T {
    guard let slot = try slot(of: type, at: position) else { return try nestedObject(type, at: position) }
    if let known = try known(type, slot) { return known }
    do {
      let object = try measured(slot) { try once(slot) { try contents(of: type, slot) } }
      made[slot] = object
      return object
    } catch {
      made[slot] = nil
      heights[slot] = nil
      throw error
    }
  }

  /// Decodes an object with a closure, and records the number of its levels in ``heights``.
  func measured<T>(_ slot: Int, _ make: () throws -> T) rethrows -> T {
    let around = deepest
    deepest = depth
    defer { deepest = max(deepest, around) }
    let made = try make()
    heights[slot] = deepest - depth
    return made
  }

  /// Records that a decoded value with `height` levels is part of the value that is being decoded. Throws if the stack
  /// has no room for all these levels, because releasing or comparing the outer value recurses through them.
  func note(height: Int) throws(TypedstreamError) {
    deepest = max(deepest, depth + height)
    if depth > 0 { _ = try needsMoreStack(within: height - 1) }
  }

  /// Returns the instance that was already decoded from an object, or nil if the object has not been decoded yet.
  func known<T>(_ type: T.Type, _ slot: Int) throws(TypedstreamError) -> T? {
    guard let known = made[slot] else { return nil }
    try spend(0)
    // A reference back to an object that is still being decoded counts as one level.
    try note(height: heights[slot] ?? 1)
    guard let known = known as? T else {
      throw failure(
        .classNotAllowed, "the object was already decoded as \(Swift.type(of: known)), and cannot also be \(type)",
        slot: slot)
    }
    return known
  }

  /// Decodes a value as the first type in `types` that matches its class.
  func value(
    of types: [any TypedstreamDecodable.Type], at position: TypedstreamPosition
  ) throws -> any TypedstreamDecodable {
    let node = tables.nodes[position.node]
    guard node.kind == .object || node.kind == .reference else {
      // Inline numbers and strings have no class, so each type is tried.
      if node.kind == .null || types.isEmpty {
        throw failure(.valueNotFound, "expected one of \(Self.list(types)), found nil", at: position)
      }
      let isDataDue = types.contains { $0.typedstreamClasses.contains("NSData") }
      if !isDataDue, nestedRange(at: position) != nil { return try nested(of: types, at: position) }
      for type in types {
        do { return try decode(type, position) } catch let error as TypedstreamError where error.kind == .typeMismatch {
          continue
        }
      }
      throw failure(.typeMismatch, "expected one of \(Self.list(types)), found \(description(of: node))", at: position)
    }
    let classSlot = Int(tables.slots[node.slot].classSlot)
    guard let type = types.first(where: { admits($0, classSlot: classSlot) }) else {
      if nestedRange(at: position) != nil { return try nested(of: types, at: position) }
      throw failure(
        .classNotAllowed, "expected one of \(Self.list(types)), found an object of another class", slot: node.slot)
    }
    return try decode(type, position)
  }

  func decode<T: TypedstreamDecodable>(
    _ type: T.Type, _ position: TypedstreamPosition
  ) throws -> any TypedstreamDecodable {
    try T._decode(position, by: self)
  }

  static func list(_ types: [any TypedstreamDecodable.Type]) -> String {
    types.prefix(5).map { "\($0)" }.joined(separator: ", ") + (types.count > 5 ? ", …" : "")
  }

  func publish(_ object: AnyObject, as slot: Int) { made[slot] = object }

  private func contents<T: TypedstreamDecodable>(of type: T.Type, _ slot: Int) throws -> T {
    var groups = TypedstreamGroups(slot, of: self)
    return try T(from: &groups)
  }

  /// Calls a closure that decodes the contents of an object. Throws if the object is already being decoded.
  func once<T>(_ slot: Int, _ body: () throws -> T) throws -> T {
    guard !isBegun[slot] else { throw failure(.circularReference, "the object is a part of itself", slot: slot) }
    try spend(0)
    isBegun[slot] = true
    descend()
    let around = current
    current = slot
    defer {
      current = around
      depth -= 1
      isBegun[slot] = false
    }
    // The stack is checked at every fourth level, because its reserve has room for a few objects.
    return depth & 3 == 0 ? try withStack(body) : try body()
  }

  /// Runs the body one level deeper, for an archive that is nested in data.
  func inside<T>(_ body: () throws -> T) throws -> T {
    descend()
    defer { depth -= 1 }
    return try withStack(body)
  }

  private func descend() {
    depth += 1
    deepest = max(deepest, depth)
  }

  /// Runs the body on a stack that has room for it.
  private func withStack<T>(_ body: () throws -> T) throws -> T {
    guard try needsMoreStack() else { return try body() }
    let room = stackRoom
    let stack = stackRoom.stack(isTop: false)
    guard let value = try room.extended(stack, at: depth, body) else {
      throw failureHere(.nestedTooDeeply, room.noRoom(stack, at: depth).message)
    }
    return value
  }

  /// Returns true if decoding must continue on another stack, because this one has too little room.
  ///
  /// - Parameter more: the number of levels that need room, in addition to those that are being decoded.
  private func needsMoreStack(within more: Int = 0) throws(TypedstreamError) -> Bool {
    do { return try stackRoom.isUsedUp(at: depth + more, isTop: depth <= 4) } catch {
      throw failureHere(.nestedTooDeeply, error.message)
    }
  }

  /// Subtracts one decoded value from the budget, and the bytes that are allocated for it. Throws if the budget is used
  /// up.
  @inline(__always)
  func spend(_ byteCount: Int) throws(TypedstreamError) {
    guard budget.spend(1 + byteCount / 16) else { throw overspent() }
  }

  /// Subtracts a number of decoded values from the budget. Throws if the budget is used up.
  func spend(values: Int) throws(TypedstreamError) {
    guard budget.spend(values) else { throw overspent() }
  }

  /// The number of values decoded so far, without the work for hashing.
  var decoded: Int { budget.spent - hashed }

  /// Subtracts the work of hashing values from the budget. If a set is in another set, the outer set calls this again
  /// for the same values, because it hashes them again.
  func spendHashing(_ values: Int) throws(TypedstreamError) {
    hashed += values
    try spend(values: values)
  }

  @inline(never)
  private func overspent() -> TypedstreamError {
    failureHere(
      .limitExceeded,
      "the decoded contents expand to more than \(budget.limit) values; see expandedSize of ParsingLimits")
  }

  /// The number of levels of the decoded values.
  var height: Int { deepest }

  /// The number of levels being decoded, including those around the data that contains the stream.
  var levels: Int { levelsAround + depth }

  /// Returns an error about an object.
  func failure(_ kind: TypedstreamError.Kind, _ message: String, slot: Int) -> TypedstreamError {
    let entry = tables.slots[slot]
    return TypedstreamError(
      kind, message, byteOffset: entry.offset, objectID: slot, className: tables.className(Int(entry.classSlot)))
  }

  /// Returns an error about the object at a position. If there is no object, returns an error about the object that
  /// contains the value at the position.
  func failure(_ kind: TypedstreamError.Kind, _ message: String, at position: TypedstreamPosition) -> TypedstreamError {
    let node = tables.nodes[position.node]
    return node.kind == .object ? failure(kind, message, slot: node.slot) : failureHere(kind, message)
  }

  /// Returns an error about the object that is being decoded. Outside of objects, returns an error about the current
  /// group.
  func failureHere(_ kind: TypedstreamError.Kind, _ message: String) -> TypedstreamError {
    if let current { return failure(kind, message, slot: current) }
    return TypedstreamError(kind, message, byteOffset: top.next == nil ? nil : tables.nodes[top.group].groupOffset)
  }
}
