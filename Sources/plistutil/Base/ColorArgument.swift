import ArgumentParser
import FoundationEssentials
import SystemFiles

/// Whether output has colours.
struct ColorArgument: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
  }

  @Option(help: ArgumentHelp("Colours: on a terminal unless NO_COLOR is set, always or never.", valueName: "when"))
  var color = Choice.auto

  /// - Parameter descriptor: where the output goes.
  func isOn(for descriptor: Int32 = 1) -> Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      FileSystem.isTerminal(descriptor) && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        && !Console.isPlain
    }
  }
}
