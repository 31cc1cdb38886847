internal import Synchronization

/// The part of a context that its objects use most. Objects refer to it instead of the context.
@safe final class ContextState {
  /// A number that identifies the context in this process.
  let number = nextNumber.add(1, ordering: .relaxed).newValue
  private static let nextNumber = Atomic<Int>(0)
  let registered = IdentityMap()
  /// False while code sets values that do not count as changes, for example in `awakeFromFetch`.
  @safe @exclusivity(unchecked) private(set) var isTracking = true
  /// False after the context was released.
  @safe @exclusivity(unchecked) private(set) var isOpen = true
  private var isUsedAfterClosing = false
  /// The related objects that were read last because others of their batches were needed, with the batches of their
  /// owners. They are retained until these are released, so that they need not be read again when the program reaches
  /// them.
  private var readAhead: [(owners: ObjectIdentifier, objects: [ManagedObject])] = []
  private static let greatestReadAhead = 4
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
    releaseReadAhead()
  }

  /// Retains objects that were read before the program needs them, in place of those that were read long ago.
  func retainReadAhead(_ objects: [ManagedObject], of owners: ObjectIdentifier) {
    let old = readAhead.count == Self.greatestReadAhead ? readAhead.removeFirst() : nil
    readAhead.append((owners, objects))
    // Releasing objects can release their batches, and so change `readAhead`.
    withExtendedLifetime(old) {}
  }

  /// Releases the objects that were read for a batch of owners; nil for all.
  func releaseReadAhead(of owners: ObjectIdentifier? = nil) {
    let old = readAhead
    readAhead = owners.map { owners in old.filter { $0.owners != owners } } ?? []
    withExtendedLifetime(old) {}
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
    sweepObserved()
    return false
  }

  private func replaceGate() {
    ownedGate = TrackingGate(replacing: ownedGate)
    unsafe gate = Unmanaged.passUnretained(ownedGate)
  }

  /// Removes the records of objects that the program no longer references from ``observed``, if it is time.
  func sweepObserved() {
    guard observed.needsSweep else { return }
    // Objects with a record are retained by it. ``readAhead`` must not retain them, too: that would look like a
    // reference of the program.
    for index in readAhead.indices { readAhead[index].objects.removeAll { $0.status.contains(.observed) } }
    observed.sweep(registered)
  }

  /// Runs code in which setting a value does not count as a change.
  func withoutTracking(_ body: () -> Void) {
    let before = isTracking
    isTracking = false
    body()
    isTracking = before
  }
}
