import Foundation

/// What one process measured.
struct Measurement: Codable {
  /// The fastest of several times, in seconds.
  var seconds: Double
  /// The peak of the process, in bytes, less what it had before the work.
  var peakMemory: Int
  /// The length of what was written, in bytes; 0 for reading.
  var outputLength = 0
  /// How often a file was written; nil if that was not counted.
  var saves: Int?
}

/// A process that was to measure ended with a failure.
struct MeasurementFailure: Error {
  let work: String
  let status: Int32
}

extension Measurement {
  static let repetitions = 7
  /// No further repetition begins after so many seconds.
  static let patience = 4.0

  /// Does something several times in this process. `body` returns the length of what it wrote.
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

  /// Runs this program again with arguments that have it measure one thing and print the measurement; nil if there is
  /// none.
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

  /// Does something several times in a process of Python; nil if Python or a module that it imports is not there.
  ///
  /// - Parameters:
  ///   - body: one line that does it. It may set `length`, the length of what it wrote.
  ///   - setup: what is done first. Its memory does not count.
  ///   - preparation: what is done before the first repetition. Its memory counts, its time does not.
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

  /// Prints the measurement for the process that asked for it.
  func report() throws { print(String(decoding: try JSONEncoder().encode(self), as: UTF8.self)) }
}

/// Has the optimizer believe that somebody uses the value.
@inline(never)
func keep(_ value: Any) {}

/// The memory of this process that is in use, or that was at its peak, in bytes (Linux).
func residentMemory(peak: Bool) -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix(peak ? "VmHWM:" : "VmRSS:") }
  return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}
