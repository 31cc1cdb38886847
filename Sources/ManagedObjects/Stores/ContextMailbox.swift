internal import Predicates
internal import Synchronization

/// The changes that other contexts and programs saved and that a context has not merged yet. Any thread may add
/// changes; the context takes them when it merges.
final class ContextMailbox: Sendable {
  /// The changes that a context must merge, and the errors that it must note.
  struct Contents {
    /// The changes of all saves together.
    var changes: SavedChanges?
    /// The last errors of reading the changes of other programs.
    var errors: [ManagedObjectError] = []

    var isEmpty: Bool { changes == nil && errors.isEmpty }
  }

  /// The greatest number of object IDs in a mailbox. With more changes, all objects of the context are read again.
  static let greatestCount = 10_000
  private static let greatestErrorCount = 10

  /// The number of the context, whose own saves are skipped.
  let contextNumber: Int
  private let scheduleMerging: @Sendable () -> Void
  private let contents = Mutex(Contents())

  /// Creates an empty mailbox.
  ///
  /// - Parameter scheduleMerging: a function that is called after changes were added, on any thread.
  init(contextNumber: Int, scheduleMerging: @escaping @Sendable () -> Void) {
    self.contextNumber = contextNumber
    self.scheduleMerging = scheduleMerging
  }

  /// Adds changes that were saved, and schedules their merging.
  ///
  /// - Complexity: O(*n*) in the number of changed objects.
  func post(_ changes: SavedChanges) {
    if changes.origin == contextNumber || changes.count == 0 && changes.isComplete { return }
    put(changes)
    scheduleMerging()
  }

  /// Adds an error of reading the changes of other programs.
  func post(_ error: ManagedObjectError) {
    contents.withLock { contents in
      if contents.errors.count == Self.greatestErrorCount { contents.errors.removeFirst() }
      contents.errors.append(error)
    }
    scheduleMerging()
  }

  /// Adds changes to those that are merged next.
  func put(_ changes: SavedChanges) {
    contents.withLock { contents in
      var all = contents.changes.take() ?? SavedChanges()
      all.append(changes)
      if all.count > Self.greatestCount { all.removeIDs() }
      contents.changes = all
    }
  }

  /// Puts back changes that could not be merged, before those that were added meanwhile.
  func putBack(_ changes: SavedChanges) {
    contents.withLock { contents in
      var all = changes
      if let later = contents.changes { all.append(later) }
      if all.count > Self.greatestCount { all.removeIDs() }
      contents.changes = all
    }
  }

  /// Removes the contents and returns them; nil if the mailbox is empty.
  func take() -> Contents? {
    contents.withLock { contents in
      if contents.isEmpty { return nil }
      defer { contents = Contents() }
      return contents
    }
  }
}
