import FoundationEssentials
import SystemFiles

/// A line on the terminal that says how far the work is, if it takes longer than a second.
struct ProgressBar {
  private let total: Int
  private var done = 0
  private let isEnabled = FileSystem.isTerminal(2) && !Console.isPlain
  private let clock = ContinuousClock()
  private var due: ContinuousClock.Instant
  private var isShown = false

  private static let width = 40

  init(total: Int) {
    self.total = total
    due = clock.now + .seconds(1)
  }

  mutating func advance() {
    done += 1
    guard isEnabled, done < total, clock.now >= due else { return }
    due = clock.now + .milliseconds(100)
    let filled = Self.width * done / max(total, 1)
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: Self.width - filled)
    write("\r[\(bar)] \(done) of \(total) files\u{1B}[K")
    isShown = true
  }

  /// Takes the line away, so that others can be printed.
  mutating func clear() {
    guard isShown else { return }
    write("\r\u{1B}[K")
    isShown = false
  }

  private func write(_ text: String) {
    try? FileOutput.standardError.write(Data(text.utf8))
  }
}
