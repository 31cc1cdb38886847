internal import Predicates

/// Objects of a fetch whose rows are read together. See ``FetchRequest/fetchBatchSize``.
final class FetchBatch {
  let keys: [RowKey]

  init(_ keys: [RowKey]) { self.keys = keys }
}

extension ManagedObjectContext {
  /// Divides the faults among `objects` into batches of `size`.
  func makeBatches(of objects: [ManagedObject], size: Int) {
    let keys = objects.filter(\.needsRow).map(\.key)
    for start in stride(from: 0, to: keys.count, by: size) {
      let batch = FetchBatch(Array(keys[start..<min(start + size, keys.count)]))
      for key in batch.keys { batches[key] = batch }
    }
  }

  /// Returns the row of a fault. Also reads the rows of the other faults in its batch.
  func readRow(of object: ManagedObject) throws(ManagedObjectError) -> StoreRow? {
    guard let batch = batches[object.key] else { return try readRows([object.key])[0] }
    for key in batch.keys { batches[key] = nil }
    // Leaves out objects that have been released. They are read when they are needed again.
    let others = batch.keys.filter { $0 != object.key && registered[$0]?.needsRow == true }
    let rows = try readRows([object.key] + others)
    for (key, row) in zip(others, rows.dropFirst()) {
      if let row { registered[key]?.take(row) }
    }
    return rows[0]
  }
}
