internal import ArgumentParser
internal import FoundationEssentials
internal import SystemFiles

/// The option for colors in output.
package struct ColorArgument: ParsableArguments {
  package enum Choice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
  }

  @Option(
    help: ArgumentHelp(
      "Use colours: auto (on a terminal, unless NO_COLOR is set), always or never.", valueName: "when"))
  package var color = Choice.auto

  package init() {}

  /// Returns true if the output should have colors.
  ///
  /// - Parameter descriptor: the file descriptor of the output.
  package func isOn(for descriptor: Int32 = 1) -> Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      FileSystem.isTerminal(descriptor) && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        && !Console.isPlain
    }
  }
}
