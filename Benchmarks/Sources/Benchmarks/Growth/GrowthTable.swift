import Foundation

/// The growth table: the processor time of each operation of the libraries and tools at 1, 2, 4 and 8 times a size.
struct GrowthTable {
  let lines: [GrowthLine]
  /// The command-line arguments of a process that measures a line.
  private let options: [String]
  /// The minimum time at the first size, as a multiple of the default.
  private let scale: Double
  /// Text that the names of the lines contain.
  private let text: String

  /// The name of the mode that measures one line.
  static let lineMode = "growth-line"
  /// The environment variable with settings of the memory allocator.
  static let tunables = "GLIBC_TUNABLES"
  /// The maximum time for a line, in seconds.
  static let timeLimit: UInt32 = 240

  /// - Parameter arguments: The command-line arguments after the mode: text that the names of the lines contain, and
  ///   the options `--tools FOLDER` and `--scale N`, which multiplies the minimum time by N.
  init(arguments: [String]) throws {
    var rest = arguments
    func option(_ name: String) throws -> String? {
      guard let index = rest.firstIndex(of: name) else { return nil }
      guard index + 1 < rest.count else { throw UsageError(description: "\(name) needs a value") }
      let value = rest[index + 1]
      rest.removeSubrange(index...index + 1)
      return value
    }
    let tools = try option("--tools")
    let scaleText = try option("--scale")
    guard let scale = Double(scaleText ?? "1"), scale > 0, rest.count <= 1 else {
      throw UsageError(description: "usage: Benchmarks growth [TEXT] [--tools FOLDER] [--scale N]")
    }
    self.scale = scale
    options = tools.map { ["--tools", $0] } ?? []
    var all = Self.libraryLines
    if let tools { all += Self.toolLines(in: URL(fileURLWithPath: tools)) }
    let repeated = Dictionary(grouping: all.map(\.name)) { $0 }.filter { $1.count > 1 }.keys
    guard repeated.isEmpty else { throw UsageError(description: "several lines are named \(repeated.sorted())") }
    let text = rest.first ?? ""
    self.text = text
    lines = all.filter { text.isEmpty || $0.name.contains(text) }
  }

  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  /// Measures the line with this name in this process, and prints its times as JSON.
  func measureLine() throws {
    guard let line = lines.first(where: { $0.name == text }) else {
      throw UsageError(description: "no line is named \(text)")
    }
    // A limit of processor time would make the system count this time in coarse ticks.
    alarm(Self.timeLimit)
    let data = try JSONEncoder().encode(line.measure(scale: scale))
    print(String(decoding: data, as: UTF8.self))
  }

  /// Measures each line in a separate process, and prints the table. Returns the names of the lines that grow faster
  /// than n log n, or that cannot be measured.
  func printTable() -> [String] {
    print("| operation | input | size | at 1 × | 2 × | 4 × | 8 × | |\n|---|---|---|---|---|---|---|---|")
    var suspects: [String] = []
    for line in lines {
      guard var measurement = measure(line, scale: scale) else {
        suspects.append(line.name)
        print("| \(line.operation) | \(line.shape) | – | – | – | – | – | **failed** |")
        continue
      }
      let growsTooFast = confirm(line, &measurement)
      if growsTooFast { suspects.append(line.name) }
      let ratios = measurement.ratios.map { String(format: "%.1f", $0) }.joined(separator: " | ")
      print(
        "| \(line.operation) | \(line.shape) | \(measurement.size) | \(time(measurement.seconds[0])) | \(ratios) | "
          + (growsTooFast ? "**faster than n log n** |" : "|"))
      fflush(nil)
    }
    return suspects
  }

  /// Measures a line again that seems to grow too fast. Returns true if it still does.
  ///
  /// Other programs can disturb a measurement, and hash tables larger than the processor's caches are two or three
  /// times slower. At 8 times the size, quadratic growth takes more than 20 times the time.
  private func confirm(_ line: GrowthLine, _ measurement: inout GrowthMeasurement) -> Bool {
    let size = measurement.size
    for factor in [1.0, 8, 8] where measurement.grows(by: measurement.size == size ? GrowthMeasurement.limit : 20) {
      guard let again = measure(line, scale: scale * factor) else { return true }
      measurement = again
    }
    return measurement.grows(by: measurement.size == size ? GrowthMeasurement.limit : 20)
  }

  private func measure(_ line: GrowthLine, scale: Double) -> GrowthMeasurement? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [Self.lineMode, line.name, "--scale", "\(scale)"] + options
    // Freed memory is reused at all sizes. By default, the system maps large blocks anew.
    process.environment = ProcessInfo.processInfo.environment.merging(
      [Self.tunables: "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=8589934592"]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return nil }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { return nil }
    return try? JSONDecoder().decode(GrowthMeasurement.self, from: output)
  }
}
