internal import Predicates

/// The rows of neighbouring objects in a list, which were read together.
final class RowWindow {
  /// The indices of the objects in the list.
  let range: Range<Int>
  /// The batch for objects that get their rows from this window.
  let batch: FaultBatch
  /// The number of rows that were asked for.
  private(set) var readCount = 0
  /// The rows that are not in pages.
  private var rows: [StoreRow] = []
  private var pages: [PagedRows] = []
  /// The positions of the rows, in the order of the objects.
  private var positions: [Position]
  /// The objects, if their relationships were prefetched: values of relationships are not in the rows. Otherwise empty.
  private var objects: [ManagedObject] = []

  /// The position of a row.
  private struct Position {
    /// 0 for ``RowWindow/rows``; the index in ``RowWindow/pages`` plus 1; or a negative number without a row.
    var list: Int32
    var index: Int32 = 0

    /// The row was not asked for, because the object had its values.
    static let unread = Position(list: -2)
    /// The row was asked for. The store does not have it, or reading failed.
    static let missing = Position(list: -1)
  }

  /// Creates a window without rows.
  ///
  /// - Parameters:
  ///   - range: The indices of the objects in the list. Not empty.
  ///   - batch: The batch for the objects.
  init(_ range: Range<Int>, batch: FaultBatch) {
    self.range = range
    self.batch = batch
    positions = Array(repeating: .missing, count: range.count)
    batch.window = self
  }

  /// Returns true if the row of an object was asked for.
  func covers(_ index: Int) -> Bool {
    range.contains(index) && positions[index - range.lowerBound].list != Position.unread.list
  }

  /// Sets the values of an object from its row, if the window has the row.
  func fill(_ object: ManagedObject, at index: Int) {
    let position = positions[index - range.lowerBound]
    if position.list == 0 {
      object.take(rows[Int(position.index)])
    } else if position.list > 0 {
      object.take(pages[Int(position.list) - 1], Int(position.index))
    }
  }

  /// Returns the value of a relationship in the row of an object; nil if the window does not have the row.
  ///
  /// - Parameter offset: The position of the object in the window.
  func value(_ offset: Int, _ slot: Int) -> RowValue? {
    let position = positions[offset]
    if position.list < 0 { return nil }
    if position.list == 0 { return rows[Int(position.index)].values[slot] }
    let (found, index) = (pages[Int(position.list) - 1], Int(position.index))
    if let (page, row) = found.page(index) { return page.value(row, slot) }
    return found.row(index, slotCount: slot + 1).values[slot]
  }

  /// Reads the rows of the objects that have no values.
  ///
  /// - Parameter keys: The present keys of all objects in the window.
  func read(_ keys: [RowKey], _ context: ManagedObjectContext) throws(ManagedObjectError) {
    var wanted: [RowKey] = []
    var offsets = RowPositions(capacity: keys.count)
    for (offset, key) in keys.enumerated() {
      if context.registered[key]?.needsRow == false {
        positions[offset] = .unread
      } else {
        wanted.append(key)
        _ = offsets.insert(offset, for: key)
      }
    }
    readCount = wanted.count
    guard context.parent == nil else {
      for row in try context.readRows(wanted) { if let row { add(row, offsets) } }
      return
    }
    for found in try context.source().pagedRows(wanted) {
      for row in found.first { add(try context.completed(row), offsets) }
      pages.append(found)
      for (index, key) in found.keys.enumerated() {
        guard let offset = offsets[key] else { continue }
        positions[offset] = Position(list: Int32(pages.count), index: Int32(index))
      }
    }
  }

  private func add(_ row: consuming StoreRow, _ offsets: RowPositions) {
    guard let offset = offsets[row.key] else { return }
    positions[offset] = Position(list: 0, index: Int32(rows.count))
    rows.append(row)
  }

  /// Creates all objects of the window, retains them and reads their relationships.
  ///
  /// - Parameters:
  ///   - keys: The present keys of all objects in the window.
  ///   - prefetch: Reads the relationships.
  func makeObjects(
    _ keys: [RowKey], _ context: ManagedObjectContext,
    _ prefetch: ([ManagedObject]) throws(ManagedObjectError) -> Void
  ) throws(ManagedObjectError) {
    objects = keys.map { context.object(for: $0) }
    for (index, object) in zip(range, objects) {
      if object.needsRow { fill(object, at: index) }
      if object.batch == nil { object.batch = batch }
    }
    try prefetch(objects.filter { !$0.needsRow })
  }
}
