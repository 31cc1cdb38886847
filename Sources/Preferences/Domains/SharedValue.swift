internal import Synchronization
internal import SystemFiles

/// A value that many threads can read at the same time, and one thread at a time can change.
///
/// It is not copyable, so that a read neither copies it nor changes a reference count that all threads share.
///
/// Memory-safe: a change first sets a flag, and then waits until all claims to read have ended. A reader first makes a
/// claim, and then checks the flag. All threads see these operations in the same order (sequential consistency). So
/// either the change sees the claim and waits for the reader, or the reader sees the flag and uses the lock.
///
/// In a child of `fork` (``ForkedChild``), values are read without the lock. They do not change any more, and the lock
/// may be held by a thread that exists only in the parent.
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

  /// Returns a claim to read this value and others; nil if other threads have taken the slots that this thread tries.
  @inline(__always)
  func claim() -> ReadClaim? { ReadClaim(slots) }

  /// Returns the result of `body` for the value; nil if it is being changed.
  @inline(__always)
  func read<Result>(_ claim: borrowing ReadClaim, _ body: (borrowing Value) -> Result) -> Result? {
    if isChanging.load(ordering: .sequentiallyConsistent) { return nil }
    return unsafe body(value.pointee)
  }

  /// Returns the result of `body` for the value. Waits for changes.
  func read<Result: Sendable>(_ body: (borrowing Value) -> Result) -> Result {
    if ForkedChild.isThisProcess { return unsafe body(value.pointee) }
    return lock.withLock { _ in unsafe body(value.pointee) }
  }

  /// Changes the value. Waits for other changes, and for readers.
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
