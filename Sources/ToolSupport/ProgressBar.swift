internal import FoundationEssentials
internal import SystemFiles

/// A line on the terminal that says how far the work is, if it takes longer than a second.
package struct ProgressBar {
  private let total: Int
  private let unit: String
  private var done = 0
  private let isEnabled = FileSystem.isTerminal(2) && !Console.isPlain
  private let clock = ContinuousClock()
  private var due: ContinuousClock.Instant
  private var isShown = false

  private static let width = 40

  /// - Parameters:
  ///   - total: how much there is to do.
  ///   - unit: the name of many of what is counted, such as `files`.
  package init(total: Int, unit: String) {
    self.total = total
    self.unit = unit
    due = clock.now + .seconds(1)
  }

  package mutating func advance(by count: Int = 1) {
    done += count
    guard isEnabled, done < total, clock.now >= due else { return }
    due = clock.now + .milliseconds(100)
    let filled = Self.width * done / max(total, 1)
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: Self.width - filled)
    write("\r[\(bar)] \(done) of \(total) \(unit)\u{1B}[K")
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
