/// The memory that this process has from the system.
package enum SystemMemory {
  /// Gives free memory of the heap back to the system, where the C library keeps it otherwise.
  ///
  /// glibc gives memory back by itself only if it is at the end of a heap: one small block there keeps all of it. Other
  /// C libraries have no such function; nothing happens there.
  ///
  /// - Complexity: O(*n*) in the number of free blocks.
  package static func giveBackFreeMemory() { _ = trim?(0) }

  /// `malloc_trim` of `malloc.h`, which Swift's module of glibc does not have.
  private static let trim: (@convention(c) (Int) -> Int32)? = {
    // Sound: the function has this type in every glibc (malloc_trim(3)).
    unsafe dlsym(nil, "malloc_trim").map { unsafe unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }
  }()
}
