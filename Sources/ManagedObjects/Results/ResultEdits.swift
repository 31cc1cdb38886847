internal import PropertyLists

/// The rows and sections that were removed from a list, inserted into it, or both, with their positions before and
/// after the changes. All other rows and sections are unchanged.
struct ResultEdits {
  /// A row.
  struct Row {
    let id: ManagedObjectID
    /// The ID in earlier reports; nil if it has not changed.
    var oldID: ManagedObjectID?
    /// The position before the changes; nil for a new row.
    var old: ResultList.Position?
    var oldSection = ""
    /// The position after the changes; nil for a deleted row.
    var new: ResultList.Position?
    var newSection = ""
    /// True if the object may have changed values.
    var isChanged: Bool
  }

  /// A section, identified by its name.
  struct Section {
    let name: String
    /// The index before the changes; nil for a new section.
    var old: Int?
    /// The index after the changes; nil for a deleted section.
    var new: Int?
  }

  var rows: [Row] = []
  var sections: [Section] = []

  /// The changes to report, with as few moved rows as possible.
  ///
  /// - Complexity: O(*k* log *k*) in the number of rows and sections in this value.
  var changes: FetchedResultsChanges {
    var changes = FetchedResultsChanges()
    let keptSections = Self.staying(sections.map { ($0.old, $0.new) })
    var replaced: Set<String> = []
    for (section, isKept) in zip(sections, keptSections) where !isKept {
      replaced.insert(section.name)
      if let old = section.old { changes.sections.append(.init(kind: .delete, name: section.name, index: old)) }
      if let new = section.new { changes.sections.append(.init(kind: .insert, name: section.name, index: new)) }
    }
    changes.sections.sort { ($0.kind == .insert ? 1 : 0, $0.index) < ($1.kind == .insert ? 1 : 0, $1.index) }
    let stayingRows = Self.staying(rows.map { ($0.old?.offset, $0.new?.offset) })
    var inserted: [FetchedResultsChanges.ObjectChange] = []
    var (deleted, moved, updated) = (inserted, inserted, inserted)
    for (row, isStaying) in zip(rows, stayingRows) {
      var change = FetchedResultsChanges.ObjectChange(
        kind: .update, objectID: row.id, indexPath: row.old?.path, newIndexPath: row.new?.path,
        offset: row.old?.offset, newOffset: row.new?.offset)
      switch (row.old, row.new) {
      case (nil, nil): continue
      case (nil, _):
        change.kind = .insert
        inserted.append(change)
      case (_, nil):
        change.kind = .delete
        deleted.append(change)
      case (_, _) where isStaying && row.oldSection == row.newSection && !replaced.contains(row.newSection):
        if row.isChanged { updated.append(change) }
      case (_, _):
        change.kind = .move
        moved.append(change)
      }
    }
    for changed in [
      inserted.sorted { $0.newOffset ?? 0 < $1.newOffset ?? 0 }, deleted.sorted { $0.offset ?? 0 < $1.offset ?? 0 },
      moved.sorted { $0.newOffset ?? 0 < $1.newOffset ?? 0 }, updated.sorted { $0.newOffset ?? 0 < $1.newOffset ?? 0 },
    ] { changes.objects += changed }
    changes.newIDs = rows.compactMap { row in
      guard let oldID = row.oldID, row.old != nil, let new = row.new else { return nil }
      return .init(oldID: oldID, newID: row.id, indexPath: new.path, offset: new.offset)
    }
    changes.newIDs.sort { $0.offset < $1.offset }
    return changes
  }

  /// Returns true for each item that need not be moved. All elements of the two lists that are not in `items` are
  /// unchanged. An item need not be moved if the same number of unchanged elements is before it in both lists, and if
  /// the order of all items that stay is the same in both lists.
  static func staying(_ items: [(old: Int?, new: Int?)]) -> [Bool] {
    /// Returns the number of unchanged elements before each item; -1 for an item that is not in the list.
    func gaps(_ position: (Int) -> Int?) -> [Int] {
      var gaps = [Int](repeating: -1, count: items.count)
      let present = items.indices.filter { position($0) != nil }.sorted { position($0) ?? 0 < position($1) ?? 0 }
      for (rank, index) in present.enumerated() { gaps[index] = (position(index) ?? 0) - rank }
      return gaps
    }
    let (before, after) = (gaps { items[$0].old }, gaps { items[$0].new })
    let candidates = items.indices.filter { before[$0] >= 0 && before[$0] == after[$0] }
      .sorted { items[$0].old ?? 0 < items[$1].old ?? 0 }
    var result = [Bool](repeating: false, count: items.count)
    for index in longestRise(candidates.map { items[$0].new ?? 0 }) { result[candidates[index]] = true }
    return result
  }

  /// Returns the indexes of a longest increasing subsequence.
  private static func longestRise(_ numbers: [Int]) -> [Int] {
    // For each length, the index of the smallest number at which an increasing subsequence of this length can end.
    var ends: [Int] = []
    var former = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      let length = ends.partitioningIndex { numbers[$0] >= number }
      if length > 0 { former[index] = ends[length - 1] }
      if length == ends.count { ends.append(index) } else { ends[length] = index }
    }
    var rise: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      rise.append(index)
      index = former[index]
    }
    return rise
  }
}
