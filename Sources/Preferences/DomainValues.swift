public import PropertyLists

/// The values of one domain while ``UserPreferences/update(_:)-((DomainValues)->Result)`` changes them: those of its
/// file, and what was set since.
public struct DomainValues {
  private let table: DomainTable
  /// What was looked at.
  private var versions: [TableKey: DomainTable.VersionedValue] = [:]
  private var changes: [TableKey: PropertyList?] = [:]
  /// Why a value cannot be stored, the first one.
  private(set) var fault: PreferencesError?

  init(_ table: DomainTable) { self.table = table }

  /// The value for a key, or its absence. A value that cannot be stored fails the update.
  public subscript(key: String) -> PropertyList? {
    mutating get {
      let key = TableKey(key)
      if let change = changes[key] { return change }
      return version(key).value
    }
    set { store(key) { () throws(PreferencesError) in newValue } }
  }

  /// The value for a key; the key's default if there is none, or one that is none of its type. A value that cannot be
  /// stored fails the update.
  public subscript<Value>(key: PreferenceKey<Value>) -> Value {
    mutating get { self[key.name].flatMap { Value.preferenceValue(from: $0) } ?? key.defaultValue }
    set {
      store(key.name) { () throws(PreferencesError) in try UserPreferences.stored(newValue, forKey: key.name) }
    }
  }

  private mutating func store(_ key: String, _ value: () throws(PreferencesError) -> PropertyList?) {
    do throws(PreferencesError) {
      guard !key.isEmpty else { throw .emptyKey }
      let value = try value()
      if let value { try UserPreferences.check(value, forKey: key) }
      let key = TableKey(key)
      _ = version(key)
      changes[key] = .some(value)
    } catch {
      fault = fault ?? error
    }
  }

  private mutating func version(_ key: TableKey) -> DomainTable.VersionedValue {
    if let version = versions[key] { return version }
    let version = table.versioned(key)
    versions[key] = version
    return version
  }

  /// Makes the changes in the table until it is known whether the file can have them.
  ///
  /// - Parameters:
  ///   - superseded: whether what this thread itself has set is older than the changes.
  ///   - isLast: whether what other threads have set meanwhile counts in the place of the changes.
  /// - Returns: nil if other threads have set values that were looked at.
  mutating func stage(superseding changed: OwnChanges, isLast: Bool) -> DomainTable.StagedChanges? {
    for key in versions.keys where changed.contains(key) { versions[key] = table.versioned(key) }
    return table.stage(changes, insteadOf: versions, isLast: isLast)
  }
}
