import Foundation
import PropertyLists

// Without arguments: measures each work of each implementation in a separate process, and prints all tables. With the
// argument `preferences`, `messages`, `objects`, `sqlite` or `results`: prints only those tables. With `check`: does
// each work of this library once with a small media library, to check that optimized builds work. With `tool PATH`:
// prints the table of the tool, where PATH is a release build. It needs a few gigabytes of disk space. With
// `growth [TEXT] [--tools FOLDER] [--scale N]`: prints the processor times of all operations at 1, 2, 4 and 8 times a
// size, only those whose names contain TEXT, and those of the tools in FOLDER. The exit code is 1 if an operation grows
// faster than n log n. With `WORK IMPLEMENTATION FOLDER`, for messages `WORK IMPLEMENTATION COUNT`, for managed objects
// `WORK IMPLEMENTATION COUNT STORAGE`, for fetched results their name and `WORK COUNT`: measures one work in this
// process, and prints the result as JSON.

let arguments = CommandLine.arguments.dropFirst()

/// Prints the table of property lists and archives in Markdown: the time and the peak memory of this library, and those
/// of other implementations, with times as multiples of this library's time.
func printTable(of implementations: [Implementation], in folder: URL) throws {
  print("| work | " + implementations.map(\.name).joined(separator: " | ") + " |")
  print("|---|" + implementations.map { _ in "---|" }.joined())
  var sizes: [String] = []
  for work in Work.allCases {
    var row = "| \(work.rawValue) |"
    var ours: Measurement?
    for implementation in implementations {
      guard
        let measurement = try Measurement.inProcess([work.rawValue, implementation.rawValue, folder.path])
      else {
        row += " – |"
        continue
      }
      let memory = megabytes(measurement.peakMemory)
      if let ours {
        row += " \(multiple(measurement, of: ours)), \(memory) |"
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

/// Prints the table of preferences in the same form, with the number of saves or the memory for some of the works.
func printPreferencesTable(of implementations: [Implementation]) throws {
  print("| work | " + implementations.map(\.name).joined(separator: " | ") + " |")
  print("|---|" + implementations.map { _ in "---|" }.joined())
  for work in PreferencesWork.allCases {
    var row = "| \(work.rawValue) |"
    var ours: Measurement?
    for implementation in implementations {
      guard work.implementations.contains(implementation), let measurement = try work.measureInProcesses(implementation)
      else {
        row += " – |"
        continue
      }
      row += " " + (ours.map { multiple(measurement, of: $0) } ?? time(measurement.seconds))
      if let saves = measurement.saves { row += saves == 1 ? ", 1 save" : ", \(saves) saves" }
      if work == .open { row += ", " + megabytes(measurement.peakMemory) }
      row += " |"
      ours = ours ?? measurement
    }
    print(row)
  }
}

/// Prints a table of managed objects, and a table of the times at increasing numbers of objects.
func printObjectsTables(
  _ works: [ObjectsWork], of implementations: [Implementation], count: Int, growth: [Int]
) throws {
  func measurement(_ work: ObjectsWork, _ implementation: Implementation, _ count: Int) throws -> Measurement? {
    try Measurement.inProcess([work.kind.rawValue, implementation.rawValue, "\(count)", work.storage.rawValue])
  }
  let names = implementations.map(\.name).joined(separator: " | ")
  print("| \(count) objects of 5 attributes and a relationship | \(names) |")
  print("|---|" + implementations.map { _ in "---|" }.joined())
  for work in works {
    var row = "| \(work.name) |"
    var ours: Measurement?
    for implementation in implementations {
      guard let measurement = try measurement(work, implementation, count) else {
        row += " – |"
        continue
      }
      if work.kind == .memory {
        row += " \(measurement.outputLength) bytes |"
      } else {
        row += " \(ours.map { multiple(measurement, of: $0) } ?? time(measurement.seconds)) |"
      }
      ours = ours ?? measurement
    }
    print(row)
  }
  guard !growth.isEmpty else { return }
  print("\n| time an object | " + growth.map { "\($0) objects" }.joined(separator: " | ") + " |")
  print("|---|" + growth.map { _ in "---|" }.joined())
  for work in works where work.growsWithObjects {
    var row = "| \(work.name) |"
    for count in growth {
      guard let ours = try measurement(work, .ours, count) else { continue }
      row += " " + time(ours.seconds / Double(count)) + " |"
    }
    print(row)
  }
}

func multiple(_ measurement: Measurement, of other: Measurement) -> String {
  String(format: "%.1f ×", measurement.seconds / other.seconds)
}

func megabytes(_ bytes: Int) -> String { String(format: "%.0f MB", Double(bytes) / 1e6) }

func time(_ seconds: Double) -> String {
  if seconds < 1e-6 { return String(format: "%.0f ns", seconds * 1e9) }
  if seconds < 1e-4 { return String(format: "%.1f µs", seconds * 1e6) }
  return seconds < 1 ? String(format: "%.1f ms", seconds * 1e3) : String(format: "%.1f s", seconds)
}

/// The numbers of objects in the tables of growth.
let growth = [10_000, 100_000, 1_000_000]

if arguments.first == "growth" {
  let suspects = try GrowthTable(arguments: Array(arguments.dropFirst())).printTable()
  if !suspects.isEmpty {
    print("\nThese operations grow faster than n log n, or cannot be measured:\n" + suspects.joined(separator: "\n"))
    exit(1)
  }
} else if arguments.first == GrowthTable.lineMode {
  try GrowthTable(arguments: Array(arguments.dropFirst())).measureLine()
} else if arguments.count == 3, arguments[1] == ResultsWork.name, let work = ResultsWork(rawValue: arguments[2]),
  let count = Int(arguments[3])
{
  try work.measure(count: count).report()
} else if arguments.count == 3, arguments[1] != MessagesWork.name,
  let implementation = Implementation(rawValue: arguments[2])
{
  let folder = URL(fileURLWithPath: arguments[3])
  if let work = Work(rawValue: arguments[1]) {
    try work.measure(
      implementation, xml: folder.appendingPathComponent("library.xml"),
      binary: folder.appendingPathComponent("library.bplist")
    )?.report()
  } else if let work = PreferencesWork(rawValue: arguments[1]) {
    try work.measure(implementation, in: folder)?.report()
  }
} else if arguments.count == 4, let implementation = Implementation(rawValue: arguments[2]),
  let kind = ObjectsWork.Kind(rawValue: arguments[1]), let count = Int(arguments[3]),
  let storage = Storage(rawValue: arguments[4])
{
  try ObjectsWork(kind: kind, storage: storage).measure(implementation, count: count)?.report()
} else if arguments.count == 3, arguments[1] == MessagesWork.name, let count = Int(arguments[3]),
  let implementation = Implementation(rawValue: arguments[2])
{
  try MessagesWork.measure(implementation, count: count)?.report()
} else if arguments == ["messages"] {
  try MessagesWork.printTable(of: [.ours, .python], counts: [1_000, 100_000])
} else if arguments == ["results"] {
  try ResultsWork.printTable(counts: [1_000, 10_000, 100_000])
} else if arguments == [PendingWork.name] {
  try PendingWork.printTable(count: 100_000, changes: [0, 1, 10])
} else if arguments == ["objects"] {
  try printObjectsTables(ObjectsWork.inMemory, of: [.ours, .sqlAlchemy], count: 100_000, growth: growth)
} else if arguments == ["sqlite"] {
  try printObjectsTables(
    ObjectsWork.inSQLite, of: [.ours, .sqlite, .grdb, .sqlAlchemy], count: 100_000, growth: growth)
} else if arguments.count == 2, arguments[1] == "tool" {
  try ToolWork(tool: arguments[2]).printTable()
} else {
  let isCheck = arguments == ["check"]
  if arguments.isEmpty || isCheck {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent(isCheck ? "property-list-check" : "property-list-benchmarks")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let library = Library.make(dictionaries: isCheck ? 300 : 30_000)
    try library.write(to: folder.appendingPathComponent("library.xml"), format: .xml)
    try library.write(to: folder.appendingPathComponent("library.bplist"), format: .binary)
    for name in ["library.xml", "library.bplist"] {
      let size = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)[.size] ?? 0
      print("\(name): \(size) bytes")
    }
    try printTable(of: isCheck ? [.ours] : Implementation.ofPropertyLists, in: folder)
    print("")
  }
  try printPreferencesTable(of: isCheck ? [.ours] : [.ours, .foundation])
  if arguments != ["preferences"] {
    print("")
    try MessagesWork.printTable(
      of: isCheck ? [.ours] : [.ours, .python], counts: isCheck ? [1_000] : [1_000, 100_000])
    print("")
    try ResultsWork.printTable(counts: isCheck ? [1_000] : [1_000, 10_000, 100_000])
    for (works, peers) in [
      (ObjectsWork.inMemory, [Implementation.sqlAlchemy]), (ObjectsWork.inSQLite, [.sqlite, .grdb, .sqlAlchemy]),
    ] {
      print("")
      try printObjectsTables(
        works, of: [.ours] + (isCheck ? [] : peers), count: isCheck ? 1_000 : 100_000, growth: isCheck ? [] : growth)
    }
  }
}
