internal import Synchronization

/// The part of a context that its objects have to do with all the time. They keep it, and not the context.
final class ContextState {
  /// The number of the context in this process.
  let number = nextNumber.add(1, ordering: .relaxed).newValue
  private static let nextNumber = Atomic<Int>(0)
  var registered = IdentityMap()
  /// False while values are set that are no changes.
  private(set) var isTracking = true
  /// False once the context is gone.
  var isOpen = true

  /// Runs code whose changes of values are none.
  func withoutTracking(_ body: () -> Void) {
    let before = isTracking
    isTracking = false
    body()
    isTracking = before
  }
}
