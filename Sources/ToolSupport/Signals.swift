private import Synchronization
internal import SystemFiles

/// Signal handling in the tools of this package. Libraries do not install handlers.
///
/// Handlers capture nothing, and call only functions that are safe in a signal handler: they set a number, write bytes,
/// or end the process.
package enum Signals {
  private static let interruption = Atomic<Int32>(0)

  /// The signal that asked this process to end, since ``deferInterruption()``; nil if no signal came.
  package static var interruptedBy: Int32? {
    let signal = interruption.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }

  /// The signals that ask a process to end.
  private static let endings = [SIGINT, SIGTERM, SIGHUP]

  /// Removes the files that this process is writing when a signal ends it. Must be called once, at the start.
  package static func removeUnfinishedFiles() {
    UnfinishedFiles.prepare()
    for number in endings { handle(number, endProcess) }
  }

  /// Installs a handler. A signal that the process was started to ignore, as with `nohup` or in the background, stays
  /// ignored.
  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    let before = signal(number, handler)
    // Sound: both are pointers.
    let isIgnored = unsafe unsafeBitCast(before, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    if isIgnored { _ = signal(number, SIG_IGN) }
  }

  /// Defers signals that ask this process to end. The process must check ``interruptedBy``. A second signal ends it
  /// immediately.
  package static func deferInterruption() {
    // Initializes the number before a handler uses it.
    interruption.store(0, ordering: .relaxed)
    for number in endings {
      handle(number) { number in
        Signals.interruption.store(number, ordering: .relaxed)
        _ = signal(number, endProcess)
      }
    }
  }

  /// Makes deferred signals interrupt blocking reads. By default, a read is restarted.
  package static func endWaiting() {
    for number in endings {
      // Sound: the system fills the action, and reads it.
      var action = sigaction()
      guard unsafe sigaction(number, nil, &action) == 0 else { continue }
      action.sa_flags &= ~SA_RESTART
      _ = unsafe sigaction(number, &action, nil)
    }
  }

  /// Makes writing beyond the system's file size limit an error. By default, it ends the process and leaves an
  /// unfinished file. Child processes are still ended.
  package static func surviveFileSizeLimit() { _ = signal(SIGXFSZ) { _ in } }

  /// Ends the process with a message if another program shortens a mapped file. By default, the system ends it without
  /// one.
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
