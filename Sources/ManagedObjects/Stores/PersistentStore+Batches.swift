internal import ObjectModels
public import Predicates

/// Requests that change many objects, by what every store can do.
extension PersistentStore {
  public func execute(
    _ request: BatchRequest, of entity: ManagedObjectModel.Entity, mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> (changed: [RowKey], mended: [RowKey]) {
    for _ in 0..<100 {
      var batch = try BatchChanges(request, entity, of: self)
      while true {
        do {
          let mended = try save(batch.changes)
          return batch.result(mended)
        } catch {
          if error.code == .constraintMerge, try batch.settle(error.conflicts, by: mergePolicy) { continue }
          // Another context has saved one of the rows after it was read, or has taken the numbers.
          guard error.code == .merge || error.code == .keysTaken else { throw error }
        }
        break
      }
    }
    throw ManagedObjectError(.timeout, "the objects changed in the store again and again")
  }
}
