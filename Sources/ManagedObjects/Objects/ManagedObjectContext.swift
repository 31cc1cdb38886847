internal import ObjectModels
internal import OrderedCollections
package import Predicates
internal import PropertyLists

/// Keys in an order.
typealias OrderedKeys = OrderedSet<RowKey>

/// Other names of objects.
typealias KeyReplacements = KeyTable<RowKey>

/// A place to work with objects: it fetches them, keeps what is changed, and saves all of it or nothing.
///
/// ```swift
/// let context = container.newContext()
/// let person = try context.insert(Person.self)
/// person.name = "Ada"
/// try context.save()
/// ```
///
/// A context has one object for each row, whichever way leads to it. Both sides of a relationship change at once. What
/// is changed is seen by the requests of the context, and by others when it is saved.
///
/// A context and its objects are used by one task at a time. The compiler sees to it: neither is `Sendable`. What goes
/// from task to task are ``ManagedObjectID``s.
///
/// A context with a ``parent`` saves into that, and not into a store. It sees what the parent has, saved or not.
public final class ManagedObjectContext {
  /// Where the stores are.
  public let coordinator: PersistentStoreCoordinator
  /// The context that this one saves into; nil for one that saves into stores.
  public let parent: ManagedObjectContext?
  /// A name for people.
  public var name = ""
  /// Who changes objects, in the notifications of saves.
  public var transactionAuthor = ""
  /// What a save does with objects that somebody else saved after they were read.
  public var mergePolicy = MergePolicy.error
  /// Takes changes back; nil if nobody wants to.
  public var undoManager: UndoManager? { didSet { if undoManager !== oldValue { aliases = KeyReplacements() } } }
  /// What went wrong where no error could be thrown, such as in reading a property whose object is gone. The last 100.
  public package(set) var misuse: [ManagedObjectError] = []

  let model: ManagedObjectModel
  private var shapes: [EntityShape?]
  /// The entities of classes that objects were made of.
  var classIndices: [ObjectIdentifier: Int] = [:]
  let state = ContextState()
  var registered: IdentityMap {
    get { state.registered }
    _modify { yield &state.registered }
  }
  /// The objects with changes, in the order of the first change, and some that have none any more.
  var listed: [ManagedObject] = []
  /// The number of objects with changes.
  var changedCount = 0
  /// False while changes are made that cannot be taken back.
  var recordsUndo = true
  /// False to save objects that are not valid, as a migration does before all relationships are set.
  package var validatesOnSave = true
  var isSaving = false
  /// True if an object has changed since it was told of the save that is going on, or was not told.
  var hasUnannouncedChanges = false
  /// Keys that objects had before they were saved, or before their deletion was taken back. Kept for undo.
  var aliases = KeyReplacements()
  /// What objects were called before this context saved them. Its children ask it.
  var permanentKeys = PermanentKeys()
  /// The keys of new objects, by those that they would have got from a save that failed.
  var attemptedKeys = KeyReplacements()
  /// What properties were given that they cannot keep, by object and slot. Those objects are kept by ``listed``.
  var refusals: [ObjectIdentifier: [Int: ManagedObjectError]] = [:]
  /// The faults that are read together with others.
  var batches: [RowKey: FetchBatch] = [:]
  /// The stores that new objects go to, where the program said so.
  var assignments: [RowKey: StoreNumber] = [:]
  /// The contexts that save into this one.
  var children: [WeakContext] = []
  /// What the last fetch with prefetched relationships has read. Without it nobody would have the objects.
  var prefetched: [ManagedObject] = []
  var observers = ContextObservers<ContextChange>()
  /// Those who keep results of requests.
  var followers = ContextObservers<ContextEvent>()
  /// What changed since changes were last told of.
  var pending: [ManagedObject] = []
  /// New objects since then that are not pending: those inserted without observers, and faults of those that other
  /// contexts inserted. Kept for ``observers``.
  var arrived: [ManagedObject] = []
  /// What was refreshed since then.
  var refreshed: [ManagedObject] = []
  /// What others saved, of what was merged since then. Kept for ``followers``.
  var merged = MergedKeys()
  /// True if objects have had other keys since then, or were saved. Kept for ``followers``.
  var hasSilentNews = false

  struct WeakContext { weak var context: ManagedObjectContext? }

  /// A context that saves into the stores of a coordinator.
  public init(coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
    parent = nil
    model = coordinator.model
    shapes = Array(repeating: nil, count: model.records.count)
  }

  /// A context that saves into another one, in the same task.
  public init(parent: ManagedObjectContext) {
    self.parent = parent
    coordinator = parent.coordinator
    model = parent.model
    shapes = Array(repeating: nil, count: model.records.count)
    parent.children.removeAll { $0.context == nil }
    parent.children.append(WeakContext(context: self))
  }

  deinit { state.isOpen = false }

  func shape(_ entityIndex: Int) -> EntityShape {
    if let shape = shapes[entityIndex] { return shape }
    let entity = ManagedObjectModel.Entity(model: model, index: entityIndex)
    let shape = EntityShape(entity, objectClass: model.objectClass(of: entityIndex), context: self)
    shapes[entityIndex] = shape
    return shape
  }

  /// Keeps an error that cannot be thrown.
  func note(_ error: ManagedObjectError) {
    if misuse.count == 100 { misuse.removeFirst() }
    misuse.append(error)
  }

  /// Makes an object.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the model has no such entity,
  ///   ``ManagedObjectError/Code/invalidValue`` for an abstract one.
  /// - Complexity: O(1).
  @discardableResult
  public func insert(_ entityName: String) throws(ManagedObjectError) -> ManagedObject {
    guard let entity = model.entity(named: entityName) else {
      throw ManagedObjectError(.undefinedKey, "the model has no entity \(entityName.quoted)")
    }
    return try insert(entity)
  }

  /// Makes an object.
  ///
  /// - Throws: as ``insert(_:)-(String)``.
  /// - Complexity: O(1).
  @discardableResult
  public func insert(_ entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> ManagedObject {
    try insert(entity, key: nil)
  }

  /// - Parameter key: the key that the object is to have in its store; nil for one that it gets with the first save.
  package func insert(_ entity: ManagedObjectModel.Entity, key: RowKey?) throws(ManagedObjectError) -> ManagedObject {
    guard entity.model === model || model.entity(named: entity.name)?.index == entity.index else {
      throw ManagedObjectError(.invalidState, "the entity \(entity.name.quoted) is of another model")
    }
    if entity.isAbstract { throw ManagedObjectError(.invalidValue, "the entity \(entity.name.quoted) is abstract") }
    let object = make(key ?? RowKey.temporary(entityIndex: entity.index))
    object.values = object.shape.initialValues
    object.status = []
    list(object, as: .inserted)
    noteArrival(object)
    record(.created(object))
    object.awakeFromInsert()
    return object
  }

  /// Makes an object of the context that has a key and no values yet.
  func make(_ key: RowKey) -> ManagedObject {
    let shape = shape(Int(key.entityIndex))
    let object = shape.objectClass.init(ManagedObject.Creation(shape: shape, key: key))
    registered.insert(object)
    return object
  }

  /// The objects that the context knows, whatever their state, that the program has references to or that have changes.
  ///
  /// - Complexity: O(*n* log *n*).
  public var registeredObjects: Set<ManagedObject> { Set(registered.objects) }

  /// The object of a name, if the context has it already.
  ///
  /// - Complexity: O(1).
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? { ownKey(id).flatMap { registered[$0] } }

  /// The object of a name, as a fault if the context did not have it. If its store has no such object, that shows when
  /// it is asked for values.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if the object's store is not one of the coordinator's.
  /// - Complexity: O(1).
  public func object(with id: ManagedObjectID) throws(ManagedObjectError) -> ManagedObject {
    guard let key = ownKey(id) else {
      throw ManagedObjectError(.invalidState, "the object is of a store that the context does not have", objectID: id)
    }
    return object(for: key)
  }

  /// The object of a name, with its values.
  ///
  /// - Throws: ``ManagedObjectError/Code/referentialIntegrity`` if the store does not have it (any more), or it is
  ///   deleted in this context; what reading throws.
  public func existingObject(with id: ManagedObjectID) throws(ManagedObjectError) -> ManagedObject {
    let object = try object(with: id)
    if object.isDeleted { throw ManagedObjectError(.referentialIntegrity, "the object is deleted", objectID: id) }
    if object.isFault {
      if object.needsRow {
        guard let row = try readRows([object.key])[0] else {
          throw ManagedObjectError(.referentialIntegrity, "the store does not have the object", objectID: id)
        }
        object.take(row)
      }
      object.fire()
    }
    if object.isInaccessible {
      throw ManagedObjectError(.referentialIntegrity, "the store does not have the object any more", objectID: id)
    }
    return object
  }

  /// The object of a key; a fault if the context did not have it.
  func object(for key: RowKey) -> ManagedObject {
    if let object = registered[key] { return object }
    if aliases.isEmpty { return make(key) }
    let key = current(key)
    return registered[key] ?? make(key)
  }

  /// The key of the object that a name leads to now; nil if this context's coordinator has no such store or entity.
  func ownKey(_ id: ManagedObjectID) -> RowKey? { coordinatorKey(id).map { presentKey($0) } }

  /// The key of a row, also if the object that had it has another one by now; nil as above.
  func savedKey(_ id: ManagedObjectID) -> RowKey? { coordinatorKey(id).map { $0.isTemporary ? presentKey($0) : $0 } }

  private func coordinatorKey(_ id: ManagedObjectID) -> RowKey? {
    if id.entity.model === model, id.isTemporary || coordinator.store(id.key.store) != nil { return id.key }
    return coordinator.objectID(forURI: id.uriRepresentation)?.key
  }

  /// The store that a new object goes to; nil if none takes it.
  func storeNumber(forNew object: ManagedObject) -> StoreNumber? {
    assignments[object.key] ?? coordinator.store(forNew: Int(object.key.entityIndex))?.number
  }
}
