/// What a save does with objects that somebody else saved after they were read, and with those that have the same
/// values of a uniqueness constraint. The raw values are those of `NSMergePolicyType`.
public enum MergePolicy: Int, Hashable, Sendable, CaseIterable {
  /// The save fails, with all conflicts.
  case error = 0
  /// What the store has prevails: of an object, for each property that both changed. An object that is gone stays gone.
  /// Of objects that share the values of a constraint, the one in the store stays.
  case storeTrump = 1
  /// What the context has prevails: of an object, for each property that both changed. Of objects that share the values
  /// of a constraint, the one in the store is deleted.
  case objectTrump = 2
  /// The object is saved as the context has it, with all its properties.
  case overwrite = 3
  /// The context's changes of the object are dropped.
  case rollback = 4
}
