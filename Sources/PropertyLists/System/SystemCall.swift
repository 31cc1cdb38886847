package import Synchronization

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
  case open, status, read, write, synchronize, changeOwner, changeMode, lock, rename, link, unlink, makeFolder, close,
    watch
}

extension FileSystem {
  /// Asked before each call with the path that it is about; what it returns is the error that the call then fails with.
  /// Nil in every program but tests.
  package static let interception = Mutex<(@Sendable (SystemCall, _ path: String) -> Int32?)?>(nil)

  /// Makes a call, unless a test has it fail.
  static func attempt<Result: BinaryInteger>(_ call: SystemCall, _ path: String, _ body: () -> Result) -> Result {
    if let intercept = interception.withLock({ $0 }), let code = intercept(call, path) {
      errno = code
      return -1
    }
    return body()
  }
}
