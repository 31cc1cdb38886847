internal import OrderedCollections
public import PropertyLists

/// Nil is stored by storing nothing.
extension Optional: PreferenceValue where Wrapped: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> Wrapped?? {
    Wrapped.preferenceValue(from: stored).map { .some($0) }
  }

  public func storedPreference() throws -> PropertyList? { try self?.storedPreference() }
}

/// An array; one element that is no `Element` makes it none. Elements that store nothing are left out.
extension Array: PreferenceValue where Element: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> [Element]? {
    guard case .array(let elements) = stored else { return nil }
    var values: [Element] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      guard let value = Element.preferenceValue(from: element) else { return nil }
      values.append(value)
    }
    return values
  }

  public func storedPreference() throws -> PropertyList? { .array(try compactMap { try $0.storedPreference() }) }
}

/// A set, as an array in the order of its elements' stored forms.
extension Set: PreferenceValue where Element: PreferenceValue & Comparable {
  public static func preferenceValue(from stored: PropertyList) -> Set<Element>? {
    [Element].preferenceValue(from: stored).map { Set($0) }
  }

  public func storedPreference() throws -> PropertyList? { try sorted().storedPreference() }
}

/// A dictionary, in the order of its keys; one entry whose value is no `Value` makes it none.
extension Dictionary: PreferenceValue where Key == String, Value: PreferenceValue {
  public static func preferenceValue(from stored: PropertyList) -> [String: Value]? {
    guard case .dictionary(let entries) = stored else { return nil }
    var values: [String: Value] = [:]
    values.reserveCapacity(entries.count)
    for (key, stored) in entries {
      guard let value = Value.preferenceValue(from: stored) else { return nil }
      values[key] = value
    }
    return values
  }

  public func storedPreference() throws -> PropertyList? {
    var entries = OrderedDictionary<String, PropertyList>()
    for (key, value) in sorted(by: { $0.key < $1.key }) { entries[key] = try value.storedPreference() }
    return .dictionary(entries)
  }
}

/// Values of different types under their keys.
struct MixedValues: PreferenceValue {
  private let values: [String: any PreferenceValue]

  init(_ values: [String: any PreferenceValue]) { self.values = values }

  static func preferenceValue(from stored: PropertyList) -> MixedValues? {
    stored.dictionary.map { entries in MixedValues(Dictionary(uniqueKeysWithValues: entries.map { ($0, $1) })) }
  }

  func storedPreference() throws -> PropertyList? {
    var entries = OrderedDictionary<String, PropertyList>()
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { entries[key] = try value.storedPreference() }
    return .dictionary(entries)
  }
}
