import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles
import ToolSupport

struct Git: ParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "git",
    abstract: "Let git show and merge property lists, also binary ones.",
    discussion: """
      install adds a diff driver and a merge driver to git's configuration, and lists their files in .gitattributes. \
      git then calls textconv and merge.

      Example: plistutil git install
      """,
    subcommands: [GitInstall.self, GitUninstall.self, GitTextconv.self, GitMerge.self])
}

/// Functions that call git.
enum GitCall {
  /// Runs git without printing its messages, and ignores failures. It is used to remove an empty section of the
  /// configuration, because some versions of git remove the section themselves.
  static func tryQuietly(_ arguments: [String]) {
    _ = try? ChildProgram.output("/bin/sh", ["-c", "exec git \"$@\" 2>/dev/null", "git"] + arguments)
  }

  /// Returns the output of git, without the newline at its end.
  ///
  /// - Returns: nil if git ends with exit code 1, which means that the setting does not exist.
  static func text(_ arguments: [String]) throws(PropertyListError) -> String? {
    let (end, output) = try PropertyListError.converting(ChildProgram.output("git", arguments))
    switch end {
    case .exited(0):
      let text = String(decoding: output, as: UTF8.self)
      return text.hasSuffix("\n") ? String(text.dropLast()) : text
    case .exited(1): return nil
    default:
      // git has printed the cause.
      throw PropertyListError(
        .inputOutput(errno: ECANCELED), "git \(arguments.joined(separator: " ")) ended with exit code \(end.exitCode)")
    }
  }
}

/// The options that select where the drivers are installed: in a repository, or for all repositories of the user.
struct GitArguments: ParsableArguments {
  @Flag(help: "Use git's global configuration, for all repositories of the user.")
  var global = false

  @Option(
    name: .customLong("dir"),
    help: ArgumentHelp("The repository that contains FOLDER; by default, the current folder.", valueName: "folder"),
    completion: .directory)
  var folder: String?

  func validate() throws {
    if global, folder != nil { throw ValidationError("--global and --dir cannot be combined.") }
  }

  /// Returns the settings of the repository or of the user.
  func settings() throws(PropertyListError) -> GitSettings {
    guard !global else { return GitSettings(call: ["config", "--global"], attributesFile: try globalAttributesFile()) }
    let prefix = ["-C", folder ?? "."]
    guard let root = try GitCall.text(prefix + ["rev-parse", "--show-toplevel"]) else {
      throw PropertyListError(.inputOutput(errno: ENOENT), "\((folder ?? ".").printable()) is not in a git repository")
    }
    return GitSettings(call: prefix + ["config", "--local"], attributesFile: root + "/.gitattributes")
  }

  private func globalAttributesFile() throws(PropertyListError) -> String {
    if let path = try GitCall.text(["config", "--global", "--type=path", "core.attributesFile"]) { return path }
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty { return folder + "/git/attributes" }
    guard let home = environment["HOME"], !home.isEmpty else {
      throw PropertyListError(.inputOutput(errno: ENOENT), "HOME is not set, so git has no global configuration")
    }
    return home + "/.config/git/attributes"
  }
}
