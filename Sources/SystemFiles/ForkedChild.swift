private import Synchronization

/// A process that `fork` made of one that this package had begun to be used in.
///
/// Only the thread that called `fork` lives on in a child, so a lock that another thread held then is never released
/// there. Programs that another one runs begin anew and are not meant: `posix_spawn` calls none of this.
package enum ForkedChild {
  /// The number of forks between the process that first called ``watch()`` and this one.
  private static let depth = Atomic(0)
  private static let isWatched = Atomic(false)

  /// True in a child of a process that had called ``watch()``.
  package static var isThisProcess: Bool { generation != 0 }

  /// A number that is another in each child.
  package static var generation: Int { depth.load(ordering: .acquiring) }

  /// Has children know from now on that they are, and close the files that their parent has locked.
  package static func watch() {
    guard !isWatched.load(ordering: .acquiring), !isWatched.exchange(true, ordering: .acquiringAndReleasing) else {
      return
    }
    // Made now, since a child must not wait for another thread that makes it.
    HeldLock.prepare()
    depth.store(0, ordering: .sequentiallyConsistent)
    _ = pthread_atfork(nil, nil) {
      ForkedChild.depth.add(1, ordering: .sequentiallyConsistent)
      HeldLock.closeCopies()
    }
  }
}
