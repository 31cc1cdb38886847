/// The reasons why the values of an object were replaced. See ``ManagedObject/awake(fromSnapshotEvents:)``. The raw
/// values are those of `NSSnapshotEventType`.
public struct SnapshotEventType: OptionSet, Hashable, Sendable {
  public let rawValue: UInt

  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The insertion of the object was undone.
  public static let undoInsertion = SnapshotEventType(rawValue: 1 << 1)
  /// The deletion of the object was undone.
  public static let undoDeletion = SnapshotEventType(rawValue: 1 << 2)
  /// Changes of the object were undone or redone.
  public static let undoUpdate = SnapshotEventType(rawValue: 1 << 3)
  /// The changes of the object were discarded by ``ManagedObjectContext/rollback()``.
  public static let rollback = SnapshotEventType(rawValue: 1 << 4)
  /// The object was refreshed, and kept its changes.
  public static let refresh = SnapshotEventType(rawValue: 1 << 5)
  /// A merge policy resolved a conflict over the object.
  public static let mergePolicy = SnapshotEventType(rawValue: 1 << 6)
}
