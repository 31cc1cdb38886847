internal import Synchronization
internal import SystemFiles

/// The right to read shared values. As long as it lives, none of them changes, so it lives for one look only.
///
/// Claims don't wait for each other, and threads make them in different cache lines, so that reading takes no longer
/// when many threads read.
///
/// Sound: places stay as long as the process.
@safe
struct ReadClaim: ~Copyable {
  private let place: UnsafePointer<ReadPlaces.Place>

  /// Nil if other threads have the places that this one may take, which is rare.
  @inline(__always)
  init?(_ places: ReadPlaces) {
    guard let place = unsafe places.take() else { return nil }
    unsafe self.place = place
  }

  deinit { unsafe place.pointee.isTaken.store(false, ordering: .releasing) }
}

/// Where threads say that they read. All shared values of the process have the same places.
///
/// Sound: the memory is made once for the process, and stays.
@safe
struct ReadPlaces: @unchecked Sendable {
  static let shared = ReadPlaces()

  private let places: UnsafePointer<Place>

  /// One place, in cache lines of its own.
  struct Place: ~Copyable {
    let isTaken = Atomic(false)
    private let padding = InlineArray<15, UInt64>(repeating: 0)
  }

  /// A power of two.
  private static var count: UInt { 32 }

  private init() {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: Int(Self.count))
    for number in 0..<Int(Self.count) { unsafe (places + number).initialize(to: Place()) }
    unsafe self.places = UnsafePointer(places)
  }

  @inline(__always)
  fileprivate func take() -> UnsafePointer<Place>? {
    // Identifiers of threads are addresses at the end of their stacks, which are a power of two and a guard page apart,
    // or begin at large pages. Either way threads that are made one after another begin with different places.
    let first = CurrentProcess.threadNumber >> 12 &+ CurrentProcess.threadNumber >> 21
    for attempt in 0..<4 as Range<UInt> {
      let place = unsafe places + Int(truncatingIfNeeded: (first &+ attempt) & (Self.count &- 1))
      let (isTaken, _) = unsafe place.pointee.isTaken.compareExchange(
        expected: false, desired: true, ordering: .sequentiallyConsistent)
      if isTaken { return unsafe place }
    }
    return nil
  }

  /// Allocates the entries, so that a child of `fork` need not.
  static func prepare() { _ = shared }

  /// Ends all claims, in a child of `fork` that does not have their threads.
  func freeAll() {
    for number in 0..<Int(Self.count) { unsafe places[number].isTaken.store(false, ordering: .sequentiallyConsistent) }
  }

  /// Returns when each claim that there is now has ended.
  func waitForAll() {
    for number in 0..<Int(Self.count) {
      if unsafe places[number].isTaken.load(ordering: .sequentiallyConsistent) { wait(for: number) }
    }
  }

  private func wait(for number: Int) {
    var attempts = 0
    while unsafe places[number].isTaken.load(ordering: .sequentiallyConsistent) {
      attempts += 1
      // A look takes some nanoseconds, unless its thread has to wait for a processor.
      if attempts > 1000 { usleep(1000) } else if attempts > 100 { sched_yield() }
    }
  }
}
