internal import Predicates

/// A save of a context: the saved objects and their IDs.
public struct ContextSave {
  /// The new objects.
  public internal(set) var inserted: Set<ManagedObject> = []
  /// The changed objects.
  public internal(set) var updated: Set<ManagedObject> = []
  /// The deleted objects. They no longer belong to the context, but keep their values.
  public internal(set) var deleted: Set<ManagedObject> = []
  /// The IDs of the objects. Unlike the objects, they can be sent to other tasks and merged into other contexts. If the
  /// context was saved into its parent, the IDs of new objects are temporary.
  public internal(set) var changes = SavedChanges()

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && changes == SavedChanges() }
}

extension ManagedObjectContext {
  /// A save or a merge of a context.
  public enum Event {
    /// A save began, and the context has changes. They are not validated yet, and the save may fail.
    case willSave
    /// Changes were saved into the stores or into the parent. After an error with the code
    /// ``ManagedObjectError/Code/incompleteSave``, the event has the changes that were saved.
    case didSave(ContextSave)
    /// Changes of other contexts were merged, by ``ManagedObjectContext/mergeChanges(from:)`` or automatically.
    case didMerge(SavedChanges)
  }

  /// Adds an observer that is called at saves and merges of this context, in the task that uses it. The context retains
  /// the function until it is removed.
  ///
  /// ```swift
  /// let number = context.addEventObserver { event in
  ///   guard case .didSave(let save) = event else { return }
  ///   print(save.inserted.count, save.changes.updated)
  /// }
  /// try context.save()
  /// context.removeObserver(number)
  /// ```
  ///
  /// The function may change objects. If it changes them at ``Event/willSave``, the save includes the changes. The
  /// function may call ``save()``, except at this event. For changes that are not saved, see
  /// ``addObserver(_:)``; for the saves of all contexts, see ``PersistentStoreCoordinator/saves``.
  ///
  /// - Returns: a number to pass to ``removeObserver(_:)``.
  public func addEventObserver(_ callback: @escaping (Event) -> Void) -> Int {
    observerCount += 1
    eventObservers.add(callback, number: observerCount)
    return observerCount
  }

  /// Returns the ID of an object with a key.
  func objectID(_ key: RowKey) -> ManagedObjectID {
    ManagedObjectID(key, model: model, storeIdentifier: coordinator.store(key.store)?.identifier)
  }

  /// Records an object that was saved. Must be called while the object still has the status of a changed object.
  func noteSaved(_ object: ManagedObject, isUpdate: Bool) {
    if object.status.isDeleted {
      lastSave.deleted.insert(object)
    } else if object.status.isInserted {
      lastSave.inserted.insert(object)
    } else if isUpdate {
      lastSave.updated.insert(object)
    }
  }

  /// Records the objects that this context saved into its parent.
  func noteSavedIntoParent(_ objects: [ManagedObject]) {
    guard !eventObservers.isEmpty else { return }
    for object in objects { noteSaved(object, isUpdate: true) }
    lastSave.changes = SavedChanges(author: transactionAuthor, contextName: name, origin: state.number)
    lastSave.changes.inserted = Set(lastSave.inserted.map(\.objectID))
    lastSave.changes.updated = Set(lastSave.updated.map(\.objectID))
    lastSave.changes.deleted = Set(lastSave.deleted.map(\.objectID))
  }

  /// Reports the objects that were saved since the last call, if any.
  func reportSave() {
    let save = lastSave
    lastSave = ContextSave()
    if !save.isEmpty { eventObservers.tell(.didSave(save)) }
  }
}
