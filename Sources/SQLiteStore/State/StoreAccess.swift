/// The access to the file of a store, and what a save does besides.
///
/// ```swift
/// let reader = try SQLiteStore(file, model: model, access: .readOnly)
/// let writer = try SQLiteStore(file, model: model, access: .readWrite(tracksHistory: true))
/// ```
public struct StoreAccess: Hashable, Sendable {
  let mode: Database.Mode
  /// True if a file that is not there is made.
  package var createsFile = false
  var tracksHistory = false
  var allowsTriggers = false

  /// True if nothing is saved.
  public var isReadOnly: Bool { mode == .readOnly || mode == .immutable }

  /// Reads and saves, and makes a file that is not there.
  public static let readWrite = readWrite()

  /// Reads and saves.
  ///
  /// - Parameters:
  ///   - createsFile: false if a file that is not there is an error.
  ///   - tracksHistory: true to keep a history of changes from now on: ``SQLiteStore/history(after:)``. A store that
  ///     has one keeps it in any case.
  ///   - allowsTriggers: true to save also if the file has triggers, views or virtual tables that neither Core Data nor
  ///     this package makes. A save runs such triggers, whatever they do. Without it they are among the
  ///     ``SQLiteStore/writingObstacles``.
  public static func readWrite(
    createsFile: Bool = true, tracksHistory: Bool = false, allowsTriggers: Bool = false
  ) -> StoreAccess {
    StoreAccess(mode: .create, createsFile: createsFile, tracksHistory: tracksHistory, allowsTriggers: allowsTriggers)
  }

  /// Saves nothing, and makes no file but those beside the store by which SQLite shares it: what others save is seen.
  public static let readOnly = readOnly(writesNothing: false)

  /// Saves nothing.
  ///
  /// - Parameter writesNothing: true to write nothing at all, not even the files beside the store by which SQLite
  ///   shares it. Nobody may save into it meanwhile.
  public static func readOnly(writesNothing: Bool) -> StoreAccess {
    StoreAccess(mode: writesNothing ? .immutable : .readOnly)
  }

  /// Makes changes that are tried and taken back. A log that was left over beside the file is not put into it.
  static func trial(allowsTriggers: Bool) -> StoreAccess { StoreAccess(mode: .trial, allowsTriggers: allowsTriggers) }
}
