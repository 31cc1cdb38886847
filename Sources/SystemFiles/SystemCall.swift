private import Synchronization

/// The calls that reading and replacing a file is made of, as tests name them to make one fail.
package enum SystemCall: String, Hashable, Sendable, CaseIterable {
  case open, create, status, read, write, synchronize, changeOwner, changeMode, lock, rename, exchange, link, unlink,
    makeFolder, close, watch
}

extension FileSystem {
  /// Asked before each call with the path that it is about; what it returns is the error that the call then fails with.
  package typealias Interception = @Sendable (SystemCall, _ path: String) -> Int32?

  /// Has the calls of this process intercepted, which only tests do.
  package static func intercept(_ interception: @escaping Interception) {
    self.interception.withLock { $0 = Interceptor(intercept: interception) }
    isIntercepted.store(true, ordering: .releasing)
  }

  private static let interception = Mutex<Interceptor?>(nil)
  /// Without this, each call would take a lock, which a child of `fork` might wait for in vain.
  private static let isIntercepted = Atomic(false)

  /// A function in a structure, since one by itself is wrapped anew, and so becomes slower, each time it is read.
  private struct Interceptor: Sendable {
    let intercept: Interception
  }

  /// Makes a call, unless a test has it fail.
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

  /// Makes a call as ``attempt(_:_:_:)`` does. Throws "cannot `verb` `path`" and why, if the call returns a negative
  /// number.
  @discardableResult
  package static func perform<Result: BinaryInteger>(
    _ call: SystemCall, _ verb: String, _ path: String, _ body: () -> Result
  ) throws(FileError) -> Result {
    let result = attempt(call, path, body)
    guard result >= 0 else { throw failure(verb, path) }
    return result
  }

  /// The error of the call that failed just now.
  package static func failure(_ verb: String, _ name: String) -> FileError {
    let code = errno
    return FileError(code, "cannot \(verb) \(name): \(message(code))")
  }

  static func message(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

  /// A function of the C library that the headers of glibc show to some programs only; nil if there is none.
  ///
  /// Safe if the type is that of its manual page. Its address stays where it is.
  @unsafe
  static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    guard let symbol = unsafe dlsym(nil, name) else { return nil }
    return unsafe unsafeBitCast(symbol, to: type)
  }
}
