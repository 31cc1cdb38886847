/// The changes of fetched results from one state to the next. The value can be sent between tasks.
///
/// Section changes come first, then object changes: insertions, deletions, moves, and updates at an unchanged position.
/// Old positions refer to the state before all changes, new positions to the state after all changes. To apply the
/// changes to a list:
///
/// 1. Remove deleted and moved objects at their old positions, in descending order.
/// 2. Remove the deleted sections, which are empty by now, and insert the new ones.
/// 3. Insert new and moved objects at their new positions, in ascending order.
/// 4. Reload the updated objects.
/// 5. Replace the IDs in ``newIDs``, if the list has IDs.
///
/// ``FetchedResultsSnapshot/apply(_:)`` applies the changes to object IDs. For a list without sections, use
/// ``difference``.
///
/// ```swift
/// for change in changes.objects where change.kind == .move {
///   print(change.objectID, change.offset ?? 0, change.newOffset ?? 0)   // Contact/p5 0 2
/// }
/// ```
public struct FetchedResultsChanges: Hashable, Sendable {
  /// The kind of change.
  public enum Kind: Hashable, Sendable {
    case insert, delete, move, update
  }

  /// A section that was inserted or deleted.
  public struct SectionChange: Hashable, Sendable {
    /// ``Kind/insert`` or ``Kind/delete``.
    public var kind: Kind
    /// The name of the section.
    public var name: String
    /// The old index of a deleted section; the new index of an inserted one.
    public var index: Int
  }

  /// An object that was inserted, deleted, moved or updated.
  public struct ObjectChange: Hashable, Sendable {
    /// The kind of change. A moved object may have changed values, too.
    public var kind: Kind
    /// The object ID.
    public var objectID: ManagedObjectID
    /// The position before the changes; nil for an inserted object.
    public var indexPath: ResultIndexPath?
    /// The position after the changes; nil for a deleted object.
    public var newIndexPath: ResultIndexPath?
    /// The object's index in the list of all objects, before the changes; nil for an inserted object.
    public var offset: Int?
    /// The object's index in the list of all objects, after the changes; nil for a deleted object.
    public var newOffset: Int?

    /// The old position of an object that was deleted or moved; nil for others.
    var leaves: ResultIndexPath? { kind == .delete || kind == .move ? indexPath : nil }

    /// The new position of an object that was inserted or moved; nil for others.
    var arrives: ResultIndexPath? { kind == .insert || kind == .move ? newIndexPath : nil }
  }

  /// An object whose ID changed, because it was saved for the first time, or because undo inserted it again after its
  /// deletion was saved.
  public struct IDChange: Hashable, Sendable {
    /// The ID in earlier changes.
    public var oldID: ManagedObjectID
    /// The new ID.
    public var newID: ManagedObjectID
    /// The position of the object after the changes.
    public var indexPath: ResultIndexPath
    /// The object's index in the list of all objects, after the changes.
    public var offset: Int
  }

  /// The section changes: deletions, then insertions, both sorted by index.
  public var sections: [SectionChange] = []
  /// The object changes: insertions, deletions, moves, then updates, each sorted by position.
  public var objects: [ObjectChange] = []
  /// The objects whose IDs changed, sorted by position. A list of objects need not reload them; a list of IDs must
  /// replace the IDs.
  public var newIDs: [IDChange] = []

  /// Creates an empty value.
  public init() {}

  /// True if nothing changed.
  public var isEmpty: Bool { sections.isEmpty && objects.isEmpty && newIDs.isEmpty }

  /// The IDs of the objects whose values changed, but not their position.
  public var updatedIDs: [ManagedObjectID] { objects.filter { $0.kind == .update }.map(\.objectID) }

  /// The changes of the list of all objects, without sections, for `applying(_:)` of arrays. A moved object is
  /// represented by a removal and an insertion that are associated with each other. Updates are in ``updatedIDs``
  /// instead, and changed IDs in ``newIDs``.
  ///
  /// ```swift
  /// let ids = before.objectIDs.applying(changes.difference)   // the IDs after the changes
  /// ```
  ///
  /// - Complexity: O(*k* log *k*) in the number of changes.
  public var difference: CollectionDifference<ManagedObjectID> {
    var changes: [CollectionDifference<ManagedObjectID>.Change] = []
    for change in objects where change.kind != .update {
      let isMove = change.kind == .move
      if let offset = change.offset {
        changes.append(
          .remove(offset: offset, element: change.objectID, associatedWith: isMove ? change.newOffset : nil))
      }
      if let offset = change.newOffset {
        changes.append(.insert(offset: offset, element: change.objectID, associatedWith: isMove ? change.offset : nil))
      }
    }
    // The initializer returns nil only for repeated positions, and each position occurs once.
    return CollectionDifference(changes) ?? [ManagedObjectID]().difference(from: [])
  }
}
