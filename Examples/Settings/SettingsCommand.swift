import ArgumentParser
import FoundationEssentials
import Preferences

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@main
struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Shows and changes settings, and watches changes by other processes.",
    subcommands: [Show.self, Set.self, Reset.self, Watch.self])
}

struct FolderOption: ParsableArguments {
  @Option(help: "The folder of the settings, instead of the user's folder.")
  var folder: String?

  var preferences: UserPreferences {
    guard let folder else { return .standard }
    return UserPreferences(
      suiteName: UserPreferences.standard.domain.name, locations: PreferencesLocations(folder: URL(filePath: folder)))
  }
}

/// Settings for a single run: `-fontSize 20`. ``UserPreferences`` reads them from the command line itself. Here they
/// are only accepted, and unknown names are rejected. The name of such a setting cannot begin with `h`, because `-h` is
/// the help flag.
struct Overrides: ParsableArguments {
  @Argument(
    parsing: .allUnrecognized,
    help: ArgumentHelp("Settings for this run only, such as -fontSize 20.", valueName: "-setting value"))
  var overrides: [String] = []

  mutating func validate() throws {
    for index in stride(from: 0, to: overrides.count, by: 2) {
      guard overrides[index].hasPrefix("-"), index + 1 < overrides.count else {
        throw ValidationError("expected a setting with a value, such as -fontSize 20, found \"\(overrides[index])\"")
      }
      try Settings.named(String(overrides[index].dropFirst())).check(overrides[index + 1])
    }
  }
}

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints each setting with its value and source.")

  @OptionGroup var folder: FolderOption
  @OptionGroup var overrides: Overrides

  func run() {
    for setting in Settings.all { print(setting.line(folder.preferences)) }
  }
}

struct Set: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Changes a setting.")

  @OptionGroup var folder: FolderOption
  @Argument var name: String
  @Argument(help: "If the value begins with a hyphen, put -- before it.") var value: String

  func run() throws { try Settings.named(name).set(value, in: folder.preferences) }
}

struct Reset: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Resets a setting to its default value.")

  @OptionGroup var folder: FolderOption
  @Argument var name: String

  func run() throws { try Settings.named(name).reset(in: folder.preferences) }
}

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the settings, then a line for each change by any process, until it is interrupted.")

  @OptionGroup var folder: FolderOption
  @OptionGroup var overrides: Overrides

  func run() async {
    let preferences = folder.preferences
    // Created first, so that changes made while the settings are printed are also reported.
    let changes = preferences.changes()
    for setting in Settings.all { say(setting.line(preferences)) }
    for await change in changes {
      if let setting = try? Settings.named(change.key), let line = setting.line(change) { say(line) }
    }
  }

  /// Prints a line and flushes it, even if the output is not a terminal.
  private func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
