/// Somebody who wants to know of changes.
protocol TableObserver: AnyObject, Sendable {
  /// Nil for all keys.
  var key: TableKey? { get }

  /// Notes that values for keys may have changed.
  func note(_ keys: [TableKey])
}

struct WeakTableObserver: Sendable {
  weak var observer: (any TableObserver)?
}

/// The observers of a table, found by the keys that they look at: a change costs no more for those who look at others.
struct TableObservers {
  private var ofAllKeys: [WeakTableObserver] = []
  private var ofKeys: [TableKey: [WeakTableObserver]] = [:]
  private var count = 0

  mutating func add(_ observer: any TableObserver) {
    // As often as their number doubles, so that it costs nothing on average.
    if count.nonzeroBitCount == 1 { tidy() }
    count += 1
    if let key = observer.key {
      ofKeys[key, default: []].append(WeakTableObserver(observer: observer))
    } else {
      ofAllKeys.append(WeakTableObserver(observer: observer))
    }
  }

  /// Removes those that nobody has any more, and those that are here twice: a suite that comes again adds them again.
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

  /// Those who look at any of these keys, and the keys that they look at.
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
