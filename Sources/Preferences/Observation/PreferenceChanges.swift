public import PropertyLists

/// A value that counts and is another than before.
public struct PreferenceChange: Hashable, Sendable {
  /// The key.
  public let key: String
  /// What counted before; nil if there was no value.
  public let oldValue: PropertyList?
  /// What counts now; nil if there is no value any more.
  public let newValue: PropertyList?
  /// Where the new value comes from; nil if there is none, and for the changes of a ``PreferencesFile``.
  public let source: UserPreferences.Source?
}

/// The changes of the values that count, in this process and by others, from when the sequence was made.
///
/// A change is reported when the value that counts for a key becomes another: not if the same value is set again, and
/// not if a domain earlier in the search list has one. Whoever is slow to ask is told the latest value and not each one
/// between. The sequence ends when the task that iterates is cancelled. It is for one task; others make sequences of
/// their own.
public struct PreferenceChanges: AsyncSequence, Sendable {
  let observer: PreferencesObserver
  /// Has an element when there may be changes.
  private let signals: AsyncStream<Void>

  init(_ observed: PreferencesObserver.Observed, key: String?) {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.signals = signals
    observer = PreferencesObserver(observed, key: key) { _ in signal.yield() }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(observer: observer, signals: signals.makeAsyncIterator()) }

  /// Waits for changes.
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

/// The values of one key: the one that counts now, then each that comes to count. See ``PreferenceChanges``.
public struct PreferenceValues<Value: PreferenceValue & Sendable>: AsyncSequence, Sendable {
  let key: PreferenceKey<Value>
  let changes: PreferenceChanges

  public func makeAsyncIterator() -> Iterator { Iterator(key: key, changes: changes.makeAsyncIterator()) }

  /// Waits for values.
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
  /// The changes of all values.
  ///
  /// - Complexity: O(*n*) in the number of values of all domains, to know what they were.
  public func changes() -> PreferenceChanges { PreferenceChanges(.searchList(self), key: nil) }

  /// The changes of the value for a key.
  public func changes(forKey key: String) -> PreferenceChanges { PreferenceChanges(.searchList(self), key: key) }

  /// The value for a key, now and whenever it becomes another.
  ///
  /// ```swift
  /// for await size in preferences.values(for: Keys.fontSize) { editor.setFontSize(size) }
  /// ```
  public func values<Value>(for key: PreferenceKey<Value>) -> PreferenceValues<Value> {
    PreferenceValues(key: key, changes: changes(forKey: key.name))
  }
}

extension PreferencesFile {
  /// The changes of the values in the file, by whomever, from now on.
  ///
  /// - Parameter key: the key to look at; nil for all.
  public func changes(forKey key: String? = nil) -> PreferenceChanges {
    PreferenceChanges(.file(DomainFile.at(path, base: base)), key: key)
  }
}
