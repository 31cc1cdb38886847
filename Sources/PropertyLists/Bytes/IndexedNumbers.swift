/// A number for each index below a count, initially 0. While only a few numbers are set, the others use neither time
/// nor memory.
struct IndexedNumbers: ~Copyable {
  let count: Int
  /// The numbers that have been set, by index. Empty if ``all`` is used.
  private var few: [Int: UInt32] = [:]
  /// All numbers, if many are set or expected, or if the count is small; else empty.
  private var all: SparseNumbers<UInt32>
  private var areMany: Bool

  /// Creates numbers that are all 0.
  ///
  /// - Parameter expectsMany: True if many will be set, for example when a whole file is read.
  init(count: Int, expectsMany: Bool) {
    self.count = count
    areMany = expectsMany || count <= Self.smallCount
    all = SparseNumbers(count: areMany ? count : 0)
  }

  /// The maximum count of a set that uses ``all`` from the beginning.
  private static let smallCount = 64
  /// If more than 1 in this many numbers is set, ``all`` is used. Creating it takes less time than it took to set these
  /// numbers in ``few``.
  private static let tableShare = 32

  subscript(index: Int) -> UInt32 {
    @inline(__always) get { areMany ? all[index] : few[index] ?? 0 }
    @inline(__always) set { if areMany { all[index] = newValue } else { setFew(index, newValue) } }
  }

  @inline(never)
  private mutating func setFew(_ index: Int, _ number: UInt32) {
    few[index] = number
    guard few.count > count / Self.tableShare else { return }
    all = SparseNumbers(count: count)
    for (index, number) in few { all[index] = number }
    few = [:]
    areMany = true
  }
}
