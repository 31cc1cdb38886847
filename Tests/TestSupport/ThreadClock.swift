import Foundation

/// The time that a thread has worked. What waits, or shares the processor with other tests, takes no more of it.
public enum ThreadClock {
  /// Of the calling thread, since it began.
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// What some work takes, all of which the calling thread does.
  public static func measure(_ work: () throws -> Void) rethrows -> Duration {
    let start = now
    try work()
    return now - start
  }
}
