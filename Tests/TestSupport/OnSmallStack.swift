import Foundation

/// Work on a thread with a stack of 512 KB, as the threads of Apple's systems have, or of any other size.
public enum OnSmallStack {
  public struct Outcome: @unchecked Sendable {
    public var value: Any?
    public var error: (any Error)?
  }

  private final class Box: @unchecked Sendable {
    var work: (() throws -> Any)?
    var outcome = Outcome()

    /// Does the work, and lets go of it: what it holds may be too deep to be freed on this thread.
    func run() {
      guard let work else { return }
      self.work = nil
      do { outcome.value = try work() } catch { outcome.error = error }
    }
  }

  public static func run<T>(_ work: @escaping () throws -> T) -> Outcome { run(stackSize: 512 << 10, work) }

  public static func run<T>(stackSize: Int, _ work: @escaping () throws -> T) -> Outcome {
    let box = Box()
    box.work = work
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      box.run()
      done.signal()
    }
    thread.stackSize = stackSize
    thread.start()
    done.wait()
    // The thread may have the box for a moment longer.
    defer { box.outcome = Outcome() }
    return box.outcome
  }
}

/// Work on a thread with a stack of 8 MB, as the first thread of a process has.
public enum OnLargeStack {
  public static func run<T>(_ work: @escaping () throws -> T) -> OnSmallStack.Outcome {
    OnSmallStack.run(stackSize: 8 << 20, work)
  }
}
