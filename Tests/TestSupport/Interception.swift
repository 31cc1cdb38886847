internal import Synchronization
package import SystemFiles

/// Looks at the system calls that concern one folder while something is done, and has some of them fail.
package final class Interception: Sendable {
  /// A call, and the path that it is about.
  package struct Call: Hashable, Sendable {
    package let call: SystemCall
    package let path: String
  }

  /// Gives the error that a call fails with; nil to have it made.
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
    // Asked outside of the lock, since a decision may make calls itself.
    let interceptions = all.withLock { Array($0.values) }
    return interceptions.first { $0.concerns(path) }?.decide(call)
  }

  private func concerns(_ path: String) -> Bool { path == folder || path.hasPrefix(folder + "/") }

  /// Has `decide` asked about the calls that `body` makes itself, not about those of other threads.
  package static func ofCalls<Result>(
    in folder: String, _ decide: @escaping Decision, during body: () throws -> Result
  ) rethrows -> Result {
    _ = installation
    return try $here.withValue(Interception(folder, decide), operation: body)
  }

  /// Has `decide` asked about the calls of all threads while `body` runs.
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

/// The calls that something makes.
package final class RecordedCalls: Sendable {
  private let recorded = Mutex<[Interception.Call]>([])

  package init() {}

  package var calls: [Interception.Call] { recorded.withLock { $0 } }

  /// Notes a call.
  ///
  /// - Returns: its number, from 0.
  package func note(_ call: Interception.Call) -> Int {
    recorded.withLock { calls in
      calls.append(call)
      return calls.count - 1
    }
  }
}
