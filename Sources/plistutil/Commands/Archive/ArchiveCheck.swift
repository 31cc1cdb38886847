internal import ArchiveViews
import ArgumentParser
import KeyedArchiving
import PropertyLists
import ToolSupport

struct ArchiveCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find everything that is wrong with an archive.",
    discussion: """
      An archive without errors gets a line on standard output. Each finding is a line on standard error, with the object and \
      the key it is at. Errors make the exit code 3; warnings, such as of another archiver's name, and notes, such as of \
      objects that nothing leads to, do not.

      With --unwrap, archives in data are checked too, also those in a property list that is no archive. Data that begins \
      like an archive, but cannot be read, is an error then.

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
    let summary = source.isArchive ? try source.summary() : "no archive"
    guard unwrap.isGiven else { return summary }
    return summary + ", \(nestedCount) in data"
  }
}
