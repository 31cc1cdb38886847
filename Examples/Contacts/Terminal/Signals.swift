import Foundation

/// The signals that a full-screen program must handle to restore the terminal.
enum Signals {
  /// The common signals that end a process by default.
  static let deadly = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

  /// Calls a function for each signal, on a separate thread.
  static func watch(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) {
    let reading = pipe.reading
    Thread.detachNewThread {
      var number: UInt8 = 0
      while true {
        let count = read(reading, &number, 1)
        if count == 1 { body(Int32(number)) } else if errno != EINTR { return }
      }
    }
    for number in numbers { signal(number, handler) }
  }

  /// Performs the default action of a signal: ends the process, or stops it until it is continued.
  static func takeDefault(_ number: Int32) {
    signal(number, SIG_DFL)
    // Threads of dispatch queues block signals.
    var numbers = sigset_t()
    sigemptyset(&numbers)
    sigaddset(&numbers, number)
    pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    raise(number)
    signal(number, handler)
  }

  /// The handler of all signals. A signal handler may call only a few functions, such as `write`: signal-safety(7).
  private static let handler: @convention(c) (Int32) -> Void = { number in
    let before = errno
    var byte = UInt8(truncatingIfNeeded: number)
    write(pipe.writing, &byte, 1)
    errno = before
  }

  private static let pipe: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    _ = Foundation.pipe(&ends)
    return (ends[0], ends[1])
  }()
}
