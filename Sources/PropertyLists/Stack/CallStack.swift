private import SystemFiles

/// How much stack the current thread has left, for work that calls back into other people's code at any depth.
package final class CallStack {
  /// Addresses below this one are too near to the end of the stack.
  private var floor: UInt
  /// The lowest address of the thread's own stack.
  private let bottom: UInt
  private let thread: pthread_t
  /// The size of the thread's own stack, in bytes.
  package let size: Int

  /// How many levels of nested values were being made or written when the thread left its own stack.
  package private(set) var levelsBelow = 0
  /// Where the thread left its own stack; nil if it has not.
  private var left: UInt?
  /// What is to be done in a segment.
  private var work: (() -> Void)?

  /// What is kept free for whoever is called last: a quarter of the stack, and at most this many bytes.
  private static let greatestReserve = 256 << 10

  /// The stack of the current thread. The first call on a thread takes some microseconds.
  package static var current: CallStack {
    guard let key else { return CallStack() }
    // Sound: the key is this type's own, and what it leads to on a thread is released when the thread ends.
    if let known = unsafe pthread_getspecific(key) {
      return unsafe Unmanaged<CallStack>.fromOpaque(known).takeUnretainedValue()
    }
    let stack = CallStack()
    let pointer = unsafe Unmanaged.passRetained(stack)
    if unsafe pthread_setspecific(key, pointer.toOpaque()) != 0 { unsafe pointer.release() }
    return stack
  }

  /// What each thread has its stack under; nil if the system has no more keys.
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

  /// Whether this was made on the current thread; only there it says something.
  package var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

  /// Whether there is room for another call, and those that it makes before it asks again.
  package var hasRoom: Bool { Self.here > floor }

  /// As ``hasRoom``, on whatever thread this is called.
  var hasRoomHere: Bool { isOfThisThread ? hasRoom : Self.current.hasRoom }

  private static var here: UInt {
    var marker: UInt8 = 0
    // Sound: only the address is looked at.
    return unsafe withUnsafeMutablePointer(to: &marker) { UInt(bitPattern: $0) }
  }

  /// How deep a value that is made here may be nested, to be freed by recursion in 832 bytes of stack a level.
  package var levels: Int {
    let room = Int((left ?? Self.here) - bottom)
    return min(size, room + size / 8) / Self.bytesPerLevel
  }

  private static let bytesPerLevel = 832

  /// Does something on another stack, because the thread's own has no room left, but on the same thread. Returns nil if
  /// there is nowhere to go, and nothing was done.
  package func extended<T>(levels: Int, _ body: () throws -> T) throws -> T? {
    // Sixteen times the stack, but no further than that.
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

  /// The lowest address and the size.
  /// Sound: the calls fill the variables that they are given. Where they fail, 512 KB below here are taken for granted,
  /// the least that any thread of the supported systems has.
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

    /// `pthread_getattr_np`. The headers of glibc show this function to programs in C only that define `_GNU_SOURCE`,
    /// so it is looked up by name.
    private static var getAttributes: GetAttributes? {
      guard let symbol = unsafe dlsym(nil, "pthread_getattr_np") else { return nil }
      return unsafe unsafeBitCast(symbol, to: GetAttributes.self)
    }
  #endif
}
