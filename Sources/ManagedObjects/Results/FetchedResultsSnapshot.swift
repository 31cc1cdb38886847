/// The IDs of the objects of fetched results, section by section. The value can be sent between tasks.
public struct FetchedResultsSnapshot: Hashable, Sendable {
  /// A section, with its name and objects.
  public struct Section: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The IDs of the objects, in order.
    public var objectIDs: [ManagedObjectID]

    /// Creates a section.
    public init(name: String, objectIDs: [ManagedObjectID] = []) {
      self.name = name
      self.objectIDs = objectIDs
    }
  }

  /// The sections, in order.
  public var sections: [Section] = []

  /// Creates a snapshot without objects.
  public init() {}

  /// The IDs of the objects of all sections, in order.
  public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }

  /// Applies changes to this snapshot, which must have the state before the changes.
  ///
  /// ```swift
  /// var shown = results.snapshot
  /// for await changes in results.changes {
  ///   shown.apply(changes)
  /// }
  /// ```
  ///
  /// - Returns: false, without changing anything, if the changes do not fit this state.
  /// - Complexity: O(*n* + *k*), where *n* is the number of objects and *k* the number of changes.
  @discardableResult
  public mutating func apply(_ changes: FetchedResultsChanges) -> Bool {
    var sections = sections
    for change in changes.objects.reversed() {
      guard let path = change.leaves else { continue }
      guard sections.indices.contains(path.section), sections[path.section].objectIDs.indices.contains(path.item) else {
        return false
      }
      sections[path.section].objectIDs[path.item] = Self.gap(change.objectID)
    }
    // All placeholders of a section are removed together, because each single removal would move the IDs after it.
    for index in Set(changes.objects.compactMap { $0.leaves?.section }) {
      sections[index].objectIDs.removeAll { $0.key == .removed }
    }
    for change in changes.sections.reversed() where change.kind == .delete {
      guard sections.indices.contains(change.index), sections[change.index].objectIDs.isEmpty else { return false }
      sections.remove(at: change.index)
    }
    for change in changes.sections where change.kind == .insert {
      guard change.index >= 0, change.index <= sections.count else { return false }
      sections.insert(Section(name: change.name), at: change.index)
    }
    var arriving: [Int: [(item: Int, id: ManagedObjectID)]] = [:]
    for change in changes.objects {
      if let path = change.arrives { arriving[path.section, default: []].append((path.item, change.objectID)) }
    }
    for (index, objects) in arriving {
      guard sections.indices.contains(index),
        let merged = Self.merged(sections[index].objectIDs, objects.sorted { $0.item < $1.item })
      else { return false }
      sections[index].objectIDs = merged
    }
    for change in changes.objects where change.kind == .update {
      guard let path = change.newIndexPath, sections.indices.contains(path.section),
        sections[path.section].objectIDs.indices.contains(path.item)
      else { return false }
      sections[path.section].objectIDs[path.item] = change.objectID
    }
    for change in changes.newIDs {
      let path = change.indexPath
      guard sections.indices.contains(path.section), sections[path.section].objectIDs.indices.contains(path.item)
      else { return false }
      sections[path.section].objectIDs[path.item] = change.newID
    }
    self.sections = sections
    return true
  }

  /// Returns a placeholder for an object that ``apply(_:)`` removes.
  private static func gap(_ id: ManagedObjectID) -> ManagedObjectID {
    ManagedObjectID(.removed, model: id.entity.model, storeIdentifier: nil)
  }

  /// Inserts object IDs into a list at their new positions. Returns nil if a position does not exist.
  private static func merged(
    _ old: [ManagedObjectID], _ new: [(item: Int, id: ManagedObjectID)]
  ) -> [ManagedObjectID]? {
    var result: [ManagedObjectID] = []
    result.reserveCapacity(old.count + new.count)
    var next = 0
    for (item, id) in new {
      let count = item - result.count
      guard count >= 0, next + count <= old.count else { return nil }
      result += old[next..<next + count]
      next += count
      result.append(id)
    }
    return result + old[next...]
  }
}
