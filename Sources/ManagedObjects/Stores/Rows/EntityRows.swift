internal import Predicates
internal import PropertyLists

/// The rows of one entity, sorted by primary key (number).
package struct EntityRows: Sendable {
  /// The rows, and tombstones of deleted rows, sorted by number. A tombstone keeps the number of the row, and has
  /// version 0 and no values.
  private var entries: [StoreRow] = []
  private var tombstoneCount = 0

  /// The number of rows.
  package var count: Int { entries.count - tombstoneCount }

  /// The rows.
  ///
  /// - Complexity: O(1) without tombstones.
  package var rows: [StoreRow] { tombstoneCount == 0 ? entries : entries.filter { $0.version != 0 } }

  /// The highest number of a row or tombstone; 0 if there are none.
  var lastNumber: Int64 { entries.last?.key.number ?? 0 }

  /// Returns the row with a number.
  ///
  /// - Complexity: O(1) if few numbers are missing, O(log *n*) otherwise.
  func row(_ number: Int64) -> StoreRow? { index(number).map { entries[$0] } }

  private func index(_ number: Int64) -> Int? {
    let index = lowerBound(number)
    guard index < entries.count, entries[index].key.number == number, entries[index].version != 0 else { return nil }
    return index
  }

  /// Returns the index of the first entry whose primary key is `number` or higher.
  private func lowerBound(_ number: Int64) -> Int {
    guard let first = entries.first?.key.number, number > first else { return 0 }
    // Numbers are mostly consecutive. If some are missing, because other entities have them, the entry is before the
    // guess.
    var end = entries.count
    let distance = number - first
    if distance < Int64(end) {
      let guess = Int(distance)
      if entries[guess].key.number == number { return guess }
      end = guess
    }
    return (0..<end).partitioningIndex { entries[$0].key.number >= number }
  }

  /// Inserts rows. No other row may have their numbers.
  ///
  /// - Parameter rows: the rows, sorted by number.
  /// - Complexity: O(*k*) in the number of new rows and of rows with higher numbers.
  mutating func insert(_ rows: [StoreRow]) {
    guard let first = rows.first else { return }
    if first.key.number > lastNumber {
      entries += rows
      return
    }
    let index = lowerBound(first.key.number)
    let tail = Array(entries[index...])
    entries.removeSubrange(index...)
    var (next, new) = (0, 0)
    while next < tail.count || new < rows.count {
      if next < tail.count, new == rows.count || tail[next].key.number < rows[new].key.number {
        entries.append(tail[next])
        next += 1
      } else {
        // A row replaces its own tombstone.
        if next < tail.count, tail[next].key.number == rows[new].key.number {
          tombstoneCount -= 1
          next += 1
        }
        entries.append(rows[new])
        new += 1
      }
    }
  }

  /// Replaces the row that has the same key, if it exists.
  mutating func replace(with row: StoreRow) {
    guard let index = index(row.key.number) else { return }
    entries[index] = row
  }

  /// Removes the row with a number, if it exists.
  ///
  /// - Complexity: that of ``row(_:)``, plus O(1) on average.
  mutating func remove(_ number: Int64) {
    guard let index = index(number) else { return }
    entries[index].version = 0
    entries[index].values = []
    tombstoneCount += 1
    guard tombstoneCount > 16, tombstoneCount > entries.count / 2 else { return }
    entries = rows
    tombstoneCount = 0
  }

  /// Returns the first defect found, if any. For tests.
  func _checkInvariants(entityIndex: Int, slotCount: Int, store: StoreNumber) -> String? {
    var last: Int64 = 0
    var found = 0
    for row in entries {
      if row.key.number <= last { return "the number \(row.key.number) is not above the previous one, \(last)" }
      last = row.key.number
      if row.key.store != store || Int(row.key.entityIndex) != entityIndex { return "a row has the key \(row.key)" }
      if row.version == 0 { found += 1 }
      if row.values.count != (row.version == 0 ? 0 : slotCount) { return "a row has \(row.values.count) values" }
      if row.version < 0 { return "a row has the negative version \(row.version)" }
    }
    return found == tombstoneCount ? nil : "there are \(found) tombstones, but the count is \(tombstoneCount)"
  }
}
