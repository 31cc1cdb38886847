public import FoundationEssentials
public import OrderedCollections
@_spi(Archives) public import PropertyLists

/// A value of one of the types that anybody may put where an archive's format leaves the choice: in the user info of an
/// error, in the attributes of text.
///
/// No other type is instantiated for it, but those in ``KeyedUnarchiver/additionalTypes``.
public indirect enum ArchivedValue {
  /// `NSNull`.
  case null
  /// A truth value.
  case boolean(Bool)
  /// Any integer.
  case integer(PropertyList.Integer)
  /// A number of 8 bytes.
  case real(Double)
  /// A number of 4 bytes.
  case float(Float)
  /// Text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment.
  case date(Date)
  /// A decimal number.
  case decimal(Decimal)
  /// A URL.
  case url(URL)
  /// A UUID.
  case uuid(UUID)
  /// Elements in order.
  case array([ArchivedValue])
  /// Entries, in the order of the archive.
  case dictionary(OrderedDictionary<ArchivedValue, ArchivedValue>)
  /// A set, in the order of the archive.
  case set(OrderedSet<ArchivedValue>)
  /// A structure of Apple's frameworks, or a value of C.
  case value(Archived.Value)
  /// ``Archived/Error``, ``Archived/Color``, an ``OpaqueObject``, a value of one of the
  /// ``KeyedUnarchiver/additionalTypes``, or of any other type if it was not decoded.
  case object(any SecureCoding)

  private static let types: [any SecureCoding.Type] = [
    String.self, Data.self, Date.self, Decimal.self, URL.self, UUID.self, Archived.Null.self,
    [ArchivedValue].self, OrderedDictionary<ArchivedValue, ArchivedValue>.self, UnorderedElements.self,
    Archived.Value.self, Archived.Error.self, Archived.Color.self, OpaqueObject.self,
  ]

  /// The value as one of its own type.
  public var base: any SecureCoding {
    switch self {
    case .null: Archived.Null()
    case .boolean(let value): value
    case .integer(let value): Int64(exactly: value).map { $0 as any SecureCoding } ?? UInt64(exactly: value) ?? 0
    case .real(let value): value
    case .float(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .decimal(let value): value
    case .url(let value): value
    case .uuid(let value): value
    case .array(let value): value
    case .dictionary(let value): value
    case .set(let value): UnorderedElements(elements: value)
    case .value(let value): value
    case .object(let value): value
    }
  }

  private init(_ base: any SecureCoding) {
    switch base {
    case let value as String: self = .string(value)
    case let value as Data: self = .data(value)
    case let value as Date: self = .date(value)
    case let value as Decimal: self = .decimal(value)
    case let value as URL: self = .url(value)
    case let value as UUID: self = .uuid(value)
    case is Archived.Null: self = .null
    case let value as [ArchivedValue]: self = .array(value)
    case let value as OrderedDictionary<ArchivedValue, ArchivedValue>: self = .dictionary(value)
    case let value as UnorderedElements: self = .set(value.elements)
    case let value as Archived.Value: self = .value(value)
    default: self = .object(base)
    }
  }
}

extension ArchivedValue: SecureCoding {
  /// That of any object.
  public static var archivedClass: ArchivedClass { .anyObject }

  public func encode(with coder: KeyedArchiver) throws { try base.encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    throw coder.failure(.typeMismatch, "an ArchivedValue is decoded by what its class is")
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> ArchivedValue {
    let object = try coder.resolve(reference.node)
    // What an indirect case takes in memory.
    try coder.spend(48)
    switch object.kind {
    case .boolean, .integer, .unsignedInteger, .real, .float:
      try coder.weigh(1)
      return ArchivedValue(number: object)
    case .string: return .string(try String._unarchive(reference, by: coder))
    case .data: return .data(try Data._unarchive(reference, by: coder))
    case .date: return .date(try Date._unarchive(reference, by: coder))
    case .null, .array, .uid, .dictionary: return try inObject(reference, coder)
    }
  }

  @inline(never)
  private static func inObject(_ reference: ArchivedReference, _ coder: KeyedUnarchiver) throws -> ArchivedValue {
    let types = coder.additionalTypes.isEmpty ? types : coder.additionalTypes + types
    return ArchivedValue(try coder.anyValue(of: types, at: reference))
  }

  private init(number node: FlatNode) {
    switch node.kind {
    case .boolean: self = .boolean(node.boolean)
    case .real: self = .real(node.real)
    case .float: self = .float(node.float)
    default: self = .integer(node.integer)
    }
  }

  public func _archive(by coder: KeyedArchiver) throws -> ArchivedReference {
    if case .array(let elements) = self { return try coder.reference(toElements: elements) }
    return try base._archive(by: coder)
  }
}

/// Values are equal when they are of the same case and equal in it, dictionaries and sets in any order. Values of other
/// types are equal if their types say so. Objects of classes are equal if they are the same, whatever their types say,
/// because they may lead back to themselves and have no end.
extension ArchivedValue: Hashable {
  // Arrays in arrays, and values of dictionaries, take no stack: a value may be as deep as a thread has room for.

  public static func == (first: ArchivedValue, second: ArchivedValue) -> Bool {
    var pairs = [(first, second)]
    while let (first, second) = pairs.popLast() {
      guard isEqual(first, second, parts: &pairs) else { return false }
    }
    return true
  }

  /// Compares two values, but for the parts that are put into `parts`.
  private static func isEqual(
    _ first: ArchivedValue, _ second: ArchivedValue, parts: inout [(ArchivedValue, ArchivedValue)]
  ) -> Bool {
    switch (first, second) {
    case (.array(let first), .array(let second)):
      guard first.count == second.count else { return false }
      parts.append(contentsOf: zip(first, second))
      return true
    case (.dictionary(let first), .dictionary(let second)):
      guard first.count == second.count else { return false }
      for (key, value) in first {
        guard let other = second[key] else { return false }
        parts.append((value, other))
      }
      return true
    default: return isEqualScalar(first, second)
    }
  }

  private static func isEqualScalar(_ first: ArchivedValue, _ second: ArchivedValue) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.boolean(let first), .boolean(let second)): first == second
    case (.integer(let first), .integer(let second)): first == second
    case (.real(let first), .real(let second)): first == second
    case (.float(let first), .float(let second)): first == second
    case (.string(let first), .string(let second)): first == second
    case (.data(let first), .data(let second)): first == second
    case (.date(let first), .date(let second)): first == second
    case (.decimal(let first), .decimal(let second)): first == second
    case (.url(let first), .url(let second)): first == second
    case (.uuid(let first), .uuid(let second)): first == second
    case (.set(let first), .set(let second)): first.unordered == second.unordered
    case (.value(let first), .value(let second)): first == second
    case (.object(let first), .object(let second)): isEqual(first, second)
    default: false
    }
  }

  private static func isEqual(_ first: any SecureCoding, _ second: any SecureCoding) -> Bool {
    if type(of: first) is AnyObject.Type {
      return type(of: second) is AnyObject.Type && first as AnyObject === second as AnyObject
    }
    guard let first = first as? any Equatable else { return false }
    return isEqual(first, to: second)
  }

  private static func isEqual<T: Equatable>(_ first: T, to second: any SecureCoding) -> Bool { second as? T == first }

  public func hash(into hasher: inout Hasher) {
    guard case .array = self else { return hashScalar(into: &hasher) }
    var arrays = [self]
    while let next = arrays.popLast() {
      guard case .array(let elements) = next else { continue }
      hasher.combine(elements.count)
      for element in elements {
        if case .array = element { arrays.append(element) } else { element.hashScalar(into: &hasher) }
      }
    }
  }

  /// Hashes any value but an array.
  private func hashScalar(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .real(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .url(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .array: break
    case .dictionary(let value): value.hashEntries(into: &hasher)
    case .set(let value): hasher.combine(value.unordered)
    case .value(let value): hasher.combine(value)
    case .object(let value):
      if type(of: value) is AnyObject.Type {
        hasher.combine(ObjectIdentifier(value as AnyObject))
      } else if let value = value as? any Hashable {
        value.hash(into: &hasher)
      } else {
        hasher.combine(ObjectIdentifier(type(of: value)))
      }
    }
  }
}

/// The elements of an `NSSet`, in the order of the archive.
private struct UnorderedElements: SecureCoding {
  static let archivedClass = ArchivedClass("NSSet", aliases: ["NSMutableSet"])

  var elements: OrderedSet<ArchivedValue> = []

  init(elements: OrderedSet<ArchivedValue>) { self.elements = elements }

  init(coder: KeyedUnarchiver) throws {
    let decoded = try coder.decodeHashedElements(forRawKey: "NS.objects") {
      try ArchivedValue._unarchive($0, by: coder)
    }
    for element in decoded where !elements.append(element).inserted { throw coder.standsTwice(element) }
  }

  func encode(with coder: KeyedArchiver) throws { try coder.encode(references: elements, forRawKey: "NS.objects") }
}

extension KeyedArchiver {
  /// A reference to an array, which is archived once however many values share its elements in memory. A small archive
  /// can stand for an array of pairs of pairs that is a million parts, and is archived again in no time so.
  fileprivate func reference(toElements elements: [ArchivedValue]) throws -> ArchivedReference {
    if elements.isEmpty || extent != nil { return try elements._archive(by: self) }
    // Sound: only the address is looked at.
    let address = unsafe elements.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    if let known = sharedElements[address] {
      // It is decoded where it stands here too.
      _ = try needsMoreStack(within: known.height)
      deepest = max(deepest, depth + known.height)
      return known.reference
    }
    let deepestBefore = deepest
    deepest = depth
    let reference = try elements._archive(by: self)
    sharedElements[address] = (elements, deepest - depth, reference)
    deepest = max(deepest, deepestBefore)
    return reference
  }

  // The compiler prefers these three to the one for a value where both are possible, unless it is told not to.

  /// Encodes a value or an object of any type, or nil.
  ///
  /// - Throws: as for a value of one type.
  @_disfavoredOverload
  public func encode(_ value: (any SecureCoding)?, forKey key: String) throws {
    let value = value.map { ArchivedValue.object($0) }
    try encode(userKey: key) { coder in try value._archive(by: coder).node }
  }

  /// Encodes values or objects of several types, as an array. Where they are deeper in a value, each can be an
  /// ``ArchivedValue/object(_:)``.
  ///
  /// - Throws: as for a value of one type.
  @_disfavoredOverload
  public func encode(_ elements: [any SecureCoding], forKey key: String) throws {
    try encode(ArchivedArray(elements), forKey: key)
  }

  /// Encodes a dictionary with values or objects of several types.
  ///
  /// - Throws: as for a value of one type.
  @_disfavoredOverload
  public func encode<Key: SecureCoding & Hashable>(_ entries: [Key: any SecureCoding], forKey key: String) throws {
    try encode(entries.mapValues { ArchivedValue.object($0) }, forKey: key)
  }
}

extension KeyedUnarchiver {
  /// Further types that may stand where the archive's author was free to choose: in an ``ArchivedValue``, which is what
  /// user infos and the attributes of text consist of.
  ///
  /// They count in all decoding calls; ``decode(_:additionalTypes:forKey:)`` adds types for one call.
  public var additionalTypes: [any SecureCoding.Type] {
    get { classes.additionalTypes }
    set { table.scope = classes.setAdditionalTypes(newValue) }
  }

  /// Decodes the value of a key, and allows further types wherever an ``ArchivedValue`` is.
  ///
  /// ```swift
  /// let info = try coder.decode(Archived.Error.self, additionalTypes: [Request.self], forKey: "failure").userInfo
  /// ```
  ///
  /// - Parameter additionalTypes: the types that this call allows in addition to ``additionalTypes``, at any depth of
  ///   the value. An instance of a class that was decoded before is the same instance, whatever types that call
  ///   allowed.
  /// - Throws: as ``decode(_:forKey:)``.
  public func decode<T: SecureCoding>(
    _ type: T.Type = T.self, additionalTypes more: [any SecureCoding.Type], forKey key: String
  ) throws -> T {
    let types = additionalTypes
    defer { additionalTypes = types }
    // A call within a call for the same types adds nothing, so that what was decoded is found again.
    let known = Set(types.map { ObjectIdentifier($0) })
    additionalTypes += more.filter { !known.contains(ObjectIdentifier($0)) }
    return try decode(type, forKey: key)
  }
}
