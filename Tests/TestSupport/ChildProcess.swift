internal import Foundation
internal import Synchronization

/// A program of this package that runs in the background until it exits or is killed. To read its output line by line,
/// use ``RunningProgram``.
public final class ChildProcess: Sendable {
  /// The end of a process.
  public enum End: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
  }

  private let process: pid_t
  private let folder = TemporaryFolder()
  private let end = Mutex<End?>(nil)

  /// Starts a program that ``Program/executable(_:)`` finds. Its output is written to files.
  ///
  /// - Parameter environment: Variables that are added to those of the test.
  public init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    process = try spawn(
      Program.executable(name).path, arguments, ProcessInfo.processInfo.environment.merging(environment) { $1 },
      files: ("/dev/null", folder.path("out"), folder.path("err")))
  }

  deinit { kill() }

  /// Kills the process with `SIGKILL`, and waits for its exit.
  ///
  /// Returns the end of the process, which may have exited before.
  @discardableResult
  public func kill() -> End {
    end.withLock { end in
      // After its exit, another process may have the same process ID.
      if end == nil { _ = Foundation.kill(process, SIGKILL) }
    }
    return waitUntilExit()
  }

  /// Sends a signal, unless the process has exited.
  public func signal(_ number: Int32) {
    end.withLock { end in
      if end == nil { _ = Foundation.kill(process, number) }
    }
  }

  /// Waits until a signal has stopped the process, or until it has exited.
  public func waitUntilStopped() {
    var status = siginfo_t()
    _ = waitid(P_PID, id_t(process), &status, WSTOPPED | WEXITED | WNOWAIT)
  }

  /// The end of the process; nil while it is running.
  public var ended: End? { wait(WNOHANG) }

  /// Waits for the exit of the process.
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

  /// The standard output so far.
  public var text: String { contents("out") }

  /// The path of the file with the standard output.
  public var outputFile: String { folder.path("out") }

  /// The standard error so far.
  public var errors: String { contents("err") }

  private func contents(_ name: String) -> String {
    String(decoding: (try? Data(contentsOf: URL(filePath: folder.path(name)))) ?? Data(), as: UTF8.self)
  }
}
