internal import Dispatch
internal import PropertyLists
internal import Synchronization

/// An observer that is called for each change until it is released.
///
/// ```swift
/// let observation = preferences.observe(Keys.fontSize) { size in editor.setFontSize(size) }
/// // Ends the observation, like releasing the last reference to it:
/// observation.invalidate()
/// ```
///
/// The handler is called once for each change, one call after another, on a separate thread or on the main actor. As
/// with ``PreferenceChanges``, it gets the latest value, not every value in between.
public final class PreferenceObservation: Sendable {
  private let observer: Mutex<PreferencesObserver?>

  /// A function that runs `work` later, after the work of all earlier calls.
  fileprivate typealias Queue = @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

  fileprivate static var ownQueue: Queue {
    let queue = DispatchQueue(label: "preferences.observation")
    return { work in queue.async { work() } }
  }

  fileprivate static let mainActor: Queue = { work in Task { @MainActor in work() } }

  /// Creates an observation that calls `handler` on a queue for each change.
  ///
  /// - Parameter initial: called with the current value, before the first change; nil if it is not needed.
  fileprivate init(
    _ preferences: UserPreferences, key: String?, on queue: @escaping Queue,
    initial: (@Sendable (PropertyList?) -> Void)? = nil, _ handler: @escaping @Sendable (PreferenceChange) -> Void
  ) {
    let observer = PreferencesObserver(.searchList(preferences), key: key) { observer in
      queue { [weak observer] in
        while let change = observer?.nextChange() { handler(change) }
      }
    }
    self.observer = Mutex(observer)
    guard let initial, let key else { return }
    queue { [weak observer] in
      if let observer { initial(observer.currentValue(forKey: TableKey(key))) }
    }
  }

  /// Ends the observation. The handler is not called any more; a call in progress is completed.
  public func invalidate() { observer.withLock { $0 = nil } }
}

extension UserPreferences {
  /// Calls a function whenever the value for a key changes, in this process or in another one.
  ///
  /// - Parameters:
  ///   - isInitial: true to call the handler soon with the current value too.
  ///   - handler: called with the current value, on a separate thread.
  /// - Returns: the observation. It ends when the last reference to it is released.
  public func observe<Value>(
    _ key: PreferenceKey<Value>, initial isInitial: Bool = false, _ handler: @escaping @Sendable (Value) -> Void
  ) -> PreferenceObservation {
    observe(key, isInitial, on: PreferenceObservation.ownQueue, handler)
  }

  private func observe<Value>(
    _ key: PreferenceKey<Value>, _ isInitial: Bool, on queue: @escaping PreferenceObservation.Queue,
    _ handler: @escaping @Sendable (Value) -> Void
  ) -> PreferenceObservation {
    var initial: (@Sendable (PropertyList?) -> Void)?
    if isInitial { initial = { value in handler(key.value(of: value)) } }
    return PreferenceObservation(self, key: key.name, on: queue, initial: initial) { change in
      handler(key.value(of: change.newValue))
    }
  }

  /// Calls a function on the main actor whenever the value for a key changes, in this process or in another one.
  ///
  /// ```swift
  /// observation = preferences.observeOnMainActor(Keys.fontSize, initial: true) { size in label.fontSize = size }
  /// ```
  ///
  /// - Parameters:
  ///   - isInitial: true to call the handler soon with the current value too.
  ///   - handler: called with the current value.
  /// - Returns: the observation. It ends when the last reference to it is released.
  public func observeOnMainActor<Value>(
    _ key: PreferenceKey<Value>, initial isInitial: Bool = false,
    _ handler: @escaping @MainActor @Sendable (Value) -> Void
  ) -> PreferenceObservation {
    // The queue runs this function on the main actor.
    observe(key, isInitial, on: PreferenceObservation.mainActor) { value in
      MainActor.assumeIsolated { handler(value) }
    }
  }

  /// Calls a function whenever an effective value changes, in this process or in another one.
  ///
  /// - Parameter key: the key to observe; nil for all keys.
  /// - Returns: the observation. It ends when the last reference to it is released.
  /// - Complexity: for all keys, O(*n*) in the number of values of all domains, which are recorded for comparison.
  public func observe(
    forKey key: String? = nil, _ handler: @escaping @Sendable (PreferenceChange) -> Void
  ) -> PreferenceObservation {
    PreferenceObservation(self, key: key, on: PreferenceObservation.ownQueue, handler)
  }
}
