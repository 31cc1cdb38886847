import ArgumentParser
import FoundationEssentials
import PropertyLists
import SystemFiles

/// Whether output has colours.
struct ColorArgument: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never
  }

  @Option(help: ArgumentHelp("Colours: on a terminal unless NO_COLOR is set, always or never.", valueName: "when"))
  var color = Choice.auto

  var isOn: Bool { isOn(for: 1) }

  /// - Parameter descriptor: where the output goes.
  func isOn(for descriptor: Int32) -> Bool {
    switch color {
    case .always: true
    case .never: false
    case .auto:
      FileSystem.isTerminal(descriptor) && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }
  }
}
