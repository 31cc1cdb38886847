package import Predicates

/// A store that can tell beforehand whether it would save changes.
package protocol TrialSaving: PersistentStore {
  /// Does all that ``PersistentStore/save(_:)`` does, and takes it back.
  ///
  /// - Throws: as ``PersistentStore/save(_:)``.
  func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey]
}

extension XMLStore: TrialSaving {
  package func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { try file.trySaving(changes) }
}

extension BinaryStore: TrialSaving {
  package func trySaving(_ changes: StoreChanges) throws(ManagedObjectError) -> [RowKey] { try file.trySaving(changes) }
}
