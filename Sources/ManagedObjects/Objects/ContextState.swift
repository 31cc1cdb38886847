internal import Synchronization

/// The part of a context that its objects use most. Objects refer to it instead of the context.
@safe final class ContextState {
  /// A number that identifies the context in this process.
  let number = nextNumber.add(1, ordering: .relaxed).newValue
  private static let nextNumber = Atomic<Int>(0)
  @safe @exclusivity(unchecked) var registered = IdentityMap()
  /// False while code sets values that do not count as changes, for example in `awakeFromFetch`.
  private(set) var isTracking = true
  /// False after the context was released.
  private(set) var isOpen = true
  private var isUsedAfterClosing = false
  /// The objects whose properties are tracked or have observers.
  let observed = ObservedObjects()
  private var ownedGate: TrackingGate
  /// A reference to ``ownedGate`` that is read without counting references.
  private(set) var gate: Unmanaged<TrackingGate>

  init() {
    ownedGate = TrackingGate()
    unsafe gate = Unmanaged.passUnretained(ownedGate)
  }

  /// Called when the context is released.
  func close() {
    isOpen = false
    observed.removeAll()
  }

  /// Returns true for the first use of an object after the context was released.
  func isFirstUseAfterClosing() -> Bool {
    if isOpen || isUsedAfterClosing { return false }
    isUsedAfterClosing = true
    return true
  }

  /// Returns true if `withObservationTracking` is running. If it is not running, all earlier trackings have been
  /// registered.
  func isTracked() -> Bool {
    let wasUsed = ownedGate.probe.isHit.load(ordering: .relaxed)
    if ownedGate.isPassed { return true }
    // A new gate drops the registrations of the old one, which are not needed any more.
    if wasUsed { replaceGate() }
    observed.sweepIfNeeded(registered)
    return false
  }

  private func replaceGate() {
    ownedGate = TrackingGate(replacing: ownedGate)
    unsafe gate = Unmanaged.passUnretained(ownedGate)
  }

  /// Runs code in which setting a value does not count as a change.
  func withoutTracking(_ body: () -> Void) {
    let before = isTracking
    isTracking = false
    body()
    isTracking = before
  }
}
