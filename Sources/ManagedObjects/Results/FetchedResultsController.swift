internal import ObjectModels
public import Observation

/// The objects that match a request, in sections, kept up to date as objects change.
///
/// ```swift
/// let results = try FetchedResultsController(
///   Contact.self, request, in: context, sectionKeyPath: "initial")
/// try results.performFetch()
/// for section in results.sections {
///   print(section.name, section.count)
///   for contact in section { print("  ", contact.name) }
/// }
/// ```
///
/// After each ``ManagedObjectContext/processPendingChanges()``, save, merge, undo, rollback and reset of the context,
/// the results equal those of a new fetch, in the same order. Changes are sent to the ``delegate``, to the streams of
/// ``changes``, and to observers that use `Observation`. The work is proportional to the number of changes, not to the
/// number of fetched objects.
///
/// Use a controller in the same task as its context. See <doc:FetchedResults>.
public final class FetchedResultsController<Object: ManagedObject>: Observable {
  /// The request.
  public let fetchRequest: FetchRequest
  /// The context. The controller retains it.
  public let managedObjectContext: ManagedObjectContext
  /// The key path whose values are the section names; nil if there is one section, or a function names the sections.
  public let sectionKeyPath: String?
  /// The file that keeps the results between program runs; nil for none.
  public let cache: FetchedResultsCache?
  /// The object that receives the changes.
  public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?
  /// A function that returns the index title for a section name, or nil for no title. By default, the title is the
  /// first letter of the name, capitalized.
  ///
  /// ```swift
  /// results.sectionIndexTitle = { name in name == "#" ? nil : name }
  /// ```
  public var sectionIndexTitle: (String) -> String? = FetchedResultsController.firstLetter

  let engine: ResultEngine
  private let registrar = ObservationRegistrar()
  private let listeners = Listeners<FetchedResultsChanges>()

  /// Creates a controller with one section for each value at a key path.
  ///
  /// - Parameters:
  ///   - type: the class of the objects.
  ///   - request: a request whose results are objects, with at least one sort descriptor, and with
  ///     `includesPendingChanges`. The first sort key must keep the objects of each section together.
  ///   - context: the context of the objects.
  ///   - sectionKeyPath: a key path to a string, number or date; nil for one section. Objects without a value are in
  ///     the section with the name "".
  ///   - cache: the file that keeps the results between program runs; nil for none.
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for a request that is not sorted, or whose results are
  ///   not objects; ``ManagedObjectError/Code/undefinedKey`` for a name that the entity does not have;
  ///   ``ManagedObjectError/Code/invalidValue`` if the objects are not of the class.
  public convenience init(
    _ type: Object.Type, _ request: FetchRequest, in context: ManagedObjectContext, sectionKeyPath: String? = nil,
    cache: FetchedResultsCache? = nil
  ) throws(ManagedObjectError) {
    let entity = try Self.entity(request, context)
    try self.init(request, context, entity, try ResultSectioning(keyPath: sectionKeyPath, of: entity), [], cache)
  }

  /// Creates a controller with one section for each name that a function returns, such as the first letter of a
  /// person's name.
  ///
  /// The function is called for each object when the results are fetched, and for changed objects. It must return the
  /// same name for the same values.
  ///
  /// ```swift
  /// let results = try FetchedResultsController(Contact.self, request, in: context) { contact in
  ///   contact.name.first.map { $0.uppercased() } ?? "#"
  /// }
  /// try results.performFetch()
  /// print(results.sections.map(\.name))                    // ["A", "E"]
  /// ```
  ///
  /// - Parameters:
  ///   - type: the class of the objects.
  ///   - request: a request as for ``init(_:_:in:sectionKeyPath:cache:)``.
  ///   - context: the context of the objects.
  ///   - keyPaths: the key paths to other objects that the function uses, such as `["group.name"]`. Properties of the
  ///     object itself need not be listed.
  ///   - cache: the file that keeps the results between program runs; nil for none. Use another name for it when you
  ///     change the function, because the cache does not detect that.
  ///   - sectionName: a function that returns the name of an object's section.
  /// - Throws: the errors of ``init(_:_:in:sectionKeyPath:cache:)``.
  public convenience init(
    _ type: Object.Type, _ request: FetchRequest, in context: ManagedObjectContext, dependingOn keyPaths: [String] = [],
    cache: FetchedResultsCache? = nil, sectionName: @escaping (Object) -> String
  ) throws(ManagedObjectError) {
    let entity = try Self.entity(request, context)
    for path in keyPaths { _ = try ResultSectioning(keyPath: path, of: entity) }
    let sectioning = ResultSectioning.function { object in (object as? Object).map(sectionName) ?? "" }
    try self.init(request, context, entity, sectioning, keyPaths, cache)
  }

  private init(
    _ request: FetchRequest, _ context: ManagedObjectContext, _ entity: ManagedObjectModel.Entity,
    _ sectioning: ResultSectioning, _ keyPaths: [String], _ cache: FetchedResultsCache?
  ) throws(ManagedObjectError) {
    fetchRequest = request
    managedObjectContext = context
    sectionKeyPath = sectioning.keyPath
    self.cache = cache
    engine = try ResultEngine(request, in: context, entity, sectioning, keyPaths: keyPaths, cache)
    engine.report = { [weak self] in self?.tell($0) }
  }

  deinit { listeners.finish() }

  private static func entity(
    _ request: FetchRequest, _ context: ManagedObjectContext
  ) throws(ManagedObjectError) -> ManagedObjectModel.Entity {
    var request = request
    let entity = try context.entity(of: &request)
    guard context.shape(entity.index).objectClass is Object.Type else {
      throw ManagedObjectError(
        .invalidValue,
        "objects of \(entity.name.quoted) have the class \(context.shape(entity.index).objectClass), not "
          + "\(Object.self)")
    }
    return entity
  }

  /// Fetches the objects. The results are empty before the first call.
  ///
  /// Another call fetches the objects again. Only observers that use `Observation` are notified of the new results, not
  /// the ``delegate`` and the ``changes``.
  ///
  /// - Throws: the errors of ``ManagedObjectContext/fetch(_:)``; ``ManagedObjectError/Code/unsupportedRequest`` if the
  ///   objects of a section are not adjacent, with the ID of the first separated object.
  /// - Complexity: O(*n* log *n*) at most; O(*n*), without creating objects, if the ``cache`` has the results.
  public func performFetch() throws(ManagedObjectError) {
    try engine.fetch()
    registrar.withMutation(of: self, keyPath: \.content) {}
  }

  /// The reason why the results are outdated; nil if they are up to date.
  ///
  /// The property is set if the results cannot be updated after changes: because the stores cannot be read, or because
  /// the objects of a section are no longer adjacent. The results then stay as they were, and the next changes cause a
  /// new fetch.
  public var failure: ManagedObjectError? {
    observe()
    return engine.failure
  }

  /// The property that `Observation` tracks for all results.
  private var content: ResultEngine { engine }

  func observe() { registrar.access(self, keyPath: \.content) }

  /// A stream of the changes from now on. It ends when the controller is released.
  ///
  /// ```swift
  /// for await changes in results.changes { list.apply(changes.difference) }
  /// ```
  ///
  /// A slow reader receives all changes, one after the other. When it receives them, the controller may already have
  /// newer results: to read objects by position, use the ``delegate``.
  public var changes: AsyncStream<FetchedResultsChanges> { listeners.stream() }

  private func tell(_ result: Result<FetchedResultsChanges, ManagedObjectError>) {
    registrar.withMutation(of: self, keyPath: \.content) {}
    switch result {
    case .failure(let error):
      managedObjectContext.note(error)
      delegate?.controller(self, didFailWith: error)
    case .success(let changes):
      listeners.tell(changes)
      if changes.objects.isEmpty, changes.sections.isEmpty {
        delegate?.controller(self, didChangeContentWith: changes)
        return
      }
      delegate?.controllerWillChangeContent(self)
      for change in changes.sections { delegate?.controller(self, didChangeSection: change) }
      for change in changes.objects { delegate?.controller(self, didChangeObject: change) }
      delegate?.controller(self, didChangeContentWith: changes)
      delegate?.controllerDidChangeContent(self)
    }
  }
}

extension FetchedResultsController where Object == ManagedObject {
  /// Creates a controller for objects of any class, with one section for each value at a key path.
  ///
  /// - Throws: the errors of ``init(_:_:in:sectionKeyPath:cache:)``.
  public convenience init(
    _ request: FetchRequest, in context: ManagedObjectContext, sectionKeyPath: String? = nil,
    cache: FetchedResultsCache? = nil
  ) throws(ManagedObjectError) {
    try self.init(ManagedObject.self, request, in: context, sectionKeyPath: sectionKeyPath, cache: cache)
  }
}

/// Properties and functions that return sections and objects.
extension FetchedResultsController {
  /// The sections, in order. Without a section key path or function, there is one section with the name "", or none if
  /// there are no objects.
  ///
  /// - Complexity: O(*s*) in the number of sections. The objects of a section are looked up on access.
  public var sections: [FetchedResultsSection<Object>] {
    observe()
    return engine.list.allSections.map { section($0) }
  }

  /// The number of sections.
  public var sectionCount: Int {
    observe()
    return engine.list.sectionCount
  }

  /// Returns the section at an index; nil if the index is out of range.
  public func section(at index: Int) -> FetchedResultsSection<Object>? {
    observe()
    return engine.list.section(at: index).map { section($0) }
  }

  private func section(_ section: ResultSection) -> FetchedResultsSection<Object> {
    FetchedResultsSection(section, indexTitle: sectionIndexTitle(section.name), engine: engine)
  }

  /// The number of objects in all sections.
  public var count: Int {
    observe()
    return engine.list.count
  }

  /// All objects, in order. Objects that have not been read are faults.
  ///
  /// - Complexity: O(*n*).
  public var fetchedObjects: [Object] {
    observe()
    return engine.list.allRows.compactMap { engine.object(of: $0) as? Object }
  }

  /// Returns the object at a position; nil if the position is out of range.
  ///
  /// ```swift
  /// let contact = results.object(at: ResultIndexPath(section: 0, item: 2))
  /// ```
  ///
  /// - Complexity: a search in about 400 numbers for 100 000 objects.
  public func object(at indexPath: ResultIndexPath) -> Object? {
    observe()
    return engine.list.row(at: indexPath).flatMap { engine.object(of: $0) as? Object }
  }

  /// Returns the object at an index in the list of all objects; nil if there is none.
  ///
  /// - Complexity: a search in about 400 numbers for 100 000 objects.
  public func object(at offset: Int) -> Object? {
    observe()
    return engine.list.row(at: offset).flatMap { engine.object(of: $0) as? Object }
  }

  /// Returns the position of an object; nil if it is not in the results.
  ///
  /// - Complexity: a search in about 400 numbers for 100 000 objects.
  public func indexPath(of object: Object) -> ResultIndexPath? {
    observe()
    guard object.managedObjectContext === managedObjectContext else { return nil }
    return engine.list[object.key].flatMap { engine.list.position(of: $0)?.path }
  }

  /// The IDs of the objects, section by section.
  ///
  /// - Complexity: O(*n*).
  public var snapshot: FetchedResultsSnapshot {
    observe()
    return engine.snapshot
  }

  /// The index titles of the sections, without duplicates, in the order of the sections.
  public var sectionIndexTitles: [String] {
    observe()
    var known: Set<String> = []
    return engine.list.allSections.compactMap { sectionIndexTitle($0.name) }.filter { known.insert($0).inserted }
  }

  /// Returns the index of the first section with an index title; nil if not found.
  ///
  /// ```swift
  /// print(results.sectionIndexTitles)                      // ["E", "L"]
  /// print(results.section(forSectionIndexTitle: "L") ?? 0) // 1
  /// ```
  public func section(forSectionIndexTitle title: String) -> Int? {
    observe()
    return engine.list.allSections.firstIndex { sectionIndexTitle($0.name) == title }
  }

  /// Returns the first letter of a name, capitalized; nil for an empty name.
  static func firstLetter(_ name: String) -> String? { name.first.map { $0.uppercased() } }
}
