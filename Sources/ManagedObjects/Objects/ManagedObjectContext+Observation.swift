internal import Observation
internal import Predicates

/// Functions that report changes to `Observation` and to the observers of objects.
extension ManagedObjectContext {
  /// Begins an operation that can change objects. No change is reported before ``endOperation()``.
  ///
  /// - Parameter changesAll: true if the operation can change objects that it does not pass to
  ///   ``ObservedObjects/touch(_:)``, so that all observed objects must be compared.
  func beginOperation(changesAll: Bool = false) {
    state.observed.depth += 1
    if changesAll {
      rowChangeCount &+= 1
      state.observed.changesAll = true
      state.observed.completesStep = true
    }
  }

  /// Ends an operation, and reports the changes if it is the outermost one.
  func endOperation() {
    state.observed.depth -= 1
    guard state.observed.depth == 0, state.observed.count > 0 else { return }
    reportObserved()
    _ = state.isTracked()
  }

  /// Compares the current values of the observed objects that may have changed with the values that the program has
  /// read, and reports the differences.
  func reportObserved() {
    let observed = state.observed
    // Reading values can call `awakeFromFetch`, which can change objects.
    observed.depth += 1
    var records = observed.takeChanged()
    let faults = records.filter { $0.object.isFault && $0.needsRow }.map(\.object)
    do { try readFaults(faults.filter { !$0.status.contains(.detached) }) } catch { note(error) }
    for object in faults { object.fire() }
    records += observed.takeChanged()
    var reports: [() -> Void] = []
    for record in records { addReport(&reports, record) { if case .fetched = $0 { false } else { true } } }
    for record in observed.takeOutdatedFetches() {
      addReport(&reports, record) { if case .fetched = $0 { true } else { false } }
    }
    if let number = fetchFollower, !observed.tracksFetches {
      followers.remove(number)
      fetchFollower = nil
    }
    for record in records where !record.observers.isEmpty {
      guard let change = record.takeChange(isSame) else { continue }
      reports.append { record.observers.tell(change) }
    }
    observed.depth -= 1
    // The functions that are called here can read and change objects.
    for report in reports { report() }
  }

  /// Adds a function to `reports`. It reports the properties of an object whose current values differ from the values
  /// that the program has read.
  private func addReport(
    _ reports: inout [() -> Void], _ record: ObservedObjects.Record, where isIncluded: (TrackedProperty) -> Bool
  ) {
    let object = record.object
    var ended: [ObservationRegistrar] = []
    for property in Array(record.trackings.keys) where isIncluded(property) {
      let value = object.currentValue(of: property)
      guard record.trackings[property]?.contains(where: { !isSame($0.value, value) }) == true else { continue }
      ended += record.end(property, value, isRunning: state.isTracked(), isSame)
    }
    if ended.isEmpty { return }
    reports.append { for registrar in ended { registrar.withMutation(of: object, keyPath: \.trackedProperty) {} } }
  }

  /// Returns true if two values are equal, or if they refer to the same objects, one by old keys and the other by new
  /// keys.
  private func isSame(_ old: TrackedProperty.Value, _ new: TrackedProperty.Value) -> Bool {
    if old == new { return true }
    switch (old, new) {
    case (.value(let old), .value(let new)): return isSame(old, new)
    case (.keys(let old), .keys(let new)): return old.map(presentKey) == new.map(presentKey)
    case (.values(let old), .values(let new)): return old.mapValues(present) == new.mapValues(present)
    default: return false
    }
  }

  private func isSame(_ old: RowValue, _ new: RowValue) -> Bool { old == new || present(old) == present(new) }

  private func present(_ value: RowValue) -> RowValue {
    switch value {
    case .attribute, .unread: value
    case .toOne(let key): .toOne(key.map(presentKey))
    case .toMany(let keys): .toMany(Set(keys.map(presentKey)))
    case .orderedToMany(let keys): .orderedToMany(OrderedKeys(keys.map(presentKey)))
    }
  }

  /// Compares the results of tracked fetched properties from now on, whenever the context reports changes.
  func followFetches() {
    guard fetchFollower == nil else { return }
    fetchFollower = followers.add { [weak self] event in
      if case .changed = event { self?.state.observed.hasOutdatedFetches = true }
    }
  }
}

extension ManagedObject {
  /// Sets the value in a slot of an observed object, as ``change(_:to:)`` does for other objects.
  @inline(never)
  final func changeObserved(_ slot: Int, to value: RowValue) {
    guard let state = shape.state, let record = state.observed[self] else { return assign(slot, to: value) }
    state.observed.touch(self)
    if state.observed.depth > 0 { return assign(slot, to: value) }
    // Only a change of one attribute by the program is reported before it is made. Other operations change several
    // objects, and report them when all have their new values.
    let isRunning = state.isTracked()
    let ended = record.end(.value(slot), .value(value), isRunning: isRunning, ==)
    for registrar in ended { registrar.willSet(self, keyPath: \.trackedProperty) }
    state.observed.depth += 1
    assign(slot, to: value)
    // Trackings that began in the calls above need no report of this change.
    for index in record.trackings[.value(slot)]?.indices ?? 0..<0 {
      record.trackings[.value(slot)]?[index].value = .value(value)
    }
    state.observed.depth -= 1
    for registrar in ended { registrar.didSet(self, keyPath: \.trackedProperty) }
    shape.context?.reportObserved()
  }

  /// Records that an observed object was changed in another way than by ``change(_:to:)``. Reports the change, unless
  /// an operation is in progress.
  @inline(never)
  final func noteObservedChange() {
    guard let observed = shape.state?.observed else { return }
    observed.touch(self)
    if observed.depth == 0 { shape.context?.reportObserved() }
  }
}
