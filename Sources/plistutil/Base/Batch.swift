import Dispatch
import FoundationEssentials
import PropertyLists
import Synchronization
import SystemFiles
import ToolSupport

/// Works on many files at once and prints what each has to say in the order of the files.
struct Batch: Sendable {
  let inputs: [Input]
  /// How many files are worked on at once.
  let jobs: Int
  let isForMachines: Bool
  /// Whether what is printed about a file names it, since there may be others.
  var isNamed = false
  /// Whether what is made of a file replaces it.
  var replaces: @Sendable (Input) -> Bool = { _ in false }
  /// What it means that standard output cannot be written.
  var lossExitCode = ExitCodes.inputOutput

  typealias Work = @Sendable (Input, inout FileReport) throws(PropertyListError) -> Void

  /// - Returns: the highest exit code of all files.
  func run(_ work: @escaping Work) -> Int32 {
    guard inputs.count > 1 else { return inputs.map { process($0, nil, work).exitCode }.max() ?? ExitCodes.success }
    let replacements = Replacements()
    // A file that waits to replace another one does so, or is removed, before the process ends.
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
    // What another program has changed while it waited is edited again, by itself.
    for input in inputs where outdated.contains(input.path) && Signals.interruptedBy == nil {
      exitCode = max(exitCode, process(input, nil, work).exitCode)
    }
    // What shells say of a process that a signal ended.
    return Signals.interruptedBy.map { 128 + $0 } ?? exitCode
  }

  /// How the work on one file ended, and what is to be printed.
  fileprivate struct Outcome {
    var exitCode: Int32
    var pieces: [(isOutput: Bool, bytes: Data)]
    /// The files that have changed while what was made of them waited to replace them.
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

/// The files that are left, and what waits to be printed after a file that takes longer.
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
      // Nobody reads any more; the files that are left are none the worse for it.
      if !hasLost, isOutput { note(PropertyListError(error).line(about: "standard output")) }
      hasLost = true
      exitCode = max(exitCode, lossExitCode)
    }
  }

  /// - Parameter last: what there is to say after all files.
  mutating func close(_ last: Batch.Outcome) -> Int32 {
    print(last)
    bar.clear()
    return exitCode
  }
}
