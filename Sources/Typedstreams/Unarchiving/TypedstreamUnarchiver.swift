public import FoundationEssentials
public import KeyedArchiving
@_spi(Archives) public import PropertyLists

/// Gets values and objects out of a typedstream.
///
/// ```swift
/// let text = try TypedstreamUnarchiver.unarchivedObject(of: Archived.AttributedString.self, from: data)
/// ```
///
/// What may be instantiated is what the decoding calls name: `decode([Invoice].self)` admits an array of invoices and
/// nothing else, all the way down. There is no search for a class by name, so the bytes cannot choose. Every number is
/// decoded exactly or not at all, but for 8-byte reals that are asked for as `Float`, which are rounded.
///
/// Several values in one stream are decoded one after another, in the order in which they were archived.
///
/// Data that is an archive itself is opened by the same calls. Where a type is asked for and data stands, the data is
/// taken for what its first bytes say: a keyed archive or a typedstream, whose root is decoded as that type, or a
/// property list, from which a `Decodable` type is decoded. The same types are admitted in it, and it takes its share
/// of the same limits.
///
/// ```swift
/// let stream = try TypedstreamUnarchiver(forReadingFrom: data)
/// let color = try stream.decode(Archived.Color.self)   // an NSColor, or an NSData with a keyed archive of one
/// ```
public final class TypedstreamUnarchiver {
  /// The stream.
  public let stream: Typedstream

  /// Further types that may stand where the author of the stream was free to choose: in an `ArchivedValue`, which is
  /// what the attributes of text consist of.
  ///
  /// Set it before the first decoding call.
  public var additionalTypes: [any (TypedstreamDecodable & SecureCoding).Type] = []

  /// Whether an `ArchivedValue` may be an object of a class that nobody has named, as ``Typedstream/Object``. If not,
  /// which is the default, such an object is an error.
  public var keepsUnknownObjects = false

  let tables: TypedstreamTables
  private var top: TypedstreamCursor
  private(set) var mapped: [String: any TypedstreamDecodable.Type] = [:]
  /// What was found about classes and types before.
  private var admissions: [Admission: Bool] = [:]
  /// For each slot, whether a value is being made of its object.
  private var isBegun: [Bool]
  /// The slot of the object that is being decoded; nil outside of objects.
  private var current: Int?
  /// The objects of classes that were made, by their slots.
  private var made: [Int: AnyObject] = [:]
  /// The number of levels of values in each of them, itself included.
  private var heights: [Int: Int] = [:]
  /// How many more values may be decoded; see `ParsingLimits.expandedSize`.
  private(set) var budget: WorkBudget
  /// How much of it was taken for hashing, in values.
  private var hashed = 0
  let limits: ParsingLimits
  private var depth = 0
  /// The deepest level that the value being decoded has reached so far.
  private var deepest = 0
  /// The levels of objects around the data that the stream is nested in.
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
  ///   - limits: how large and how deep the stream may be, and how many values may be decoded from it.
  /// - Throws: ``TypedstreamError``, as ``Typedstream/init(_:limits:)``.
  public convenience init(forReadingFrom data: Data, limits: ParsingLimits = ParsingLimits()) throws(TypedstreamError) {
    self.init(try Typedstream(data, limits: limits), limits: limits)
  }

  /// Opens a stream that has been read.
  ///
  /// - Parameter limits: how many values may be decoded from it.
  public convenience init(_ stream: Typedstream, limits: ParsingLimits = ParsingLimits()) {
    self.init(
      stream, limits, valueLimit: limits.effectiveValueCount(inputSize: stream.tables.bytes.count), levelsAround: 0)
  }

  /// Opens a stream that may be nested in something.
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

  /// The first value of a stream.
  ///
  /// - Parameter limits: how large and how deep the stream may be, and how many values may be decoded from it.
  /// - Throws: ``TypedstreamError``, or what a type's own ``TypedstreamDecodable/init(from:)`` throws.
  /// - Complexity: O(*n*) in the size of what is decoded.
  public static func unarchivedObject<Root: TypedstreamDecodable>(
    of type: Root.Type, from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> Root {
    try TypedstreamUnarchiver(forReadingFrom: data, limits: limits).decode(type)
  }

  /// The first value of a stream, of one of several types.
  ///
  /// - Throws: as ``unarchivedObject(of:from:limits:)``.
  public static func unarchivedObject(
    of types: [any TypedstreamDecodable.Type], from data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws -> any TypedstreamDecodable {
    try TypedstreamUnarchiver(forReadingFrom: data, limits: limits).decode(of: types)
  }

  /// True if all values of the stream have been decoded.
  public var isAtEnd: Bool { top.next == nil }

  /// Decodes the next value of the stream.
  ///
  /// - Throws: ``TypedstreamError``: ``TypedstreamError/Kind/valueNotFound`` if there is none, or if it is nil;
  ///   ``TypedstreamError/Kind/classNotAllowed`` and ``TypedstreamError/Kind/typeMismatch`` if it is something else; or
  ///   what the type's own ``TypedstreamDecodable/init(from:)`` throws. The value is still the next one then.
  public func decode<T: TypedstreamDecodable>(_ type: T.Type = T.self) throws -> T {
    let value = try T._decode(nextPosition(), by: self)
    top.advance(tables)
    return value
  }

  /// Decodes the next value of the stream as the first of several types that its class allows.
  ///
  /// - Throws: as ``decode(_:)``.
  public func decode(of types: [any TypedstreamDecodable.Type]) throws -> any TypedstreamDecodable {
    let value = try value(of: types, at: nextPosition())
    top.advance(tables)
    return value
  }

  /// Goes on to the next value of the stream.
  func advance() { top.advance(tables) }

  func nextPosition() throws(TypedstreamError) -> TypedstreamPosition {
    guard let node = top.next else { throw TypedstreamError(.valueNotFound, "the stream has no more values") }
    return TypedstreamPosition(node: node)
  }

  /// Has objects of a class decoded as a type, and as no other, in this stream only. The type still has to be asked
  /// for.
  ///
  /// ``Typedstream/Object`` is for classes that the program has no type for. It need not be asked for where an
  /// `ArchivedValue` may stand.
  public func setClass(_ type: (any TypedstreamDecodable.Type)?, forClassName name: String) {
    mapped[name] = type
    admissions = [:]
  }

  /// The type that ``setClass(_:forClassName:)`` has set for a class.
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

  /// The object at a position, by its slot.
  func slot(at position: TypedstreamPosition, for type: Any.Type) throws(TypedstreamError) -> Int {
    let node = tables.nodes[position.node]
    switch node.kind {
    case .object, .reference: return node.slot
    case .null: throw failure(.valueNotFound, "nothing, where \(type) is due", at: position)
    default: throw failure(.typeMismatch, "\(description(of: node)), where \(type) is due", at: position)
    }
  }

  /// The slot of an object that may be decoded as a type; nil where data stands that is an archive itself.
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
        .classNotAllowed, "an object of a class that is not among those of \(type), which is due", slot: slot)
    }
  }

  /// A value of a type, made anew each time.
  func value<T: TypedstreamDecodable>(_ type: T.Type, at position: TypedstreamPosition) throws -> T {
    guard let slot = try slot(of: type, at: position) else { return try nested(type, at: position) }
    return try once(slot) { try contents(of: type, slot) }
  }

  /// The object of a class, which is made the first time.
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

  /// Makes an object, and notes how many levels of values it has.
  func measured<T>(_ slot: Int, _ make: () throws -> T) rethrows -> T {
    let around = deepest
    deepest = depth
    defer { deepest = max(deepest, around) }
    let made = try make()
    heights[slot] = deepest - depth
    return made
  }

  /// Notes that a value with so many levels is a part of the one that is being decoded. It is freed and compared from
  /// here, by recursion, so its levels count here too.
  func note(height: Int) throws(TypedstreamError) {
    deepest = max(deepest, depth + height)
    if depth > 0 { _ = try needsMoreStack(within: height - 1) }
  }

  /// The object that was made of an object before; nil if none was.
  func known<T>(_ type: T.Type, _ slot: Int) throws(TypedstreamError) -> T? {
    guard let known = made[slot] else { return nil }
    try spend(0)
    // A reference back to an object that is still being decoded counts as one level.
    try note(height: heights[slot] ?? 1)
    guard let known = known as? T else {
      throw failure(
        .classNotAllowed, "the object was decoded as \(Swift.type(of: known)) before, and cannot be \(type) too",
        slot: slot)
    }
    return known
  }

  /// A value of the first of several types that its class allows.
  func value(
    of types: [any TypedstreamDecodable.Type], at position: TypedstreamPosition
  ) throws -> any TypedstreamDecodable {
    let node = tables.nodes[position.node]
    guard node.kind == .object || node.kind == .reference else {
      // Numbers and strings that are no objects say themselves as what they can be decoded.
      if node.kind == .null || types.isEmpty {
        throw failure(.valueNotFound, "nothing, where one of \(Self.list(types)) is due", at: position)
      }
      let isDataDue = types.contains { $0.typedstreamClasses.contains("NSData") }
      if !isDataDue, nestedRange(at: position) != nil { return try nested(of: types, at: position) }
      for type in types {
        do { return try decode(type, position) } catch let error as TypedstreamError where error.kind == .typeMismatch {
          continue
        }
      }
      throw failure(.typeMismatch, "\(description(of: node)), where one of \(Self.list(types)) is due", at: position)
    }
    let classSlot = Int(tables.slots[node.slot].classSlot)
    guard let type = types.first(where: { admits($0, classSlot: classSlot) }) else {
      if nestedRange(at: position) != nil { return try nested(of: types, at: position) }
      throw failure(
        .classNotAllowed, "an object of a class that is not among those of \(Self.list(types))", slot: node.slot)
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

  /// Does something with the contents of an object, unless that is going on already.
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
    // A few objects fit into what is kept free.
    return depth & 3 == 0 ? try withStack(body) : try body()
  }

  /// Does something one level deeper, where an archive in data is opened.
  func inside<T>(_ body: () throws -> T) throws -> T {
    descend()
    defer { depth -= 1 }
    return try withStack(body)
  }

  private func descend() {
    depth += 1
    deepest = max(deepest, depth)
  }

  /// Does something on a stack that has room for it.
  private func withStack<T>(_ body: () throws -> T) throws -> T {
    guard try needsMoreStack() else { return try body() }
    let room = stackRoom
    let stack = stackRoom.stack(isTop: false)
    guard let value = try room.extended(stack, at: depth, body) else {
      throw failureHere(.nestedTooDeeply, room.noRoom(stack, at: depth).message)
    }
    return value
  }

  /// Returns true if decoding has to go on on another stack.
  ///
  /// - Parameter more: the number of levels to add to those that are being decoded.
  private func needsMoreStack(within more: Int = 0) throws(TypedstreamError) -> Bool {
    do { return try stackRoom.isUsedUp(at: depth + more, isTop: depth <= 4) } catch {
      throw failureHere(.nestedTooDeeply, error.message)
    }
  }

  /// Counts a value that is decoded, with the bytes that are made for it.
  @inline(__always)
  func spend(_ byteCount: Int) throws(TypedstreamError) {
    guard budget.spend(1 + byteCount / 16) else { throw overspent() }
  }

  /// Counts what weighs as much as so many values.
  func spend(values: Int) throws(TypedstreamError) {
    guard budget.spend(values) else { throw overspent() }
  }

  /// How many values have been decoded so far, without what was counted for hashing.
  var decoded: Int { budget.spent - hashed }

  /// Counts values that are hashed, which those around them do again.
  func spendHashing(_ values: Int) throws(TypedstreamError) {
    hashed += values
    try spend(values: values)
  }

  @inline(never)
  private func overspent() -> TypedstreamError {
    failureHere(
      .limitExceeded, "what is decoded expands to more than \(budget.limit) values; see expandedSize of ParsingLimits")
  }

  /// The number of levels of the decoded values.
  var height: Int { deepest }

  /// The levels of objects that are being decoded, with those around the data that the stream is nested in.
  var levels: Int { levelsAround + depth }

  /// An error about an object.
  func failure(_ kind: TypedstreamError.Kind, _ message: String, slot: Int) -> TypedstreamError {
    let entry = tables.slots[slot]
    return TypedstreamError(
      kind, message, byteOffset: entry.offset, objectID: slot, className: tables.className(Int(entry.classSlot)))
  }

  /// An error about a value: about the object that it is, or about what has it.
  func failure(_ kind: TypedstreamError.Kind, _ message: String, at position: TypedstreamPosition) -> TypedstreamError {
    let node = tables.nodes[position.node]
    return node.kind == .object ? failure(kind, message, slot: node.slot) : failureHere(kind, message)
  }

  /// An error about the object that is being decoded; outside of objects, about the group.
  func failureHere(_ kind: TypedstreamError.Kind, _ message: String) -> TypedstreamError {
    if let current { return failure(kind, message, slot: current) }
    return TypedstreamError(kind, message, byteOffset: top.next == nil ? nil : tables.nodes[top.group].groupOffset)
  }
}
