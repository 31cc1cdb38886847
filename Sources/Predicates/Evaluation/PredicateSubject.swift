internal import FoundationEssentials
internal import OrderedCollections
public import PropertyLists

/// An object that a predicate can be tested with: any type that has values for keys.
///
/// `PropertyList`, ``AttributeValue`` and dictionaries of attribute values conform to it. A type of your own needs only
/// one method:
///
/// ```swift
/// struct Invoice: PredicateSubject {
///   var number: Int64
///   var customer: String
///
///   func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<Invoice> {
///     switch key.name {
///     case "number": .value(.integer(number))
///     case "customer": .value(.string(customer))
///     default: throw ManagedPredicateError(.unknownKey, "an invoice has no key \(key.name)")
///     }
///   }
/// }
///
/// let predicate = try PreparedPredicate(ManagedPredicate(format: "customer BEGINSWITH 'G'"))
/// let found = try invoices.filter { try predicate.evaluate(with: $0) }
/// ```
public protocol PredicateSubject: Hashable {
  /// The value of `SELF`. By default ``PredicateValue/object(_:)`` with this object. A type whose instances are values
  /// without keys, such as numbers, returns another case.
  var predicateValue: PredicateValue<Self> { get }

  /// Returns the value of a key, or ``PredicateValue/null`` if the object has no value for it.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unknownKey`` if the object can never have such a key.
  func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<Self>

  /// The constant that represents the object in a predicate. Nil, the default, if no constant equals the object.
  var predicateConstant: PredicateConstant? { get }

  /// Returns the object that a constant refers to, so that a key path can start at it. Nil by default.
  func predicateSubject(for constant: PredicateConstant) -> Self?

  /// Returns the values of all keys, for `ANYKEY`.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unsupported`` by default.
  func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<Self>]
}

extension PredicateSubject {
  public var predicateValue: PredicateValue<Self> { .object(self) }

  public var predicateConstant: PredicateConstant? { nil }

  public func predicateSubject(for constant: PredicateConstant) -> Self? { nil }

  public func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<Self>] {
    throw ManagedPredicateError(.unsupported, "\(Self.self) does not support ANYKEY")
  }
}

/// A key of a prepared predicate, for which a ``PredicateSubject`` returns a value.
public struct PredicateKey: Hashable, Sendable {
  /// The key, as it is spelled in key paths.
  public let name: String
  /// The index of the name in ``PreparedPredicate/keys``. A subject can use it to look up each key only once.
  public let index: Int
  /// The slots in which objects of a model store the value of the key. A slot is an index among the values of an
  /// object. Each element has the slot for a range of entities. Nil if the predicate is not about objects of a model.
  @usableFromInline package let slots: [SlotRange]?

  @inlinable package init(name: String, index: Int, slots: [SlotRange]? = nil) {
    self.name = name
    self.index = index
    self.slots = slots
  }

  /// A range of entities whose objects store the value of a key in the same slot.
  @usableFromInline
  package struct SlotRange: Hashable, Sendable {
    @usableFromInline package let entities: Range<Int32>
    @usableFromInline package let slot: Int32

    @inlinable package init(entities: Range<Int32>, slot: Int32) {
      self.entities = entities
      self.slot = slot
    }
  }

  /// Returns the slot of the value in objects of an entity. Nil if the entity does not have the property, or if
  /// ``slots`` is nil.
  @inline(__always)
  @inlinable package func slot(inEntity index: Int32) -> Int? {
    guard let slots else { return nil }
    if slots.count > 8 { return slot(inEntity: index, among: slots) }
    for range in slots where range.entities.contains(index) { return Int(range.slot) }
    return nil
  }

  /// Finds the slot by binary search in `slots`, which are in ascending order of entities.
  @usableFromInline func slot(inEntity index: Int32, among slots: [SlotRange]) -> Int? {
    let range = slots.partitioningIndex { $0.entities.upperBound > index }
    guard range < slots.count, slots[range].entities.contains(index) else { return nil }
    return Int(slots[range].slot)
  }
}

/// A value during the evaluation of a predicate: the value of a key of a ``PredicateSubject``, or the result of a
/// ``PreparedExpression``.
public enum PredicateValue<Object: PredicateSubject> {
  case value(AttributeValue)
  case object(Object)
  case array([PredicateValue])
  /// Distinct elements, in no particular order.
  case set([PredicateValue])
  /// A constant that the other cases cannot represent: a dictionary, an opaque object, or an object by its key.
  case constant(PredicateConstant)

  /// No value.
  @inlinable public static var null: PredicateValue { .value(.null) }

  @inlinable package var isNull: Bool { if case .value(.null) = self { true } else { false } }

  /// The elements of a collection; nil for anything else.
  @inlinable package var elements: [PredicateValue]? {
    switch self {
    case .array(let elements), .set(let elements): elements
    case .value, .object, .constant: nil
    }
  }

  @inlinable package init(_ constant: PredicateConstant) {
    switch constant {
    case .value(let value): self = .value(value)
    case .array(let elements): self = .array(elements.map { PredicateValue($0) })
    case .set(let elements): self = .set(elements.map { PredicateValue($0) })
    case .dictionary, .object, .opaque: self = .constant(constant)
    }
  }

  /// The kind of the value, for messages.
  @inlinable package var kindName: String {
    switch self {
    case .value(.null): "null"
    case .value(.boolean), .value(.integer), .value(.decimal), .value(.double), .value(.float): "a number"
    case .value(.string): "a string"
    case .value(.date): "a date"
    case .value(.data): "data"
    case .value(.uuid): "a UUID"
    case .value(.url): "a URL"
    case .value(.composite): "a composite value"
    case .object: "an object"
    case .array, .set: "a collection"
    case .constant(.dictionary): "a dictionary"
    case .constant(.object): "an object"
    case .constant: "an opaque object"
    }
  }
}

extension PredicateValue: Sendable where Object: Sendable {}

/// Equality is that of `==` in predicates: numbers are compared by their exact values, sets in any order.
extension PredicateValue: Hashable {
  @inlinable public static func == (first: PredicateValue, second: PredicateValue) -> Bool {
    switch (first, second) {
    case (.value(let first), .value(let second)): first.isEqual(to: second)
    case (.object(let first), .object(let second)): first == second
    case (.array(let first), .array(let second)): first == second
    case (.set(let first), .set(let second)): first.count == second.count && Set(first) == Set(second)
    case (.constant(let first), .constant(let second)): first == second
    case (.object(let object), .constant(let constant)), (.constant(let constant), .object(let object)):
      object.predicateConstant == constant
    default: false
    }
  }

  @inlinable public func hash(into hasher: inout Hasher) {
    switch self {
    case .value(let value): hasher.combine(value.canonical)
    case .object(let object):
      if let constant = object.predicateConstant { hasher.combine(constant) } else { hasher.combine(object) }
    case .array(let elements): hasher.combine(elements)
    case .set(let elements): hasher.combine(elements.count)
    case .constant(let constant): hasher.combine(constant)
    }
  }
}

extension PropertyList: PredicateSubject {
  public var predicateValue: PredicateValue<PropertyList> {
    switch self {
    case .dictionary: .object(self)
    case .array(let elements): .array(elements.map(\.predicateValue))
    default: .value(attributeValue ?? .null)
    }
  }

  /// The value as an attribute value; nil for arrays and dictionaries.
  private var attributeValue: AttributeValue? {
    switch self {
    case .string(let value): .string(value)
    case .integer(let value): AttributeValue(value)
    case .real(let value): .double(value)
    case .float(let value): .float(value)
    case .boolean(let value): .boolean(value)
    case .date(let value): .date(value)
    case .data(let value): .data(value)
    case .uid(let value): .integer(Int64(value.value))
    case .null: .null
    case .array, .dictionary: nil
    }
  }

  /// Returns the value of a key of a dictionary, or null if it has no such key.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unknownKey`` if this is not a dictionary and has no built-in value for the
  ///   key.
  public func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<PropertyList> {
    guard case .dictionary(let entries) = self else {
      return .value(try (attributeValue ?? .null).builtInValue(forKey: key.name))
    }
    return entries[key.name]?.predicateValue ?? .null
  }

  public var predicateConstant: PredicateConstant? {
    switch self {
    case .dictionary(let entries):
      .dictionary(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value.predicateConstant ?? .null) }))
    case .array(let elements): .array(elements.map { $0.predicateConstant ?? .null })
    default: .value(attributeValue ?? .null)
    }
  }

  public func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<PropertyList>] {
    guard case .dictionary(let entries) = self else { return [] }
    return entries.values.map(\.predicateValue)
  }
}

/// An attribute value can be tested by itself, as validation rules do: `SELF >= 0`, `length < 20`.
extension AttributeValue: PredicateSubject {
  public var predicateValue: PredicateValue<AttributeValue> { .value(self) }

  /// Returns the value of a built-in key, such as `length`.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unknownKey`` if the value has no built-in key with this name.
  public func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<AttributeValue> {
    .value(try builtInValue(forKey: key.name))
  }

  public var predicateConstant: PredicateConstant? { .value(self) }
}

/// A dictionary of attribute values can be tested like an object with these keys. A missing key has the value null.
extension Dictionary: PredicateSubject where Key == String, Value == AttributeValue {
  public func predicateValue(
    forKey key: PredicateKey
  ) throws(ManagedPredicateError) -> PredicateValue<[String: AttributeValue]> {
    .value(self[key.name] ?? .null)
  }

  public var predicateConstant: PredicateConstant? { .dictionary(mapValues { .value($0) }) }

  public func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<[String: AttributeValue]>] {
    values.map { .value($0) }
  }
}

extension AttributeValue {
  /// Returns the value of a built-in key. These are keys of Foundation's classes that validation rules use, such as
  /// `length`.
  @usableFromInline func builtInValue(forKey key: String) throws(ManagedPredicateError) -> AttributeValue {
    switch (self, key) {
    case (.null, _): return .null
    // In UTF-16 code units, as in NSString.
    case (.string(let text), "length"): return .integer(Int64(text.utf16.count))
    case (.string(let text), "lowercaseString"): return .string(text.lowercased())
    case (.string(let text), "uppercaseString"): return .string(text.uppercased())
    case (.data(let data), "length"): return .integer(Int64(data.count))
    case (.date(let date), "timeIntervalSinceReferenceDate"): return .double(date.timeIntervalSinceReferenceDate)
    case (.date(let date), "timeIntervalSince1970"): return .double(date.timeIntervalSince1970)
    case (.url(let url), "absoluteString"): return .string(url.absoluteString)
    case (.uuid(let uuid), "UUIDString"): return .string(uuid.uuidString)
    case (.composite(let leaves), _) where leaves[key] != nil: return leaves[key] ?? .null
    case (_, "self"): return self
    default:
      throw ManagedPredicateError(
        .unknownKey, "\(PredicateValue<AttributeValue>.value(self).kindName) has no value for the key \"\(key)\"")
    }
  }
}
