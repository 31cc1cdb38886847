import ArgumentParser
import PropertyLists

struct Lint: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check property lists; every file gets a line.",
    discussion: """
      A file without fault gets a line on standard output, one with a fault a line on standard error. The exit code is \
      the highest of those the faults have.

      Example: plistutil lint Info.plist Settings.bundle/Root.plist
      """)

  @Argument(help: ArgumentHelp("The files; - is standard input.", valueName: "file"))
  var files: [String]

  @ParentCommand var tool: PlistUtil

  func validate() throws {
    if tool.conversion.isUsed { throw ValidationError("lint takes files and no other options.") }
  }

  func run() throws {
    var worst: Int32 = 0
    for file in files {
      let input = Input(file)
      do throws(PropertyListError) {
        let document = try input.document()
        try document.validate()
        try output("\(input.name): OK (\(document.summary))")
      } catch {
        input.report(error)
        worst = max(worst, error.exitCode)
      }
    }
    if worst > 0 { throw ExitCode(worst) }
  }
}
