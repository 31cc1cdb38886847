/// An array of a fixed number of integers, initially 0. Integers that are not set use no memory.
///
/// Memory-safe: `base` points to `count` integers in a block that only this value owns, and every index is checked.
@safe
struct SparseNumbers<Number: FixedWidthInteger & BitwiseCopyable>: ~Copyable {
  private let block: UnsafeMutableRawPointer
  private let base: UnsafeMutablePointer<Number>
  let count: Int

  /// Creates numbers that are all 0.
  ///
  /// - Parameter isDense: True if most of them will be set. The numbers are then stored in large pages, which is
  ///   faster.
  init(count: Int, isDense: Bool = false) {
    self.count = count
    let size = count * MemoryLayout<Number>.stride
    if isDense, size >= CLibrary.smallBlock {
      // The block is larger than the numbers need, so that they can begin at a large page, and so that malloc returns
      // the block to the system when it is freed. The unused rest is never written, so it uses no memory.
      let room = max(size + CLibrary.largePage, CLibrary.largeBlock)
      unsafe block = CLibrary.zeros(room)
      unsafe CLibrary.preferLargePages(block, size: room)
      unsafe base = block.alignedUp(toMultipleOf: CLibrary.largePage).bindMemory(to: Number.self, capacity: count)
    } else {
      unsafe block = CLibrary.zeros(size)
      unsafe base = block.bindMemory(to: Number.self, capacity: count)
    }
  }

  deinit { unsafe CLibrary.release(block) }

  subscript(index: Int) -> Number {
    @inline(__always) get {
      precondition(index >= 0 && index < count)
      return unsafe base[index]
    }
    @inline(__always) nonmutating set {
      precondition(index >= 0 && index < count)
      unsafe base[index] = newValue
    }
  }
}
