private import SystemFiles

/// Functions of the C library: for memory that can grow in place, and for the digits of numbers that ``RealText`` does
/// not convert itself.
enum CLibrary {
  /// Changes the size of a malloc block.
  static func reallocate(_ block: UnsafeMutableRawPointer?, to size: Int) -> UnsafeMutableRawPointer {
    unsafe existing(realloc(block, size), size)
  }

  /// Allocates a block of zeros. Its pages use memory only after they are written.
  static func zeros(_ size: Int) -> UnsafeMutableRawPointer { unsafe existing(calloc(max(size, 1), 1), size) }

  /// Returns a block, or ends the process if its allocation failed, as Swift does everywhere.
  private static func existing(_ block: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer {
    guard let block = unsafe block else { fatalError("out of memory: \(size) bytes") }
    return unsafe block
  }

  static func release(_ block: UnsafeMutableRawPointer?) { unsafe free(block) }

  /// Two block sizes, in bytes. If a buffer of at least `smallBlock` must grow, it gets at least `largeBlock`. From 32
  /// MB, glibc's malloc maps separate pages for a block, and moves them without copying when the block grows.
  static let (smallBlock, largeBlock) = (1 << 20, 33 << 20)

  /// The size of a large page on most systems, in bytes. On systems with another size, the only effect is lower speed.
  static let largePage = 2 << 20

  /// Grows a block of many megabytes in large pages, because the first write to each small page is slow.
  static func reallocateLarge(_ block: UnsafeMutableRawPointer?, to size: inout Int) -> UnsafeMutableRawPointer {
    #if os(Linux)
      let page = 4096
      // Including malloc's header and footer, a block of this size uses whole pages. It can grow in place if `madvise`
      // has been called with the same advice for all its pages.
      size = (size + 64 + page - 1) / page * page - 64
      let larger = unsafe reallocate(block, to: size)
      unsafe preferLargePages(larger, size: size)
      return unsafe larger
    #else
      return unsafe reallocate(block, to: size)
    #endif
  }

  /// Requests large pages for a block of many megabytes. Failure has no other effect.
  static func preferLargePages(_ block: UnsafeMutableRawPointer, size: Int) {
    #if os(Linux)
      let start = unsafe block.alignedDown(toMultipleOf: 4096)
      let end = unsafe (block + size).alignedUp(toMultipleOf: 4096)
      _ = unsafe madvise(start, end - start, MADV_HUGEPAGE)
    #endif
  }

  /// Returns a finite number as `printf` prints it with `%.16e`. The decimal point depends on the locale of the
  /// process.
  static func printed(_ value: Double) -> [UInt8] {
    var text = [CChar](repeating: 0, count: 64)
    // Memory-safe: the buffer has 64 bytes, and vsnprintf writes at most as many.
    let length = unsafe withVaList([value]) { arguments in
      unsafe text.withUnsafeMutableBufferPointer { unsafe vsnprintf($0.baseAddress, $0.count, "%.16e", arguments) }
    }
    return text.prefix(Int(length)).map { UInt8(bitPattern: $0) }
  }
}
