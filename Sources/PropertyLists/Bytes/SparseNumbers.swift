/// A fixed number of numbers that begin as 0. Those that are never set take no memory, however many there are.
///
/// Sound: `base` is a block of `count` numbers that this value alone owns, and every place is checked.
@safe
struct SparseNumbers: ~Copyable {
  private let base: UnsafeMutablePointer<UInt32>
  let count: Int

  init(count: Int) {
    self.count = count
    unsafe base = CLibrary.zeros(count * 4).bindMemory(to: UInt32.self, capacity: count)
  }

  deinit { unsafe CLibrary.release(base) }

  subscript(place: Int) -> UInt32 {
    @inline(__always) get {
      precondition(place >= 0 && place < count)
      return unsafe base[place]
    }
    @inline(__always) nonmutating set {
      precondition(place >= 0 && place < count)
      unsafe base[place] = newValue
    }
  }
}
