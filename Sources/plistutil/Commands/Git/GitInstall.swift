import ArgumentParser
import PropertyLists
import ToolSupport

struct GitInstall: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Add the drivers to git's configuration and .gitattributes.",
    discussion: """
      The settings that are written are printed. Existing settings are not changed: another driver of the same name is \
      an error, but all other settings are still written. All users of the repository must install the drivers; \
      without them, git ignores the attributes.

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
    abstract: "Remove the settings that install wrote.",
    discussion: "Example: plistutil git uninstall --global")

  @OptionGroup var git: GitArguments

  func run() throws { try telling(about: "git") { () throws(PropertyListError) in try git.settings().uninstall() } }
}
