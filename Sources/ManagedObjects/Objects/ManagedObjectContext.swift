internal import ObjectModels
internal import OrderedCollections
package import Predicates
internal import PropertyLists

/// A list of object keys without duplicates.
typealias OrderedKeys = OrderedSet<RowKey>

/// New keys of objects by their old keys.
typealias KeyReplacements = KeyTable<RowKey>

/// A workspace for objects: it fetches them, tracks their changes, and saves all changes or none.
///
/// ```swift
/// let context = container.newContext()
/// let person = try context.insert(Person.self)
/// person.name = "Ada"
/// try context.save()
/// ```
///
/// A context has one object for each row, no matter how you reach it. Setting one side of a relationship sets the
/// other. Requests of the context see unsaved changes; other contexts see them after a save.
///
/// Use a context and its objects in one task at a time. The compiler enforces this: neither is `Sendable`. Pass
/// ``ManagedObjectID``s between tasks.
///
/// A context with a ``parent`` saves into the parent instead of a store. It sees the parent's objects, saved or not.
public final class ManagedObjectContext {
  /// The coordinator of the stores.
  public let coordinator: PersistentStoreCoordinator
  /// The context that this one saves into; nil if it saves into stores.
  public let parent: ManagedObjectContext?
  /// The query generation that the context reads; nil, the default, to read the newest objects. Always nil for a
  /// context with a ``parent``, because it reads from the parent. See ``setQueryGenerationFrom(_:)``.
  public internal(set) var queryGenerationToken: QueryGenerationToken? { didSet { rowChangeCount &+= 1 } }
  /// A name for the context, for logs and the history of changes.
  public var name = ""
  /// The author of the changes, for notifications of saves and the history of changes.
  public var transactionAuthor = ""
  /// The policy for conflicts in a save: over objects that another context or process saved after they were read, and
  /// over values that a uniqueness constraint allows only once.
  public var mergePolicy = MergePolicy.error
  /// A function that refines the ``mergePolicy``; nil to resolve all conflicts by the policy. A save calls it for each
  /// object with a conflict, before any conflict is resolved. It can choose another policy for the object, and set
  /// merged values of attributes.
  ///
  /// ```swift
  /// context.mergePolicy = .objectTrump
  /// context.mergeFunction = { conflict in
  ///   // A counter gets the increments of both contexts.
  ///   if case (.integer(let mine)?, .integer(let old)?, .integer(let stored)?) =
  ///     (conflict.object?["count"], conflict.snapshot?["count"], conflict.stored?["count"])
  ///   {
  ///     conflict.merged["count"] = .integer(stored + mine - old)
  ///   }
  /// }
  /// ```
  ///
  /// If the function throws, the save fails and no object changes. A ``ManagedObjectError`` is rethrown; another error
  /// becomes the ``ManagedObjectError/underlyingError`` of ``ManagedObjectError/Code/merge`` or
  /// ``ManagedObjectError/Code/constraintMerge``. Merged values are converted to the types of the attributes and
  /// validated. If another save changes the objects meanwhile, the function is called again with the new values. Batch
  /// requests do not call it.
  public var mergeFunction: (@Sendable (inout ObjectConflict) throws -> Void)?
  /// True to retain all registered objects until they are deleted, the context is reset, or the value becomes false.
  /// The default is false: the context retains only objects with changes.
  ///
  /// ```swift
  /// context.retainsRegisteredObjects = true
  /// _ = try context.fetch(Category.self)                   // stay registered, with their values
  /// ```
  @safe @exclusivity(unchecked) public var retainsRegisteredObjects = false {
    didSet {
      let old = retained
      retained = retainsRegisteredObjects ? registeredObjects : []
      // Releasing objects removes them from the context.
      withExtendedLifetime(old) {}
    }
  }
  /// The registered objects, if ``retainsRegisteredObjects`` is true.
  private var retained: Set<ManagedObject> = []
  /// Data of the program. The context does not use it.
  ///
  /// ```swift
  /// context.userInfo["window"] = 3
  /// ```
  public var userInfo: [String: Any] = [:]
  /// True to record the changes of each event, for ``ManagedObject/changedValuesForCurrentEvent()``. The default is
  /// false, because recording takes time and memory.
  @safe @exclusivity(unchecked) public var recordsEvents = false {
    didSet { if !recordsEvents { setEventChanges([]) } }
  }
  /// The changes since the last call of ``processPendingChanges()``, if ``recordsEvents`` is true.
  var eventChanges: [UndoManager.Change] = []

  /// Replaces ``eventChanges``. Values and objects are released afterwards, because the deallocator of data may use the
  /// context.
  func setEventChanges(_ changes: [UndoManager.Change]) {
    let old = eventChanges
    eventChanges = changes
    withExtendedLifetime(old) {}
  }

  /// The undo manager; nil to record no changes for undo.
  @safe @exclusivity(unchecked) public var undoManager: UndoManager? {
    didSet { if undoManager !== oldValue { aliases = KeyReplacements() } }
  }
  /// True to merge the changes that others save from now on: other contexts of the coordinator, batch requests, other
  /// coordinators and other programs. The default is false.
  ///
  /// ```swift
  /// let context = container.mainContext
  /// context.mergesChangesAutomatically = true
  /// ```
  ///
  /// A context that is confined to an actor merges soon after a save, in a separate job on the actor, so values never
  /// change within a function that does not `await`. Such contexts are ``PersistentContainer/mainContext``, those of
  /// ``PersistentContainer/newContext(isolation:)`` and that of a ``ManagedObjectActor``. Any other context merges when
  /// ``processPendingChanges()`` is called. The changes of several saves are merged together, as
  /// ``mergeChanges(from:)`` merges them: unsaved changes stay. Saves of the context itself are skipped.
  ///
  /// A context with a ``parent`` merges what the parent reports to its observers instead: saves of other child contexts
  /// into the parent, changes of the parent, saved or not, and changes that the parent merges.
  ///
  /// Errors of reading are added to ``misuse``. Changes of other programs are found as by
  /// ``PersistentStoreCoordinator/remoteChanges``.
  public var mergesChangesAutomatically = false {
    didSet { if mergesChangesAutomatically != oldValue { setFollows(mergesChangesAutomatically) } }
  }
  /// True to save the context automatically at the end of each turn of its actor that changed objects. The default is
  /// false. The context must be confined to an actor, such as ``PersistentContainer/mainContext``.
  ///
  /// ```swift
  /// container.mainContext.autosaves = true
  /// note.title = "Letters"                                 // saved when the function returns, or waits
  /// ```
  ///
  /// The context is not released before it is saved. If a save fails, the changes stay unsaved, and the next change
  /// causes another attempt. The error is added to ``misuse`` and passed to
  /// ``PersistentStoreCoordinator/misuseHandler``. A context with a ``parent`` is saved into the parent.
  ///
  /// The changes that a function makes before an `await` are saved there. To save them only together with later ones,
  /// use a child context.
  public var autosaves = false {
    didSet {
      guard autosaves else { return }
      if turn == nil {
        report(
          ManagedObjectError(.invalidState, "only a context that is confined to an actor can save automatically"))
      } else if hasChanges {
        scheduleEndOfTurn()
      }
    }
  }
  /// The last 100 errors that could not be thrown, such as the error of reading a property of an object that the store
  /// no longer has.
  public package(set) var misuse: [ManagedObjectError] = []

  let model: ManagedObjectModel
  @safe @exclusivity(unchecked) private var shapes: [EntityShape?]
  /// A cache of the entity indexes of classes.
  @safe @exclusivity(unchecked) var classIndices: [ObjectIdentifier: Int] = [:]
  let state = ContextState()
  var registered: IdentityMap { state.registered }
  /// The objects with changes, in the order of their first change. May also contain objects that no longer have
  /// changes.
  @safe @exclusivity(unchecked) var listed: [ManagedObject] = []
  /// The number of objects with changes.
  @safe @exclusivity(unchecked) var changedCount = 0
  /// A counter that increases when objects leave the context, and when deletions by other contexts are merged.
  var removalCount = 0
  /// A counter that increases when rows that were read before must not be used any more: after saves, merges,
  /// refreshes, rollbacks, undo, redo and resets, and when the query generation changes.
  var rowChangeCount = 0
  /// False while changes are not recorded for undo.
  @safe @exclusivity(unchecked) var recordsUndo = true
  /// False to save objects without validation, as a migration does before it has set all relationships.
  package var validatesOnSave = true
  var isSaving = false
  /// True if the `willSave` of an object must be called: it was not called in the current save, or the object changed
  /// after the call.
  @safe @exclusivity(unchecked) var hasUnannouncedChanges = false
  /// For each old key of an object, the key that replaced it when the object was saved, or when it was inserted again
  /// after its deletion. Undo finds objects by their old keys.
  @safe @exclusivity(unchecked) var aliases = KeyReplacements()
  /// The permanent keys that objects of this context got when they were saved, or from ``obtainPermanentIDs(for:)``, by
  /// their temporary keys. Child contexts find objects by their temporary keys, too.
  var permanentKeys = PermanentKeys()
  /// The present keys of new objects, by the permanent keys of a save attempt that failed. The conflicts of that
  /// attempt refer to the objects by those permanent keys.
  var attemptedKeys = KeyReplacements()
  /// The errors of properties that were set to invalid values, by object and slot. ``listed`` retains the objects.
  var refusals: [ObjectIdentifier: [Int: ManagedObjectError]] = [:]
  /// The stored values whose errors were added to ``misuse``, because they are not of the types of their properties.
  var undecodableValues = UndecodableValues()
  /// The stores that the program assigned to new objects.
  var assignments: [RowKey: StoreNumber] = [:]
  /// The contexts that save into this one.
  var children: [WeakContext] = []
  /// The related objects that the last fetch with prefetching read. They are retained until the next one.
  private(set) var prefetched: [ManagedObject] = []

  /// Replaces ``prefetched``. Objects are released afterwards, because the deallocator of data may use the context.
  func setPrefetched(_ objects: [ManagedObject]) {
    let old = prefetched
    prefetched = objects
    withExtendedLifetime(old) {}
  }

  @safe @exclusivity(unchecked) var observers = ContextObservers<ContextChange>()
  /// The observers that keep the results of a request up to date, such as those of a ``FetchedResultsController``.
  @safe @exclusivity(unchecked) var followers = ContextObservers<ContextEvent>()
  /// The objects that changed since changes were last reported to observers.
  @safe @exclusivity(unchecked) var pending: [ManagedObject] = []
  /// The objects that are new since the last report and are not in ``pending``: objects that were inserted while the
  /// context had no observers, and faults for objects that other contexts inserted. They are reported to ``observers``,
  /// but not to ``followers``.
  @safe @exclusivity(unchecked) var arrived: [ManagedObject] = []
  /// The objects that were refreshed since the last report to observers.
  var refreshed: [ManagedObject] = []
  /// The keys of the objects that other contexts saved and that were merged since the last report. They are reported to
  /// ``followers``.
  var merged = MergedKeys()
  /// The number of the follower that compares tracked fetched properties.
  var fetchFollower: Int?
  /// True if ``followers`` must receive a report even if no object changed: keys changed, or objects were saved.
  var hasSilentNews = false

  /// The work at the end of a turn of the actor that the context is confined to; nil without an actor.
  let turn: ContextTurn?
  /// The changes of other contexts to merge; nil if the context does not merge them automatically, or has a parent.
  var mailbox: ContextMailbox?
  /// The number of this context's follower in the parent; 0 without a follower.
  var parentFollowing = 0
  /// The changes that the parent reported and that have not been merged.
  var parentChanges = ParentChanges()

  var eventObservers = ContextObservers<Event>()
  /// The number of observers that were ever added.
  var observerCount = 0
  /// The changes that the current save has saved so far. Empty without observers of events.
  var lastSave = ContextSave()

  struct WeakContext { weak var context: ManagedObjectContext? }

  /// Creates a context that saves into the stores of a coordinator.
  public convenience init(coordinator: PersistentStoreCoordinator) { self.init(coordinator, turn: nil) }

  /// Creates a context that is confined to the actor of a turn.
  init(_ coordinator: PersistentStoreCoordinator, turn: ContextTurn?) {
    self.coordinator = coordinator
    parent = nil
    self.turn = turn
    model = coordinator.model
    shapes = Array(repeating: nil, count: model.records.count)
    turn?.begin(self)
  }

  /// Creates a context that saves into another one. Both contexts must be used in the same task.
  ///
  /// ```swift
  /// let draft = ManagedObjectContext(parent: context)
  /// let copy = try draft.existingObject(Note.self, with: note.objectID)
  /// copy.title = "Draft"
  /// try draft.save()
  /// print(note.title, context.hasChanges)                  // Draft true
  /// ```
  public init(parent: ManagedObjectContext) {
    self.parent = parent
    turn = parent.turn?.sibling()
    coordinator = parent.coordinator
    model = parent.model
    shapes = Array(repeating: nil, count: model.records.count)
    parent.children.removeAll { $0.context == nil }
    parent.children.append(WeakContext(context: self))
    turn?.begin(self)
  }

  deinit {
    if mergesChangesAutomatically { setFollows(false) }
    state.close()
  }

  func shape(_ entityIndex: Int) -> EntityShape {
    if let shape = shapes[entityIndex] { return shape }
    let entity = ManagedObjectModel.Entity(model: model, index: entityIndex)
    let shape = EntityShape(entity, objectClass: model.objectClass(of: entityIndex), context: self)
    shapes[entityIndex] = shape
    return shape
  }

  /// Adds an error that cannot be thrown to ``misuse``.
  func note(_ error: ManagedObjectError) {
    if misuse.count == 100 { misuse.removeFirst() }
    misuse.append(error)
  }

  /// Adds an error that cannot be thrown to ``misuse``, and calls the coordinator's
  /// ``PersistentStoreCoordinator/misuseHandler``.
  func report(_ error: ManagedObjectError) {
    note(error)
    coordinator.misuseHandler(error)
  }

  /// Inserts a new object of an entity.
  ///
  /// ```swift
  /// let person = try context.insert("Person")
  /// try person.setValue(.string("Emmy"), forKey: "name")
  /// ```
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

  /// Inserts a new object of an entity.
  ///
  /// - Throws: the errors of ``insert(_:)-(String)``.
  /// - Complexity: O(1).
  @discardableResult
  public func insert(_ entity: ManagedObjectModel.Entity) throws(ManagedObjectError) -> ManagedObject {
    try insert(entity, key: nil)
  }

  /// Inserts a new object of an entity. A migration passes the key that the object must have in the store.
  ///
  /// - Parameter key: the permanent key of the object; nil to create one in the first save.
  package func insert(_ entity: ManagedObjectModel.Entity, key: RowKey?) throws(ManagedObjectError) -> ManagedObject {
    guard entity.model === model || model.entity(named: entity.name)?.index == entity.index else {
      throw ManagedObjectError(.invalidState, "the entity \(entity.name.quoted) belongs to another model")
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

  /// Creates an object with a key and without values, and registers it.
  func make(_ key: RowKey) -> ManagedObject {
    let shape = shape(Int(key.entityIndex))
    let object = shape.objectClass.init(ManagedObject.Creation(shape: shape, key: key))
    register(object)
    return object
  }

  func register(_ object: ManagedObject) {
    registered.insert(object)
    if retainsRegisteredObjects { retained.insert(object) }
  }

  func unregister(_ object: ManagedObject) {
    registered.remove(object)
    if retainsRegisteredObjects { retained.remove(object) }
  }

  func unregisterAll() {
    registered.removeAll()
    let old = retained
    retained = []
    withExtendedLifetime(old) {}
  }

  /// The registered objects: those that your program references or that have changes, including faults. See also
  /// ``retainsRegisteredObjects``.
  ///
  /// - Complexity: O(*n* log *n*).
  public var registeredObjects: Set<ManagedObject> { Set(registered.objects) }

  /// Returns the object with an ID if it is registered.
  ///
  /// - Complexity: O(1).
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? { ownKey(id).flatMap { registered[$0] } }

  /// Returns the object with an ID. An object that is not registered is created as a fault, without checking that the
  /// store has it.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidState`` if the coordinator does not have the object's store.
  /// - Complexity: O(1).
  public func object(with id: ManagedObjectID) throws(ManagedObjectError) -> ManagedObject {
    guard let key = ownKey(id) else {
      throw ManagedObjectError(
        .invalidState, "the object belongs to a store that the context does not have", objectID: id)
    }
    return object(for: key)
  }

  /// Returns the object with an ID, after reading its values.
  ///
  /// ```swift
  /// do throws(ManagedObjectError) {
  ///   let note = try context.existingObject(with: id)
  ///   print(note["title"] ?? .null)
  /// } catch {
  ///   if error.code == .referentialIntegrity { print("the note was deleted") }
  /// }
  /// ```
  ///
  /// - Throws: ``ManagedObjectError/Code/referentialIntegrity`` if the store does not have the object (any more), or if
  ///   it is deleted in this context; the errors of ``object(with:)`` and of reading.
  public func existingObject(with id: ManagedObjectID) throws(ManagedObjectError) -> ManagedObject {
    let object = try object(with: id)
    if object.status.isDeleted {
      throw ManagedObjectError(.referentialIntegrity, "the object is deleted", objectID: id)
    }
    if object.isFault {
      if object.needsRow {
        guard let row = try readRows([object.key])[0] else {
          throw ManagedObjectError(.referentialIntegrity, "the store does not have the object", objectID: id)
        }
        object.take(row)
      }
      object.fire()
    }
    if object.status.isInaccessible {
      throw ManagedObjectError(.referentialIntegrity, "the store no longer has the object", objectID: id)
    }
    return object
  }

  /// Returns the object with a key, as a fault if it is not registered.
  func object(for key: RowKey) -> ManagedObject {
    if let object = registered[key] { return object }
    if aliases.isEmpty { return make(key) }
    let key = current(key)
    return registered[key] ?? make(key)
  }

  /// Returns the present key of the object with an ID. It differs from the key in the ID if the object got a new key
  /// later. Returns nil if the coordinator does not have the object's store or entity.
  func ownKey(_ id: ManagedObjectID) -> RowKey? { coordinatorKey(id).map { presentKey($0) } }

  /// Returns the key of the saved object with an ID, even if the object was deleted and inserted again with a new key
  /// since. Returns nil in the same cases as ``ownKey(_:)``.
  func savedKey(_ id: ManagedObjectID) -> RowKey? { coordinatorKey(id).map { $0.isTemporary ? presentKey($0) : $0 } }

  private func coordinatorKey(_ id: ManagedObjectID) -> RowKey? {
    if id.entity.model === model, id.isTemporary || coordinator.store(id.key.store) != nil { return id.key }
    return coordinator.objectID(forURI: id.uriRepresentation)?.key
  }

  /// Returns the number of the store that a new object is saved to; nil if no store accepts it.
  func storeNumber(forNew object: ManagedObject) -> StoreNumber? {
    assignments[object.key] ?? coordinator.store(forNew: Int(object.key.entityIndex))?.number
  }

  /// Returns true if a request reads the store of an object. For a new object, this is the store that it will be saved
  /// in.
  func isInAffectedStores(_ object: ManagedObject, of request: FetchRequest) -> Bool {
    guard let identifiers = request.affectedStores else { return true }
    let number = object.key.isTemporary ? root.storeNumber(forNew: object) : object.key.store
    guard let number, let store = coordinator.store(number) else { return false }
    return identifiers.contains(store.identifier)
  }
}
