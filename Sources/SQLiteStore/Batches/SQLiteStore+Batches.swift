public import ManagedObjects
internal import SQLiteAccess

/// Functions that execute batch requests in SQL.
extension SQLiteStore {
  public func execute(
    _ request: BatchRequest, of entity: ManagedObjectModel.Entity, mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> StoreBatchResult {
    try checkIsWritable()
    let origin = BatchOrigin(request)
    let entity = ManagedObjectModel.Entity(model: model, index: entity.index)
    switch request.action {
    case .insert(let rows): return try insert(rows, origin, entity, mergePolicy)
    case .update(let fetch, let values):
      let assignments = try BatchAssignment.all(values, entity)
      return try withState { state throws(ManagedObjectError) in
        try state.update(fetch, assignments, of: entity, origin)
      }
    case .delete(let fetch):
      return try withState { state throws(ManagedObjectError) in try state.delete(fetch, of: entity, origin) }
    }
  }

  /// The number of new objects that are read at a time and then written to the temporary table.
  static let chunkSize = 500

  /// Inserts objects. The caller's function that returns the objects may be slow and may use the store, because it runs
  /// without the lock of the store and without a transaction. The objects are collected in a temporary table. SQLite
  /// keeps a large table in a temporary file.
  private func insert(
    _ rows: BatchRows, _ origin: BatchOrigin, _ entity: ManagedObjectModel.Entity, _ mergePolicy: MergePolicy
  ) throws(ManagedObjectError) -> StoreBatchResult {
    let requestNumber = SQLiteTrace.nextRequest()
    var iterator = rows.makeIterator(for: entity)
    let spool = try withState(requestNumber) { state throws(ManagedObjectError) in
      try state.checkObstacles()
      return try BatchSpool(entity, state)
    }
    do throws(ManagedObjectError) {
      while true {
        let objects = try iterator.next(atMost: Self.chunkSize)
        if objects.isEmpty { break }
        let isFull = try withState(requestNumber) { state throws(ManagedObjectError) in
          try spool.append(objects, state)
        }
        if isFull { break }
      }
      let result = try withState(requestNumber) { state throws(ManagedObjectError) in
        try state.insert(spool, origin, mergePolicy)
      }
      try withState(requestNumber) { state throws(ManagedObjectError) in try spool.drop(state.database) }
      return result
    } catch {
      try? withState(requestNumber) { state throws(ManagedObjectError) in try spool.drop(state.database) }
      throw error
    }
  }
}

/// The parts of a batch request that are needed to record it in the history and to create its result.
struct BatchOrigin: Sendable {
  let author: String
  let contextName: String
  let returnsKeys: Bool

  init(_ request: BatchRequest) {
    author = request.author
    contextName = request.contextName
    returnsKeys = request.resultType == .objectIDs
  }
}
