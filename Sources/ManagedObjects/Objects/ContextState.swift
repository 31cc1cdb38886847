/// The part of a context that its objects have to do with all the time. They keep it, and not the context.
final class ContextState {
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
