import Dispatch
import FoundationEssentials
import PropertyLists
import Synchronization
import SystemFiles
import ToolSupport

/// Processes many files in parallel, and prints their output in the order of the files.
struct Batch: Sendable {
  let inputs: [Input]
  /// The number of files that are processed in parallel.
  let jobs: Int
  let isForMachines: Bool
  /// True if output about a file contains its name, because there may be several files.
  var isNamed = false
  /// Returns true if the output for a file replaces the file itself.
  var replaces: @Sendable (Input) -> Bool = { _ in false }
  /// The exit code if standard output cannot be written.
  var lossExitCode = ExitCodes.inputOutput

  typealias Work = @Sendable (Input, inout FileReport) throws(PropertyListError) -> Void

  /// Calls `work` for each file, and prints its output.
  ///
  /// - Returns: the highest exit code of all files.
  func run(_ work: @escaping Work) -> Int32 {
    guard inputs.count > 1 else { return inputs.map { process($0, nil, work).exitCode }.max() ?? ExitCodes.success }
    let replacements = Replacements()
    // Files are replaced later, together with others. Before this process ends, each replacement must have been made,
    // or its temporary file removed.
    Signals.deferInterruption()
    let queue = Mutex(Queue(count: inputs.count, lossExitCode: lossExitCode))
    let workers = max(1, min(jobs, inputs.count))
    let takeAll: @Sendable () -> Void = {
      while Signals.interruptedBy == nil, let index = queue.withLock({ $0.take() }) {
        let outcome = process(inputs[index], replacements, work)
        queue.withLock { $0.finish(index, outcome) }
      }
    }
    if workers == 1 { takeAll() } else { DispatchQueue.concurrentPerform(iterations: workers) { _ in takeAll() } }
    let last = process(Input("-"), replacements) { _, report throws(PropertyListError) in
      report.note(replacements.finish())
    }
    let outdated = queue.withLock { $0.outdatedPaths } + last.outdatedPaths
    var exitCode = queue.withLock { $0.close(last) }
    // Files that another program changed before they were replaced are edited again, one after the other.
    for input in inputs where outdated.contains(input.path) && Signals.interruptedBy == nil {
      exitCode = max(exitCode, process(input, nil, work).exitCode)
    }
    // Shells report a process that was ended by a signal with 128 plus the number of the signal.
    return Signals.interruptedBy.map { 128 + $0 } ?? exitCode
  }

  /// The exit code and the output of one file.
  fileprivate struct Outcome {
    var exitCode: Int32
    var pieces: [(isOutput: Bool, bytes: Data)]
    /// The paths of files that were not replaced, because another program changed them after they were read.
    var outdatedPaths: [String]
  }

  private func process(_ input: Input, _ replacements: Replacements?, _ work: Work) -> Outcome {
    let isEdit = !input.isStandard && replaces(input)
    var attempt = 1
    while true {
      var report = FileReport(
        input, isForMachines: isForMachines, isNamed: isNamed,
        isLastAttempt: !isEdit || attempt == EditedFile.greatestAttempt, replacements: replacements)
      do {
        if isEdit { try report.lock() }
        try work(input, &report)
      } catch {
        if !report.isToBeRepeated { report.fail(error) }
      }
      guard report.isToBeRepeated else {
        return Outcome(exitCode: report.exitCode, pieces: report.pieces, outdatedPaths: report.outdatedPaths)
      }
      EditedFile.wait(afterAttempt: attempt)
      attempt += 1
    }
  }
}

/// The files that remain to be processed, and the output that waits until the output of all earlier files is printed.
private struct Queue {
  private let count: Int
  private var next = 0
  private var printed = 0
  private var waiting: [Int: Batch.Outcome] = [:]
  private var exitCode = ExitCodes.success
  private(set) var outdatedPaths: [String] = []
  private let lossExitCode: Int32
  private var hasLost = false
  private var bar: ProgressBar

  init(count: Int, lossExitCode: Int32) {
    self.count = count
    self.lossExitCode = lossExitCode
    bar = ProgressBar(total: count, unit: "files")
  }

  mutating func take() -> Int? {
    guard next < count else { return nil }
    next += 1
    return next - 1
  }

  mutating func finish(_ index: Int, _ outcome: Batch.Outcome) {
    waiting[index] = outcome
    while let outcome = waiting.removeValue(forKey: printed) {
      printed += 1
      print(outcome)
    }
    bar.advance()
  }

  private mutating func print(_ outcome: Batch.Outcome) {
    exitCode = max(exitCode, outcome.exitCode)
    outdatedPaths += outcome.outdatedPaths
    if !outcome.pieces.isEmpty { bar.clear() }
    for piece in outcome.pieces { print(piece.bytes, isOutput: piece.isOutput) }
  }

  private mutating func print(_ bytes: Data, isOutput: Bool) {
    do { try (isOutput ? FileOutput.standard : .standardError).write(bytes) } catch {
      // Usually, writing fails because the program that reads the output has ended. The remaining files are still
      // processed.
      if !hasLost, isOutput { note(PropertyListError(error).line(about: "standard output")) }
      hasLost = true
      exitCode = max(exitCode, lossExitCode)
    }
  }

  /// Prints the last output, and removes the progress bar. Returns the highest exit code.
  ///
  /// - Parameter last: the outcome that is printed after the outcomes of all files.
  mutating func close(_ last: Batch.Outcome) -> Int32 {
    print(last)
    bar.clear()
    return exitCode
  }
}
