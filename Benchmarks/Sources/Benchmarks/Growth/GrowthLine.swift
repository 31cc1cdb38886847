import Foundation

/// A line of the growth table: work that can be done at any size.
struct GrowthLine {
  /// A run of the work. Returns its processor time, in seconds.
  typealias Run = () throws -> Double

  /// The operation, as a user calls it.
  let operation: String
  /// The shape of its input.
  let shape: String
  /// The smallest size to measure. It is doubled until the work takes ``leastSeconds``.
  let base: Int
  /// The largest size. It is lower for work on command lines, whose length the system limits.
  let greatest: Int
  /// The minimum processor time of the work at the first size, in seconds.
  let leastSeconds: Double
  /// Creates the input of a size in an empty folder, and returns the work on it.
  let prepare: (_ size: Int, _ folder: URL) throws -> Run

  /// The maximum size for work whose time does not grow with the size.
  static let greatestSize = 1 << 21

  var name: String { "\(operation), \(shape)" }

  /// Creates a line for work of the libraries in this process. The function returned by `prepare` is measured.
  init(
    _ operation: String, _ shape: String, base: Int = 250, greatest: Int = GrowthLine.greatestSize,
    prepare: @escaping (_ size: Int, _ folder: URL) throws -> () throws -> Void
  ) {
    self = .renewing(operation, shape, base: base, greatest: greatest) { size, folder in
      let work = try prepare(size, folder)
      return { work }
    }
  }

  /// Returns a line for work of the libraries that needs new input for each run. The function returned by `each`
  /// creates the input and returns the work, which is measured.
  static func renewing(
    _ operation: String, _ shape: String, base: Int = 250, greatest: Int = GrowthLine.greatestSize,
    each: @escaping (_ size: Int, _ folder: URL) throws -> () throws -> () throws -> Void
  ) -> GrowthLine {
    // No time is subtracted, so that short times are exact enough. Larger inputs would exceed the processor's caches.
    GrowthLine(operation: operation, shape: shape, base: base, greatest: greatest, leastSeconds: 0.0025) {
      size, folder in
      let makeWork = try each(size, folder)
      return {
        let work = try makeWork()
        let start = ProcessorTime.ofThisProcess
        try work()
        return ProcessorTime.ofThisProcess - start
      }
    }
  }

  init(
    operation: String, shape: String, base: Int, greatest: Int, leastSeconds: Double,
    prepare: @escaping (_ size: Int, _ folder: URL) throws -> Run
  ) {
    self.operation = operation
    self.shape = shape
    self.base = base
    self.greatest = greatest
    self.leastSeconds = leastSeconds
    self.prepare = prepare
  }
}

extension GrowthLine {
  /// Returns the same work with a suffix added to the name of its shape.
  func named(_ suffix: String) -> GrowthLine {
    GrowthLine(
      operation: operation, shape: shape + suffix, base: base, greatest: greatest, leastSeconds: leastSeconds,
      prepare: prepare)
  }
}

/// The times of a line.
struct GrowthMeasurement: Codable {
  /// The first size.
  var size: Int
  /// The processor times at 1, 2, 4 and 8 times that size, in seconds.
  var seconds: [Double]
}

extension GrowthMeasurement {
  /// The times at the other sizes, as multiples of the first time.
  var ratios: [Double] { seconds.dropFirst().map { $0 / seconds[0] } }

  /// The maximum time at 8 times the size, as a multiple of the first time. n log n takes up to 8 × 1.3 times the time.
  /// The factor 1.2 allows for noise.
  static let limit = 8 * 1.3 * 1.2

  /// Returns true if the time at the last size is more than a multiple of the first time. Times below a millisecond
  /// never count, because they cannot be measured exactly enough.
  func grows(by factor: Double) -> Bool { seconds.last! > 0.001 && ratios.last! > factor }
}

extension GrowthLine {
  /// The number of times that the size is doubled.
  static let doublings = 3

  /// Measures the line in this process.
  ///
  /// - Parameter scale: A factor for the minimum time at the first size.
  func measure(scale: Double) throws -> GrowthMeasurement {
    let leastSeconds = leastSeconds * scale
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("growth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var size = base
    while true {
      let seconds = try fastest(size, in: folder, runs: 2)
      let left = leastSeconds / max(seconds, leastSeconds / 64)
      if left <= 1 || size << (Self.doublings + 1) > greatest { break }
      // The largest power of two that does not exceed the minimum time, if the time is linear in the size.
      size <<= min(max(1, Int(log2(left))), 5)
      while size << Self.doublings > greatest { size >>= 1 }
    }
    let seconds = try (0...Self.doublings).map { doubling in
      try fastest(size << doubling, in: folder, runs: 5 - doubling)
    }
    return GrowthMeasurement(size: size, seconds: seconds)
  }

  /// Returns the shortest time of several runs at a size. No run starts after one second.
  private func fastest(_ size: Int, in folder: URL, runs: Int) throws -> Double {
    let folder = folder.appendingPathComponent("\(size)-\(runs)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try prepare(size, folder)
    var least = Double.infinity
    let begin = ContinuousClock.now
    for _ in 0..<runs where !least.isFinite || ContinuousClock.now - begin < .seconds(1) {
      least = min(least, try run())
    }
    // The time to start the tool has been subtracted, so that short work can have a time of zero or less.
    return max(least, 1e-6)
  }
}

/// The processor time in user and system mode.
enum ProcessorTime {
  static var ofThisProcess: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func seconds(_ usage: rusage) -> Double {
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
