/// A fixed number of numbers that begin as 0. Those that are never set take no memory, however many there are.
///
/// Sound: `base` leads to `count` numbers in a block that this value alone owns, and every index is checked.
@safe
struct SparseNumbers<Number: FixedWidthInteger & BitwiseCopyable>: ~Copyable {
  private let block: UnsafeMutableRawPointer
  private let base: UnsafeMutablePointer<Number>
  let count: Int

  /// - Parameter isDense: whether most of them are going to be set, which large pages serve better.
  init(count: Int, isDense: Bool = false) {
    self.count = count
    let size = count * MemoryLayout<Number>.stride
    if isDense, size >= CLibrary.smallBlock {
      // Of a large block, whose rest nobody writes to, the system gets back every page at the end.
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
