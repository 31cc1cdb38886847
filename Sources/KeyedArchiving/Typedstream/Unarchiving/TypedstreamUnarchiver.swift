public import FoundationEssentials
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
public final class TypedstreamUnarchiver {
  /// The stream.
  public let stream: Typedstream

  /// Further types that may stand where the author of the stream was free to choose: in an ``ArchivedValue``, which is
  /// what the attributes of text consist of.
  ///
  /// Set it before the first decoding call.
  public var additionalTypes: [any (TypedstreamDecodable & SecureCoding).Type] = []

  /// Whether an ``ArchivedValue`` may be an object of a class that nobody has named, as ``Typedstream/Object``. If not,
  /// which is the default, such an object is an error.
  public var keepsUnknownObjects = false

  let tables: TypedstreamTables
  private var top: TypedstreamCursor
  private var mapped: [String: any TypedstreamDecodable.Type] = [:]
  /// What was found about classes and types before.
  private var admissions: [Admission: Bool] = [:]
  /// For each slot, whether a value is being made of its object.
  private var isBegun: [Bool]
  /// The objects of classes that were made, by their slots.
  private var made: [Int: AnyObject] = [:]
  /// How many more values may be decoded; see ``ParsingLimits/expandedSize``.
  private var budget: Int
  private let valueLimit: Int
  private var depth = 0
  private var stackRoom = StackRoom(reserve: 0)

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
  public convenience init(
    forReadingFrom data: Data, limits: ParsingLimits = ParsingLimits()
  ) throws(TypedstreamError) {
    self.init(try Typedstream(data, limits: limits), limits: limits)
  }

  /// Opens a stream that has been read.
  ///
  /// - Parameter limits: how many values may be decoded from it.
  public init(_ stream: Typedstream, limits: ParsingLimits = ParsingLimits()) {
    self.stream = stream
    tables = stream.tables
    top = TypedstreamCursor(0..<tables.nodes.count, in: tables)
    isBegun = Array(repeating: false, count: tables.slots.count)
    valueLimit = limits.effectiveValueCount(inputSize: tables.bytes.count)
    budget = valueLimit
  }
}

/// The values of the stream itself.
extension TypedstreamUnarchiver {
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
    let value = try T._decode(nextPlace(), by: self)
    top.advance(tables)
    return value
  }

  /// Decodes the next value of the stream as the first of several types that its class allows.
  ///
  /// - Throws: as ``decode(_:)``.
  public func decode(of types: [any TypedstreamDecodable.Type]) throws -> any TypedstreamDecodable {
    let value = try value(of: types, at: nextPlace())
    top.advance(tables)
    return value
  }

  private func nextPlace() throws(TypedstreamError) -> TypedstreamPlace {
    guard let place = top.next else { throw TypedstreamError(.valueNotFound, "the stream has no more values") }
    return TypedstreamPlace(node: place)
  }
}

/// Classes.
extension TypedstreamUnarchiver {
  /// Has objects of a class decoded as a type, and as no other, in this stream only. The type still has to be asked
  /// for.
  ///
  /// ``Typedstream/Object`` is for classes that the program has no type for. It need not be asked for where an
  /// ``ArchivedValue`` may stand.
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
}

/// Values behind places.
extension TypedstreamUnarchiver {
  /// The object at a place, by its slot.
  func slot(at place: TypedstreamPlace, for type: Any.Type) throws(TypedstreamError) -> Int {
    let node = tables.nodes[place.node]
    switch node.kind {
    case .object, .reference: return node.slot
    case .null: throw failure(.valueNotFound, "nothing, where \(type) is due", at: place)
    default:
      throw failure(.typeMismatch, "\(description(of: node)), where \(type) is due", at: place)
    }
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
  func value<T: TypedstreamDecodable>(_ type: T.Type, at place: TypedstreamPlace) throws -> T {
    let slot = try slot(at: place, for: type)
    try admit(type, slot)
    return try once(slot) { try contents(of: type, slot) }
  }

  /// The object of a class, which is made the first time.
  func object<T: TypedstreamDecodable & AnyObject>(_ type: T.Type, at place: TypedstreamPlace) throws -> T {
    let slot = try slot(at: place, for: type)
    try admit(type, slot)
    if let known = made[slot] {
      try spend(0)
      guard let known = known as? T else {
        throw failure(
          .classNotAllowed, "the object was decoded as \(Swift.type(of: known)) before, and cannot be \(type) too",
          slot: slot)
      }
      return known
    }
    do {
      let object = try once(slot) { try contents(of: type, slot) }
      made[slot] = object
      return object
    } catch {
      made[slot] = nil
      throw error
    }
  }

  /// A value of the first of several types that its class allows.
  func value(
    of types: [any TypedstreamDecodable.Type], at place: TypedstreamPlace
  ) throws -> any TypedstreamDecodable {
    let node = tables.nodes[place.node]
    guard node.kind == .object || node.kind == .reference else {
      // Numbers and strings that are no objects say themselves as what they can be decoded.
      if node.kind == .null || types.isEmpty {
        throw failure(.valueNotFound, "nothing, where one of \(Self.list(types)) is due", at: place)
      }
      for type in types {
        do {
          return try decode(type, place)
        } catch let error as TypedstreamError where error.kind == .typeMismatch {
          continue
        }
      }
      throw failure(
        .typeMismatch, "\(description(of: node)), where one of \(Self.list(types)) is due", at: place)
    }
    let classSlot = Int(tables.slots[node.slot].classSlot)
    guard let type = types.first(where: { admits($0, classSlot: classSlot) }) else {
      throw failure(
        .classNotAllowed, "an object of a class that is not among those of \(Self.list(types))", slot: node.slot)
    }
    return try decode(type, place)
  }

  func decode<T: TypedstreamDecodable>(
    _ type: T.Type, _ place: TypedstreamPlace
  ) throws -> any TypedstreamDecodable {
    try T._decode(place, by: self)
  }

  private static func list(_ types: [any TypedstreamDecodable.Type]) -> String {
    types.prefix(5).map { "\($0)" }.joined(separator: ", ") + (types.count > 5 ? ", …" : "")
  }

  func publish(_ object: AnyObject, as slot: Int) { made[slot] = object }

  private func contents<T: TypedstreamDecodable>(of type: T.Type, _ slot: Int) throws -> T {
    var groups = TypedstreamGroups(slot, of: self)
    return try T(from: &groups)
  }

  /// Does something with the contents of an object, unless that is going on already.
  func once<T>(_ slot: Int, _ body: () throws -> T) throws -> T {
    guard !isBegun[slot] else {
      throw failure(.circularReference, "the object is a part of itself", slot: slot)
    }
    try spend(0)
    isBegun[slot] = true
    depth += 1
    defer {
      depth -= 1
      isBegun[slot] = false
    }
    // A few objects fit into what is kept free.
    if depth & 3 == 0, try needsMoreStack() {
      let room = stackRoom
      let stack = stackRoom.stack(isTop: false)
      guard let value = try room.extended(stack, at: depth, body) else {
        throw failure(.nestedTooDeeply, room.noRoom(stack, at: depth).message, slot: slot)
      }
      return value
    }
    return try body()
  }

  private func needsMoreStack() throws(TypedstreamError) -> Bool {
    do throws(KeyedArchiveError) {
      return try stackRoom.isUsedUp(at: depth, isTop: depth == 4)
    } catch {
      throw TypedstreamError(.nestedTooDeeply, error.message)
    }
  }

  /// Counts a value that is decoded, with the bytes that are made for it.
  @inline(__always)
  func spend(_ byteCount: Int) throws(TypedstreamError) {
    budget -= 1 + byteCount / 16
    if budget < 0 { throw overspent() }
  }

  /// How much has been decoded so far.
  var spent: Int { valueLimit - budget }

  /// Counts what weighs as much as so many values.
  func spend(values: Int) throws(TypedstreamError) {
    budget = budget.subtractingReportingOverflow(values).partialValue
    if budget < 0 { throw overspent() }
  }

  @inline(never)
  private func overspent() -> TypedstreamError {
    budget = 0
    return TypedstreamError(
      .limitExceeded, "what is decoded expands to more than \(valueLimit) values; see expandedSize of ParsingLimits")
  }
}

/// Errors.
extension TypedstreamUnarchiver {
  /// An error about an object.
  func failure(_ kind: TypedstreamError.Kind, _ message: String, slot: Int) -> TypedstreamError {
    let entry = tables.slots[slot]
    return TypedstreamError(
      kind, message, byteOffset: entry.detail == -1 ? nil : entry.offset, objectID: slot,
      className: tables.className(Int(entry.classSlot)))
  }

  /// An error about a value: about the object that it is, or that it is a part of.
  func failure(_ kind: TypedstreamError.Kind, _ message: String, at place: TypedstreamPlace) -> TypedstreamError {
    // An object before the place is around it if it ends after it. Objects begin in the order of their slots.
    let around = tables.slots.indices.last { slot in
      guard tables.slots[slot].kind == .object else { return false }
      let node = Int(tables.slots[slot].content)
      return node <= place.node && tables.nodes[node].end > place.node
    }
    return around.map { failure(kind, message, slot: $0) } ?? TypedstreamError(kind, message)
  }
}
