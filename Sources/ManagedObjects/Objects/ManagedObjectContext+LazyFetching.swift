public import FoundationEssentials
internal import ObjectModels
public import Predicates

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
  /// If ``FetchRequest/includesPropertyValues`` is false, objects are faults whose rows are read when a value is needed.
  /// ``FetchRequest/propertiesToFetch`` is ignored: rows are read with all attributes.
  ///
  /// - Throws: the errors of ``fetch(_:)-(FetchRequest)``.
  /// - Complexity: that of the request, with 16 bytes of memory for each object.
  public func fetchLazily(_ request: FetchRequest) throws(ManagedObjectError) -> FetchedObjects<ManagedObject> {
    try fetchLazily(request, ManagedObject.self)
  }

  /// Fetches the objects of a class that match a predicate, as a list that makes each object when it is touched. See
  /// ``FetchedObjects``.
  ///
  /// ```swift
  /// let recent = try context.fetchLazily(Note.self, where: ManagedPredicate(format: "date > %@", yesterday))
  /// ```
  ///
  /// - Parameter limit: the maximum number of objects; 0 for no limit.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class; the errors of
  ///   ``fetchLazily(_:)``.
  public func fetchLazily<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil,
    sortedBy sortDescriptors: [FetchRequest.SortDescriptor] = [], limit: Int = 0
  ) throws(ManagedObjectError) -> FetchedObjects<Object> {
    var request = try request(type, predicate, [])
    request.sortDescriptors = sortDescriptors
    request.fetchLimit = limit
    return try fetchLazily(request, type)
  }

  /// Fetches the objects of a class that match a `#Predicate`, sorted if `order` is given, as a list that makes each
  /// object when it is touched. See ``FetchedObjects``.
  ///
  /// ```swift
  /// let long = try context.fetchLazily(Note.self, where: #Predicate { $0.pages > 100 }, sortedBy: .ascending(\.title))
  /// ```
  ///
  /// - Parameter limit: the maximum number of objects; 0 for no limit.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class, or a property in the
  ///   predicate or in `order`; ``ManagedObjectError/Code/unsupportedRequest`` for a predicate that cannot be
  ///   converted; the errors of ``fetchLazily(_:)``.
  public func fetchLazily<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, sortedBy order: FetchRequest.Order<Object>...,
    limit: Int = 0
  ) throws(ManagedObjectError) -> FetchedObjects<Object> {
    let translated: ManagedPredicate
    do { translated = try ManagedPredicate(predicate) } catch { throw ManagedObjectError(error) }
    var request = try request(type, translated, order)
    request.fetchLimit = limit
    return try fetchLazily(request, type)
  }

  /// Fetches the objects of a class, sorted by key paths, as a list that makes each object when it is touched. See
  /// ``FetchedObjects``.
  ///
  /// ```swift
  /// let notes = try context.fetchLazily(Note.self, sortedBy: .descending(\.date), .ascending(\.title))
  /// ```
  ///
  /// - Parameter limit: the maximum number of objects; 0 for no limit.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class, or for a key path that
  ///   does not lead to properties of a model; the errors of ``fetchLazily(_:)``.
  public func fetchLazily<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil, sortedBy first: FetchRequest.Order<Object>,
    _ others: FetchRequest.Order<Object>..., limit: Int = 0
  ) throws(ManagedObjectError) -> FetchedObjects<Object> {
    var request = try request(type, predicate, [first] + others)
    request.fetchLimit = limit
    return try fetchLazily(request, type)
  }

  private func fetchLazily<Object: ManagedObject>(
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
    var keys = try keys(request, entity)
    // The class of a subentity need not be a subclass.
    let others = entity.subtree.filter { !(model.objectClass(of: $0) is Object.Type) }
    if !others.isEmpty { keys.removeAll { others.contains(Int($0.entityIndex)) } }
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
