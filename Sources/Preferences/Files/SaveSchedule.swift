internal import Dispatch
internal import Synchronization
internal import SystemFiles

/// When a file with unsaved changes is saved without being asked: soon after a change, again and again after a failure,
/// and when the process ends in order. After a failure changes have it tried once a second at most.
final class SaveSchedule: Sendable {
  /// How long a change waits for others that are saved with it.
  private static let delay = Duration.milliseconds(20)
  /// How long after a save the next one begins at the earliest.
  private static let interval = Duration.milliseconds(50)
  /// How long after a failure a save is tried again: the first time, and at most. Each time it is twice as long.
  private static let retries = Duration.seconds(1)...Duration.seconds(60)
  /// The longest time that a save waits for other processes; at the end of the process, all saves together.
  static let patience = Duration.seconds(10)
  /// The time after which, at the end of the process, another file that waits has its turn.
  private static let turn = Duration.milliseconds(100)

  /// Makes the constant that children of `fork` use.
  static func prepare() { _ = patience }

  private let isScheduled = Atomic(false)
  private let history = Mutex(History())

  private struct History {
    /// When the last save began, and when it is done, ended.
    var last: ContinuousClock.Instant?
    /// How many saves have begun.
    var count = 0
    /// How long to wait before trying again what failed; nil if the last save succeeded.
    var retry: Duration?
    var reported: PreferencesError?
  }

  /// All files with unsaved changes.
  private static let unsaved = Mutex<[ObjectIdentifier: DomainFile]>([:])
  private static let isRegistered = Atomic(false)

  /// Has a file saved that was changed.
  ///
  /// - Complexity: O(1); a look while a save is due already.
  func fileHasChanged(_ file: DomainFile) {
    // Since the change was made before, a save that has not begun yet finds it.
    guard !isScheduled.load(ordering: .sequentiallyConsistent),
      !isScheduled.exchange(true, ordering: .sequentiallyConsistent)
    else { return }
    // Registered again during exit, for values that other exit handlers set.
    if !Self.isRegistered.exchange(true, ordering: .sequentiallyConsistent) {
      _ = atexit { SaveSchedule.saveAllAtExit() }
    }
    Self.unsaved.withLock { $0[ObjectIdentifier(file)] = file }
    let delay = history.withLock { history in
      let interval = history.retry == nil ? Self.interval : Self.retries.lowerBound
      return max(Self.delay, history.last.map { $0 + interval - .now } ?? Self.delay)
    }
    saveLater(file, after: delay) { true }
  }

  /// Changes from now on are saved later.
  func saveBegins() {
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    history.withLock { history in
      history.count += 1
      history.last = .now
    }
  }

  func saveSucceeded(_ file: DomainFile) {
    let hasUnsaved = Self.unsaved.withLock { unsaved in
      let hasUnsaved = file.table.hasUnsaved
      if !hasUnsaved { unsaved[ObjectIdentifier(file)] = nil }
      return hasUnsaved
    }
    history.withLock { history in
      history.last = .now
      if !hasUnsaved { history = History(last: .now, count: history.count) }
    }
    // An update that has changed nothing leaves what an earlier save could not save, and has ended its retries.
    if hasUnsaved { fileHasChanged(file) }
  }

  /// True if a change has scheduled a save. A retry of a failed save does not count.
  var isDue: Bool { isScheduled.load(ordering: .sequentiallyConsistent) }

  func saveFailed(_ file: DomainFile, _ error: PreferencesError) {
    // Without a folder there is nothing to try; the values are kept for who reads them.
    guard error != .noFolder, file.table.hasUnsaved else { return }
    Self.unsaved.withLock { $0[ObjectIdentifier(file)] = file }
    let (delay, count) = history.withLock { history in
      let delay = history.retry ?? Self.retries.lowerBound
      history.retry = min(delay * 2, Self.retries.upperBound)
      history.last = .now
      return (delay, history.count)
    }
    // A save that begins before that sees to its own failure.
    saveLater(file, after: delay) { self.history.withLock { $0.count == count } }
  }

  private func saveLater(_ file: DomainFile, after delay: Duration, if isDue: @escaping @Sendable () -> Bool) {
    // The next change tries again, and so does the end of the process.
    guard LaterWork.prepare() else { return isScheduled.store(false, ordering: .sequentiallyConsistent) }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay.seconds) {
      guard isDue() else { return }
      do throws(PreferencesError) { try file.save(patience: Self.patience, isAskedFor: false) } catch {
        self.report(error)
      }
    }
  }

  /// Notes that a caller has the error, so that it is not reported as well.
  func noteTold(_ error: PreferencesError) { history.withLock { $0.reported = error } }

  /// Reports a failure that is another than the last one.
  private func report(_ error: PreferencesError) {
    let isNew = history.withLock { history in
      defer { history.reported = error }
      return history.reported != error
    }
    if isNew { PreferencesErrors.report(error) }
  }

  private static func saveAllAtExit() {
    // The unsaved values are those of the parent, which saves them itself.
    guard !ForkedChild.isThisProcess else { return }
    isRegistered.store(false, ordering: .sequentiallyConsistent)
    saveAll(unsaved.withLock { Array($0.values) }, patience: patience)
  }

  /// Saves files in turn, and reports those that fail. A file that another process has locked is tried again until
  /// `patience` is over, and once after that; meanwhile the others are saved.
  static func saveAll(_ files: [DomainFile], patience: Duration) {
    let deadline = ContinuousClock.now + patience
    var waiting = files
    while !waiting.isEmpty {
      let rest = max(.zero, deadline - .now)
      let patience = waiting.count == 1 ? rest : min(rest, turn)
      waiting = waiting.filter { file in
        do throws(PreferencesError) { try file.save(patience: patience, isAskedFor: false) } catch {
          if case .locked = error, rest > .zero { return true }
          file.schedule.report(error)
        }
        return false
      }
    }
  }
}
