public import FoundationEssentials
internal import ObjectModels
public import Predicates

/// Functions that insert and fetch objects by their class.
extension ManagedObjectContext {
  /// Inserts a new object of a class.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class;
  ///   ``ManagedObjectError/Code/invalidValue`` for an abstract entity.
  /// - Complexity: O(1).
  @discardableResult
  public func insert<Object: ManagedObject>(_ type: Object.Type) throws(ManagedObjectError) -> Object {
    guard let object = try insert(try entity(of: type)) as? Object else { throw Self.unknown(type) }
    return object
  }

  /// Fetches the objects of a class that match a predicate.
  ///
  /// ```swift
  /// let recent = try context.fetch(Note.self, where: ManagedPredicate(format: "date > %@", yesterday))
  /// ```
  ///
  /// - Parameter limit: the maximum number of objects; 0 for no limit.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class; the errors of
  ///   ``fetch(_:)``.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil,
    sortedBy sortDescriptors: [FetchRequest.SortDescriptor] = [], limit: Int = 0
  ) throws(ManagedObjectError) -> [Object] {
    var request = FetchRequest(try entity(of: type).name, where: predicate, sortedBy: sortDescriptors)
    request.fetchLimit = limit
    let found = try fetch(request)
    var objects: [Object] = []
    objects.reserveCapacity(found.count)
    let identifier = ObjectIdentifier(type)
    for object in found {
      if ObjectIdentifier(Swift.type(of: object)) == identifier {
        // Memory-safe: the object has exactly this class. A cast takes longer.
        objects.append(unsafe unsafeDowncast(object, to: Object.self))
      } else if let object = object as? Object {
        objects.append(object)
      }
    }
    return objects
  }

  /// Fetches the objects of a class that match a `#Predicate`, sorted if `order` is given.
  ///
  /// ```swift
  /// let found = try context.fetch(Note.self, where: #Predicate { $0.pages > 100 }, sortedBy: .descending(\.date))
  /// ```
  ///
  /// - Parameter limit: the maximum number of objects; 0 for no limit.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class, or a property in the
  ///   predicate or in `order`; ``ManagedObjectError/Code/unsupportedRequest`` for a predicate that cannot be
  ///   converted; the errors of ``fetch(_:)``.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, sortedBy order: FetchRequest.Order<Object>...,
    limit: Int = 0
  ) throws(ManagedObjectError) -> [Object] {
    let translated: ManagedPredicate
    do { translated = try ManagedPredicate(predicate) } catch { throw ManagedObjectError(error) }
    return try fetch(type, translated, order, limit)
  }

  /// Fetches the objects of a class, sorted by key paths: `sortedBy: .descending(\.date), .ascending(\.title)`.
  ///
  /// - Parameter limit: the maximum number of objects; 0 for no limit.
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class, or for a key path that
  ///   does not lead to properties of a model; the errors of ``fetch(_:)``.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil, sortedBy first: FetchRequest.Order<Object>,
    _ others: FetchRequest.Order<Object>..., limit: Int = 0
  ) throws(ManagedObjectError) -> [Object] { try fetch(type, predicate, [first] + others, limit) }

  private func fetch<Object: ManagedObject>(
    _ type: Object.Type, _ predicate: ManagedPredicate?, _ order: [FetchRequest.Order<Object>], _ limit: Int
  ) throws(ManagedObjectError) -> [Object] {
    let descriptors: [FetchRequest.SortDescriptor]
    do { descriptors = try order.map { key throws(ManagedPredicateError) in try key.descriptor() } } catch {
      throw ManagedObjectError(error)
    }
    return try fetch(type, where: predicate, sortedBy: descriptors, limit: limit)
  }

  /// Fetches the objects of a class that match a predicate, sorted if `order` is given, without occupying the caller's
  /// actor. See ``fetch(_:batchSize:progress:)``.
  ///
  /// ```swift
  /// let notes = try await context.fetch(Note.self, sortedBy: .descending(\.date)) { print($0.completedCount) }
  /// ```
  ///
  /// - Throws: `CancellationError` if the task is cancelled; ``ManagedObjectError/Code/undefinedKey`` if the model does
  ///   not have the class, or for a key path that does not lead to properties of a model; the errors of
  ///   ``fetch(_:batchSize:progress:)``.
  public nonisolated(nonsending) func fetch<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil, sortedBy order: FetchRequest.Order<Object>...,
    batchSize: Int = 1_000, progress: (FetchProgress) -> Void
  ) async throws -> [Object] {
    let request = try request(type, predicate, order)
    return try await fetch(request, batchSize: batchSize, progress: progress).compactMap { $0 as? Object }
  }

  /// Fetches the objects of a class that match a `#Predicate`, sorted if `order` is given, without occupying the
  /// caller's actor. See ``fetch(_:batchSize:progress:)``.
  ///
  /// ```swift
  /// let long = try await context.fetch(Note.self, where: #Predicate { $0.pages > 100 }) { progress in
  ///   bar.value = progress.fractionCompleted
  /// }
  /// ```
  ///
  /// - Throws: `CancellationError` if the task is cancelled; ``ManagedObjectError/Code/undefinedKey`` if the model does
  ///   not have the class, or a property in the predicate or in `order`;
  ///   ``ManagedObjectError/Code/unsupportedRequest`` for a predicate that cannot be converted; the errors of
  ///   ``fetch(_:batchSize:progress:)``.
  public nonisolated(nonsending) func fetch<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, sortedBy order: FetchRequest.Order<Object>...,
    batchSize: Int = 1_000, progress: (FetchProgress) -> Void
  ) async throws -> [Object] {
    let translated: ManagedPredicate
    do { translated = try ManagedPredicate(predicate) } catch { throw ManagedObjectError(error) }
    let request = try request(type, translated, order)
    return try await fetch(request, batchSize: batchSize, progress: progress).compactMap { $0 as? Object }
  }

  /// Returns a request for the objects of a class.
  func request<Object: ManagedObject>(
    _ type: Object.Type, _ predicate: ManagedPredicate?, _ order: [FetchRequest.Order<Object>]
  ) throws(ManagedObjectError) -> FetchRequest {
    var request: FetchRequest
    do { request = try FetchRequest(type, where: predicate, order) } catch { throw ManagedObjectError(error) }
    request.entityName = try entity(of: type).name
    return request
  }

  /// Calls a function with each object of a class that matches a predicate, sorted if `order` is given. Reads the
  /// objects in batches, and does not retain those of earlier batches. See ``enumerate(_:batchSize:_:)``.
  ///
  /// ```swift
  /// try context.enumerate(Note.self, sortedBy: .ascending(\.date)) { note in try archive.append(note.text) }
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class, or for a key path that
  ///   does not lead to properties of a model; the errors of ``enumerate(_:batchSize:_:)``.
  public func enumerate<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil, sortedBy order: FetchRequest.Order<Object>...,
    batchSize: Int = 1_000, _ body: (Object) throws -> Void
  ) throws { try enumerate(type, predicate, order, batchSize, body) }

  /// Calls a function with each object of a class that matches a `#Predicate`, sorted if `order` is given. Reads the
  /// objects in batches, and does not retain those of earlier batches. See ``enumerate(_:batchSize:_:)``.
  ///
  /// ```swift
  /// try context.enumerate(Note.self, where: #Predicate { $0.pages > 100 }) { note in try archive.append(note.text) }
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class, or a property in the
  ///   predicate or in `order`; ``ManagedObjectError/Code/unsupportedRequest`` for a predicate that cannot be
  ///   converted; the errors of ``enumerate(_:batchSize:_:)``.
  public func enumerate<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, sortedBy order: FetchRequest.Order<Object>...,
    batchSize: Int = 1_000, _ body: (Object) throws -> Void
  ) throws {
    let translated: ManagedPredicate
    do { translated = try ManagedPredicate(predicate) } catch { throw ManagedObjectError(error) }
    try enumerate(type, translated, order, batchSize, body)
  }

  private func enumerate<Object: ManagedObject>(
    _ type: Object.Type, _ predicate: ManagedPredicate?, _ order: [FetchRequest.Order<Object>], _ batchSize: Int,
    _ body: (Object) throws -> Void
  ) throws {
    try enumerate(request(type, predicate, order), batchSize: batchSize) { object in
      if let object = object as? Object { try body(object) }
    }
  }

  /// Returns the number of objects of a class that match a predicate.
  ///
  /// ```swift
  /// let unread = try context.count(Note.self, where: ManagedPredicate(format: "isRead == NO"))
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model does not have the class; the errors of
  ///   ``fetch(_:)``.
  public func count<Object: ManagedObject>(
    _ type: Object.Type, where predicate: ManagedPredicate? = nil
  ) throws(ManagedObjectError) -> Int {
    try count(for: FetchRequest(try entity(of: type).name, where: predicate))
  }

  /// Returns the number of objects of a class that match a `#Predicate`.
  ///
  /// ```swift
  /// let unread = try context.count(Note.self, where: #Predicate { !$0.isRead })
  /// ```
  ///
  /// - Throws: The errors of ``count(_:where:)``, and ``ManagedObjectError/Code/unsupportedRequest`` with the
  ///   ``ManagedObjectError/predicateError`` if the predicate cannot be converted.
  public func count<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>
  ) throws(ManagedObjectError) -> Int {
    let translated: ManagedPredicate
    do { translated = try ManagedPredicate(predicate) } catch { throw ManagedObjectError(error) }
    return try count(type, where: translated)
  }

  /// Returns the object with an ID, after reading its values.
  ///
  /// ```swift
  /// let id = note.objectID
  /// let title = try await container.perform { context in
  ///   try context.existingObject(Note.self, with: id).title
  /// }
  /// ```
  ///
  /// - Throws: the errors of ``existingObject(with:)``; ``ManagedObjectError/Code/invalidValue`` for an object of
  ///   another class.
  public func existingObject<Object: ManagedObject>(
    _ type: Object.Type, with id: ManagedObjectID
  ) throws(ManagedObjectError) -> Object {
    guard let object = try existingObject(with: id) as? Object else {
      throw ManagedObjectError(.invalidValue, "the object is not of class \(type)", objectID: id)
    }
    return object
  }

  private func entity(of type: ManagedObject.Type) throws(ManagedObjectError) -> ManagedObjectModel.Entity {
    if let index = classIndices[ObjectIdentifier(type)] { return ManagedObjectModel.Entity(model: model, index: index) }
    guard let entity = model.entity(of: type) else { throw Self.unknown(type) }
    classIndices[ObjectIdentifier(type)] = entity.index
    return entity
  }

  private static func unknown(_ type: ManagedObject.Type) -> ManagedObjectError {
    ManagedObjectError(.undefinedKey, "the model has no entity for the class \(type)")
  }
}
