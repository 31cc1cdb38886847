// The compiler distinguishes the two forms of each update by their changes, only one of which may throw.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

public import PropertyLists

/// Updates: changes that depend on the saved values, while no other process can change these.
///
/// There are two forms of each function: for changes that do not fail, and for changes that throw errors of the caller.
///
/// A change is called again if a program that does not lock the file has changed it meanwhile, or if another thread has
/// set a value that the change has read. After several repetitions, the values of the other thread win. A change may
/// read and set preferences; for the same key, its result overrides a value that it has set. It cannot save the domain
/// that it changes, because that would wait for the change itself. The file is locked during the change, so the change
/// must not wait for other processes that save.
extension UserPreferences {
  /// Changes the saved value for a key in the domain of the application. No other process can change it meanwhile.
  /// Returns when the new value is on the disk.
  ///
  /// Use this for counters that several processes share:
  ///
  /// ```swift
  /// try preferences.update(forKey: "launches") { $0 = .integer(.init(($0?.int ?? 0) + 1)) }
  /// ```
  ///
  /// - Parameters:
  ///   - key: at least one character.
  ///   - change: called with the value of this domain, which it changes; nil means that there is no value. It may be
  ///     called several times, and may read and set preferences; saving them throws
  ///     ``PreferencesError/updateUnderWay(path:)``. It must not wait for other processes that save.
  /// - Returns: the result of the last call of `change`.
  /// - Throws: ``PreferencesError``. The value is unchanged then. If the disk fails at the very end, when other
  ///   processes may have read the new value already, the new value is kept, and saving it is tried again as if it had
  ///   been set.
  @discardableResult
  public func update<Result>(
    forKey key: String, _ change: (inout PropertyList?) -> Result
  ) throws(PreferencesError) -> Result {
    guard !key.isEmpty else { throw .emptyKey }
    return try update { values in change(&values[key]) }
  }

  /// Changes the value for a key like ``update(forKey:_:)-jhco``, unless `change` throws.
  ///
  /// - Throws: the error of `change`, and ``PreferencesError``. The value is unchanged then.
  @discardableResult
  public func update<Result>(forKey key: String, _ change: (inout PropertyList?) throws -> Result) throws -> Result {
    guard !key.isEmpty else { throw PreferencesError.emptyKey }
    return try update { values in try change(&values[key]) }
  }

  /// Changes the saved value for a typed key. No other process can change it meanwhile. Returns when the new value is
  /// on the disk. See ``update(forKey:_:)-jhco``.
  ///
  /// ```swift
  /// let number = try preferences.update(Keys.launches) { launches in
  ///   launches += 1
  ///   return launches
  /// }
  /// ```
  ///
  /// - Returns: the result of the last call of `change`.
  /// - Throws: ``PreferencesError``. The value is unchanged then.
  @discardableResult
  public func update<Value, Result>(
    _ key: PreferenceKey<Value>, _ change: (inout Value) -> Result
  ) throws(PreferencesError) -> Result {
    guard !key.name.isEmpty else { throw .emptyKey }
    return try update { values in change(&values[key]) }
  }

  /// Changes the value for a typed key like ``update(_:_:)-(PreferenceKey<Value>,(Value)->Result)``, unless `change`
  /// throws.
  ///
  /// - Throws: the error of `change`, and ``PreferencesError``. The value is unchanged then.
  @discardableResult
  public func update<Value, Result>(
    _ key: PreferenceKey<Value>, _ change: (inout Value) throws -> Result
  ) throws -> Result {
    guard !key.name.isEmpty else { throw PreferencesError.emptyKey }
    return try update { values in try change(&values[key]) }
  }

  /// Changes several saved values of the domain of the application at once. No other process can change them meanwhile.
  /// Returns when the new values are on the disk. Other processes read all of them or none.
  ///
  /// ```swift
  /// try preferences.update { values in
  ///   values[Keys.balance] -= 10
  ///   values["lastPayment"] = .date(.now)
  /// }
  /// ```
  ///
  /// - Parameter change: called with the values of this domain, which it changes. The rules of
  ///   ``update(forKey:_:)-jhco`` apply.
  /// - Returns: the result of the last call of `change`.
  /// - Throws: ``PreferencesError``. All values are unchanged then.
  @discardableResult
  public func update<Result>(_ change: (inout DomainValues) -> Result) throws(PreferencesError) -> Result {
    try file.update(patience: SaveSchedule.patience, change).get()
  }

  /// Changes several values like ``update(_:)-1hpmm``, unless `change` throws.
  ///
  /// - Throws: the error of `change`, and ``PreferencesError``. All values are unchanged then.
  @discardableResult
  public func update<Result>(_ change: (inout DomainValues) throws -> Result) throws -> Result {
    try file.update(patience: SaveSchedule.patience, change).get()
  }
}
