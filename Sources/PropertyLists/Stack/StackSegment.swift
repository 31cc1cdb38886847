#if canImport(Glibc)
  private import SystemFiles

  /// Memory for a second stack, on which a thread continues when its own stack is full. Functions of `ucontext.h`
  /// switch the thread to this stack. These functions are looked up by name, because Swift does not import
  /// `makecontext` with its variable arguments.
  @safe
  struct StackSegment: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private let size: Int
    private let functions: Functions

    /// The lowest usable address.
    var bottom: UInt { unsafe UInt(bitPattern: memory) + UInt(Self.guardSize) }

    /// The number of bytes at the lowest addresses that no code can access. So a stack overflow cannot overwrite other
    /// memory.
    private static let guardSize = 64 << 10

    /// Maps `size` bytes. Returns nil if memory is exhausted, or if the functions are missing. Pages that are never
    /// used take no physical memory.
    init?(size: Int) {
      guard let functions = Functions.all else { return nil }
      // Memory-safe: only this segment uses the memory until `deinit`.
      let memory = unsafe mmap(
        nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | Int32(MAP_NORESERVE) | Int32(MAP_STACK), -1, 0)
      guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return nil }
      guard unsafe mprotect(memory, Self.guardSize, PROT_NONE) == 0 else {
        _ = unsafe munmap(memory, size)
        return nil
      }
      unsafe self.memory = memory
      self.size = size
      self.functions = functions
    }

    deinit { _ = unsafe munmap(memory, size) }

    /// Calls `entry` with its stack in the segment. Returns false, without calling it, if the system reported an error.
    func call(_ entry: @convention(c) () -> Void) -> Bool {
      // Contexts must not move, so they are not Swift variables.
      let contexts = UnsafeMutablePointer<ucontext_t>.allocate(capacity: 2)
      defer { unsafe contexts.deallocate() }
      let here = unsafe contexts
      let there = unsafe contexts + 1
      // Memory-safe: `getcontext` fills what `makecontext` changes. The thread returns by `uc_link` when `entry`
      // returns.
      guard unsafe functions.get(there) == 0 else { return false }
      unsafe there.pointee.uc_stack.ss_sp = memory
      unsafe there.pointee.uc_stack.ss_size = size
      unsafe there.pointee.uc_link = here
      unsafe functions.make(there, entry, 0)
      return unsafe functions.swap(here, there) == 0
    }

    @safe
    private struct Functions: @unchecked Sendable {
      typealias Get = @convention(c) (UnsafeMutablePointer<ucontext_t>) -> Int32
      typealias Make = @convention(c) (UnsafeMutablePointer<ucontext_t>, @convention(c) () -> Void, Int32) -> Void
      typealias Swap = @convention(c) (UnsafeMutablePointer<ucontext_t>, UnsafeMutablePointer<ucontext_t>) -> Int32

      let get: Get
      let make: Make
      let swap: Swap

      // Memory-safe: these are the types of the C functions when called without further arguments.
      static let all: Functions? = {
        guard let get = unsafe dlsym(nil, "getcontext"), let make = unsafe dlsym(nil, "makecontext"),
          let swap = unsafe dlsym(nil, "swapcontext")
        else { return nil }
        return unsafe Functions(
          get: unsafeBitCast(get, to: Get.self), make: unsafeBitCast(make, to: Make.self),
          swap: unsafeBitCast(swap, to: Swap.self))
      }()
    }
  }
#else
  /// A segment for systems on which this package cannot switch to another stack. It cannot be created.
  struct StackSegment: ~Copyable {
    let bottom: UInt = 0

    init?(size: Int) { nil }

    func call(_ entry: @convention(c) () -> Void) -> Bool { false }
  }
#endif
