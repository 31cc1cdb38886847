internal import Synchronization
internal import SystemFiles

/// Delays `fork` while a value is being changed, because a child could neither read nor repair a value with an
/// incomplete change.
///
/// A change only accesses memory, so that `fork` waits for less than a microsecond.
enum ForkGate {
  /// The number of changes in progress.
  private static let changes = Atomic(0)
  private static let isClosed = Atomic(false)
  private static let isWatched = Atomic(false)

  /// Installs the handlers for `fork`. Must be called before any value is read.
  ///
  /// - Parameter prepare: a function that initializes global constants in the parent, because initializing them in a
  ///   child could wait forever.
  static func watch(preparing prepare: () -> Void) {
    guard !isWatched.load(ordering: .acquiring), !isWatched.exchange(true, ordering: .acquiringAndReleasing) else {
      return
    }
    ForkedChild.watch()
    ReaderSlots.prepare()
    prepare()
    PreferencesErrors.prepare()
    changes.store(0, ordering: .sequentiallyConsistent)
    isClosed.store(false, ordering: .sequentiallyConsistent)
    _ = pthread_atfork(
      { ForkGate.close() }, { ForkGate.open() },
      {
        // The child does not have the threads that read or change values.
        ReaderSlots.shared.freeAll()
        ForkGate.open()
      })
  }

  /// Calls a function that changes values. `fork` waits until it returns.
  @inline(__always)
  static func delayingFork<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    while true {
      changes.add(1, ordering: .sequentiallyConsistent)
      if !isClosed.load(ordering: .sequentiallyConsistent) { break }
      changes.subtract(1, ordering: .sequentiallyConsistent)
      sched_yield()
    }
    defer { changes.subtract(1, ordering: .sequentiallyConsistent) }
    return try body()
  }

  private static func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    while changes.load(ordering: .sequentiallyConsistent) > 0 { sched_yield() }
  }

  private static func open() { isClosed.store(false, ordering: .sequentiallyConsistent) }
}
