internal import Dispatch
public import PropertyLists

/// Waiting for the disk in a task. The thread of the task is free meanwhile.
///
/// In an `async` function these are the ones that are called. A change is called on another thread, and what is said of
/// the forms that wait holds for it; see ``update(_:)-((DomainValues)->Result)``. A task that is cancelled waits all
/// the same, since the values would be saved in any case.
extension UserPreferences {
  /// Saves the values that this store has set, and returns when they are on the disk. Also reads the values that other
  /// processes have saved.
  ///
  /// - Throws: ``PreferencesError``, the first of several. Nothing is lost then: values stay in memory, are tried
  ///   again, and the file is as it was or has all of them.
  public func synchronize() async throws(PreferencesError) {
    try await Self.onThread { () throws(PreferencesError) in
      try self.synchronize(patience: SaveSchedule.patience)
    }
  }

  /// Changes the saved value for a key in the domain of the application while no other process can change it. Returns
  /// when the new value is on the disk.
  ///
  /// - Returns: what `change` returned the last time.
  /// - Throws: what `change` throws, and ``PreferencesError``; the value is as it was then.
  @discardableResult
  public func update<Result: Sendable>(
    forKey key: String, _ change: @escaping @Sendable (inout PropertyList?) throws -> Result
  ) async throws -> Result {
    guard !key.isEmpty else { throw PreferencesError.emptyKey }
    return try await update { values in try change(&values[key]) }
  }

  /// Changes the saved value for a typed key while no other process can change it. Returns when the new value is on the
  /// disk.
  ///
  /// ```swift
  /// let number = try await preferences.update(Keys.launches) { launches in
  ///   launches += 1
  ///   return launches
  /// }
  /// ```
  ///
  /// - Returns: what `change` returned the last time.
  /// - Throws: what `change` throws, and ``PreferencesError``; the value is as it was then.
  @discardableResult
  public func update<Value, Result: Sendable>(
    _ key: PreferenceKey<Value>, _ change: @escaping @Sendable (inout Value) throws -> Result
  ) async throws -> Result {
    guard !key.name.isEmpty else { throw PreferencesError.emptyKey }
    return try await update { values in try change(&values[key]) }
  }

  /// Changes several saved values of the domain of the application at once while no other process can change them.
  /// Returns when the new values are on the disk. Other processes read all of them or none.
  ///
  /// - Returns: what `change` returned the last time.
  /// - Throws: what `change` throws, and ``PreferencesError``; all values are as they were then.
  @discardableResult
  public func update<Result: Sendable>(
    _ change: @escaping @Sendable (inout DomainValues) throws -> Result
  ) async throws -> Result {
    try await Self.onThread { () throws in
      try self.file.update(patience: SaveSchedule.patience, change).get()
    }
  }

  /// Does what waits for the disk, on a thread that tasks do without.
  private static func onThread<Success: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Success, Failure>, Never>) in
      DispatchQueue.global().async { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
    }
    return try result.get()
  }
}
