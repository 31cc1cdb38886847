package import Predicates

/// A store with read transactions, which can insert rows in batches.
package protocol TransactionalStore: PersistentStore {
  /// True if the file is encrypted.
  var isEncrypted: Bool { get }

  /// Begins a read transaction. Until ``endReading()``, the store sees one state of the file, even if another process
  /// saves.
  func beginReading() throws(ManagedObjectError)

  /// Ends the read transaction.
  func endReading() throws(ManagedObjectError)

  /// Returns the path of the external file that contains an attribute's value, even if the file does not exist; nil if
  /// the value is in the file of the store.
  func externalFile(ofSlot slot: Int, _ key: RowKey) throws(ManagedObjectError) -> String?

  /// Inserts all rows of another store into this empty store, in one transaction. Does not record a history.
  ///
  /// Memory holds the keys of all rows, and one batch of rows at a time.
  ///
  /// - Parameters:
  ///   - keys: The keys of all rows, without duplicates.
  ///   - read: Returns the rows with the given keys, which belong to one entity. The rows and their relationships must
  ///     have keys of this store. Values outside the requested part can be ``RowValue/unread``. `read` must not use
  ///     this store.
  /// - Throws: The errors of ``PersistentStore/save(_:)``.
  /// - Complexity: O(*n* log *n*).
  func fill(
    _ keys: [RowKey], read: (ArraySlice<RowKey>, RowPart) throws(ManagedObjectError) -> [StoreRow]
  ) throws(ManagedObjectError)
}

/// The values that ``TransactionalStore/fill(_:read:)`` requests in one call of `read`.
package enum RowPart: Sendable {
  /// Attributes and to-one relationships.
  case columns
  /// The to-many and one-to-one relationships in the given slots, which are stored in other rows or join tables, too.
  case links([Int])
}
