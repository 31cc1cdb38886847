internal import Synchronization
internal import SystemFiles

/// The right to read a ``SharedValue``. No shared value changes while a claim exists, so a claim must only live for one
/// read.
///
/// Claims do not wait for each other. Threads use different cache lines for them, so that reading takes no longer when
/// many threads read.
///
/// Memory-safe: the slots are never deallocated.
@safe
struct ReadClaim: ~Copyable {
  private let slot: UnsafePointer<ReaderSlots.Slot>

  /// Creates a claim; nil if other threads have taken the slots that this thread tries, which is rare.
  @inline(__always)
  init?(_ slots: ReaderSlots) {
    guard let slot = unsafe slots.take() else { return nil }
    unsafe self.slot = slot
  }

  deinit { unsafe slot.pointee.isTaken.store(false, ordering: .releasing) }
}

/// The slots that threads mark while they are reading. All shared values of the process use the same slots.
///
/// Memory-safe: the slots are allocated once for the process, and never deallocated.
@safe
struct ReaderSlots: @unchecked Sendable {
  static let shared = ReaderSlots()

  private let slots: UnsafePointer<Slot>

  /// A slot, in cache lines of its own.
  struct Slot: ~Copyable {
    let isTaken = Atomic(false)
    private let padding = InlineArray<15, UInt64>(repeating: 0)
  }

  /// The number of slots. It must be a power of two.
  private static var count: UInt { 32 }

  private init() {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: Int(Self.count))
    for number in 0..<Int(Self.count) { unsafe (slots + number).initialize(to: Slot()) }
    unsafe self.slots = UnsafePointer(slots)
  }

  @inline(__always)
  fileprivate func take() -> UnsafePointer<Slot>? {
    // The ID of a thread is an address at the end of its stack. The distance between two stacks is a power of two plus
    // a guard page, or each stack begins at a large page. In both cases, threads that are created one after another
    // begin with different slots.
    let first = CurrentProcess.threadNumber >> 12 &+ CurrentProcess.threadNumber >> 21
    for attempt in 0..<4 as Range<UInt> {
      let slot = unsafe slots + Int(truncatingIfNeeded: (first &+ attempt) & (Self.count &- 1))
      let (isTaken, _) = unsafe slot.pointee.isTaken.compareExchange(
        expected: false, desired: true, ordering: .sequentiallyConsistent)
      if isTaken { return unsafe slot }
    }
    return nil
  }

  /// Allocates the slots, so that a child of `fork` need not.
  static func prepare() { _ = shared }

  /// Ends all claims in a child of `fork`, which does not have the threads that made them.
  func freeAll() {
    for number in 0..<Int(Self.count) { unsafe slots[number].isTaken.store(false, ordering: .sequentiallyConsistent) }
  }

  /// Returns when all claims that exist now have ended.
  func waitForAll() {
    for number in 0..<Int(Self.count) {
      if unsafe slots[number].isTaken.load(ordering: .sequentiallyConsistent) { wait(for: number) }
    }
  }

  private func wait(for number: Int) {
    var attempts = 0
    while unsafe slots[number].isTaken.load(ordering: .sequentiallyConsistent) {
      attempts += 1
      // A read takes some nanoseconds, unless its thread is waiting for a processor.
      if attempts > 1000 { usleep(1000) } else if attempts > 100 { sched_yield() }
    }
  }
}
