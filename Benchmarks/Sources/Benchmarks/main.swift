import Foundation
import PropertyLists

// Without arguments: prepares the input, measures every implementation in a process of its own, and prints the table.
// With the arguments `WORK IMPLEMENTATION FOLDER`: measures one in this process and prints the figures as JSON.

let arguments = CommandLine.arguments.dropFirst()

func measure(_ work: Work, _ implementation: Implementation, in folder: URL) throws {
  let measurement = try work.measure(
    implementation, xml: folder.appendingPathComponent("library.xml"),
    binary: folder.appendingPathComponent("library.bplist"))
  if let measurement { print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self)) }
}

func run(_ work: Work, _ implementation: Implementation, in folder: URL) throws -> Measurement? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = [work.rawValue, implementation.rawValue, folder.path]
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return try? JSONDecoder().decode(Measurement.self, from: output)
}

/// The table, in Markdown: the time and the peak memory here, and those of the peers, the times as multiples of the
/// time here.
func printTable(in folder: URL) throws {
  print("| work | " + Implementation.allCases.map(\.name).joined(separator: " | ") + " |")
  print("|---|" + Implementation.allCases.map { _ in "---|" }.joined())
  var sizes: [String] = []
  for work in Work.allCases {
    var row = "| \(work.rawValue) |"
    var ours: Measurement?
    for implementation in Implementation.allCases {
      guard let measurement = try run(work, implementation, in: folder) else {
        row += " – |"
        continue
      }
      let memory = String(format: "%.0f MB", Double(measurement.peakMemory) / 1e6)
      if let ours {
        row += String(format: " %.1f ×, ", measurement.seconds / ours.seconds) + memory + " |"
      } else {
        ours = measurement
        row += String(format: " %.0f ms, ", measurement.seconds * 1000) + memory + " |"
      }
      if measurement.outputLength > 0 {
        sizes.append("\(work.rawValue), \(implementation.name): \(measurement.outputLength) bytes")
      }
    }
    print(row)
  }
  print("\n" + sizes.joined(separator: "\n"))
}

if arguments.count == 3, let work = Work(rawValue: arguments[1]),
  let implementation = Implementation(rawValue: arguments[2])
{
  try measure(work, implementation, in: URL(fileURLWithPath: arguments[3]))
} else {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("property-list-benchmarks")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  let library = Library.make(dictionaries: 30_000)
  try library.write(to: folder.appendingPathComponent("library.xml"), format: .xml)
  try library.write(to: folder.appendingPathComponent("library.bplist"), format: .binary)
  for name in ["library.xml", "library.bplist"] {
    let size = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)[.size] ?? 0
    print("\(name): \(size) bytes")
  }
  try printTable(in: folder)
}
