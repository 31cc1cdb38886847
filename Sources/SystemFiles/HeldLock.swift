private import Synchronization

/// An open file that this process locks (`flock`). The lock ends when this value is destroyed, even if a child of the
/// process has a copy of the descriptor. A child closes its copies immediately, so that its parent's files do not stay
/// locked if the parent is killed.
package struct HeldLock: ~Copyable, Sendable {
  /// The descriptor, or -1 if the file could not be opened.
  package let descriptor: Int32
  private let path: String
  private let generation: Int

  fileprivate static let descriptors = LockDescriptors()

  /// Takes over the descriptor of a file.
  ///
  /// - Parameter descriptor: A descriptor that the caller will lock. It is closed at the end of this value's lifetime.
  package init(on descriptor: Int32, reportedAs path: String) {
    self.descriptor = descriptor
    self.path = path
    ForkedChild.watch()
    generation = ForkedChild.generation
    if descriptor >= 0 { Self.descriptors.add(descriptor) }
  }

  deinit {
    // A child has closed the descriptor, and may use its number for another file.
    guard descriptor >= 0, generation == ForkedChild.generation else { return }
    _ = flock(descriptor, LOCK_UN)
    Self.descriptors.remove(descriptor)
    _ = FileSystem.attempt(.close, path) { close(descriptor) }
  }

  /// Closes a child's copies of the descriptors that its parent had locked.
  static func closeCopies() { descriptors.closeAll() }

  /// Allocates the table of ``closeCopies()``. This is done before a fork, because a child must not wait for another
  /// thread that allocates it.
  static func prepare() { _ = descriptors }
}

/// The locked descriptors of a process.
///
/// Memory-safe: the memory is allocated once per process and never released.
@safe
private struct LockDescriptors: @unchecked Sendable {
  private static let none: Int32 = -1
  /// The number of slots: more than a process normally locks at a time. If a process has locked more files, a child
  /// does not close the descriptors of the others.
  private static let count = 128
  private let slots: UnsafeMutablePointer<Atomic<Int32>>

  init() {
    unsafe slots = .allocate(capacity: Self.count)
    for index in 0..<Self.count { unsafe (slots + index).initialize(to: Atomic(Self.none)) }
  }

  func add(_ descriptor: Int32) { replace(Self.none, by: descriptor) }

  func remove(_ descriptor: Int32) { replace(descriptor, by: Self.none) }

  /// Replaces the first slot that contains `old`.
  private func replace(_ old: Int32, by new: Int32) {
    for index in 0..<Self.count {
      let (isOld, _) = unsafe slots[index].compareExchange(
        expected: old, desired: new, ordering: .sequentiallyConsistent)
      if isOld { return }
    }
  }

  func closeAll() {
    for index in 0..<Self.count {
      let descriptor = unsafe slots[index].exchange(Self.none, ordering: .sequentiallyConsistent)
      if descriptor != Self.none { _ = close(descriptor) }
    }
  }
}
