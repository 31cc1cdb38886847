private import Synchronization

/// A child process that was created by `fork` after its parent had used this package.
///
/// In a child, only the thread that called `fork` continues, so a lock held by another thread is never released there.
/// Programs that were started with `posix_spawn` are not affected, because it does not call the handlers for `fork`.
package enum ForkedChild {
  /// The number of forks that led from the process that first called ``watch()`` to this process.
  private static let depth = Atomic(0)
  private static let isWatched = Atomic(false)

  /// True in a child of a process that has called ``watch()``.
  package static var isThisProcess: Bool { generation != 0 }

  /// The number of forks since ``watch()`` was first called: 0 in the process that called it, 1 in its children, and so
  /// on. Code can store this number, and compare it later: if the numbers differ, the code now runs in a child.
  package static var generation: Int { depth.load(ordering: .acquiring) }

  /// Installs a handler for `fork`. In future children, ``isThisProcess`` is true, and the files that their parent has
  /// locked are closed.
  package static func watch() {
    guard !isWatched.load(ordering: .acquiring), !isWatched.exchange(true, ordering: .acquiringAndReleasing) else {
      return
    }
    // Created now, because a child must not wait for another thread that creates it.
    HeldLock.prepare()
    depth.store(0, ordering: .sequentiallyConsistent)
    _ = pthread_atfork(nil, nil) {
      ForkedChild.depth.add(1, ordering: .sequentiallyConsistent)
      HeldLock.closeCopies()
    }
  }
}
