// The two forms of each update differ in whether the change may throw, which is what tells them apart.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

public import PropertyLists

/// Changing values by what the file holds, while no other process can change them.
///
/// Each form comes twice: for changes that do not fail, and for those that throw errors of the caller.
///
/// A change is called again if a program that does not lock the file changed it meanwhile, or another thread set a
/// value that the change looked at; after some times of that, what the other thread has set counts. It may read and set
/// preferences: its own result counts more than what it sets for the same key. It cannot save the domain that it
/// changes, since that would wait for itself. The file stays locked meanwhile, so it must not wait for other processes
/// that save.
extension UserPreferences {
  /// Changes the value for a key in the domain of the application by what the file holds, while no other process can
  /// change it. Returns when the new value is on the disk.
  ///
  /// Counters that several processes count are counted with this:
  ///
  /// ```swift
  /// try preferences.update(forKey: "launches") { $0 = .integer(.init(($0?.int ?? 0) + 1)) }
  /// ```
  ///
  /// - Parameters:
  ///   - key: at least one character.
  ///   - change: is given the value of this domain, not that of others, and makes of it what is to be stored; nil for
  ///     none. It may be called several times, and may read and set preferences; saving them throws
  ///     ``PreferencesError/updateUnderWay(path:)``. It must not wait for other processes that save.
  /// - Returns: what `change` returned the last time.
  /// - Throws: ``PreferencesError``; the value is as it was then. If the disk fails at the very end, when
  ///   others may have read the new value already, that value counts and is tried again as if it had been set.
  @discardableResult
  public func update<Result>(
    forKey key: String, _ change: (inout PropertyList?) -> Result
  ) throws(PreferencesError) -> Result {
    guard !key.isEmpty else { throw .emptyKey }
    return try update { values in change(&values[key]) }
  }

  /// Changes the value for a key as ``update(forKey:_:)-(_,(PropertyList?)->Result)`` does, unless `change` throws.
  ///
  /// - Throws: what `change` throws, and ``PreferencesError``; the value is as it was then.
  @discardableResult
  public func update<Result>(forKey key: String, _ change: (inout PropertyList?) throws -> Result) throws -> Result {
    guard !key.isEmpty else { throw PreferencesError.emptyKey }
    return try update { values in try change(&values[key]) }
  }

  /// Changes the value for a typed key by what the file holds, while no other process can change it. Returns when the
  /// new value is on the disk. See ``update(forKey:_:)-(_,(PropertyList?)->Result)``.
  ///
  /// ```swift
  /// let number = try preferences.update(Keys.launches) { launches in
  ///   launches += 1
  ///   return launches
  /// }
  /// ```
  ///
  /// - Returns: what `change` returned the last time.
  /// - Throws: ``PreferencesError``; the value is as it was then.
  @discardableResult
  public func update<Value, Result>(
    _ key: PreferenceKey<Value>, _ change: (inout Value) -> Result
  ) throws(PreferencesError) -> Result {
    guard !key.name.isEmpty else { throw .emptyKey }
    return try update { values in change(&values[key]) }
  }

  /// Changes the value for a typed key as ``update(_:_:)-(PreferenceKey<Value>,(Value)->Result)`` does, unless `change`
  /// throws.
  ///
  /// - Throws: what `change` throws, and ``PreferencesError``; the value is as it was then.
  @discardableResult
  public func update<Value, Result>(
    _ key: PreferenceKey<Value>, _ change: (inout Value) throws -> Result
  ) throws -> Result {
    guard !key.name.isEmpty else { throw PreferencesError.emptyKey }
    return try update { values in try change(&values[key]) }
  }

  /// Changes several values of the domain of the application at once by what the file holds, while no other process can
  /// change them. Returns when the new values are on the disk, where nobody ever finds some of them without the others.
  ///
  /// ```swift
  /// try preferences.update { values in
  ///   values[Keys.balance] -= 10
  ///   values["lastPayment"] = .date(.now)
  /// }
  /// ```
  ///
  /// - Parameter change: is given the values of this domain, not those of others; see
  ///   ``update(forKey:_:)-(_,(PropertyList?)->Result)`` for what it may do.
  /// - Returns: what `change` returned the last time.
  /// - Throws: ``PreferencesError``; all values are as they were then.
  @discardableResult
  public func update<Result>(_ change: (inout DomainValues) -> Result) throws(PreferencesError) -> Result {
    try file.update(patience: SaveSchedule.patience, change).get()
  }

  /// Changes several values as ``update(_:)-((DomainValues)->Result)`` does, unless `change` throws.
  ///
  /// - Throws: what `change` throws, and ``PreferencesError``; all values are as they were then.
  @discardableResult
  public func update<Result>(_ change: (inout DomainValues) throws -> Result) throws -> Result {
    try file.update(patience: SaveSchedule.patience, change).get()
  }
}
