import Foundation

/// The signals that a program on the whole terminal has to see to, so that the terminal is left as it was.
enum Signals {
  /// Those that end a process by default, and that people send.
  static let deadly = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2]

  /// Hands signals on to a function, on a thread of its own.
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

  /// Lets a signal do what it does by default: end the process, or stop it until it goes on.
  static func takeDefault(_ number: Int32) {
    signal(number, SIG_DFL)
    // The threads of queues have signals blocked.
    var numbers = sigset_t()
    sigemptyset(&numbers)
    sigaddset(&numbers, number)
    pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    raise(number)
    signal(number, handler)
  }

  /// What a handler may do is little, and writing is a part of it: signal-safety(7).
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
