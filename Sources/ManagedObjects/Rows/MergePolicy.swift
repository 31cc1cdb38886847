/// A rule that resolves the conflicts of a save: objects that another context or process saved after they were read,
/// and objects that share the values for a uniqueness constraint. The raw values are those of `NSMergePolicyType`.
///
/// ```swift
/// context.mergePolicy = .objectTrump
/// try context.save()
/// ```
///
/// A ``ManagedObjectContext/mergeFunction`` can choose the policy of each object, and merge values of attributes.
public enum MergePolicy: Int, Hashable, Sendable, CaseIterable {
  /// The save fails, and its error contains all conflicts.
  case error = 0
  /// The store keeps its value of each property that both the context and another save changed. A to-many relationship
  /// gets the changes of both. If another save deleted the object, it stays deleted; if the context deleted it, it is
  /// restored. If objects share the values of a constraint, the object in the store stays.
  case storeTrump = 1
  /// The store gets the context's value of each property that both the context and another save changed. A to-many
  /// relationship gets the changes of both. If another save deleted the object, it is inserted again; if the context
  /// deleted it, it stays deleted. If objects share the values of a constraint, the object in the store gets the values
  /// of the context's object if that is new and of the same entity; otherwise, the object in the store is deleted.
  case objectTrump = 2
  /// The store gets all values of the context's object, including those that the context did not change. Deleted
  /// objects and constraints are handled as by ``objectTrump``.
  case overwrite = 3
  /// The context's changes of the object are discarded. Deleted objects and constraints are handled as by
  /// ``storeTrump``.
  case rollback = 4

  /// True if the store's values take precedence over the context's.
  var storePrevails: Bool { self == .storeTrump || self == .rollback }
}
