import Foundation

/// One line of the table of growth: a piece of work that can be done at any size.
struct GrowthLine {
  /// A run of the work; returns the processor time that it took, in seconds.
  typealias Run = () throws -> Double

  /// The operation, as a user calls it.
  let operation: String
  /// The shape of its input.
  let shape: String
  /// The smallest size that the work is measured at. It is doubled until the work takes ``leastSeconds``.
  let base: Int
  /// The largest size, for works on command lines, whose length the system limits.
  let greatest: Int
  /// The processor time that the work takes at the first size at least, in seconds.
  let leastSeconds: Double
  /// Makes the input of a size, in an empty folder, and returns the work on it.
  let prepare: (_ size: Int, _ folder: URL) throws -> Run

  /// Work whose time does not grow is not given larger inputs than this.
  static let greatestSize = 1 << 21

  var name: String { "\(operation), \(shape)" }

  /// Work of the libraries, in this process. What `prepare` returns is measured.
  init(
    _ operation: String, _ shape: String, base: Int = 250, greatest: Int = GrowthLine.greatestSize,
    prepare: @escaping (_ size: Int, _ folder: URL) throws -> () throws -> Void
  ) {
    self = .renewing(operation, shape, base: base, greatest: greatest) { size, folder in
      let work = try prepare(size, folder)
      return { work }
    }
  }

  /// Work of the libraries that needs something new in each run. `each` returns what makes it, and that returns the
  /// work, which is measured.
  static func renewing(
    _ operation: String, _ shape: String, base: Int = 250, greatest: Int = GrowthLine.greatestSize,
    each: @escaping (_ size: Int, _ folder: URL) throws -> () throws -> () throws -> Void
  ) -> GrowthLine {
    // Nothing is subtracted from the time, and larger inputs fit the processor's caches less and less.
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
  /// The same work with a longer name of its input.
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
  /// Seconds of processor time at 1, 2, 4 and 8 times that size.
  var seconds: [Double]
}

extension GrowthMeasurement {
  /// The time at each size after the first, as a multiple of the first.
  var ratios: [Double] { seconds.dropFirst().map { $0 / seconds[0] } }

  /// The multiple of the first time that work may take at 8 times the size. n log n takes up to 8 × 1.3 times the time;
  /// a fifth is for noise.
  static let limit = 8 * 1.3 * 1.2

  /// Returns true if the time at the last size is more than a multiple of that at the first one. What takes less than a
  /// millisecond cannot be measured that well.
  func grows(by factor: Double) -> Bool { seconds.last! > 0.001 && ratios.last! > factor }
}

extension GrowthLine {
  /// How often the size is doubled.
  static let doublings = 3

  /// Measures the line in this process.
  ///
  /// - Parameter scale: A factor of the time that the work takes at the first size at least.
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
      // The power of two that brings it there if the time grows with the size.
      size <<= min(max(1, Int(log2(left))), 5)
      while size << Self.doublings > greatest { size >>= 1 }
    }
    let seconds = try (0...Self.doublings).map { doubling in
      try fastest(size << doubling, in: folder, runs: 5 - doubling)
    }
    return GrowthMeasurement(size: size, seconds: seconds)
  }

  /// The least time of several runs at a size. No further run begins after a second.
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
    // Work that is as short as starting the tool can take less time than that did.
    return max(least, 1e-6)
  }
}

/// Processor time, in user mode and in the system.
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
