internal import Synchronization

/// The part of a context that its objects use most. Objects refer to it instead of the context.
final class ContextState {
  /// A number that identifies the context in this process.
  let number = nextNumber.add(1, ordering: .relaxed).newValue
  private static let nextNumber = Atomic<Int>(0)
  var registered = IdentityMap()
  /// False while values are set that do not count as changes, for example by `awakeFromFetch`.
  private(set) var isTracking = true
  /// False after the context was released.
  var isOpen = true

  /// Runs code in which setting a value does not count as a change.
  func withoutTracking(_ body: () -> Void) {
    let before = isTracking
    isTracking = false
    body()
    isTracking = before
  }
}
