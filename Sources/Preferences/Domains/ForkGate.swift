internal import Synchronization
internal import SystemFiles

/// Keeps `fork` from copying values in the middle of a change, since the child could neither read nor mend them.
///
/// A change only touches memory, so `fork` waits for it for less than a microsecond.
enum ForkGate {
  /// The number of changes that are being made.
  private static let changes = Atomic(0)
  private static let isClosed = Atomic(false)
  private static let isWatched = Atomic(false)

  /// Begins to do this, before any value is read.
  ///
  /// - Parameter prepare: makes what a child would wait for without end, as a thread of its parent makes it.
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
        // Threads that read or change values are not in the child.
        ReaderSlots.shared.freeAll()
        ForkGate.open()
      })
  }

  /// Calls a function that changes values. `fork` waits until it has ended.
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
