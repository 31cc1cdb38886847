internal import Dispatch
internal import Synchronization
internal import SystemFiles

/// A schedule that saves the changes to a file without a request of the caller: soon after a change, repeatedly after a
/// failure, and when the process exits normally. After a failure, changes cause at most one attempt per second.
final class SaveSchedule: Sendable {
  /// The time from a change to its save, so that further changes are saved together with it.
  private static let delay = Duration.milliseconds(20)
  /// The shortest time from one save to the next.
  private static let interval = Duration.milliseconds(50)
  /// The delay before a failed save is tried again. The first delay is the lower bound. Each further delay is twice as
  /// long, up to the upper bound.
  private static let retries = Duration.seconds(1)...Duration.seconds(60)
  /// The longest time that a save waits for other processes. When the process exits, it is the limit for all saves
  /// together.
  static let patience = Duration.seconds(10)
  /// The time to wait for a locked file when the process exits, before the next file is tried.
  private static let turn = Duration.milliseconds(100)

  /// Initializes the constant that children of `fork` use, because initializing it in a child could wait forever.
  static func prepare() { _ = patience }

  private let isScheduled = Atomic(false)
  private let history = Mutex(History())

  private struct History {
    /// The time when the last save ended, or began if it is in progress.
    var last: ContinuousClock.Instant?
    /// The number of saves that have begun.
    var count = 0
    /// The delay before the next attempt after a failure; nil if the last save succeeded.
    var retry: Duration?
    var reported: PreferencesError?
  }

  /// All files with unsaved changes.
  private static let unsaved = Mutex<[ObjectIdentifier: DomainFile]>([:])
  private static let isRegistered = Atomic(false)

  /// Schedules a save of a file that has changed.
  ///
  /// - Complexity: O(1); one atomic load if a save is scheduled already.
  func fileHasChanged(_ file: DomainFile) {
    // The change was made before this call, so a save that has not begun yet includes it.
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

  /// Notes that a save begins. Later changes need another save.
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
    // An update that changes nothing saves nothing, so values of an earlier save that failed may remain. The retry of
    // that save is not made, because this save has begun since.
    if hasUnsaved { fileHasChanged(file) }
  }

  /// True if a change has scheduled a save. A retry of a failed save does not count.
  var isDue: Bool { isScheduled.load(ordering: .sequentiallyConsistent) }

  func saveFailed(_ file: DomainFile, _ error: PreferencesError) {
    // Without a folder, saving is not tried again. The values are kept for readers.
    guard error != .noFolder, file.table.hasUnsaved else { return }
    Self.unsaved.withLock { $0[ObjectIdentifier(file)] = file }
    let (delay, count) = history.withLock { history in
      let delay = history.retry ?? Self.retries.lowerBound
      history.retry = min(delay * 2, Self.retries.upperBound)
      history.last = .now
      return (delay, history.count)
    }
    // If another save begins before, that save schedules its own retry.
    saveLater(file, after: delay) { self.history.withLock { $0.count == count } }
  }

  private func saveLater(_ file: DomainFile, after delay: Duration, if isDue: @escaping @Sendable () -> Bool) {
    // The next change, or the end of the process, tries again.
    guard LaterWork.prepare() else { return isScheduled.store(false, ordering: .sequentiallyConsistent) }
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay.seconds) {
      guard isDue() else { return }
      do throws(PreferencesError) { try file.save(patience: Self.patience, isAskedFor: false) } catch {
        self.report(error)
      }
    }
  }

  /// Notes that a caller has received the error, so that it is not reported as well.
  func noteTold(_ error: PreferencesError) { history.withLock { $0.reported = error } }

  /// Reports an error, unless it is equal to the last one.
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

  /// Saves files one after the other, and reports failures. If another process has locked a file, saves the other files
  /// first, and tries the locked file again until `patience` is over, and once after that.
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
