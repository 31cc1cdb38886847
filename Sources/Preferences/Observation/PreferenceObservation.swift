internal import Dispatch
internal import Synchronization

/// A function that is told of changes, for as long as this value lives.
///
/// ```swift
/// let observation = preferences.observe(Keys.fontSize) { size in editor.setFontSize(size) }
/// // Later, or by letting go of it:
/// observation.invalidate()
/// ```
///
/// The function is called on a thread of its own, once for each change, one call after another. As with
/// ``PreferenceChanges``, it is told the latest value and not each one between.
public final class PreferenceObservation: Sendable {
  private let observer: Mutex<PreferencesObserver?>

  fileprivate init(
    _ preferences: UserPreferences, key: String?, _ handler: @escaping @Sendable (PreferenceChange) -> Void
  ) {
    let queue = DispatchQueue(label: "preferences.observation")
    observer = Mutex(
      PreferencesObserver(.searchList(preferences), key: key) { observer in
        queue.async { [weak observer] in
          while let change = observer?.nextChange() { handler(change) }
        }
      })
  }

  /// Ends the observation. The function is not called any more, but for a call that is going on.
  public func invalidate() { observer.withLock { $0 = nil } }
}

extension UserPreferences {
  /// Has a function told whenever the value for a key becomes another, in this process or by others.
  ///
  /// - Parameter handler: is given the value that counts now.
  /// - Returns: the observation, which ends when nobody has it any more.
  public func observe<Value>(
    _ key: PreferenceKey<Value>, _ handler: @escaping @Sendable (Value) -> Void
  ) -> PreferenceObservation {
    observe(forKey: key.name) { handler(key.value(of: $0.newValue)) }
  }

  /// Has a function told whenever the value that counts becomes another, in this process or by others.
  ///
  /// - Parameter key: the key to look at; nil for all.
  /// - Returns: the observation, which ends when nobody has it any more.
  /// - Complexity: O(*n*) in the number of values of all domains for all keys, to know what they were.
  public func observe(
    forKey key: String? = nil, _ handler: @escaping @Sendable (PreferenceChange) -> Void
  ) -> PreferenceObservation {
    PreferenceObservation(self, key: key, handler)
  }
}
