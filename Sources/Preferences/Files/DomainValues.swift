public import PropertyLists

/// The values of one domain while ``UserPreferences/update(_:)-((DomainValues)->Result)`` changes them: those of its
/// file, and what was set since.
public struct DomainValues {
  private let table: DomainTable
  /// What was looked at.
  private var versions: [TableKey: DomainTable.VersionedValue] = [:]
  private var changes: [TableKey: PropertyList?] = [:]
  /// The number of changes when the keys were listed; nil if they were not.
  private var listed: Int?
  /// Why a value cannot be stored, the first one.
  private(set) var firstError: PreferencesError?

  init(_ table: DomainTable) { self.table = table }

  /// The keys that have values, in order.
  ///
  /// ```swift
  /// try preferences.update { values in
  ///   for key in values.keys where key.hasPrefix("cache.") { values[key] = nil }
  /// }
  /// ```
  ///
  /// - Complexity: O(*n* log *n*) in the number of values.
  public var keys: [String] {
    mutating get {
      let (held, count) = table.listed
      listed = listed ?? count
      var keys = Set(held.keys)
      for (key, change) in changes {
        switch change {
        case .none: keys.remove(key)
        case .some: keys.insert(key)
        }
      }
      return keys.sorted().map(\.name)
    }
  }

  /// The value for a key, or its absence. A value that cannot be stored fails the update.
  public subscript(key: String) -> PropertyList? {
    mutating get {
      let key = TableKey(key)
      if let change = changes[key] { return change }
      return version(key).value
    }
    set {
      set(key) { () throws(PreferencesError) in
        guard !key.isEmpty else { throw .emptyKey }
        try newValue?.checkStorable(forKey: key)
        return newValue
      }
    }
  }

  /// The value for a key; the key's default if there is none, or one that is none of its type. A value that cannot be
  /// stored fails the update.
  public subscript<Value>(key: PreferenceKey<Value>) -> Value {
    mutating get { self[key.name].flatMap { Value.preferenceValue(from: $0) } ?? key.defaultValue }
    set { set(key.name) { () throws(PreferencesError) in try newValue.stored(forKey: key.name) } }
  }

  private mutating func set(_ key: String, _ value: () throws(PreferencesError) -> PropertyList?) {
    do {
      let value = try value()
      let key = TableKey(key)
      _ = version(key)
      changes[key] = .some(value)
    } catch {
      firstError = firstError ?? error
    }
  }

  private mutating func version(_ key: TableKey) -> DomainTable.VersionedValue {
    if let version = versions[key] { return version }
    let version = table.versioned(key)
    versions[key] = version
    return version
  }

  /// Makes the changes in the table until it is known whether the file can have them. What this thread itself has
  /// `changed` is older. What other threads have set meanwhile counts if this `isLast`; otherwise, returns nil if it
  /// was looked at.
  mutating func stage(superseding changed: OwnChanges, isLast: Bool) -> DomainTable.StagedChanges? {
    for key in versions.keys where changed.contains(key) { versions[key] = table.versioned(key) }
    if changed.hasAny, listed != nil { listed = table.changeCount }
    return table.stage(changes, insteadOf: versions, listed: listed, isLast: isLast)
  }
}
