internal import Dispatch
public import PropertyLists

/// Functions that wait for the disk in a task, without blocking its thread.
///
/// In an `async` function, the compiler chooses these functions instead of the synchronous ones with the same names. A
/// `change` is called on another thread. Otherwise, the documentation of the synchronous functions applies; see
/// ``update(_:)-1hpmm``. Cancelling the task does not end the wait, because the values are saved in any case.
extension UserPreferences {
  /// Saves the values that this process has set in the domains of the ``searchList``, and those that were set in other
  /// domains through this instance. Returns when they are on the disk. Also reads the values that other processes have
  /// saved.
  ///
  /// - Throws: ``PreferencesError``, the first one of several. Nothing is lost: the values stay in memory, and saving
  ///   them is tried again. Each file has either all of its changes or none.
  public func synchronize() async throws(PreferencesError) {
    try await Self.onThread { () throws(PreferencesError) in
      try self.synchronize(patience: SaveSchedule.patience)
    }
  }

  /// Changes the saved value for a key in the domain of the application while no other process can change it. Returns
  /// when the new value is on the disk.
  ///
  /// - Returns: the result of the last call of `change`.
  /// - Throws: the error of `change`, or a ``PreferencesError``. The value is unchanged then, except if the disk
  ///   fails after the file was replaced.
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
  /// - Returns: the result of the last call of `change`.
  /// - Throws: the error of `change`, or a ``PreferencesError``. The value is unchanged then, except if the disk
  ///   fails after the file was replaced.
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
  /// - Returns: the result of the last call of `change`.
  /// - Throws: the error of `change`, or a ``PreferencesError``. All values are unchanged then, except if the disk
  ///   fails after the file was replaced.
  @discardableResult
  public func update<Result: Sendable>(
    _ change: @escaping @Sendable (inout DomainValues) throws -> Result
  ) async throws -> Result {
    try await Self.onThread { () throws in
      try self.file.update(patience: SaveSchedule.patience, change).get()
    }
  }

  /// Runs a function that blocks its thread. Uses a thread that does not run tasks.
  private static func onThread<Success: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Success, Failure>, Never>) in
      DispatchQueue.global().async { continuation.resume(returning: Result { () throws(Failure) in try body() }) }
    }
    return try result.get()
  }
}
