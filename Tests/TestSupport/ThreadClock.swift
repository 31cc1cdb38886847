import Foundation

/// The processor time of a thread. Waiting, and sharing the processor with other tests, do not count.
public enum ThreadClock {
  /// The processor time of the calling thread since its start.
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Returns the processor time of work on the calling thread.
  public static func measure(_ work: () throws -> Void) rethrows -> Duration {
    let start = now
    try work()
    return now - start
  }
}
