internal import Predicates

/// Objects that a request found, and whose rows are read together: those of ``FetchRequest/fetchBatchSize``.
final class FetchBatch {
  let keys: [RowKey]

  init(_ keys: [RowKey]) { self.keys = keys }
}

extension ManagedObjectContext {
  /// Remembers which objects are read together.
  func makeBatches(of objects: [ManagedObject], size: Int) {
    let keys = objects.filter(\.needsRow).map(\.key)
    for start in stride(from: 0, to: keys.count, by: size) {
      let batch = FetchBatch(Array(keys[start..<min(start + size, keys.count)]))
      for key in batch.keys { batches[key] = batch }
    }
  }

  /// The row of a fault that is asked for a value. The others of its batch get theirs, too.
  func readRow(of object: ManagedObject) throws(ManagedObjectError) -> StoreRow? {
    guard let batch = batches[object.key] else { return try readRows([object.key])[0] }
    for key in batch.keys { batches[key] = nil }
    // Those that the program has no reference to any more are read when somebody asks for them.
    let others = batch.keys.filter { $0 != object.key && registered[$0]?.needsRow == true }
    let rows = try readRows([object.key] + others)
    for (key, row) in zip(others, rows.dropFirst()) {
      if let row { registered[key]?.take(row) }
    }
    return rows[0]
  }
}
