private import Synchronization
internal import SystemFiles

/// Signal handling in the tools of this package. Libraries do not install handlers.
///
/// Handlers capture nothing, and call only functions that are safe in a signal handler: they set a number, write bytes,
/// or end the process.
package enum Signals {
  private static let interruption = Atomic<Int32>(0)

  /// The signal that has asked this process to end since ``deferInterruption()`` was called; nil if none has.
  package static var interruptedBy: Int32? {
    let signal = interruption.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }

  /// The signals that ask a process to end.
  private static let endings = [SIGINT, SIGTERM, SIGHUP]

  /// Installs handlers that remove unfinished files when a signal ends this process. Must be called once, at the start.
  package static func removeUnfinishedFiles() {
    UnfinishedFiles.prepare()
    for number in endings { handle(number, endProcess) }
  }

  /// Installs a handler. A signal that the process was started to ignore, as with `nohup` or in the background, stays
  /// ignored.
  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    let before = signal(number, handler)
    // Memory-safe: both are pointers.
    let isIgnored = unsafe unsafeBitCast(before, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    if isIgnored { _ = signal(number, SIG_IGN) }
  }

  /// Defers signals that ask this process to end. Such a signal then only sets ``interruptedBy``, and the process must
  /// check it. A second signal of the same kind ends the process immediately.
  package static func deferInterruption() {
    // Initializes `interruption` now. A handler must not do that.
    interruption.store(0, ordering: .relaxed)
    for number in endings {
      handle(number) { number in
        Signals.interruption.store(number, ordering: .relaxed)
        _ = signal(number, endProcess)
      }
    }
  }

  /// Makes deferred signals interrupt a read that waits for input. By default, the system restarts the read.
  package static func endWaiting() {
    for number in endings {
      // Memory-safe: the system fills the action, and reads it.
      var action = sigaction()
      guard unsafe sigaction(number, nil, &action) == 0 else { continue }
      action.sa_flags &= ~SA_RESTART
      _ = unsafe sigaction(number, &action, nil)
    }
  }

  /// Makes a write fail with an error if the file exceeds the system's limit for file sizes. By default, a signal ends
  /// the process, which leaves an unfinished file. Child processes keep the default.
  package static func surviveFileSizeLimit() { _ = signal(SIGXFSZ) { _ in } }

  /// Makes the process end with an error message if another program shortens a file that this process has mapped into
  /// memory. By default, the process ends without a message.
  package static func explainLostPages() {
    _ = signal(SIGBUS) { _ in
      let text: StaticString = "error: the file was shortened while it was read\n"
      _ = unsafe write(2, text.utf8Start, text.utf8CodeUnitCount)
      _exit(1)
    }
  }
}

/// Ends the process with a signal, after removing the files that it is writing.
private func endProcess(_ number: Int32) {
  UnfinishedFiles.removeAll()
  _ = signal(number, SIG_DFL)
  // The signal is delivered when the handler returns.
  _ = raise(number)
}
