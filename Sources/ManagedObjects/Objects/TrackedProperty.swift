internal import Observation
internal import Predicates
internal import Synchronization

/// A property of an object that `Observation` can track.
enum TrackedProperty: Hashable {
  /// The attribute or relationship in a slot.
  case value(Int)
  /// A fetched property.
  case fetched(String)
  case objectID, isInserted, isUpdated, isDeleted, isInaccessible
  case hasChanges, hasPersistentChangedValues, changedValues, committedValues

  /// A value of the property that was read or reported.
  enum Value: Equatable {
    case value(RowValue)
    case flag(Bool)
    case key(RowKey)
    case values([Int: RowValue])
    /// The keys of the objects of a fetched property.
    case keys([RowKey])
  }

  /// True if the property depends on the row of the object.
  var needsRow: Bool {
    switch self {
    case .value, .committedValues: true
    case .fetched, .objectID, .isInserted, .isUpdated, .isDeleted, .isInaccessible, .hasChanges,
      .hasPersistentChangedValues, .changedValues:
      false
    }
  }
}

extension ManagedObject {
  /// Returns the present value of a tracked property.
  final func currentValue(of property: TrackedProperty) -> TrackedProperty.Value {
    switch property {
    case .value(let slot): .value(visibleValue(ofSlot: slot))
    case .fetched(let name): .keys(((try? fetchObjects(named: name)) ?? []).map(\.key))
    case .objectID: .key(key)
    case .isInserted: .flag(status.isInserted)
    case .isUpdated: .flag(status.isUpdated)
    case .isDeleted: .flag(status.isDeleted)
    case .isInaccessible: .flag(status.isInaccessible)
    case .hasChanges: .flag(status.hasChanges)
    case .hasPersistentChangedValues: .flag(differsFromCommitted)
    case .changedValues: .values(changedSlots)
    case .committedValues: .values(committedSlots)
    }
  }

  /// Returns the value of a slot as the program sees it: without a context, relationships have no objects.
  final func visibleValue(ofSlot slot: Int) -> RowValue { visible(value(ofSlot: slot), slot) }

  private final func visible(_ value: RowValue, _ slot: Int) -> RowValue {
    status.contains(.detached) && shape.relationships[slot] != nil ? shape.emptyValues[slot] : value
  }

  private final var changedSlots: [Int: RowValue] {
    guard status.hasChanges, !status.contains(.fault) else { return [:] }
    let old = status.isInserted ? shape.emptyValues : committed ?? values
    return Dictionary(
      uniqueKeysWithValues: values.indices.filter { values[$0] != old[$0] }.map { ($0, values[$0]) })
  }

  private final var committedSlots: [Int: RowValue] {
    if status.contains(.fault) { fire() }
    if status.isInserted { return [:] }
    for slot in values.indices { _ = value(ofSlot: slot) }
    let committed = committed ?? values
    return Dictionary(uniqueKeysWithValues: committed.indices.map { ($0, visible(committed[$0], $0)) })
  }

  /// Registers a property with `withObservationTracking` if it is running. Called for each access by the program.
  @inline(__always)
  final func noteRead(_ property: @autoclosure () -> TrackedProperty) {
    guard let gate = unsafe shape.state?.gate else { return }
    let isHit = unsafe gate._withUnsafeGuaranteedRef { gate in
      gate.access()
      return gate.probe.isHit.load(ordering: .relaxed)
    }
    if isHit { noteTrackedRead(property()) }
  }

  @inline(never)
  private final func noteTrackedRead(_ property: TrackedProperty) {
    // Ignores values that `awakeFromFetch` reads, because the tracked function does not read them.
    guard let state = shape.state, state.isTracked(), state.isOpen, state.isTracking else { return }
    state.observed.add(self, property)
    if case .fetched = property { shape.context?.followFetches() }
  }

  /// A property that represents all tracked properties for `Observation`, which gets its key path. Each tracked
  /// property has its own registrar.
  final var trackedProperty: Void { () }
}

/// Detects that `withObservationTracking` is running.
///
/// While it runs, `Observation` stores the key paths of all accesses in a set, and so calls the hash function of
/// ``Probe``. Otherwise, an access has no effect and takes a few nanoseconds.
final class TrackingGate: Observable {
  final class Probe: Hashable, Sendable {
    /// True if the probe was hashed. Other threads can hash it, too, when a change in another context ends a tracking.
    let isHit = Atomic(false)

    static func == (first: Probe, second: Probe) -> Bool { first === second }

    func hash(into hasher: inout Hasher) {
      isHit.store(true, ordering: .relaxed)
      hasher.combine(ObjectIdentifier(self))
    }
  }

  let probe: Probe
  private let path: KeyPath<TrackingGate, Void>
  private let registrar = ObservationRegistrar()

  init() {
    let probe = Probe()
    self.probe = probe
    path = \TrackingGate.[probe]
  }

  /// Creates a gate that replaces another one.
  init(replacing gate: TrackingGate) {
    probe = gate.probe
    path = gate.path
  }

  private subscript(probe: Probe) -> Void { () }

  @inline(__always)
  func access() { registrar.access(self, keyPath: path) }

  /// True if `withObservationTracking` is running in this thread.
  var isPassed: Bool {
    probe.isHit.store(false, ordering: .relaxed)
    access()
    return probe.isHit.exchange(false, ordering: .relaxed)
  }
}
