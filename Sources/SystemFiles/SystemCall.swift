private import Synchronization

/// The system calls that read and replace files. Tests use these names to make a call fail.
package enum SystemCall: String, Hashable, Sendable, CaseIterable {
  case open, create, status, read, write, synchronize, changeOwner, changeMode, lock, rename, exchange, link, unlink,
    makeFolder, close, watch
}

extension FileSystem {
  /// A function that is called before each system call, with its path. It returns the error code with which the call
  /// fails, or nil to make the call.
  package typealias Interception = @Sendable (SystemCall, _ path: String) -> Int32?

  /// Calls a function before each system call of this process. Only tests use this.
  package static func intercept(_ interception: @escaping Interception) {
    self.interception.withLock { $0 = Interceptor(intercept: interception) }
    isIntercepted.store(true, ordering: .releasing)
  }

  private static let interception = Mutex<Interceptor?>(nil)
  /// True after a call of ``intercept(_:)``. Without this flag, each system call would take a lock, which might never
  /// be released in a child of `fork`.
  private static let isIntercepted = Atomic(false)

  /// A structure that contains the function. If the variable contained the function itself, each read would wrap it
  /// again and make it slower.
  private struct Interceptor: Sendable {
    let intercept: Interception
  }

  /// Makes a system call. A test can make it fail instead; see ``intercept(_:)``.
  package static func attempt<Result: BinaryInteger>(_ call: SystemCall, _ path: String, _ body: () -> Result) -> Result
  {
    if isIntercepted.load(ordering: .acquiring), let interceptor = interception.withLock({ $0 }),
      let code = interceptor.intercept(call, path)
    {
      errno = code
      return -1
    }
    return body()
  }

  /// Makes a system call like ``attempt(_:_:_:)``. If it returns a negative number, throws "cannot `verb` `path`" with
  /// the reason.
  @discardableResult
  package static func perform<Result: BinaryInteger>(
    _ call: SystemCall, _ verb: String, _ path: String, _ body: () -> Result
  ) throws(FileError) -> Result {
    let result = attempt(call, path, body)
    guard result >= 0 else { throw failure(verb, path) }
    return result
  }

  /// Returns the error of the last call, which must have failed.
  package static func failure(_ verb: String, _ name: String) -> FileError {
    let code = errno
    return FileError(code, "cannot \(verb) \(name): \(message(code))")
  }

  static func message(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

  /// Returns a function of the C library that the headers of glibc declare only conditionally, or nil if it is missing.
  ///
  /// Safe if `Function` is the type on its manual page. Its address never changes.
  @unsafe
  static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    guard let symbol = unsafe dlsym(nil, name) else { return nil }
    return unsafe unsafeBitCast(symbol, to: type)
  }
}
