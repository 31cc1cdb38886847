import ArgumentParser
import KeyedArchiving
import PropertyLists
import ToolSupport

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
      let source = try reading.source(input)
      let faults = try source.check()
      let isFaulty = faults.contains { $0.severity == .error }
      if isFaulty { report.raise(ExitCodes.malformed) }
      if isForMachines { return try report.machineLine(["faults": .array(faults.map(\.fields))]) }
      for fault in faults { report.note("\(input.name): \(fault.severity.rawValue): \(fault.text)") }
      if isFaulty { return }
      try report.line("\(input.name): OK (\(source.summary()))")
    }
  }
}
