private import SystemFiles

/// The remaining stack of the current thread, for recursive work that calls code outside this package, such as
/// `init(from:)` of other types.
package final class CallStack {
  /// The stack address at and below which ``hasRoom`` is false. The part of the stack below it is a reserve.
  private var floor: UInt
  /// The lowest address of the thread's own stack.
  private let bottom: UInt
  private let thread: pthread_t
  /// The size of the thread's own stack, in bytes.
  package let size: Int

  /// The number of levels of nested values that were in progress when the thread left its own stack, or 0 if it has
  /// not; see ``extended(levels:_:)``.
  package private(set) var levelsBelow = 0
  /// The stack address when the thread left its own stack, or nil if it has not.
  private var left: UInt?
  /// The function that the other stack calls next; nil after the call has begun.
  private var work: (() -> Void)?

  /// The maximum number of bytes that are kept free for the innermost call. If a quarter of the stack is less than
  /// that, only a quarter is kept free.
  private static let greatestReserve = 256 << 10

  /// The stack of the current thread. The first call on a thread takes a few microseconds.
  package static var current: CallStack {
    guard let key else { return CallStack() }
    // Memory-safe: only this type uses the key, and the object it refers to is released when the thread ends.
    if let known = unsafe pthread_getspecific(key) {
      return unsafe Unmanaged<CallStack>.fromOpaque(known).takeUnretainedValue()
    }
    let stack = CallStack()
    let pointer = unsafe Unmanaged.passRetained(stack)
    if unsafe pthread_setspecific(key, pointer.toOpaque()) != 0 { unsafe pointer.release() }
    return stack
  }

  /// The key of the thread-specific storage, or nil if the system has no more keys.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return unsafe pthread_key_create(&key) { unsafe CallStack.release($0) } == 0 ? key : nil
  }()

  private static func release(_ pointer: UnsafeMutableRawPointer?) {
    if let pointer = unsafe pointer { unsafe Unmanaged<CallStack>.fromOpaque(pointer).release() }
  }

  private init() {
    let (bottom, size) = Self.bounds()
    self.size = size
    thread = pthread_self()
    self.bottom = bottom
    floor = bottom + UInt(min(size / 4, Self.greatestReserve))
  }

  /// True if this object was created on the current thread. It is valid only there.
  package var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// True if the stack has room for another call, and for everything that this call does before the next check.
  package var hasRoom: Bool { Self.here > floor }

  /// True if the stack of the current thread has room, like ``hasRoom``. Unlike ``hasRoom``, this property may be read
  /// on any thread.
  var hasRoomHere: Bool { isOfThisThread ? hasRoom : Self.current.hasRoom }

  private static var here: UInt {
    var marker: UInt8 = 0
    // Memory-safe: only the address is used.
    return unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
  }

  /// The maximum nesting depth of a value that is created now. Freeing a value recurses, and needs 832 bytes of stack
  /// for each level.
  package var levels: Int {
    let room = Int((left ?? Self.here) - bottom)
    return min(size, room + size / 8) / Self.bytesPerLevel
  }

  private static let bytesPerLevel = 832

  /// Calls `body` on another stack of the same thread, because the thread's own stack is full. Returns nil, without
  /// calling `body`, if another stack cannot be created.
  ///
  /// - Parameter levels: The number of levels of nested values in progress, for ``levelsBelow``.
  package func extended<T>(levels: Int, _ body: () throws -> T) throws -> T? {
    // Sixteen times the size of the stack, from 8 to 128 MiB. Segments are not nested.
    guard left == nil, let segment = StackSegment(size: min(max(16 * size, 8 << 20), 128 << 20)) else { return nil }
    let formerFloor = floor
    left = Self.here
    levelsBelow = levels
    floor = segment.bottom + UInt(Self.greatestReserve)
    defer {
      floor = formerFloor
      left = nil
      levelsBelow = 0
    }
    var result: Result<T, any Error>?
    withoutActuallyEscaping(body) { body in
      work = { result = Result { try body() } }
      _ = segment.call { CallStack.current.doWork() }
      work = nil
    }
    return try result?.get()
  }

  private func doWork() {
    let now = work
    work = nil
    now?()
  }

  /// Returns the lowest address and the size of the stack. Memory-safe: the calls fill the variables passed to them. If
  /// they fail, assumes that the stack has 512 KB below the current address, which is the minimum for threads on the
  /// supported systems.
  private static func bounds() -> (bottom: UInt, size: Int) {
    #if canImport(Darwin)
      let thread = pthread_self()
      let size = pthread_get_stacksize_np(thread)
      return (UInt(bitPattern: unsafe pthread_get_stackaddr_np(thread)) - UInt(size), size)
    #else
      var attributes = pthread_attr_t()
      var address: UnsafeMutableRawPointer?
      var size = 0
      if let getAttributes = unsafe getAttributes, unsafe getAttributes(pthread_self(), &attributes) == 0 {
        defer { _ = unsafe pthread_attr_destroy(&attributes) }
        if unsafe pthread_attr_getstack(&attributes, &address, &size) == 0, size > 0 {
          return (UInt(bitPattern: address), size)
        }
      }
      var marker: UInt8 = 0
      let here = unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
      return (here - (512 << 10), 512 << 10)
    #endif
  }

  #if !canImport(Darwin)
    private typealias GetAttributes = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

    /// `pthread_getattr_np`. It is looked up by name, because the headers of glibc declare it only for C programs that
    /// define `_GNU_SOURCE`.
    private static var getAttributes: GetAttributes? {
      guard let symbol = unsafe dlsym(nil, "pthread_getattr_np") else { return nil }
      return unsafe unsafeBitCast(symbol, to: GetAttributes.self)
    }
  #endif
}
