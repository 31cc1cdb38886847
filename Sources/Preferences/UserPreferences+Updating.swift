// The compiler distinguishes the two forms of each update by their `change` functions, only one of which may throw.
// swift-format-ignore-file: AmbiguousTrailingClosureOverload

public import PropertyLists

/// Updates: changes that depend on the saved values. No other process can change these values meanwhile.
///
/// Each function has two forms: for a `change` that cannot throw, and for a `change` that can throw.
///
/// The file is locked during the call of `change`, so `change` must not wait for other processes that save. If a
/// program that does not lock the file changes it meanwhile, or if another thread sets a value that `change` has read,
/// `change` is called again. After several repetitions, the values of the other thread are kept.
///
/// A `change` may read and set preferences. If it sets the value that it updates, the result of the update overrides
/// that value. It cannot save the domain that it updates, because that would wait for the update itself.
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
  ///   - key: the key, at least one character.
  ///   - change: a function that changes the value; nil means that this domain has no value for the key. It may be
  ///     called several times, and may read and set preferences. Saving them in this function throws
  ///     ``PreferencesError/updateUnderWay(path:)``. It must not wait for other processes that save.
  /// - Returns: the result of the last call of `change`.
  /// - Throws: ``PreferencesError``. The value is unchanged then, except if the disk fails after the file was replaced:
  ///   other processes may have read the new value already, so it is kept, and saving it is tried again.
  @discardableResult
  public func update<Result>(
    forKey key: String, _ change: (inout PropertyList?) -> Result
  ) throws(PreferencesError) -> Result {
    guard !key.isEmpty else { throw .emptyKey }
    return try update { values in change(&values[key]) }
  }

  /// Changes the value for a key, as ``update(forKey:_:)-jhco`` does, with a function that can throw.
  ///
  /// - Throws: the error of `change`, or a ``PreferencesError``. The value is unchanged then, except if the disk
  ///   fails after the file was replaced.
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
  /// - Throws: ``PreferencesError``. The value is unchanged then, except if the disk fails after the file was replaced.
  @discardableResult
  public func update<Value, Result>(
    _ key: PreferenceKey<Value>, _ change: (inout Value) -> Result
  ) throws(PreferencesError) -> Result {
    guard !key.name.isEmpty else { throw .emptyKey }
    return try update { values in change(&values[key]) }
  }

  /// Changes the value for a typed key, as ``update(_:_:)-(PreferenceKey<Value>,(Value)->Result)`` does, with a
  /// function that can throw.
  ///
  /// - Throws: the error of `change`, or a ``PreferencesError``. The value is unchanged then, except if the disk fails
  ///   after the file was replaced.
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
  /// - Parameter change: a function that changes the values of this domain. The same rules apply to it as to the
  ///   `change` of ``update(forKey:_:)-jhco``.
  /// - Returns: the result of the last call of `change`.
  /// - Throws: ``PreferencesError``. All values are unchanged then, except if the disk fails after the file was
  ///   replaced.
  @discardableResult
  public func update<Result>(_ change: (inout DomainValues) -> Result) throws(PreferencesError) -> Result {
    try file.update(patience: SaveSchedule.patience, change).get()
  }

  /// Changes several values, as ``update(_:)-1hpmm`` does, with a function that can throw.
  ///
  /// - Throws: the error of `change`, or a ``PreferencesError``. All values are unchanged then, except if the disk
  ///   fails after the file was replaced.
  @discardableResult
  public func update<Result>(_ change: (inout DomainValues) throws -> Result) throws -> Result {
    try file.update(patience: SaveSchedule.patience, change).get()
  }
}
