/// The access to the file of a store, and the options of a save.
///
/// ```swift
/// let reader = try SQLiteStore(file, model: model, access: .readOnly)
/// let writer = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
/// ```
public struct StoreAccess: Hashable, Sendable {
  let mode: Database.Mode
  /// True if a missing file is created.
  package var createsFile = false
  var tracksHistory = false
  var allowsTriggers = false

  /// True if the store cannot be saved.
  public var isReadOnly: Bool { mode == .readOnly || mode == .immutable }

  /// Reads and saves, and creates a missing file.
  public static let readWrite = readWrite()

  /// Reads and saves.
  ///
  /// - Parameters:
  ///   - createsFile: False to throw if the file is missing.
  ///   - tracksHistory: True to record a history of changes from now on: ``SQLiteStore/history(after:)``. A store that
  ///     has a history keeps recording it in any case.
  ///   - allowsTriggers: True to save even if the file has triggers, views or virtual tables that neither Core Data nor
  ///     this package makes. A save runs such triggers, whatever they do. If false, they are among the
  ///     ``SQLiteStore/writingObstacles``.
  public static func readWrite(
    createsFile: Bool = true, tracksHistory: Bool = false, allowsTriggers: Bool = false
  ) -> StoreAccess {
    StoreAccess(mode: .create, createsFile: createsFile, tracksHistory: tracksHistory, allowsTriggers: allowsTriggers)
  }

  /// Only reads. Creates no files except those that SQLite needs to share the store with other processes, so that their
  /// saves are seen.
  public static let readOnly = readOnly(writesNothing: false)

  /// Only reads.
  ///
  /// - Parameter writesNothing: True to write nothing at all, not even the files that SQLite needs to share the store
  ///   with other processes. No other process may save to the store meanwhile.
  public static func readOnly(writesNothing: Bool) -> StoreAccess {
    StoreAccess(mode: writesNothing ? .immutable : .readOnly)
  }

  /// Saves that are rolled back. A leftover log is not checkpointed into the file.
  static func trial(allowsTriggers: Bool) -> StoreAccess { StoreAccess(mode: .trial, allowsTriggers: allowsTriggers) }
}
