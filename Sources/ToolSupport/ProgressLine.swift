internal import FoundationEssentials
internal import SystemFiles

/// A line on the terminal that is written over, if the work takes longer than a second.
package struct ProgressLine {
  private let isEnabled = FileSystem.isTerminal(2) && !Console.isPlain
  private let clock = ContinuousClock()
  private var due: ContinuousClock.Instant
  private var isShown = false

  package init() { due = clock.now + .seconds(1) }

  /// Shows a text, ten times a second at most.
  package mutating func show(_ text: @autoclosure () -> String) {
    guard isEnabled, clock.now >= due else { return }
    due = clock.now + .milliseconds(100)
    write("\r\(text())\u{1B}[K")
    isShown = true
  }

  /// Takes the line away, so that others can be printed.
  package mutating func clear() {
    guard isShown else { return }
    write("\r\u{1B}[K")
    isShown = false
  }

  private func write(_ text: String) {
    try? FileOutput.standardError.write(Data(text.utf8))
  }
}
