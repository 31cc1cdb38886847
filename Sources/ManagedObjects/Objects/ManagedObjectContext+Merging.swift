/// What others saved.
extension ManagedObjectContext {
  /// Takes over what another context saved into the same stores: objects are read again when they are asked for. An
  /// object with changes keeps them, over the new values of everything else. One that is gone and has no changes is not
  /// part of the context any more.
  ///
  /// Of changes that are not ``SavedChanges/isComplete``, all objects of the context are read again.
  ///
  /// - Throws: what reading throws.
  /// - Complexity: O(*n*) in the number of objects that were saved; of all that the context has if the changes are not
  ///   complete.
  public func mergeChanges(from changes: SavedChanges) throws(ManagedObjectError) {
    // Of the rows of these very keys: an object that was saved again after its row was deleted has another row.
    let saved = changes.inserted.union(changes.updated).compactMap { savedKey($0) }
    let deleted = changes.deleted.compactMap { savedKey($0) }
    if !followers.isEmpty {
      merged.saved += saved
      merged.deleted += deleted
      if !changes.isComplete { merged.isComplete = false }
    }
    if !observers.isEmpty, changes.origin != state.number {
      for key in changes.inserted.compactMap({ savedKey($0) }).sorted() where registered[key] == nil {
        arrived.append(object(for: key))
      }
    }
    if !changes.isComplete { try refreshAllObjects() }
    try refreshAll(saved.sorted().compactMap { registered[$0] })
    for key in deleted.sorted() {
      guard let object = registered[key] else { continue }
      // The deletion is what both want. Other changes meet it in the next save.
      if object.hasChanges, !object.isDeleted { continue }
      notePending(object)
      if object.isFault, object.values.isEmpty { object.values = object.shape.emptyValues }
      object.status.remove(.fault)
      object.status.insert(.inaccessible)
      detach(object)
    }
    processPendingChanges()
  }
}
