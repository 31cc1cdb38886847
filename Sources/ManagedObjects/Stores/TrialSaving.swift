package import Predicates

/// A store that can check changes without saving them.
package protocol TrialSaving: PersistentStore {
  /// Checks changes as ``PersistentStore/save(_:)`` does, without saving them. Returns the same keys as that method.
  ///
  /// - Throws: the errors of ``PersistentStore/save(_:)``.
  func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey]
}

extension XMLStore: TrialSaving {
  package func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { try file.trySaving(changes) }
}

extension BinaryStore: TrialSaving {
  package func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { try file.trySaving(changes) }
}
