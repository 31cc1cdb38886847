extension Array {
  /// Reserves capacity for more elements. The capacity grows in the same steps as ``ByteBuffer``.
  @inlinable @inline(__always)
  package mutating func makeRoom(for more: Int) {
    if count + more > capacity { grow(by: more) }
  }

  /// Appends copies of `element` until `index` is valid.
  @inlinable @inline(__always)
  package mutating func extend(to index: Int, with element: Element) {
    while count <= index {
      makeRoom(for: 1)
      append(element)
    }
  }

  @usableFromInline @inline(never)
  package mutating func grow(by more: Int) {
    let size = MemoryLayout<Element>.stride
    let larger = capacity * size < CLibrary.smallBlock ? 4 * count : Swift.max(2 * capacity, CLibrary.largeBlock / size)
    reserveCapacity(Swift.max(count + more, larger, 16))
    let bytes = capacity * size
    guard bytes >= 4 * CLibrary.smallBlock else { return }
    // Memory-safe: the memory after the elements belongs to the array, too.
    unsafe withUnsafeMutableBufferPointer {
      if let start = $0.baseAddress { unsafe CLibrary.preferLargePages(start, size: bytes) }
    }
  }
}
