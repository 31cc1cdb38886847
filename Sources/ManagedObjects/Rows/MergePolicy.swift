/// A rule that resolves the conflicts of a save: objects that another context or process saved after they were read,
/// and objects that share the values of a uniqueness constraint. The raw values are those of `NSMergePolicyType`.
///
/// ```swift
/// context.mergePolicy = .objectTrump
/// try context.save()
/// ```
public enum MergePolicy: Int, Hashable, Sendable, CaseIterable {
  /// The save fails, and its error contains all conflicts.
  case error = 0
  /// The store keeps its value of each property that both the context and another save changed. A deleted object stays
  /// deleted. If objects share the values of a constraint, the object in the store stays.
  case storeTrump = 1
  /// The store gets the context's value of each property that both the context and another save changed. If objects
  /// share the values of a constraint, the object in the store gets the values of a new object of the same entity; in
  /// other cases, it is deleted.
  case objectTrump = 2
  /// All properties of the context's object are saved, including those that the context did not change. If objects
  /// share the values of a constraint, the same object stays as under ``objectTrump``.
  case overwrite = 3
  /// The context's changes of the object are discarded.
  case rollback = 4
}
