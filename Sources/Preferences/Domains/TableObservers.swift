/// An observer of a ``DomainTable``.
protocol TableObserver: AnyObject, Sendable {
  /// The key to observe; nil for all keys.
  var key: TableKey? { get }

  /// Notes that the values for keys may have changed.
  func note(_ keys: [TableKey])
}

struct WeakTableObserver: Sendable {
  weak var observer: (any TableObserver)?
}

/// The observers of a table, grouped by their keys, so that a change takes no time for observers of other keys.
struct TableObservers {
  private var ofAllKeys: [WeakTableObserver] = []
  private var ofKeys: [TableKey: [WeakTableObserver]] = [:]
  private var count = 0

  mutating func add(_ observer: any TableObserver) {
    // Released observers are removed whenever the number has doubled, so that the average cost is constant.
    if count.nonzeroBitCount == 1 { tidy() }
    count += 1
    if let key = observer.key {
      ofKeys[key, default: []].append(WeakTableObserver(observer: observer))
    } else {
      ofAllKeys.append(WeakTableObserver(observer: observer))
    }
  }

  /// Removes released observers, and duplicates: a suite that is added a second time adds its observers again.
  private mutating func tidy() {
    var found: Set<ObjectIdentifier> = []
    func insert(_ observer: WeakTableObserver) -> Bool {
      observer.observer.map { found.insert(ObjectIdentifier($0)).inserted } ?? false
    }
    ofAllKeys = ofAllKeys.filter(insert)
    ofKeys = ofKeys.compactMapValues { observers in
      let alive = observers.filter(insert)
      return alive.isEmpty ? nil : alive
    }
    count = ofAllKeys.count + ofKeys.values.reduce(0) { $0 + $1.count }
  }

  /// Returns the observers of any of these keys, each with the keys that it observes.
  func concerned(by keys: [TableKey]) -> [(observer: any TableObserver, keys: [TableKey])] {
    var concerned = ofAllKeys.compactMap { observer in observer.observer.map { ($0, keys) } }
    if ofKeys.isEmpty { return concerned }
    for key in keys {
      for observer in ofKeys[key] ?? [] {
        if let observer = observer.observer { concerned.append((observer, [key])) }
      }
    }
    return concerned
  }
}
