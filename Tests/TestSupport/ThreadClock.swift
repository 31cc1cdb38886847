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

  /// The processor time of a fixed piece of work, which took a second on the machine on which the limits of tests were
  /// chosen, in a debug build.
  ///
  /// A test of a hostile or damaged input compares the time of its work with this one, so that its limit holds on any
  /// machine and in any build. Inputs of several sizes can use ``growth(from:to:runs:_:)``.
  public static let referenceSecond: Duration = {
    let time = least(of: 5) {
      var bytes: [UInt8] = []
      var numbers: [String: Int] = [:]
      for number in 0..<12_000 {
        let key = "key \(number)"
        bytes.append(contentsOf: key.utf8)
        numbers[key] = number
      }
      var sum = 0
      for byte in bytes { sum &+= Int(byte) }
      precondition(sum > 0 && numbers.count == 12_000)
    }
    // The work takes 10 ms.
    return time * 100
  }()

  /// Returns the smallest processor time of several runs of work on the calling thread.
  public static func least(of runs: Int = 3, _ work: () throws -> Void) rethrows -> Duration {
    var least = try measure(work)
    for _ in 1..<runs { least = min(least, try measure(work)) }
    return least
  }

  /// Returns the growth of the processor time of work: its ratio for two sizes, divided by the ratio of the sizes.
  ///
  /// It is about 1 if the time is proportional to the size, and about the ratio of the sizes if it is proportional to
  /// the square of the size, on every machine. Tests allow ``greatestGrowth``.
  ///
  /// - Parameters:
  ///   - small: A size for which the work takes a millisecond or more, so that the clock measures it.
  ///   - large: A size that is many times as large.
  ///   - runs: The number of runs, of which the fastest counts. The large size needs fewer runs than the small one.
  ///   - prepare: Returns the input of a size. Its time is not counted. It is called before each run.
  public static func growth<Input>(
    from small: Int, to large: Int, runs: Int = 2, prepare: (Int) throws -> Input, work: (Input) throws -> Void
  ) throws -> Double {
    func time(_ size: Int, _ runs: Int) throws -> Duration {
      var least: Duration?
      for _ in 0..<runs {
        let input = try prepare(size)
        let time = try measure { try work(input) }
        least = min(least ?? time, time)
      }
      return least ?? .zero
    }
    let first = try time(small, runs)
    let second = try time(large, max(runs - 1, 1))
    return second / max(first, .microseconds(1)) / (Double(large) / Double(small))
  }

  /// Returns the growth for work that makes its own input.
  public static func growth(
    from small: Int, to large: Int, runs: Int = 2, _ work: (Int) throws -> Void
  ) throws -> Double {
    try growth(from: small, to: large, runs: runs, prepare: { $0 }, work: work)
  }

  /// The growth that tests allow. It covers sorting, caches that the larger input does not fit in, and interruptions.
  public static let greatestGrowth = 3.0
}
