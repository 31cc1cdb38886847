import ArgumentParser
import FoundationEssentials
import PropertyLists
import ToolSupport

struct Stats: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "stats",
    abstract: "Print statistics about property lists.",
    discussion: """
      The statistics are the number of values of each kind, the depth of nesting, the bytes of strings and data, and \
      the largest of these; for binary files, also the number of objects with several references, and of objects with \
      none.

      Example: plistutil stats --largest 10 Data.plist
      """)

  @OptionGroup var files: FileArguments

  @Option(help: ArgumentHelp("List the N largest strings and data values.", valueName: "n"))
  var largest = 5

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file.")
  var isForMachines = false

  @OptionGroup var reading: ReadingArguments

  func validate() throws {
    if largest < 0 { throw ValidationError("--largest must be at least 0.") }
  }

  func run() throws {
    try files.process(isForMachines: isForMachines) { [self] input, report throws(PropertyListError) in
      let document = try reading.document(input)
      let statistics = try document.statistics(largest: largest)
      if isForMachines { return try report.machineLine(fields(document, statistics)) }
      let (heading, indent) = (report.heading, report.heading.isEmpty ? "" : "  ")
      try report.write(heading + lines(document, statistics).map { "\(indent)\($0)\n" }.joined())
    }
  }

  private func lines(_ document: PropertyListDocument, _ statistics: DocumentStatistics) -> [String] {
    var rows = [
      ("format", document.format.rawValue), ("bytes", grouped(document.byteCount)),
      ("values", grouped(statistics.counts.values.reduce(0, +))), ("levels", grouped(statistics.depth)),
    ]
    for kind in PropertyList.Kind.allCases {
      guard let count = statistics.counts[kind] else { continue }
      var text = grouped(count)
      if kind == .string { text += ", \(grouped(statistics.stringByteCount)) bytes" }
      if kind == .data { text += ", \(grouped(statistics.dataByteCount)) bytes" }
      rows.append((KindName(kind).name, text))
    }
    rows.append(("keys", "\(grouped(statistics.keyCount)), \(grouped(statistics.keyByteCount)) bytes"))
    if let objects = statistics.objects {
      rows.append(
        (
          "objects",
          "\(grouped(objects.count)), \(grouped(objects.sharedCount)) shared, "
            + "\(grouped(objects.unreferencedCount)) unreferenced"
        ))
    }
    for value in statistics.largest {
      rows.append(("largest", "\(grouped(value.byteCount)) bytes, \(KindName(value.kind).name): \(value.path)"))
    }
    return rows.map { $0.0 + String(repeating: " ", count: max(12 - $0.0.count, 1)) + $0.1 }
  }

  private func fields(_ document: PropertyListDocument, _ statistics: DocumentStatistics) -> PropertyList {
    func number(_ value: Int) -> PropertyList { .integer(.init(value)) }
    var counts: PropertyList = [:]
    for kind in PropertyList.Kind.allCases {
      counts.dictionary?[KindName(kind).name] = statistics.counts[kind].map(number)
    }
    let largest = statistics.largest.map { value -> PropertyList in
      [
        "path": .string(value.path.description), "type": .string(KindName(value.kind).name),
        "bytes": number(value.byteCount),
      ]
    }
    var fields: PropertyList = [
      "format": .string(document.format.rawValue), "bytes": number(document.byteCount), "counts": counts,
      "levels": number(statistics.depth), "keys": number(statistics.keyCount),
      "keyBytes": number(statistics.keyByteCount), "stringBytes": number(statistics.stringByteCount),
      "dataBytes": number(statistics.dataByteCount), "largest": .array(largest),
    ]
    if let objects = statistics.objects {
      fields.dictionary?["objects"] = [
        "count": number(objects.count), "shared": number(objects.sharedCount),
        "unreferenced": number(objects.unreferencedCount),
      ]
    }
    return fields
  }
}
