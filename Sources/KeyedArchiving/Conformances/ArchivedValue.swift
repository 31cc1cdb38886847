public import FoundationEssentials
public import OrderedCollections
@_spi(Archives) public import PropertyLists

/// A value that may have one of many types, for example in the user info of an error or in the attributes of text. The
/// archive determines which type it has.
///
/// ```swift
/// let error = try coder.decode(Archived.Error.self, forKey: "failure")
/// switch error.userInfo?["NSFilePath"] {
/// case .string(let path): print("cannot read", path)
/// default: print(error.domain, error.code)
/// }
/// ```
///
/// Only the types of these cases and those in ``KeyedUnarchiver/additionalTypes`` are instantiated.
public indirect enum ArchivedValue {
  /// `NSNull`.
  case null
  /// A Boolean.
  case boolean(Bool)
  /// An integer of any width.
  case integer(PropertyList.Integer)
  /// A floating-point number of 8 bytes.
  case real(Double)
  /// A floating-point number of 4 bytes.
  case float(Float)
  /// A string.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A date.
  case date(Date)
  /// A decimal number.
  case decimal(Decimal)
  /// A URL.
  case url(URL)
  /// A UUID.
  case uuid(UUID)
  /// An array.
  case array([ArchivedValue])
  /// A dictionary, in the order of the archive.
  case dictionary(OrderedDictionary<ArchivedValue, ArchivedValue>)
  /// A set, in the order of the archive.
  case set(OrderedSet<ArchivedValue>)
  /// A structure of Apple's frameworks, or a C value.
  case value(Archived.Value)
  /// ``Archived/Error``, ``Archived/Color``, an ``OpaqueObject``, or a value of one of the
  /// ``KeyedUnarchiver/additionalTypes``. A value that your program creates can have any type.
  case object(any SecureCoding)

  private static let types: [any SecureCoding.Type] = [
    String.self, Data.self, Date.self, Decimal.self, URL.self, UUID.self, Archived.Null.self,
    [ArchivedValue].self, OrderedDictionary<ArchivedValue, ArchivedValue>.self, UnorderedElements.self,
    Archived.Value.self, Archived.Error.self, Archived.Color.self, OpaqueObject.self,
  ]

  /// The value without the enumeration, for example a `String` for ``string(_:)``.
  ///
  /// ```swift
  /// let names = values.compactMap { $0.base as? String }
  /// ```
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
  /// `NSObject`, because an `ArchivedValue` can represent objects of many classes.
  public static var archivedClass: ArchivedClass { .anyObject }

  public func encode(with coder: KeyedArchiver) throws { try base.encode(with: coder) }

  public init(coder: KeyedUnarchiver) throws {
    throw coder.failure(
      .typeMismatch, "ArchivedValue.init(coder:) is not supported; use decode(_:forKey:) of KeyedUnarchiver")
  }

  public static func _unarchive(_ reference: ArchivedReference, by coder: KeyedUnarchiver) throws -> ArchivedValue {
    let object = try coder.resolve(reference.node)
    // The number of bytes that an indirect case takes in memory.
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

/// Two values are equal if they have the same case and equal contents. The order of dictionaries and sets does not
/// matter. Values of ``object(_:)`` are compared with the `==` of their type. Class instances are equal only if they
/// are identical, because they can contain themselves.
extension ArchivedValue: Hashable {
  // Nested arrays and dictionary values are compared without recursion, because they may be nested very deeply.

  public static func == (first: ArchivedValue, second: ArchivedValue) -> Bool {
    var pairs = [(first, second)]
    while let (first, second) = pairs.popLast() {
      guard isEqual(first, second, parts: &pairs) else { return false }
    }
    return true
  }

  /// Compares two values, but not the elements of arrays and the values of dictionaries. Adds the pairs of these to
  /// `parts`, for the caller to compare.
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

  /// Hashes a value that is not an array. Nested arrays are hashed without recursion by `hash(into:)`.
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
  /// Archives an array, and returns a reference to it. Arrays that share their elements in memory are archived once,
  /// because an array from a small archive can have a million parts, most of them shared.
  fileprivate func reference(toElements elements: [ArchivedValue]) throws -> ArchivedReference {
    if elements.isEmpty || extent != nil { return try elements._archive(by: self) }
    // Safe: only the address is used.
    let address = unsafe elements.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    if let known = sharedElements[address] {
      // The shared array will also be decoded here, so its nesting levels count here too.
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

  // The next three overloads are disfavored, because the compiler would otherwise prefer them to the overload for a
  // value of a static type.

  /// Encodes a value or an object whose type is known only at run time, or nil.
  ///
  /// - Throws: ``KeyedArchiveError``, or an error of a type's own ``SecureCoding/encode(with:)``.
  @_disfavoredOverload
  public func encode(_ value: (any SecureCoding)?, forKey key: String) throws {
    let value = value.map { ArchivedValue.object($0) }
    try encode(userKey: key) { coder in try value._archive(by: coder).node }
  }

  /// Encodes an array whose elements have several types. To encode such elements deeper in a value, use
  /// ``ArchivedValue/object(_:)``.
  ///
  /// ```swift
  /// let shapes: [any SecureCoding] = [Circle(radius: 1), Square(side: 2)]
  /// try coder.encode(shapes, forKey: "shapes")
  /// ```
  ///
  /// - Throws: ``KeyedArchiveError``, or an error of a type's own ``SecureCoding/encode(with:)``.
  @_disfavoredOverload
  public func encode(_ elements: [any SecureCoding], forKey key: String) throws {
    try encode(ArchivedArray(elements), forKey: key)
  }

  /// Encodes a dictionary whose values have several types.
  ///
  /// - Throws: ``KeyedArchiveError``, or an error of a type's own ``SecureCoding/encode(with:)``.
  @_disfavoredOverload
  public func encode<Key: SecureCoding & Hashable>(_ entries: [Key: any SecureCoding], forKey key: String) throws {
    try encode(entries.mapValues { ArchivedValue.object($0) }, forKey: key)
  }
}

extension KeyedUnarchiver {
  /// The types that an ``ArchivedValue`` may contain in addition to those of its cases, for example in user infos and
  /// in the attributes of text.
  ///
  /// ```swift
  /// unarchiver.additionalTypes = [Attachment.self]
  /// let text = try unarchiver.decode(Archived.AttributedString.self, forKey: "text")
  /// ```
  ///
  /// They apply to all decoding calls. ``decode(_:additionalTypes:forKey:)`` adds types for one call.
  public var additionalTypes: [any SecureCoding.Type] {
    get { classes.additionalTypes }
    set { table.scope = classes.setAdditionalTypes(newValue) }
  }

  /// Decodes the value of a key, and allows more types in every ``ArchivedValue`` that it contains.
  ///
  /// ```swift
  /// let info = try coder.decode(Archived.Error.self, additionalTypes: [Request.self], forKey: "failure").userInfo
  /// ```
  ///
  /// - Parameter more: the types that this call allows in addition to ``additionalTypes``, at any depth of the value. A
  ///   class instance that was decoded by an earlier call is returned as it is, even if that call allowed other types.
  /// - Throws: The errors of ``decode(_:forKey:)``.
  public func decode<T: SecureCoding>(
    _ type: T.Type = T.self, additionalTypes more: [any SecureCoding.Type], forKey key: String
  ) throws -> T {
    let types = additionalTypes
    defer { additionalTypes = types }
    // Types that are already in the list are not added again. A nested call with the same types then has the same list,
    // and finds the values that were decoded with it.
    let known = Set(types.map { ObjectIdentifier($0) })
    additionalTypes += more.filter { !known.contains(ObjectIdentifier($0)) }
    return try decode(type, forKey: key)
  }
}
