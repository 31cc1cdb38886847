import ArgumentParser
import PropertyLists
import SystemFiles
import ToolSupport

struct Create: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "create",
    abstract: "Create property lists.",
    discussion: """
      Without a value, the files contain an empty dictionary. An existing file is an error without --force.

      Example: plistutil create -f binary --json '{"version": 1}' New.plist
      """)

  @Argument(files: "The files to create; - is standard output.", "file")
  var files: [String]

  @Option(name: .shortAndLong, help: ArgumentHelp("The format to write.", valueName: "format"))
  var format = FormatName(.xml)

  @Flag(help: "Overwrite existing files.")
  var force = false

  @Flag(help: "Write values that JSON and OpenStep have no form for in a form that can be read back.")
  var coerce = false

  @OptionGroup var writing: WritingArguments
  @OptionGroup(title: "Values") var value: ValueArguments

  func run() throws {
    let value = try value.value() ?? [:]
    // An error in the value is reported once, not for each file.
    let data = try telling(about: "plistutil") { () throws(PropertyListError) in
      do throws(PropertyListError) {
        let options = writing.options(coerces: coerce, dialect: format.dialect)
        try options.checkStrings(in: value)
        return try value.data(format: format.format, options: options)
      } catch {
        throw writing.explained(error, format, coerces: coerce)
      }
    }
    let batch = Batch(inputs: files.map { Input($0) }, jobs: 1, isForMachines: false)
    let exitCode = batch.run { [force] input, report throws(PropertyListError) in
      if input.isStandard { return try report.write(data) }
      guard force || !FileSystem.exists(input.path) else {
        throw PropertyListError(.valueExists, "the file exists already; use --force to replace it")
      }
      try report.replace(input.path, with: data)
    }
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }
}
