public import FoundationEssentials
public import ManagedObjects

/// A selection of recorded saves (`NSPersistentHistoryChangeRequest`, SwiftData's `HistoryDescriptor`).
///
/// ```swift
/// var request = HistoryRequest(after: lastToken.map { .token($0) })
/// request.author = .noneOf(["app"])
/// request.entityNames = [Note.entityName]
/// for transaction in try store.history(request) {
///   for change in transaction.changes { print(change.kind, change.objectID) }  // update Note/p2
///   lastToken = transaction.token
/// }
/// ```
///
/// ``SQLiteStore/history(_:)`` returns the saves, ``SQLiteStore/enumerateHistory(_:batchSize:_:)`` reads them in
/// batches, and ``SQLiteStore/historyCount(_:)`` counts them. A save is selected if it satisfies all conditions.
public struct HistoryRequest: Hashable, Sendable {
  /// A position in a history.
  public enum Position: Hashable, Sendable {
    /// A point in time. A save at exactly this time is neither before nor after it.
    case date(Date)
    /// The save with this transaction number.
    case number(Int64)
    /// The last save that a token includes.
    case token(PersistentHistoryToken)

    /// Returns the position of a save.
    public static func transaction(_ transaction: PersistentHistoryTransaction) -> Position {
      .token(transaction.token)
    }

    /// Throws ``ManagedObjectError/Code/unsupportedRequest`` for a date that is not a number: no save is before or
    /// after it.
    package func check() throws(ManagedObjectError) {
      guard case .date(let date) = self, date.timeIntervalSinceReferenceDate.isNaN else { return }
      throw ManagedObjectError(.unsupportedRequest, "expected a date, found one that is not a number (NaN)")
    }
  }

  /// A condition on a name that a save has recorded. Nil represents a name that was not recorded.
  public enum NameCondition: Hashable, Sendable {
    /// Any name or none.
    case any
    /// Only these names.
    case oneOf(Set<String?>)
    /// All names except these.
    case noneOf(Set<String?>)

    package func holds(for name: String?) -> Bool {
      switch self {
      case .any: true
      case .oneOf(let names): names.contains(name)
      case .noneOf(let names): !names.contains(name)
      }
    }
  }

  /// Selects only saves after this one; nil to begin with the first one.
  public var after: Position?
  /// Selects only saves before this one; nil to end with the last one.
  public var before: Position?
  /// The authors of the saves: ``PersistentHistoryTransaction/author``.
  public var author = NameCondition.any
  /// The names of the contexts that saved: ``PersistentHistoryTransaction/contextName``.
  public var contextName = NameCondition.any
  /// The bundle identifiers of the programs that saved: ``PersistentHistoryTransaction/bundleIdentifier``.
  public var bundleIdentifier = NameCondition.any
  /// The names of the processes that saved: ``PersistentHistoryTransaction/processName``.
  public var processName = NameCondition.any
  /// Selects only changes to objects of these entities and of their subentities, and saves with such changes; nil for
  /// all entities. The name of a class's entity is ``ManagedObject/entityName``.
  public var entityNames: Set<String>?
  /// Selects only changes to these objects, and saves with such changes; nil for all objects. IDs of other stores, and
  /// temporary IDs, match no change.
  public var objectIDs: Set<ManagedObjectID>?
  /// Selects only changes of these kinds, and saves with such changes; nil for all kinds.
  public var changeKinds: Set<PersistentHistoryChange.Kind>?
  /// True to return the last save first. The changes of a save stay in the order of recording.
  public var isNewestFirst = false
  /// The maximum number of saves; 0 for no limit. Requests with a negative limit throw.
  public var fetchLimit = 0
  /// False to return the saves without their changes. The conditions on changes still apply.
  public var includesChanges = true

  /// Creates a request.
  public init(after: Position? = nil, before: Position? = nil) {
    self.after = after
    self.before = before
  }

  /// True if saves without a selected change are left out.
  package var requiresChanges: Bool { entityNames != nil || objectIDs != nil || changeKinds != nil }

  /// Returns the indices of the selected entities; nil for all.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have an entity.
  package func entityIndices(_ model: ManagedObjectModel) throws(ManagedObjectError) -> Set<Int>? {
    guard let entityNames else { return nil }
    var indices: Set<Int> = []
    for name in entityNames.sorted() {
      guard let entity = model.entity(named: name) else {
        throw ManagedObjectError(.undefinedKey, "the model has no entity \(name.quoted)")
      }
      indices.formUnion(entity.subtree)
    }
    return indices
  }

  /// Throws ``ManagedObjectError/Code/unsupportedRequest`` for a negative limit, and for an invalid position.
  package func check() throws(ManagedObjectError) {
    try after?.check()
    try before?.check()
    if fetchLimit < 0 {
      throw ManagedObjectError(
        .unsupportedRequest, "expected a limit of at least 0 transactions, found \(fetchLimit)")
    }
  }
}
