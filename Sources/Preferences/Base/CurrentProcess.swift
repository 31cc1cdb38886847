internal import Dispatch
internal import Synchronization
internal import SystemFiles

/// This process: what it runs, and its threads.
///
/// The unsafe expressions are sound: paths end with a NUL, and what a call fills is given to it whole.
extension CurrentProcess {
  /// The path of the program that this process runs; nil if the system does not tell.
  static var programPath: String? {
    #if os(Linux) || os(Android)
      var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
      let length = unsafe readlink("/proc/self/exe", &target, target.count - 1)
      return length > 0 ? FileSystem.text(Array(target.prefix(length)) + [0]) : nil
    #else
      return CommandLine.arguments.first
    #endif
  }

  /// Whether the process may have so many more descriptors.
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

  /// A number that no other thread has as long as this one lives.
  static var threadNumber: UInt {
    #if canImport(Glibc) || canImport(Bionic)
      UInt(truncatingIfNeeded: pthread_self())
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }
}

/// Work that Dispatch does later, or when there is something to read.
///
/// For that it takes a few descriptors of the process the first time. If there is none for its events, it ends the
/// process; if there is none for its timer, nothing that was to be done later is done, even when there are some again.
enum LaterWork {
  private static let isReady = Atomic(false)
  /// One for its queue of events, one to wake it, one for a timer, and one to spare.
  private static let descriptorCount = 4

  /// Has Dispatch take what it needs. Returns false if it is not there, so that nothing may be asked for.
  static func prepare() -> Bool {
    if isReady.load(ordering: .acquiring) { return true }
    guard CurrentProcess.hasDescriptors(descriptorCount) else { return false }
    if !isReady.exchange(true, ordering: .acquiringAndReleasing) {
      // Late, so that a process that ends soon is not woken for it.
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(100)) {}
    }
    return true
  }
}
