internal import Dispatch
internal import PropertyLists
internal import Synchronization
internal import SystemFiles

/// Whether Dispatch can be asked to do something later, or when there is something to read.
///
/// For that it takes a few descriptors of the process the first time. If there is none for its events, it ends the
/// process; if there is none for its timer, nothing that was to be done later is done, even when there are some again.
enum LaterWork {
  private static let isReady = Atomic(false)
  /// One for its queue of events, one to wake it, one for a timer, and one to spare.
  private static let descriptorCount = 4

  /// Has Dispatch take what it needs, if that is there.
  static var isPossible: Bool {
    if isReady.load(ordering: .acquiring) { return true }
    guard CurrentProcess.hasDescriptors(descriptorCount) else { return false }
    if !isReady.exchange(true, ordering: .acquiringAndReleasing) {
      // Late, so that a process that ends soon is not woken for it.
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(100)) {}
    }
    return true
  }
}
