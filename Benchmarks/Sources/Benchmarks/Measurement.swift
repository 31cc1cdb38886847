import Foundation

/// The results that one process measured.
struct Measurement: Codable {
  /// The fastest of several runs, in seconds.
  var seconds: Double
  /// The peak memory of the process, in bytes, minus its memory before the work.
  var peakMemory: Int
  /// The length of the output, in bytes; 0 for reading.
  var outputLength = 0
  /// The number of times that a file was saved; nil if it was not counted.
  var saves: Int?
}

/// The exit of a measuring process with an error.
struct MeasurementFailure: Error {
  let work: String
  let status: Int32
}

extension Measurement {
  static let repetitions = 7
  /// The time limit for starting another repetition, in seconds.
  static let patience = 4.0

  /// Runs `body` several times in this process. It returns the length of its output.
  static func measure(_ body: () throws -> Int) rethrows -> Measurement {
    let before = residentMemory(peak: false)
    var measurement = Measurement(seconds: .infinity, peakMemory: 0)
    let begin = ContinuousClock.now
    for _ in 0..<repetitions where ContinuousClock.now - begin < .seconds(patience) {
      let duration = try ContinuousClock().measure { measurement.outputLength = try body() }
      measurement.seconds = min(measurement.seconds, duration / .seconds(1))
    }
    measurement.peakMemory = residentMemory(peak: true) - before
    return measurement
  }

  /// Runs this program again with arguments that make it measure one work and print the measurement. Returns nil if it
  /// prints none.
  ///
  /// - Throws: ``MeasurementFailure``.
  static func inProcess(
    _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> Measurement? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw MeasurementFailure(work: arguments.joined(separator: " "), status: process.terminationStatus)
    }
    return try? JSONDecoder().decode(Measurement.self, from: output)
  }

  /// Measures a line of Python several times in one process. Returns nil if Python or an imported module is missing.
  ///
  /// - Parameters:
  ///   - body: The line to measure. It can set `length`, the length of its output.
  ///   - setup: Code that runs first. Its memory does not count.
  ///   - preparation: Code that runs before the first repetition. Its memory counts, its time does not.
  static func inPython(_ body: String, setup: String, preparation: String = "") throws -> Measurement? {
    let script = """
      import json, time
      def memory(name):
        return next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith(name)) * 1024
      \(setup)
      best = 1e9
      length = 0
      before = memory('VmRSS:')
      \(preparation)
      begin = time.perf_counter()
      for _ in range(\(repetitions)):
        if time.perf_counter() - begin > \(patience): break
        start = time.perf_counter()
        \(body)
        best = min(best, time.perf_counter() - start)
      print(json.dumps({'seconds': best, 'peakMemory': memory('VmHWM:') - before, 'outputLength': length}))
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try? JSONDecoder().decode(Measurement.self, from: output)
  }

  /// Prints the measurement for the parent process.
  func report() throws { print(String(decoding: try JSONEncoder().encode(self), as: UTF8.self)) }
}

/// Keeps the optimizer from removing the computation of a value.
@inline(never)
func keep(_ value: Any) {}

/// Returns the current memory of this process in bytes, without the memory that it has released (Linux).
func memoryInUse() -> Int {
  // Glibc's module does not declare the function.
  if let trim = dlsym(nil, "malloc_trim") {
    _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
  }
  return residentMemory(peak: false)
}

/// Returns the current or the peak memory of this process, in bytes (Linux).
func residentMemory(peak: Bool) -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(peak ? "VmHWM:" : "VmRSS:") }
  return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}
