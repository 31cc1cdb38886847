private import SystemFiles

/// What is taken from the C library: memory that can grow in place, and the digits of unusual numbers.
enum CLibrary {
  /// A block from malloc made larger or smaller.
  static func reallocate(_ block: UnsafeMutableRawPointer?, to size: Int) -> UnsafeMutableRawPointer {
    unsafe existing(realloc(block, size), size)
  }

  /// A block of zeros, whose pages take memory when they are written to.
  static func zeros(_ size: Int) -> UnsafeMutableRawPointer { unsafe existing(calloc(max(size, 1), 1), size) }

  /// As everywhere in Swift, memory that the system does not have ends the process.
  private static func existing(_ block: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer {
    guard let block = unsafe block else { fatalError("out of memory: \(size) bytes") }
    return unsafe block
  }

  static func release(_ block: UnsafeMutableRawPointer?) { unsafe free(block) }

  /// From 32 MB on, malloc of glibc maps pages of their own, which are moved and not copied when a block grows. So
  /// memory that grows skips the sizes between a small block and a large one.
  static let (smallBlock, largeBlock) = (1 << 20, 33 << 20)

  /// The size of a large page on most systems. Where it is another, nothing but time is lost.
  static let largePage = 2 << 20

  /// A block of many megabytes made larger, in large pages: the first write to each small page is slow.
  static func reallocateLarge(_ block: UnsafeMutableRawPointer?, to size: inout Int) -> UnsafeMutableRawPointer {
    #if os(Linux)
      let page = 4096
      // With malloc's own words before and behind it, such a block takes whole pages, which grow in place as long as
      // all of them have the same advice.
      size = (size + 64 + page - 1) / page * page - 64
      let larger = unsafe reallocate(block, to: size)
      unsafe preferLargePages(larger, size: size)
      return unsafe larger
    #else
      return unsafe reallocate(block, to: size)
    #endif
  }

  /// Asks for large pages in a block of many megabytes. That the advice is not taken changes nothing else.
  static func preferLargePages(_ block: UnsafeMutableRawPointer, size: Int) {
    #if os(Linux)
      let start = unsafe block.alignedDown(toMultipleOf: 4096)
      let end = unsafe (block + size).alignedUp(toMultipleOf: 4096)
      _ = unsafe madvise(start, end - start, MADV_HUGEPAGE)
    #endif
  }

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
