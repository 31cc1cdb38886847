internal import Dispatch
internal import Synchronization
internal import SystemFiles

/// Properties and functions for the descriptors and threads of this process.
///
/// The unsafe expressions are sound: paths end with a NUL.
extension CurrentProcess {
  /// Returns true if the process can open `count` more file descriptors.
  static func hasDescriptors(_ count: Int) -> Bool {
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { _ = close(descriptor) } }
    while descriptors.count < count {
      let descriptor = FileSystem.attempt(.open, "/") { unsafe open("/", O_RDONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { return false }
      descriptors.append(descriptor)
    }
    return true
  }

  /// A number that identifies this thread as long as it lives.
  static var threadNumber: UInt {
    #if canImport(Glibc) || canImport(Bionic)
      UInt(truncatingIfNeeded: pthread_self())
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}

/// The preparation of Dispatch for timers and event sources.
///
/// For its first timer or event source, Dispatch opens file descriptors. If it cannot open the descriptors for events,
/// it ends the process. If it cannot open the descriptor for timers, its timers never fire, even if descriptors are
/// available later.
enum LaterWork {
  private static let isReady = Atomic(false)
  /// The number of descriptors that Dispatch opens (for the event queue, for waking it, and for a timer), plus one
  /// spare descriptor.
  private static let descriptorCount = 4

  /// Makes Dispatch open its descriptors. Returns false if they are not available; Dispatch must not be used then.
  static func prepare() -> Bool {
    if isReady.load(ordering: .acquiring) { return true }
    guard CurrentProcess.hasDescriptors(descriptorCount) else { return false }
    if !isReady.exchange(true, ordering: .acquiringAndReleasing) {
      // The delay avoids a wakeup in a process that ends soon.
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(100)) {}
    }
    return true
  }
}
