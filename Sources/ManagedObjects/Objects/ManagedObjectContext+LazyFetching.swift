internal import ObjectModels
internal import Predicates

/// Functions that fetch objects which are made when they are touched.
extension ManagedObjectContext {
  /// Fetches the objects that match a request, as a list that makes each object when it is touched.
  ///
  /// ```swift
  /// var request = FetchRequest("Note", sortedBy: [.init("date", isAscending: false)])
  /// request.fetchBatchSize = 50
  /// let notes = try context.fetchLazily(request)
  /// print(notes.count, notes[0])                           // reads 50 rows
  /// ```
  ///
  /// Unsaved changes are included, as by ``fetch(_:)-(FetchRequest)``. See ``FetchedObjects`` for when rows are read.
  /// If ``FetchRequest/includesPropertyValues`` is false, objects are faults whose rows are read when a value is
  /// needed. ``FetchRequest/propertiesToFetch`` is ignored: rows are read with all attributes.
  ///
  /// - Throws: the errors of ``fetch(_:)-(FetchRequest)``.
  /// - Complexity: that of the request, with 16 bytes of memory for each object.
  public func fetchLazily(_ request: FetchRequest) throws(ManagedObjectError) -> FetchedObjects<ManagedObject> {
    try fetchLazily(request, ManagedObject.self)
  }

  /// Fetches the objects of a request whose objects have a class.
  func fetchLazily<Object: ManagedObject>(
    _ request: FetchRequest, _ type: Object.Type
  ) throws(ManagedObjectError) -> FetchedObjects<Object> {
    beginOperation()
    defer { endOperation() }
    var request = request
    request.resultType = .objects
    let entity = try entity(of: &request)
    request.propertiesToFetch = nil
    let refreshes = request.refreshesRefetchedObjects
    request.refreshesRefetchedObjects = false
    let keys = try keys(request, entity)
    if refreshes { try root.refreshRegistered(keys) }
    return FetchedObjects(maker: ObjectMaker(keys, request, entity, self))
  }

  /// Reads the registered objects among `keys` again. Their unsaved changes stay.
  private func refreshRegistered(_ keys: [RowKey]) throws(ManagedObjectError) {
    let known = keys.compactMap { registered[$0] }
    for (object, row) in zip(known, try readRows(known.map(\.key))) {
      if let row { try register(row, as: object, refreshing: true) }
    }
  }
}
