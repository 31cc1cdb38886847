public import Dispatch
internal import Foundation

/// The minutes after which a test that waits for an event fails instead of hanging. The event occurs much earlier on
/// any machine, so nothing depends on this number.
public let hangLimitInMinutes = 20

/// ``hangLimitInMinutes``, in seconds.
public let hangLimit = Double(hangLimitInMinutes * 60)

/// Waits until a condition is true. Returns false if it is still false after ``hangLimit``.
///
/// - Parameter interval: The time between two tests of the condition, in microseconds.
public func eventually(every interval: UInt32 = 2000, _ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = Date(timeIntervalSinceNow: hangLimit)
  while !(try condition()) {
    if Date() > deadline { return false }
    usleep(interval)
  }
  return true
}

extension DispatchSemaphore {
  /// Waits for a signal. Returns false if there is none within ``hangLimit``.
  public func waitForSignal() -> Bool { wait(timeout: .now() + hangLimit) == .success }
}
