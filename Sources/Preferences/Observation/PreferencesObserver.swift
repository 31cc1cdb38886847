internal import PropertyLists
internal import Synchronization

/// An observer that finds changes by comparison. It keeps the values that it has reported, and the keys whose values
/// may have changed since then.
///
/// A ``DomainTable`` only reports that the value for a key may have changed. The values are compared when the next
/// change is requested. So a value that changes a thousand times takes no more memory than one that changes once, and
/// the last reported value is always the effective one.
final class PreferencesObserver: TableObserver {
  private let observed: Observed
  let key: TableKey?
  private let state: Mutex<State>
  /// A function that is called on any thread when a value may have changed. The function is not called again for a key
  /// until the key's value has been compared.
  private let signal: @Sendable (PreferencesObserver) -> Void

  private struct State {
    /// The values that were reported last, or those at the beginning.
    var known: [TableKey: PropertyList] = [:]
    /// The keys whose values may have changed, in the order of the reports.
    var noted: [TableKey] = []
    var next = 0
    var isNoted: Set<TableKey> = []
  }

  /// The observed values.
  enum Observed: Sendable {
    /// The effective values of keys in a search list.
    case searchList(UserPreferences)
    /// The values of one file.
    case file(DomainFile)

    func add(_ observer: PreferencesObserver) {
      switch self {
      case .searchList(let preferences): preferences.add(observer)
      case .file(let file):
        file.table.add(observer)
        file.watch()
      }
    }

    func value(forKey key: TableKey) -> (value: PropertyList, source: UserPreferences.Source?)? {
      switch self {
      case .searchList(let preferences): preferences.effectiveValue(forKey: key).map { ($0.value, $0.source) }
      case .file(let file): file.table.value(forKey: key).map { ($0, nil) }
      }
    }

    var values: [TableKey: PropertyList] {
      switch self {
      case .searchList(let preferences): preferences.effectiveValues
      case .file(let file): file.table.values
      }
    }
  }

  init(_ observed: Observed, key: String?, signal: @escaping @Sendable (PreferencesObserver) -> Void) {
    self.observed = observed
    let key = key.map { TableKey($0) }
    self.key = key
    self.signal = signal
    state = Mutex(State())
    // Changes after this line are noted; changes before the next line are included in the known values.
    observed.add(self)
    let known = key.map { key in observed.value(forKey: key).map { [key: $0.value] } ?? [:] }
    let all = known ?? observed.values
    state.withLock { $0.known = all }
  }

  func note(_ keys: [TableKey]) {
    let hasNew = state.withLock { state in
      var hasNew = false
      for key in keys where (self.key == nil || self.key == key) && state.isNoted.insert(key).inserted {
        state.noted.append(key)
        hasNew = true
      }
      return hasNew
    }
    if hasNew { signal(self) }
  }

  /// Returns the current value for the observer's key. This value is not reported as a change.
  func currentValue(forKey key: TableKey) -> PropertyList? {
    // The key is noted again if it changes after this.
    state.withLock { state in
      state.noted = []
      state.next = 0
      state.isNoted = []
    }
    let value = observed.value(forKey: key)?.value
    state.withLock { $0.known[key] = value }
    return value
  }

  /// Returns the next change that has not been reported; nil if there is no such change.
  func nextChange() -> PreferenceChange? {
    while let key = takeKey() {
      let value = observed.value(forKey: key)
      let change = state.withLock { state -> PreferenceChange? in
        let old = state.known[key]
        if let old, let value, old.hasSameValues(as: value.value) { return nil }
        guard old != nil || value != nil else { return nil }
        state.known[key] = value?.value
        return PreferenceChange(key: key.name, oldValue: old, newValue: value?.value, source: value?.source)
      }
      if let change { return change }
    }
    return nil
  }

  private func takeKey() -> TableKey? {
    state.withLock { state in
      guard state.next < state.noted.count else {
        state.noted = []
        state.next = 0
        return nil
      }
      let key = state.noted[state.next]
      state.next += 1
      // Removes the taken keys when they are more than half of the array. So the average cost is constant, and the
      // array stays short even if changes never end.
      if state.next > 16, state.next * 2 > state.noted.count {
        state.noted.removeFirst(state.next)
        state.next = 0
      }
      state.isNoted.remove(key)
      return key
    }
  }
}

extension PropertyList {
  /// Returns true if two values are equal except for the order of dictionary keys, which other programs may change.
  ///
  /// - Complexity: O(*n*) in the number of values inside the two. Uses no recursion, so that depth costs no stack.
  func hasSameValues(as other: PropertyList) -> Bool {
    var pairs = [(self, other)]
    while let (first, second) = pairs.popLast() {
      switch (first, second) {
      case (.array(let a), .array(let b)):
        guard a.count == b.count else { return false }
        pairs += zip(a, b)
      case (.dictionary(let a), .dictionary(let b)):
        guard a.count == b.count else { return false }
        for (key, value) in a {
          guard let counterpart = b[key] else { return false }
          pairs.append((value, counterpart))
        }
      default:
        guard first == second else { return false }
      }
    }
    return true
  }
}
