import ArgumentParser
import KeyedArchiving
import PropertyLists

struct ArchiveCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find everything that is wrong with an archive.",
    discussion: """
      An archive without errors gets a line on standard output. Each fault is a line on standard error, with the object and \
      the key it is at. Errors make the exit code 3; warnings, such as of another archiver's name, and notes, such as of \
      objects that nothing leads to, do not.

      Example: plistutil archive check -r Sessions/
      """)

  @OptionGroup var files: FileArguments

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file, with the faults.")
  var isForMachines = false

  @OptionGroup var reading: ArchiveArguments

  func run() throws {
    try files.process(isForMachines: isForMachines) { [self] input, report throws(PropertyListError) in
      let document = try reading.document(input)
      let faults = KeyedArchive.check(document)
      let isFaulty = faults.contains { $0.severity == .error }
      if isFaulty { report.raise(ExitCodes.malformed) }
      if isForMachines { return try report.machineLine(["faults": .array(faults.map(\.fields))]) }
      for fault in faults { report.note("\(input.name): \(fault.severity.rawValue): \(fault.description)") }
      if isFaulty { return }
      let summary = try reading.look(into: document) { archive throws(KeyedArchiveError) in
        let count = archive.objects.count
        return "archive of \(archive.archiver.printable(limit: 80)), \(count) object\(count == 1 ? "" : "s")"
      }
      try report.line("\(input.name): OK (\(summary))")
    }
  }
}

extension KeyedArchive.Fault {
  fileprivate var fields: PropertyList {
    var fields: PropertyList = [
      "severity": .string(severity.rawValue), "kind": .string(kind.rawValue), "message": .string(message),
    ]
    if let uid { fields.dictionary?["object"] = .integer(.init(Int(uid.value))) }
    if !path.components.isEmpty { fields.dictionary?["keyPath"] = .string(path.description) }
    return fields
  }
}
