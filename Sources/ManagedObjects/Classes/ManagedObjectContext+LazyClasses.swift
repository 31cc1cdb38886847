public import FoundationEssentials
public import ObjectModels
public import Predicates

/// Functions that fetch lists of a class, which make objects when they are touched.
extension ManagedObjectContext {
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
}
