internal import Synchronization
internal import SystemFiles

/// A value that any number of threads read at once, and one changes at a time.
///
/// It is not copyable, so that no look copies it and counts references that all threads share.
///
/// Sound: a change first says that there is one, and then waits until every claim to read has ended; a reader first
/// makes a claim, and then looks whether there is a change. All of that is in one order for all threads (sequentially
/// consistent), so of the two at least one sees the other: a change waits for the reader, or the reader turns to the
/// lock.
///
/// In a child of `fork` nothing changes any more (``ForkedChild``), and the lock may be held by a thread that is not
/// there, so it is read without.
@safe
struct SharedValue<Value: ~Copyable & Sendable>: ~Copyable, @unchecked Sendable {
  private let value: UnsafeMutablePointer<Value>
  private let slots = ReaderSlots.shared
  private let isChanging = Atomic(false)
  private let lock = Mutex(())

  init(_ initial: consuming Value) {
    unsafe value = .allocate(capacity: 1)
    unsafe value.initialize(to: initial)
  }

  deinit {
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
  }

  /// A claim to read this value, and others; nil if there is no room.
  @inline(__always)
  func claim() -> ReadClaim? { ReadClaim(slots) }

  /// What `body` makes of the value; nil if it is being changed just now.
  @inline(__always)
  func read<Result>(_ claim: borrowing ReadClaim, _ body: (borrowing Value) -> Result) -> Result? {
    if isChanging.load(ordering: .sequentiallyConsistent) { return nil }
    return unsafe body(value.pointee)
  }

  /// What `body` makes of the value. Waits for changes.
  func read<Result: Sendable>(_ body: (borrowing Value) -> Result) -> Result {
    if ForkedChild.isThisProcess { return unsafe body(value.pointee) }
    return lock.withLock { _ in unsafe body(value.pointee) }
  }

  /// Changes the value. Waits for others that change it, and for readers.
  func withLock<Result: Sendable, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try ForkGate.delayingFork { () throws(Failure) in
      try lock.withLock { _ throws(Failure) in
        isChanging.store(true, ordering: .sequentiallyConsistent)
        defer { isChanging.store(false, ordering: .releasing) }
        slots.waitForAll()
        return try unsafe body(&value.pointee)
      }
    }
  }
}
