public import PropertyLists

/// The values of one domain during ``UserPreferences/update(_:)-1hpmm``: those of its file, and those that were set in
/// this process and are not saved yet.
public struct DomainValues {
  private let table: DomainTable
  /// The values that have been read.
  private var versions: [TableKey: DomainTable.VersionedValue] = [:]
  private var changes: [TableKey: PropertyList?] = [:]
  /// The number of changes at the time that the keys were listed; nil if they were not.
  private var listed: Int?
  /// The first error about a value that cannot be stored.
  private(set) var firstError: PreferencesError?

  init(_ table: DomainTable) { self.table = table }

  /// The keys that have values, sorted.
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

  /// The value for a key; nil if the key has no value. Setting a value that cannot be stored makes the update fail.
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

  /// The value for a key; the key's default if the key has no value, or only a value of another type. Setting a value
  /// that cannot be stored makes the update fail.
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

  /// Applies the changes to the table. If the file cannot be written, the caller reverts them.
  ///
  /// - Parameters:
  ///   - changed: Earlier changes of the same thread, made outside the update. The update replaces them, and they are
  ///     not conflicts.
  ///   - isLast: True for the last attempt. Changes to values that another thread has set since the update read them
  ///     are then skipped.
  /// - Returns: nil, without a change, if this is not the last attempt and another thread has set such a value. The
  ///   caller then runs the update again.
  mutating func stage(superseding changed: OwnChanges, isLast: Bool) -> DomainTable.StagedChanges? {
    for key in versions.keys where changed.contains(key) { versions[key] = table.versioned(key) }
    if changed.hasAny, listed != nil { listed = table.changeCount }
    return table.stage(changes, insteadOf: versions, listed: listed, isLast: isLast)
  }
}
