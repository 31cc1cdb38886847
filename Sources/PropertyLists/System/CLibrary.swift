#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Bionic)
  private import Bionic
#elseif canImport(Darwin)
  private import Darwin
#endif

/// What is taken from the C library but for files: memory that can grow in place, the digits of unusual numbers, and what is done
/// when a process ends.
package enum CLibrary {
  /// Has `body` called when the process ends in order: by `exit` or by the end of its main function.
  package static func atExit(_ body: @convention(c) () -> Void) { _ = atexit(body) }

  /// A number that no other thread has as long as this one lives.
  package static var threadNumber: UInt {
    #if canImport(Glibc) || canImport(Bionic)
      UInt(truncatingIfNeeded: pthread_self())
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }

  /// Lets threads run that wait for the processor.
  package static func yield() { _ = sched_yield() }

  /// A block from malloc made larger or smaller. As everywhere in Swift, memory that the system does not have ends the
  /// process.
  static func reallocate(_ block: UnsafeMutableRawPointer?, to size: Int) -> UnsafeMutableRawPointer {
    guard let block = unsafe realloc(block, size) else { fatalError("out of memory: \(size) bytes") }
    return unsafe block
  }

  /// A block of zeros, whose pages take memory when they are written to. As everywhere in Swift, memory that the system
  /// does not have ends the process.
  static func zeros(_ size: Int) -> UnsafeMutableRawPointer {
    guard let block = unsafe calloc(max(size, 1), 1) else { fatalError("out of memory: \(size) bytes") }
    return unsafe block
  }

  static func release(_ block: UnsafeMutableRawPointer?) { unsafe free(block) }

  /// A finite number as `printf` prints it with `%.16e`. The decimal point depends on the locale of the process.
  static func printed(_ value: Double) -> [UInt8] {
    var text = [CChar](repeating: 0, count: 64)
    // Sound: the buffer has 64 bytes, of which vsnprintf writes at most as many.
    let length = unsafe withVaList([value]) { arguments in
      unsafe text.withUnsafeMutableBufferPointer { unsafe vsnprintf($0.baseAddress, $0.count, "%.16e", arguments) }
    }
    return text.prefix(Int(length)).map { UInt8(bitPattern: $0) }
  }
}
