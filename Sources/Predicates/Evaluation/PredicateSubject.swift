internal import FoundationEssentials
internal import OrderedCollections
public import PropertyLists

/// An object that a predicate can be tested with: anything that has values for keys.
///
/// `PropertyList`, ``AttributeValue`` and dictionaries of attribute values are.
public protocol PredicateSubject: Hashable {
  /// The value that `SELF` stands for. An object by default; values that have no keys of their own say another.
  var predicateValue: PredicateValue<Self> { get }

  /// The value of a key; ``PredicateValue/null`` if there is none.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unknownKey`` if the object can never have such a key.
  func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<Self>

  /// The constant that stands for the object in a predicate, if there is one. Objects without one equal only objects.
  var predicateConstant: PredicateConstant? { get }

  /// The object that a constant stands for, so that a key path can begin at it. Nil by default.
  func predicateSubject(for constant: PredicateConstant) -> Self?

  /// The values of all keys, for `ANYKEY`.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unsupported`` by default.
  func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<Self>]
}

extension PredicateSubject {
  public var predicateValue: PredicateValue<Self> { .object(self) }

  public var predicateConstant: PredicateConstant? { nil }

  public func predicateSubject(for constant: PredicateConstant) -> Self? { nil }

  public func allPredicateValues() throws(ManagedPredicateError) -> [PredicateValue<Self>] {
    throw ManagedPredicateError(.unsupported, "ANYKEY, which \(Self.self) does not support")
  }
}

/// A key of a prepared predicate.
public struct PredicateKey: Hashable, Sendable {
  /// The key, as key paths have it.
  public let name: String
  /// The index of the name in ``PreparedPredicate/keys``, so that a subject can look each key up once.
  public let index: Int
  /// The slots of the value in the objects of a model; nil for a key that is not known to belong to a model.
  @usableFromInline package let slots: [SlotRange]?

  @inlinable package init(name: String, index: Int, slots: [SlotRange]? = nil) {
    self.name = name
    self.index = index
    self.slots = slots
  }

  /// A range of entities whose objects have a value in the same slot.
  @usableFromInline
  package struct SlotRange: Hashable, Sendable {
    @usableFromInline package let entities: Range<Int32>
    @usableFromInline package let slot: Int32

    @inlinable package init(entities: Range<Int32>, slot: Int32) {
      self.entities = entities
      self.slot = slot
    }
  }

  /// The slot of the value in an object of an entity; nil if it has none, or if ``slots`` is nil.
  @inline(__always)
  @inlinable package func slot(inEntity index: Int32) -> Int? {
    guard let slots else { return nil }
    if slots.count > 8 { return slot(inEntity: index, among: slots) }
    for range in slots where range.entities.contains(index) { return Int(range.slot) }
    return nil
  }

  /// The ranges are in ascending order.
  @usableFromInline func slot(inEntity index: Int32, among slots: [SlotRange]) -> Int? {
    let range = slots.partitioningIndex { $0.entities.upperBound > index }
    guard range < slots.count, slots[range].entities.contains(index) else { return nil }
    return Int(slots[range].slot)
  }
}

/// A value in the evaluation of a predicate.
public enum PredicateValue<Object: PredicateSubject> {
  case value(AttributeValue)
  case object(Object)
  case array([PredicateValue])
  /// Elements that differ, in any order.
  case set([PredicateValue])
  /// A constant of the predicate that is none of these: a dictionary, an opaque object.
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

  /// The value as a message names it.
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

/// Values are equal as `==` has it in predicates: numbers by their exact values, sets in any order.
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

  /// The value as that of an attribute; nil for arrays and dictionaries.
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

  /// The value of a key of a dictionary; null if it has no such key.
  ///
  /// - Throws: ``ManagedPredicateError/Kind/unknownKey`` for other values.
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

/// Rules of validation are tested with a value alone: `SELF >= 0`, `length < 20`.
extension AttributeValue: PredicateSubject {
  public var predicateValue: PredicateValue<AttributeValue> { .value(self) }

  /// - Throws: ``ManagedPredicateError/Kind/unknownKey`` for keys other than those of ``AttributeValue`` in predicates.
  public func predicateValue(forKey key: PredicateKey) throws(ManagedPredicateError) -> PredicateValue<AttributeValue> {
    .value(try builtInValue(forKey: key.name))
  }

  public var predicateConstant: PredicateConstant? { .value(self) }
}

/// A key that is missing is null.
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
  /// The keys that values have by themselves: those of Foundation's classes that rules of validation use.
  @usableFromInline func builtInValue(forKey key: String) throws(ManagedPredicateError) -> AttributeValue {
    switch (self, key) {
    case (.null, _): return .null
    // As NSString counts.
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
