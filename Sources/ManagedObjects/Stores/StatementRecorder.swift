internal import Synchronization

/// Records the statements that stores execute for the current task.
package final class StatementRecorder: Sendable {
  /// The recorder of the current task; nil if its statements are not recorded.
  @TaskLocal private static var taskRecorder: StatementRecorder?
  /// The number of recorders that are in use in the process. While it is 0, stores need not look for the recorder of
  /// the task.
  private static let useCount = Atomic<Int>(0)

  /// The recorder of the current task; nil if its statements are not recorded.
  package static var current: StatementRecorder? {
    useCount.load(ordering: .relaxed) == 0 ? nil : taskRecorder
  }

  private let recorded = Mutex<[String]>([])
  private let outer: StatementRecorder?

  private init() { outer = Self.current }

  /// Records a statement, also in the recorder of an enclosing function.
  package func record(_ sql: String) {
    recorded.withLock { $0.append(sql) }
    outer?.record(sql)
  }

  /// Runs a function, and returns its result and the statements that stores executed for it.
  static func record<Result>(_ body: () throws -> Result) rethrows -> (Result, [String]) {
    let recorder = StatementRecorder()
    useCount.add(1, ordering: .relaxed)
    defer { useCount.subtract(1, ordering: .relaxed) }
    let result = try $taskRecorder.withValue(recorder) { try body() }
    return (result, recorder.recorded.withLock { $0 })
  }
}
