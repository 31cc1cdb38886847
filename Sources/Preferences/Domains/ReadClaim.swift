internal import Synchronization
internal import SystemFiles

/// The right to read shared values. As long as it lives, none of them changes, so it lives for one look only.
///
/// Claims don't wait for each other, and threads make them in different cache lines, so that reading takes no longer
/// when many threads read.
///
/// Sound: slots stay as long as the process.
@safe
struct ReadClaim: ~Copyable {
  private let slot: UnsafePointer<ReaderSlots.Slot>

  /// Nil if other threads have the slots that this one may take, which is rare.
  @inline(__always)
  init?(_ slots: ReaderSlots) {
    guard let slot = unsafe slots.take() else { return nil }
    unsafe self.slot = slot
  }

  deinit { unsafe slot.pointee.isTaken.store(false, ordering: .releasing) }
}

/// The slots in which threads mark that they read. All shared values of the process have the same slots.
///
/// Sound: the memory is made once for the process, and stays.
@safe
struct ReaderSlots: @unchecked Sendable {
  static let shared = ReaderSlots()

  private let slots: UnsafePointer<Slot>

  /// One slot, in cache lines of its own.
  struct Slot: ~Copyable {
    let isTaken = Atomic(false)
    private let padding = InlineArray<15, UInt64>(repeating: 0)
  }

  /// A power of two.
  private static var count: UInt { 32 }

  private init() {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: Int(Self.count))
    for number in 0..<Int(Self.count) { unsafe (slots + number).initialize(to: Slot()) }
    unsafe self.slots = UnsafePointer(slots)
  }

  @inline(__always)
  fileprivate func take() -> UnsafePointer<Slot>? {
    // Identifiers of threads are addresses at the end of their stacks, which are a power of two and a guard page apart,
    // or begin at large pages. Either way threads that are made one after another begin with different slots.
    let first = CurrentProcess.threadNumber >> 12 &+ CurrentProcess.threadNumber >> 21
    for attempt in 0..<4 as Range<UInt> {
      let slot = unsafe slots + Int(truncatingIfNeeded: (first &+ attempt) & (Self.count &- 1))
      let (isTaken, _) = unsafe slot.pointee.isTaken.compareExchange(
        expected: false, desired: true, ordering: .sequentiallyConsistent)
      if isTaken { return unsafe slot }
    }
    return nil
  }

  /// Allocates the entries, so that a child of `fork` need not.
  static func prepare() { _ = shared }

  /// Ends all claims, in a child of `fork` that does not have their threads.
  func freeAll() {
    for number in 0..<Int(Self.count) { unsafe slots[number].isTaken.store(false, ordering: .sequentiallyConsistent) }
  }

  /// Returns when each claim that there is now has ended.
  func waitForAll() {
    for number in 0..<Int(Self.count) {
      if unsafe slots[number].isTaken.load(ordering: .sequentiallyConsistent) { wait(for: number) }
    }
  }

  private func wait(for number: Int) {
    var attempts = 0
    while unsafe slots[number].isTaken.load(ordering: .sequentiallyConsistent) {
      attempts += 1
      // A look takes some nanoseconds, unless its thread has to wait for a processor.
      if attempts > 1000 { usleep(1000) } else if attempts > 100 { sched_yield() }
    }
  }
}
