import Foundation
import PropertyLists

// Without arguments: prepares the input, measures every implementation in a process of its own, and prints the table. With the
// arguments `WORK IMPLEMENTATION FOLDER`: measures one in this process and prints the figures as JSON.

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

func pad(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }

func printTable(in folder: URL) throws {
  print(
    pad("work", 30)
      + Implementation.allCases.map { pad("\($0.rawValue)", 30) }.joined())
  print(pad("", 30) + Implementation.allCases.map { _ in pad("ms     MB peak   × ours", 30) }.joined())
  for work in Work.allCases {
    var row = pad(work.rawValue, 30)
    var ours: Measurement?
    for implementation in Implementation.allCases {
      guard let measurement = try run(work, implementation, in: folder) else {
        row += pad("–", 30)
        continue
      }
      if implementation == .ours { ours = measurement }
      let ratio = ours.map { measurement.seconds / $0.seconds } ?? 1
      var cell = String(
        format: "%-7.1f%-8.1f%6.1f", measurement.seconds * 1000, Double(measurement.peakMemory) / 1e6, ratio)
      if measurement.outputLength > 0 { cell += String(format: "  %d B", measurement.outputLength) }
      row += pad(cell, 30)
    }
    print(row)
  }
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
