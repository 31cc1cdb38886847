package import Predicates

/// A store that can check changes without saving them.
package protocol TrialSaving: PersistentStore {
  /// Does the work of ``PersistentStore/save(_:)`` without saving.
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
