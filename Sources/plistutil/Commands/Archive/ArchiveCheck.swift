internal import ArchiveViews
import ArgumentParser
import KeyedArchiving
import PropertyLists
import ToolSupport

struct ArchiveCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "List all defects of an archive.",
    discussion: """
      For an archive without errors, a line is printed on standard output. Each finding is a line on standard error, \
      with its object and key. If there are errors, the exit code is 3. Warnings, such as for the name of another \
      archiver, and notes, such as for unreferenced objects, do not change it.

      With --unwrap, archives in data are checked too, even if the file itself is not an archive. Data that begins \
      like an archive but cannot be read is then an error.

      Examples:
        plistutil archive check -r Sessions/
        plistutil archive check --unwrap Preferences.plist
      """)

  @OptionGroup var files: FileArguments

  @Flag(name: .customLong("json"), help: "Print a line of JSON for each file, with the findings.")
  var isForMachines = false

  @OptionGroup var unwrap: UnwrapArgument
  @OptionGroup var reading: ArchiveArguments

  func run() throws {
    try files.process(isForMachines: isForMachines) { [self] input, report throws(PropertyListError) in
      let source = try reading.source(input)
      var findings = try unwrap.isGiven && !source.isArchive ? [] : source.check()
      var nestedCount = 0
      if unwrap.isGiven { findings += try source.checkNested(&nestedCount) }
      let isDefective = findings.contains { $0.severity == .error }
      if isDefective { report.raise(ExitCodes.malformed) }
      if isForMachines { return try report.machineLine(["faults": .array(findings.map(\.fields))]) }
      for finding in findings { report.note("\(input.name): \(finding.severity.rawValue): \(finding.text)") }
      if isDefective { return }
      try report.line("\(input.name): OK (\(summary(of: source, nestedCount)))")
    }
  }

  private func summary(of source: ArchiveSource, _ nestedCount: Int) throws(PropertyListError) -> String {
    let summary = source.isArchive ? try source.summary() : "not an archive"
    guard unwrap.isGiven else { return summary }
    return summary + ", \(nestedCount) in data"
  }
}
