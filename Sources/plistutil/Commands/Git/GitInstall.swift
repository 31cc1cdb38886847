import ArgumentParser
import PropertyLists
import ToolSupport

struct GitInstall: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Write the drivers into git's configuration and .gitattributes.",
    discussion: """
      What is written is printed. Settings that are there already stay as they are: another driver of the same name is an \
      error, and the rest is written all the same. Whoever shares the repository installs the drivers too; without them, \
      git passes over the attributes.

      Example: plistutil git install --dir ~/Projects/Notes
      """)

  @OptionGroup var git: GitArguments

  func run() throws {
    let isComplete = try telling(about: "git") { () throws(PropertyListError) in try git.settings().install() }
    if !isComplete { throw ExitCode(ExitCodes.noSuchValue) }
  }
}

struct GitUninstall: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uninstall",
    abstract: "Remove what install has written.",
    discussion: "Example: plistutil git uninstall --global")

  @OptionGroup var git: GitArguments

  func run() throws { try telling(about: "git") { () throws(PropertyListError) in try git.settings().uninstall() } }
}
