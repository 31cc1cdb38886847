import ArgumentParser
import PropertyLists

struct Lint: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check property lists; every file gets a line.",
    discussion: """
      A file without fault gets a line on standard output, one with a fault a line on standard error.

      Example: plistutil lint Info.plist Settings.bundle/Root.plist
      """)

  @OptionGroup var files: FileArguments
  @OptionGroup var reading: ReadingArguments

  func run() throws {
    try files.forEach { [reading] input, report throws(PropertyListError) in
      try report.line("\(input.name): OK (\(reading.document(input).summary))")
    }
  }
}
