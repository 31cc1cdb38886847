/// What changed in fetched results, from one state to the next. It can go from task to task.
///
/// First sections, then objects: those that are new, that are gone, that moved, and that have other values at their
/// position. Old positions are those before all of the changes, new positions those after all of them. A list
///
/// 1. takes out the objects that go or move, at their old positions, the last first,
/// 2. takes out the sections that go, which are empty by now, and puts in the new ones,
/// 3. puts in the objects that are new or moved, at their new positions, the first first,
/// 4. shows those again that have other values.
///
/// ``FetchedResultsSnapshot/apply(_:)`` does it with names. A list without sections takes ``difference``.
public struct FetchedResultsChanges: Hashable, Sendable {
  /// The sort of change.
  public enum Kind: Hashable, Sendable {
    case insert, delete, move, update
  }

  /// A section that is new or gone.
  public struct SectionChange: Hashable, Sendable {
    /// ``Kind/insert`` or ``Kind/delete``.
    public var kind: Kind
    /// The name of the section.
    public var name: String
    /// The index: of a section that is gone the old one, else the new one.
    public var index: Int
  }

  /// An object that is new, gone, at another position, or that has other values.
  public struct ObjectChange: Hashable, Sendable {
    /// The sort of change. An object that moved may have other values, too.
    public var kind: Kind
    /// The name of the object. One that was saved for the first time has another name than before; it is updated then.
    public var objectID: ManagedObjectID
    /// The position before; nil for a new object.
    public var indexPath: ResultIndexPath?
    /// The position after; nil for an object that is gone.
    public var newIndexPath: ResultIndexPath?
    /// The position before in the list of all objects; nil for a new object.
    public var offset: Int?
    /// The position after in the list of all objects; nil for an object that is gone.
    public var newOffset: Int?

    /// The position that the object leaves.
    var leaves: ResultIndexPath? { kind == .delete || kind == .move ? indexPath : nil }

    /// The position that the object comes to.
    var arrives: ResultIndexPath? { kind == .insert || kind == .move ? newIndexPath : nil }
  }

  /// The sections: those that are gone, then those that are new; by their indices.
  public var sections: [SectionChange] = []
  /// The objects: new ones, those that are gone, that moved, that were updated; by their positions.
  public var objects: [ObjectChange] = []

  /// No changes.
  public init() {}

  /// True if nothing changed.
  public var isEmpty: Bool { sections.isEmpty && objects.isEmpty }

  /// The objects that have other values at the position where they were.
  public var updatedIDs: [ManagedObjectID] { objects.filter { $0.kind == .update }.map(\.objectID) }

  /// The changes of the list of all objects, without regard to sections: what `applying(_:)` of arrays takes. Moves are
  /// removals and insertions that are associated. What only has other values is in ``updatedIDs``.
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
    // Each position is there once, so that there is always one.
    return CollectionDifference(changes) ?? [ManagedObjectID]().difference(from: [])
  }
}
