internal import Foundation
internal import Synchronization

/// A program of this package that runs beside the test until it ends or is killed, which ``RunningProgram`` is not.
public final class ChildProcess: Sendable {
  /// How a process came to its end.
  public enum End: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  private let process: pid_t
  private let folder = TemporaryFolder()
  private let end = Mutex<End?>(nil)

  /// Starts a program that ``Program/executable(_:)`` finds. What it prints goes to files.
  ///
  /// - Parameter environment: variables beside those of the test.
  public init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    process = try spawn(
      Program.executable(name).path, arguments, ProcessInfo.processInfo.environment.merging(environment) { $1 },
      files: ("/dev/null", folder.path("out"), folder.path("err")))
  }

  deinit { kill() }

  /// Ends it so that it can do nothing about it, and waits until it is gone.
  ///
  /// - Returns: how it ended, which may have been before.
  @discardableResult
  public func kill() -> End {
    end.withLock { end in
      // Not its number alone, which another process may have by then.
      if end == nil { _ = Foundation.kill(process, SIGKILL) }
    }
    return waitUntilExit()
  }

  /// Sends it a signal, if it has not ended.
  public func signal(_ number: Int32) {
    end.withLock { end in
      if end == nil { _ = Foundation.kill(process, number) }
    }
  }

  /// Waits until it has stopped because of a signal, if it has not ended.
  public func waitUntilStopped() {
    var status = siginfo_t()
    _ = waitid(P_PID, id_t(process), &status, WSTOPPED | WEXITED | WNOWAIT)
  }

  /// How it ended; nil while it runs.
  public var ended: End? { wait(WNOHANG) }

  /// Waits for its end.
  public func waitUntilExit() -> End {
    while true {
      if let end = wait(0) { return end }
    }
  }

  private func wait(_ options: Int32) -> End? {
    end.withLock { end in
      var status: Int32 = 0
      if end == nil, waitpid(process, &status, options) == process {
        let signal = status & 0x7F
        end = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
      }
      return end
    }
  }

  /// What it has printed so far.
  public var text: String { contents("out") }

  /// What it has printed to standard error so far.
  public var errors: String { contents("err") }

  private func contents(_ name: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(filePath: folder.path(name)))) ?? Data(), as: UTF8.self)
  }
}

/// Waits until something is so, at most a time that no machine needs.
///
/// - Returns: whether it was so in time.
public func eventually(within seconds: Double = 300, _ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while !(try condition()) {
    if Date() > deadline { return false }
    usleep(2000)
  }
  return true
}
