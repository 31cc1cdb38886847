import Foundation

/// Runs work on a thread with a stack of 512 KB, as threads on Apple's systems have, or of another size.
public enum OnSmallStack {
  public struct Outcome: @unchecked Sendable {
    public var value: Any?
    public var error: (any Error)?
  }

  private final class Box: @unchecked Sendable {
    var work: (() throws -> Any)?
    var outcome = Outcome()

    /// Runs the work and releases it. Its values may be nested too deeply to be freed on this thread.
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
    #if os(Linux)
      // The system reuses the stack of an ended thread, which can be four times as large as requested.
      let guardSize = 64 << 10
      let size = guardSize + stackSize
      guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
        memory != MAP_FAILED
      else { fatalError("no memory for a stack") }
      defer { munmap(memory, size) }
      mprotect(memory, guardSize, PROT_NONE)
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      defer { pthread_attr_destroy(&attributes) }
      pthread_attr_setstack(&attributes, memory + guardSize, stackSize)
      var thread = pthread_t()
      let code = pthread_create(
        &thread, &attributes,
        { pointer in
          if let pointer { Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().run() }
          return nil
        }, Unmanaged.passRetained(box).toOpaque())
      guard code == 0 else { fatalError("no thread: \(code)") }
      pthread_join(thread, nil)
    #else
      let done = DispatchSemaphore(value: 0)
      let thread = Thread {
        box.run()
        done.signal()
      }
      thread.stackSize = stackSize
      thread.start()
      done.wait()
    #endif
    // The thread may keep the box a moment longer.
    defer { box.outcome = Outcome() }
    return box.outcome
  }
}

/// Runs work on a thread with a stack of 8 MB, the size of the main thread's stack.
public enum OnLargeStack {
  public static func run<T>(_ work: @escaping () throws -> T) -> OnSmallStack.Outcome {
    OnSmallStack.run(stackSize: 8 << 20, work)
  }
}
