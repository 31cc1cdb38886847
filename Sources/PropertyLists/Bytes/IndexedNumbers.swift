/// Numbers for the indices below a count, which begin as 0. While few are set, they take memory and time for these
/// alone.
struct IndexedNumbers: ~Copyable {
  let count: Int
  /// The numbers while they are few.
  private var few: [Int: UInt32] = [:]
  /// All numbers, once they are many; else none.
  private var all: SparseNumbers<UInt32>
  private var areMany: Bool

  /// - Parameter expectsMany: true if many are going to be set, as when a whole file is read.
  init(count: Int, expectsMany: Bool) {
    self.count = count
    areMany = expectsMany || count <= Self.smallCount
    all = SparseNumbers(count: areMany ? count : 0)
  }

  /// The number of indices up to which a table is made at once.
  private static let smallCount = 64
  /// To make a table takes less time than this share of its numbers took in the dictionary.
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
