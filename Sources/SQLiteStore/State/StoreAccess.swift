internal import SQLiteAccess

/// The access to a store: read-only or for saving, with options for saves.
///
/// ```swift
/// let reader = try SQLiteStore(file, model: model, access: .readOnly)
/// let writer = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
/// ```
public struct StoreAccess: Hashable, Sendable {
  let mode: ConnectionMode
  /// True to create the file if it does not exist.
  package var createsFile = false
  var tracksHistory: Bool?
  var allowsTriggers = false
  /// True to open the store although its model has another version.
  var ignoresModelVersion = false

  /// True if the store is opened only for reading.
  public var isReadOnly: Bool { mode == .readOnly || mode == .immutable }

  /// Allows reading and saving. Creates the file if it does not exist.
  public static let readWrite = readWrite()

  /// Allows reading and saving.
  ///
  /// - Parameters:
  ///   - createsFile: True to create the file if it does not exist. If false, opening the store throws.
  ///   - tracksHistory: True to record a history of changes from now on: ``SQLiteStore/history(after:)``. False to stop
  ///     recording it, and to delete a history that this package has started: ``SQLiteStore/stopTrackingHistory()``.
  ///     Nil to record it if the store already has one.
  ///   - allowsTriggers: True to save even if the file has triggers, views or virtual tables of other programs. A save
  ///     runs such triggers, whatever they do. If false, they are listed in ``SQLiteStore/writingObstacles``, and a
  ///     save throws.
  public static func readWrite(
    createsFile: Bool = true, tracksHistory: Bool? = nil, allowsTriggers: Bool = false
  ) -> StoreAccess {
    StoreAccess(mode: .create, createsFile: createsFile, tracksHistory: tracksHistory, allowsTriggers: allowsTriggers)
  }

  /// Allows only reading. Creates no files except those that SQLite needs to share the store with other processes, so
  /// that the store sees their saves.
  public static let readOnly = readOnly(writesNothing: false)

  /// Allows only reading.
  ///
  /// ```swift
  /// let store = try SQLiteStore(file, model: model, access: .readOnly(ignoresModelVersion: true))
  /// for mismatch in store.modelMismatches { print(mismatch) }
  /// // Note.subtitle: the store does not have the property: it reads as nil
  /// ```
  ///
  /// - Parameters:
  ///   - writesNothing: True to write nothing at all, not even the files that SQLite needs to share the store with
  ///     other processes. No other process may save to the store meanwhile.
  ///   - ignoresModelVersion: True to open the store even if it was made with another version of the model, to save
  ///     what can be read: see `PersistentStoreDescription.ignoresModelVersion`.
  public static func readOnly(writesNothing: Bool = false, ignoresModelVersion: Bool = false) -> StoreAccess {
    StoreAccess(mode: writesNothing ? .immutable : .readOnly, ignoresModelVersion: ignoresModelVersion)
  }

  /// Allows only saves that are rolled back. A leftover write-ahead log is not checkpointed into the file.
  static func trial(allowsTriggers: Bool) -> StoreAccess { StoreAccess(mode: .trial, allowsTriggers: allowsTriggers) }
}
