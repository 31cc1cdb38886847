internal import FoundationEssentials
internal import OrderedCollections
public import PropertyLists

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
