private import Synchronization

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Bionic)
  private import Bionic
#elseif canImport(Darwin)
  private import Darwin
#endif

/// The calls that reading and replacing a file is made of, as tests name them to make one fail.
package enum SystemCall: String, Hashable, Sendable, CaseIterable {
  case open, create, status, read, write, synchronize, changeOwner, changeMode, lock, rename, exchange, link, unlink,
    makeFolder, close,
    watch
}

extension FileSystem {
  /// Asked before each call with the path that it is about; what it returns is the error that the call then fails with.
  package typealias Interception = @Sendable (SystemCall, _ path: String) -> Int32?

  /// Has the calls of this process intercepted, which only tests do.
  package static func intercept(_ interception: @escaping Interception) {
    self.interception.withLock { $0 = Interceptor(intercept: interception) }
  }

  private static let interception = Mutex<Interceptor?>(nil)

  /// A function in a structure, since one by itself is wrapped anew, and so becomes slower, each time it is read.
  private struct Interceptor: Sendable {
    let intercept: Interception
  }

  /// Makes a call, unless a test has it fail.
  package static func attempt<Result: BinaryInteger>(_ call: SystemCall, _ path: String, _ body: () -> Result) -> Result
  {
    if let interceptor = interception.withLock({ $0 }), let code = interceptor.intercept(call, path) {
      errno = code
      return -1
    }
    return body()
  }
}
