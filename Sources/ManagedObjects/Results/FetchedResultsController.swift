internal import ObjectModels
public import Observation

/// The objects that a request finds, in sections, kept up to date as they change.
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
/// the results are what a new fetch would find, in the same order. What changed is told to the ``delegate``, to those
/// who read ``changes``, and to those who track the results with `Observation`. The work grows with what changed, not
/// with what was fetched.
///
/// A controller belongs to its context, and is used by the same task. <doc:FetchedResults> tells more.
public final class FetchedResultsController<Object: ManagedObject>: Observable {
  /// The request.
  public let fetchRequest: FetchRequest
  /// The context, which the controller keeps.
  public let managedObjectContext: ManagedObjectContext
  /// The key path of the names of sections; nil without one.
  public let sectionKeyPath: String?
  /// The location on the disk where sections are kept; nil for none.
  public let cache: FetchedResultsCache?
  /// Told of changes.
  public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?
  /// The title of a section in an index, by its name; nil for none. By default, the first letter as a capital.
  public var sectionIndexTitle: (String) -> String? = FetchedResultsController.firstLetter

  let engine: ResultEngine
  private let registrar = ObservationRegistrar()
  private let listeners = Listeners<FetchedResultsChanges>()

  /// Results in sections by the values at a key path.
  ///
  /// - Parameters:
  ///   - type: the class of the objects.
  ///   - request: a request with an order, whose first key puts the objects of each section together. Changes that are
  ///     not saved count.
  ///   - context: the context of the objects.
  ///   - sectionKeyPath: the key path of a text, a number or a date; nil for one section. Objects without a value are
  ///     in the section with the name "".
  ///   - cache: where the sections are kept on the disk.
  /// - Throws: ``ManagedObjectError/Code/unsupportedRequest`` for a request without an order, or for other results than
  ///   objects; ``ManagedObjectError/Code/undefinedKey`` for a name that the entity does not have;
  ///   ``ManagedObjectError/Code/invalidValue`` if the objects are not of the class.
  public convenience init(
    _ type: Object.Type, _ request: FetchRequest, in context: ManagedObjectContext, sectionKeyPath: String? = nil,
    cache: FetchedResultsCache? = nil
  ) throws(ManagedObjectError) {
    let entity = try Self.entity(request, context)
    try self.init(request, context, entity, try ResultSectioning(keyPath: sectionKeyPath, of: entity), [], cache)
  }

  /// Results in sections by what a function makes of each object, such as the first letter of a name.
  ///
  /// The function is called for each object when the results are fetched, and for those that changed. It gives the same
  /// for the same values.
  ///
  /// - Parameters:
  ///   - type: the class of the objects.
  ///   - request: as above.
  ///   - context: the context of the objects.
  ///   - keyPaths: what the function asks of other objects: `["group.name"]`. What it asks of the object itself need
  ///     not be said.
  ///   - cache: where the sections are kept on the disk. It does not notice if the function is another one.
  ///   - sectionName: the name of an object's section.
  /// - Throws: as above.
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
        "objects of \(entity.name.quoted) are of the class \(context.shape(entity.index).objectClass), and "
          + "not of \(Object.self)")
    }
    return entity
  }

  /// Fetches the objects. Until then there are none.
  ///
  /// Called again, it reads all from the stores again, and tells nobody of changes but those who track the results.
  ///
  /// - Throws: what ``ManagedObjectContext/fetch(_:)`` throws; ``ManagedObjectError/Code/unsupportedRequest`` if the
  ///   objects of a section are not next to each other, with the first object that is apart.
  /// - Complexity: O(*n* log *n*) at most, and O(*n*) without objects if the ``cache`` has the results.
  public func performFetch() throws(ManagedObjectError) {
    try engine.fetch()
    registrar.withMutation(of: self, keyPath: \.content) {}
  }

  /// Why the results are not up to date; nil if they are.
  ///
  /// It is set when reading fails while changes are followed, and when changes bring objects of a section apart. The
  /// results are what they were before then, and the next changes are found by another fetch.
  public var failure: ManagedObjectError? {
    observe()
    return engine.failure
  }

  /// What is tracked: all that the results consist of.
  private var content: ResultEngine { engine }

  func observe() { registrar.access(self, keyPath: \.content) }

  /// The changes from now on, until the stream or the controller is not used any more.
  ///
  /// ```swift
  /// for await changes in results.changes { list.apply(changes.difference) }
  /// ```
  ///
  /// Who is slow gets all of them, one after the other. What the controller itself has may be further ahead by then: a
  /// list that reads objects by their positions does so in the ``delegate``.
  public var changes: AsyncStream<FetchedResultsChanges> { listeners.stream() }

  private func tell(_ result: Result<FetchedResultsChanges, ManagedObjectError>) {
    registrar.withMutation(of: self, keyPath: \.content) {}
    switch result {
    case .failure(let error):
      managedObjectContext.note(error)
      delegate?.controller(self, didFailWith: error)
    case .success(let changes):
      listeners.tell(changes)
      delegate?.controllerWillChangeContent(self)
      for change in changes.sections { delegate?.controller(self, didChangeSection: change) }
      for change in changes.objects { delegate?.controller(self, didChangeObject: change) }
      delegate?.controller(self, didChangeContentWith: changes)
      delegate?.controllerDidChangeContent(self)
    }
  }
}

extension FetchedResultsController where Object == ManagedObject {
  /// Results of objects of any class, in sections by the values at a key path.
  ///
  /// - Throws: as ``init(_:_:in:sectionKeyPath:cache:)``.
  public convenience init(
    _ request: FetchRequest, in context: ManagedObjectContext, sectionKeyPath: String? = nil,
    cache: FetchedResultsCache? = nil
  ) throws(ManagedObjectError) {
    try self.init(ManagedObject.self, request, in: context, sectionKeyPath: sectionKeyPath, cache: cache)
  }
}

/// Sections and objects.
extension FetchedResultsController {
  /// The sections, in order. Without a key path or a function of sections there is one, with the name "", or none if
  /// there are no objects.
  ///
  /// - Complexity: O(*s*) in the number of sections; the objects of each are looked up when they are asked for.
  public var sections: [FetchedResultsSection<Object>] {
    observe()
    return engine.list.allSections.map { section($0) }
  }

  /// The number of sections.
  public var sectionCount: Int {
    observe()
    return engine.list.sectionCount
  }

  /// The section at an index; nil if there is none.
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

  /// All objects, in order, as faults if they were not read.
  ///
  /// - Complexity: O(*n*).
  public var fetchedObjects: [Object] {
    observe()
    return engine.list.allRows.compactMap { engine.object(of: $0) as? Object }
  }

  /// The object at a position; nil if there is none.
  ///
  /// - Complexity: that of a look at a few hundred numbers for 100 000 objects, as of the two functions below.
  public func object(at indexPath: ResultIndexPath) -> Object? {
    observe()
    return engine.list.row(at: indexPath).flatMap { engine.object(of: $0) as? Object }
  }

  /// The object at a position in the list of all objects; nil if there is none.
  public func object(at offset: Int) -> Object? {
    observe()
    return engine.list.row(at: offset).flatMap { engine.object(of: $0) as? Object }
  }

  /// The position of an object; nil if the results do not have it.
  public func indexPath(of object: Object) -> ResultIndexPath? {
    observe()
    guard object.managedObjectContext === managedObjectContext else { return nil }
    return engine.list[object.key].flatMap { engine.list.position(of: $0)?.path }
  }

  /// The names of the objects, section by section.
  ///
  /// - Complexity: O(*n*).
  public var snapshot: FetchedResultsSnapshot {
    observe()
    return engine.snapshot
  }

  /// The titles of the sections, each once, in the order of the first section that has it.
  public var sectionIndexTitles: [String] {
    observe()
    var known: Set<String> = []
    return engine.list.allSections.compactMap { sectionIndexTitle($0.name) }.filter { known.insert($0).inserted }
  }

  /// The index of the first section with a title; nil if there is none.
  public func section(forSectionIndexTitle title: String) -> Int? {
    observe()
    return engine.list.allSections.firstIndex { sectionIndexTitle($0.name) == title }
  }

  /// The first letter of a name as a capital; nil for an empty name.
  static func firstLetter(_ name: String) -> String? { name.first.map { $0.uppercased() } }
}
