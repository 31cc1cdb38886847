internal import FoundationEssentials
internal import SystemFiles

/// A line on the terminal that is overwritten with each update. It appears if the work takes longer than a second.
package struct ProgressLine {
  private let isEnabled = FileSystem.isTerminal(2) && !Console.isPlain
  private let clock = ContinuousClock()
  private var due: ContinuousClock.Instant
  private var isShown = false

  package init() { due = clock.now + .seconds(1) }

  /// Shows a text on the line, at most ten times a second.
  package mutating func show(_ text: @autoclosure () -> String) {
    guard isEnabled, clock.now >= due else { return }
    due = clock.now + .milliseconds(100)
    write("\r\(text())\u{1B}[K")
    isShown = true
  }

  /// Removes the line, so that other output can be printed.
  package mutating func clear() {
    guard isShown else { return }
    write("\r\u{1B}[K")
    isShown = false
  }

  private func write(_ text: String) { try? FileOutput.standardError.write(Data(text.utf8)) }
}

/// A progress bar on the terminal. It appears if the work takes longer than a second.
package struct ProgressBar {
  private let total: Int
  private let unit: String
  private var done = 0
  private var line = ProgressLine()

  private static let width = 40

  /// Creates a progress bar for work that consists of units.
  ///
  /// - Parameters:
  ///   - total: the total number of units.
  ///   - unit: the plural name of the units, such as `files`.
  package init(total: Int, unit: String) {
    self.total = total
    self.unit = unit
  }

  package mutating func advance(by count: Int = 1) {
    done += count
    guard done < total else { return }
    let (done, total, unit) = (done, total, unit)
    line.show(Self.text(done, total, unit))
  }

  private static func text(_ done: Int, _ total: Int, _ unit: String) -> String {
    let filled = width * done / max(total, 1)
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: width - filled)
    return "[\(bar)] \(done) of \(total) \(unit)"
  }

  /// Removes the bar, so that other output can be printed.
  package mutating func clear() { line.clear() }
}
