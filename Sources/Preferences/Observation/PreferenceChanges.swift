public import PropertyLists

/// A change of the effective value of a key.
public struct PreferenceChange: Hashable, Sendable {
  /// The key.
  public let key: String
  /// The previous effective value; nil if the key had no value.
  public let oldValue: PropertyList?
  /// The new effective value; nil if the key has no value.
  public let newValue: PropertyList?
  /// The source of the new value; nil if the key has no value, or if the change was observed with a
  /// ``PreferencesFile``.
  public let source: UserPreferences.Source?
}

/// A sequence of the changes of effective values, made by this process or other processes after the sequence was
/// created.
///
/// A change is reported if the effective value of a key differs from the previous one. It is not reported if the same
/// value is set again, or if a domain earlier in the search list has a value for the key. A slow reader gets the latest
/// value, not every value in between. The sequence ends when the task that iterates is cancelled. Only one task may
/// iterate over a sequence; other tasks create their own sequences.
public struct PreferenceChanges: AsyncSequence, Sendable {
  let observer: PreferencesObserver
  /// A stream that yields an element when there may be changes.
  private let signals: AsyncStream<Void>

  init(_ observed: PreferencesObserver.Observed, key: String?) {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    observer = PreferencesObserver(observed, key: key) { _ in signal.yield() }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(observer: observer, signals: signals.makeAsyncIterator()) }

  /// An iterator that waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    let observer: PreferencesObserver
    var signals: AsyncStream<Void>.Iterator

    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> PreferenceChange? {
      while !Task.isCancelled {
        if let change = observer.nextChange() { return change }
        guard await signals.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }
  }
}

/// A sequence of the values of one key: the current effective value, followed by each new one. See
/// ``PreferenceChanges``.
public struct PreferenceValues<Value: PreferenceValue & Sendable>: AsyncSequence, Sendable {
  let key: PreferenceKey<Value>
  let changes: PreferenceChanges

  public func makeAsyncIterator() -> Iterator { Iterator(key: key, changes: changes.makeAsyncIterator()) }

  /// An iterator that waits for values.
  public struct Iterator: AsyncIteratorProtocol {
    let key: PreferenceKey<Value>
    var changes: PreferenceChanges.Iterator
    var isFirst = true

    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Value? {
      if isFirst {
        isFirst = false
        return Task.isCancelled ? nil : key.value(of: changes.observer.currentValue(forKey: TableKey(key.name)))
      }
      guard let change = await changes.next(isolation: actor) else { return nil }
      return key.value(of: change.newValue)
    }
  }
}

extension UserPreferences {
  /// Returns a sequence of the changes of all effective values.
  ///
  /// - Complexity: O(*n*) in the number of values of all domains, which are recorded for comparison.
  public func changes() -> PreferenceChanges { PreferenceChanges(.searchList(self), key: nil) }

  /// Returns a sequence of the changes of the effective value for a key.
  public func changes(forKey key: String) -> PreferenceChanges { PreferenceChanges(.searchList(self), key: key) }

  /// Returns a sequence of the current effective value for a key, followed by each new one.
  ///
  /// ```swift
  /// for await size in preferences.values(for: Keys.fontSize) { editor.setFontSize(size) }
  /// ```
  public func values<Value>(for key: PreferenceKey<Value>) -> PreferenceValues<Value> {
    PreferenceValues(key: key, changes: changes(forKey: key.name))
  }
}

extension PreferencesFile {
  /// Returns a sequence of the changes of the values in the file, made by any process from now on.
  ///
  /// - Parameter key: the key to observe; nil for all keys.
  public func changes(forKey key: String? = nil) -> PreferenceChanges {
    PreferenceChanges(.file(DomainFile.at(path, base: base)), key: key)
  }
}
