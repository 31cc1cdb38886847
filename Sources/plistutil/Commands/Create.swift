import ArgumentParser
import PropertyLists
import SystemFiles
import ToolSupport

struct Create: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "create",
    abstract: "Make new property lists.",
    discussion: """
      Without a value, an empty dictionary. A file that is there already is an error without --force.

      Example: plistutil create -f binary --json '{"version": 1}' New.plist
      """)

  @Argument(files: "The files to make; - is standard output.", "file")
  var files: [String]

  @Option(name: .shortAndLong, help: ArgumentHelp("The format.", valueName: "format"))
  var format = FormatName(.xml)

  @Flag(help: "Take the place of a file that is there.")
  var force = false

  @Flag(help: "In JSON and OpenStep, write what they have no form for so that it can be read back.")
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
        throw PropertyListError(.valueExists, "there is a file already")
      }
      try report.replace(input.path, with: data)
    }
    if exitCode != ExitCodes.success { throw ExitCode(exitCode) }
  }
}
