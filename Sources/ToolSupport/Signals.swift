private import Synchronization
internal import SystemFiles

/// The signals that programs of this package look after. Libraries leave them alone.
///
/// Handlers capture nothing, and do only what is allowed while anything else may be
/// half done: set a number, write bytes, end the process.
package enum Signals {
  private static let interruption = Atomic<Int32>(0)

  /// The signal that asked this process to end, since ``deferInterruption()``; nil if none did.
  package static var interruptedBy: Int32? {
    let signal = interruption.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }

  /// The signals that ask a process to end.
  private static let endings = [SIGINT, SIGTERM, SIGHUP]

  /// Removes the files that this process is writing when a signal ends it. To be called once, at the start.
  package static func removeUnfinishedFiles() {
    UnfinishedFiles.prepare()
    for number in endings { handle(number, endProcess) }
  }

  /// Installs a handler. A signal that this process was started to ignore, as by `nohup` or in the background, stays
  /// ignored.
  private static func handle(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
    let before = signal(number, handler)
    // Sound: both are pointers.
    let isIgnored = unsafe unsafeBitCast(before, to: UInt.self) == unsafeBitCast(SIG_IGN, to: UInt.self)
    if isIgnored { _ = signal(number, SIG_IGN) }
  }

  /// Has those who ask this process to end wait until it looks at ``interruptedBy``. The second time they need not
  /// wait.
  package static func deferInterruption() {
    // Made before a handler needs it.
    interruption.store(0, ordering: .relaxed)
    for number in endings {
      handle(number) { number in
        Signals.interruption.store(number, ordering: .relaxed)
        _ = signal(number, endProcess)
      }
    }
  }

  /// Has the signals that ``deferInterruption()`` looks after end what waits for input, which goes on with it
  /// otherwise.
  package static func endWaiting() {
    for number in endings {
      // Sound: the system fills the action, and reads it.
      var action = sigaction()
      guard unsafe sigaction(number, nil, &action) == 0 else { continue }
      action.sa_flags &= ~SA_RESTART
      _ = unsafe sigaction(number, &action, nil)
    }
  }

  /// Has writing more than a limit of the system allows be an error, and not the end of the process, which would leave
  /// an unfinished file behind. Programs that this one starts are ended as usual.
  package static func surviveFileSizeLimit() { _ = signal(SIGXFSZ) { _ in } }

  /// Ends the process with a line that says why, where the system would end it without one: a file that is mapped was
  /// shortened by another program.
  package static func explainLostPages() {
    _ = signal(SIGBUS) { _ in
      let text: StaticString = "error: the file was shortened while it was read\n"
      _ = unsafe write(2, text.utf8Start, text.utf8CodeUnitCount)
      _exit(1)
    }
  }
}

/// Ends the process by a signal, without the files that it is writing.
private func endProcess(_ number: Int32) {
  UnfinishedFiles.removeAll()
  _ = signal(number, SIG_DFL)
  // Delivered when the handler returns.
  _ = raise(number)
}
