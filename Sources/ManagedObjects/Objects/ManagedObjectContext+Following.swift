internal import Predicates

/// Functions that merge the changes of other contexts, also automatically.
extension ManagedObjectContext {
  /// Merges changes into several contexts, all used in the caller's task. A context that saved the changes itself is
  /// skipped.
  ///
  /// ```swift
  /// let result = try context.execute(.delete("Note", where: ManagedPredicate(format: "isRead == YES")))
  /// try ManagedObjectContext.mergeChanges(from: result.changes, into: [context, other])
  /// ```
  ///
  /// - Throws: the errors of ``mergeChanges(from:)``, after merging into all other contexts;
  ///   ``ManagedObjectError/Code/multipleErrors`` if there are several.
  public static func mergeChanges(
    from changes: SavedChanges, into contexts: [ManagedObjectContext]
  ) throws(ManagedObjectError) {
    var errors: [ManagedObjectError] = []
    for context in contexts where !changes.isFrom(context) {
      do { try context.mergeChanges(from: changes) } catch { errors.append(error) }
    }
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  /// Begins or stops to receive the saves of other contexts and programs or, with a parent, the changes of the parent.
  func setFollows(_ follows: Bool) {
    if let parent {
      parent.followers.remove(parentFollowing)
      parentFollowing = follows ? parent.followers.add { [weak self] in self?.follow($0) } : 0
    } else if follows {
      let mailbox = ContextMailbox(contextNumber: state.number) { [turn] in turn?.schedule() }
      self.mailbox = mailbox
      coordinator.add(mailbox)
    } else {
      coordinator.removeMailbox(of: state.number)
      mailbox = nil
    }
  }

  /// Merges the changes in the ``mailbox``. Errors are added to ``misuse``. If the store cannot be read, the changes
  /// are merged next time.
  func mergeMail() {
    guard !isSaving, let mailbox, let mail = mailbox.take() else { return }
    for error in mail.errors { note(error) }
    guard let changes = mail.changes else { return }
    do { try mergeChanges(from: changes) } catch {
      note(error)
      mailbox.putBack(changes)
    }
  }

  /// Merges changes that the parent reports. Those that it reports during a save of this context are merged after the
  /// save, because most of them are the saved changes.
  private func follow(_ event: ContextEvent) {
    guard case .changed(let change, let merged) = event else { return }
    parentChanges.add(change, merged)
    if !isSaving { mergeParentChanges() }
  }

  /// Merges the changes of the parent that have not been merged.
  func mergeParentChanges() {
    var changes = parentChanges
    parentChanges = ParentChanges()
    changes.removeSaved { hasParentValues($0) }
    if changes.isEmpty { return }
    let keys = MergedKeys(
      saved: changes.inserted + changes.updated, deleted: changes.deleted, isComplete: changes.isComplete)
    do { try merge(keys, inserted: changes.inserted) } catch {
      note(error)
      changes.append(parentChanges)
      parentChanges = changes
      return
    }
    if !eventObservers.isEmpty { eventObservers.tell(.didMerge(changes.savedChanges(self))) }
  }

  /// Returns true if an object has no changes and has the same values in the parent, so that it need not be read again.
  private func hasParentValues(_ key: RowKey) -> Bool {
    guard let own = registered[key], let theirs = parent?.registered[key] else { return false }
    return !own.status.hasChanges && !own.isFault && !theirs.isFault && !theirs.isLost && own.version == theirs.version
      && own.values == theirs.values
  }
}

/// The changes that the parent of a context reported and that the context has not merged.
struct ParentChanges {
  private(set) var inserted: [RowKey] = []
  private(set) var updated: [RowKey] = []
  private(set) var deleted: [RowKey] = []
  /// False if other objects may have changed, too.
  private(set) var isComplete = true

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && isComplete }

  mutating func add(_ change: ContextChange, _ merged: MergedKeys) {
    inserted += change.inserted.map(\.key)
    updated += change.updated.map(\.key) + change.refreshed.map(\.key) + merged.saved
    deleted += change.deleted.map(\.key) + merged.deleted
    if change.isReset || !merged.isComplete { isComplete = false }
  }

  /// Adds changes that the parent reported later.
  mutating func append(_ later: ParentChanges) {
    inserted += later.inserted
    updated += later.updated
    deleted += later.deleted
    if !later.isComplete { isComplete = false }
  }

  /// Removes inserted and updated objects.
  mutating func removeSaved(where isRemoved: (RowKey) -> Bool) {
    inserted.removeAll(where: isRemoved)
    updated.removeAll(where: isRemoved)
  }

  /// Removes the deletions of objects.
  mutating func removeDeletions(_ keys: Set<RowKey>) { deleted.removeAll { keys.contains($0) } }

  /// Returns the IDs of the objects.
  func savedChanges(_ context: ManagedObjectContext) -> SavedChanges {
    func ids(_ keys: [RowKey]) -> Set<ManagedObjectID> { Set(keys.map { context.objectID($0) }) }
    var changes = SavedChanges()
    changes.inserted = ids(inserted)
    changes.updated = ids(updated).subtracting(changes.inserted)
    changes.deleted = ids(deleted)
    changes.isComplete = isComplete
    return changes
  }
}

extension SavedChanges {
  /// Returns true if a context saved the objects. False for batch requests, because the context that executes one must
  /// merge its changes, too.
  ///
  /// ```swift
  /// for await changes in container.coordinator.saves where !changes.isFrom(context) {
  ///   try context.mergeChanges(from: changes)
  /// }
  /// ```
  public func isFrom(_ context: ManagedObjectContext) -> Bool { origin == context.state.number }
}
