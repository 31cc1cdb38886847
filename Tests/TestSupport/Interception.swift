internal import Synchronization
package import SystemFiles

/// Observes the system calls on files in one folder during a function, and can make some of them fail.
package final class Interception: Sendable {
  /// A system call, and the path of its file.
  package struct Call: Hashable, Sendable {
    package let call: SystemCall
    package let path: String
  }

  /// Returns the error code with which a call fails, or nil to execute it.
  package typealias Decision = @Sendable (Call) -> Int32?

  private let folder: String
  private let decide: Decision

  private init(_ folder: String, _ decide: @escaping Decision) {
    self.folder = folder
    self.decide = decide
  }

  private static let all = Mutex<[ObjectIdentifier: Interception]>([:])
  @TaskLocal private static var here: Interception?

  private static let installation: Void = FileSystem.intercept { call, path in
    let call = Call(call: call, path: path)
    if let here, here.concerns(path) { return here.decide(call) }
    // Called without the lock, because the decision may make system calls itself.
    let interceptions = all.withLock { Array($0.values) }
    return interceptions.first { $0.concerns(path) }?.decide(call)
  }

  private func concerns(_ path: String) -> Bool { path == folder || path.hasPrefix(folder + "/") }

  /// Calls `decide` for each system call that `body` makes in its own task, not for those of other threads.
  package static func ofCalls<Result>(
    in folder: String, _ decide: @escaping Decision, during body: () throws -> Result
  ) rethrows -> Result {
    _ = installation
    return try $here.withValue(Interception(folder, decide), operation: body)
  }

  /// Calls `decide` for each system call of all threads while `body` runs.
  package static func ofAllCalls<Result>(
    in folder: String, _ decide: @escaping Decision, during body: () throws -> Result
  ) rethrows -> Result {
    _ = installation
    let interception = Interception(folder, decide)
    all.withLock { $0[ObjectIdentifier(interception)] = interception }
    defer { all.withLock { $0[ObjectIdentifier(interception)] = nil } }
    return try body()
  }
}

/// The recorded system calls of a function.
package final class RecordedCalls: Sendable {
  private let recorded = Mutex<[Interception.Call]>([])

  package init() {}

  package var calls: [Interception.Call] { recorded.withLock { $0 } }

  /// Records a call. Returns its index.
  package func note(_ call: Interception.Call) -> Int {
    recorded.withLock { calls in
      calls.append(call)
      return calls.count - 1
    }
  }
}
