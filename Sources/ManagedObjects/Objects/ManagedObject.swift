internal import ObjectModels
public import Observation
public import Predicates

/// An object of a context, with attributes and relationships to other objects.
///
/// A ``ManagedObjectContext`` creates, fetches and registers objects. It has one object for each row of a store.
/// Objects have this class or a subclass that you define:
///
/// ```swift
/// final class Note: ManagedObject {
///   @Attribute var date: Date
///   @Attribute var content: String?
///   @Relationship(inverse: \Person.notes) var author: Person?
/// }
/// ```
///
/// An object can be a fault: its values are read from the store when you first access one. If the store no longer has
/// the object then, its values are empty and ``isInaccessible`` is true.
///
/// A context retains the objects that have changes. Other objects are released when your program no longer references
/// them. Relationships do not retain their objects.
///
/// The `deinit` of a subclass must not change the object, follow its relationships or use its context: a relationship
/// or a fetch can lead back to the object that is being released, and the program would crash. Clean up in
/// ``willTurnIntoFault()`` or ``prepareForDeletion()``.
@safe open class ManagedObject {
  /// The data that a context passes to the initializer of an object.
  public struct Creation {
    let shape: EntityShape
    let key: RowKey
  }

  final let shape: EntityShape
  // Checking the exclusivity of accesses at run time would take longer than reading a value. Unchecked exclusivity is
  // safe here, in `EntityShape`, in `ContextState` and in `ManagedObjectContext`: each access ends before code outside
  // of this package is called, so accesses do not overlap.
  @safe @exclusivity(unchecked) final var key: RowKey
  /// The version of the row that the values come from; 0 for an object that was never saved.
  @safe @exclusivity(unchecked) final var version: Int64 = 0
  /// The page that contains the values; nil if they are in ``ownValues``. The object owns the reference, which is
  /// unmanaged because counting references would take a quarter of the time of reading a value.
  @safe @exclusivity(unchecked) private final var page: Unmanaged<RowPage>?
  /// The values, if they are not in a page. Empty for a fault whose row was not read.
  @safe @exclusivity(unchecked) private final var ownValues: [RowValue] = []
  /// The values as they were last read or saved. Nil for a new object, and for an object that has not changed since.
  @safe @exclusivity(unchecked) final var committed: [RowValue]?
  @safe @exclusivity(unchecked) final var status: Status = .fault
  /// The number of long values that were decoded from ``page``.
  @safe @exclusivity(unchecked) private final var longReadCount: UInt8 = 0
  /// The first word of the row in ``page``.
  @safe @exclusivity(unchecked) private final var pageRow: UInt32 = 0
  /// The objects that are read together with this one; nil if it was not found together with others.
  @safe @exclusivity(unchecked) final var batch: FaultBatch?

  struct Status: OptionSet {
    let rawValue: UInt16
    static let inserted = Status(rawValue: 1)
    static let updated = Status(rawValue: 2)
    static let deleted = Status(rawValue: 4)
    /// The object is a fault: no value has been accessed yet.
    static let fault = Status(rawValue: 8)
    /// The row does not exist in the store (any more), or could not be read.
    static let inaccessible = Status(rawValue: 16)
    /// The object has left its context, for example because its deletion was saved or the context was reset.
    static let detached = Status(rawValue: 32)
    /// The object is that of a ``ClassPrototype``: it has no context, and is used to find the properties of its class.
    static let prototype = Status(rawValue: 64)
    /// The object is in ``ManagedObjectContext/listed``.
    static let listed = Status(rawValue: 128)
    /// The object is in ``ManagedObjectContext/pending``: it changed since the context last reported changes to
    /// observers.
    static let pending = Status(rawValue: 256)
    /// `willSave` was called in the current save, and is not called again.
    static let announced = Status(rawValue: 512)
    /// A property was set to a value that it cannot have.
    static let refusing = Status(rawValue: 1024)
    /// `prepareForDeletion` is being called.
    static let leaving = Status(rawValue: 2048)
    /// `awakeFromFetch` or `willTurnIntoFault` is being called.
    static let turning = Status(rawValue: 4096)

    /// The object is new in the context and has not been reported to observers yet.
    static let unreported = Status(rawValue: 8192)
    /// The row was read without some attributes: see ``FetchRequest/propertiesToFetch``. They are read together when
    /// one of them is accessed, or before the object is changed.
    static let partial = Status(rawValue: 32768)

    /// ``ContextState/observed`` has a record of the object.
    static let observed = Status(rawValue: 16384)

    /// The states of an object with unsaved changes. The context retains an object that has one of them.
    static let changed: Status = [.inserted, .updated, .deleted]

    /// The states of an object that must be read before a relationship changes, or that no relationship can refer to.
    static let unavailable: Status = [.fault, .deleted, .inaccessible, .detached]

    var isInserted: Bool { contains(.inserted) }
    var isUpdated: Bool { contains(.updated) && isDisjoint(with: [.inserted, .deleted]) }
    var isDeleted: Bool { contains(.deleted) }
    var hasChanges: Bool { !isDisjoint(with: .changed) }
    var isInaccessible: Bool { contains(.inaccessible) }
  }

  /// Creates an object for a context. Do not call it: insert objects with
  /// ``ManagedObjectContext/insert(_:)-(Object.Type)``. An override must call `super.init(_:)`.
  public required init(_ creation: Creation) {
    shape = creation.shape
    key = creation.key
  }

  /// The values of the properties, by slot. Empty for a fault whose row was not read.
  ///
  /// The first access decodes all values of a page. To read one value, use ``loadedValue(_:)``.
  final var values: [RowValue] {
    get {
      if unsafe page != nil { takeOwnValues() }
      return ownValues
    }
    set {
      setPage(nil)
      ownValues = newValue
    }
    _modify {
      if unsafe page != nil { takeOwnValues() }
      yield &ownValues
    }
  }

  /// True unless the object is a fault whose row was not read.
  final var hasValues: Bool { unsafe page != nil || !ownValues.isEmpty }

  @inline(never)
  private final func takeOwnValues() {
    ownValues = valuesCopy
    setPage(nil)
  }

  /// Sets the values to those of a row in a page.
  final func setValues(_ page: RowPage, row: UInt32) {
    ownValues = []
    setPage(page)
    pageRow = row
    longReadCount = 0
  }

  private final func setPage(_ new: RowPage?) {
    let old = page
    page = unsafe new.map { unsafe Unmanaged.passRetained($0) }
    unsafe old?.release()
  }

  /// Sets the values to those of another object.
  final func shareValues(of other: ManagedObject) {
    if let page = other.page {
      setValues(unsafe page.takeUnretainedValue(), row: other.pageRow)
    } else {
      values = other.ownValues
    }
  }

  /// A copy of ``values``. Unlike that property, it leaves the values in their page.
  final var valuesCopy: [RowValue] {
    guard let page else { return ownValues }
    return unsafe page.takeUnretainedValue().values(pageRow, count: shape.record.slotCount)
  }

  /// Returns the value of a slot, without reading anything from the store.
  @inline(__always)
  final func loadedValue(_ slot: Int) -> RowValue {
    guard let page else { return ownValues[slot] }
    // Memory-safe: nothing else runs while a value is decoded, so the object keeps the page.
    let value = unsafe page._withUnsafeGuaranteedRef { $0.value(pageRow, slot, longCount: &longReadCount) }
    noteDecoding()
    return value
  }

  /// Returns true if the value of a slot is not in the row. The object must have values.
  final func isUnread(_ slot: Int) -> Bool {
    if let page { return unsafe page.takeUnretainedValue().isUnread(pageRow, slot) }
    return ownValues[slot] == .unread
  }

  /// Returns the value of an attribute, without reading anything from the store; nil if it is unread, or if the slot
  /// has a relationship.
  @inline(__always)
  final func loadedAttribute(_ slot: Int) -> AttributeValue? {
    guard let page else {
      guard case .attribute(let value) = ownValues[slot] else { return nil }
      return value
    }
    let value = unsafe page._withUnsafeGuaranteedRef {
      $0.attributeValue(pageRow, slot, longCount: &longReadCount)
    }
    noteDecoding()
    return value
  }

  /// The number of times that long values are decoded before the object decodes all values and keeps them.
  private static let greatestLongReadCount: UInt8 = 16

  @inline(__always)
  private final func noteDecoding() { if longReadCount >= Self.greatestLongReadCount { takeOwnValues() } }

  deinit {
    unsafe page?.release()
    if !status.contains(.detached) { shape.state?.registered.remove(self) }
  }

  /// The name of the class's entity in a model that is made of classes. The default is the name of the class. An
  /// override must return a different name for each subclass.
  ///
  /// ```swift
  /// override class var entityName: String { "Memo" }
  /// ```
  open class var entityName: String { String(describing: self) }

  /// Changes the entity of a class in a model that is made of classes: its constraints, indexes, user info, renaming
  /// identifier, and whether it is abstract.
  ///
  /// ```swift
  /// override class func describe(_ entity: inout EntityDescription) {
  ///   entity.addUniquenessConstraint(\Note.owner, \Note.title)
  /// }
  /// ```
  ///
  /// If a subclass does not override this method, the settings apply to the superclass's entity only. An override that
  /// makes the same changes as that of the nearest superclass with an entity is taken for the inherited method, and its
  /// changes are ignored. If both classes need the same setting, for example because both entities are abstract, test
  /// the name of the entity in the superclass:
  ///
  /// ```swift
  /// class Item: ManagedObject {
  ///   override class func describe(_ entity: inout EntityDescription) {
  ///     guard entity.name == "Item" else { return }
  ///     entity.isAbstract = true
  ///   }
  /// }
  ///
  /// class Medium: Item {
  ///   override class func describe(_ entity: inout EntityDescription) { entity.isAbstract = true }
  /// }
  /// ```
  open class func describe(_ entity: inout EntityDescription) {}

  /// Called once, when the object is inserted into a context. Set initial values here.
  ///
  /// ```swift
  /// override func awakeFromInsert() { date = Date() }
  /// ```
  open func awakeFromInsert() {}

  /// Called after the values of the object were read. Values that you set here do not count as changes.
  ///
  /// ```swift
  /// override func awakeFromFetch() { fullName = "\(givenName) \(familyName)" }
  /// ```
  open func awakeFromFetch() {}

  /// Called at the beginning of a save that includes changes of the object. The method may change objects, but must not
  /// call `save()`.
  ///
  /// ```swift
  /// override func willSave() {
  ///   if !isDeleted { modified = Date() }
  /// }
  /// ```
  open func willSave() {}

  /// Called after changes of the object were saved.
  open func didSave() {}

  /// Called before the object is deleted.
  ///
  /// ```swift
  /// override func prepareForDeletion() { author?.noteCount -= 1 }
  /// ```
  open func prepareForDeletion() {}

  /// Called before the object becomes a fault. Changes that the method makes to this object are lost.
  open func willTurnIntoFault() {}

  /// Called after the object became a fault. An override releases what the class computed from the values. It must not
  /// access properties, because this reads the values again. The method is not called when the object is released.
  ///
  /// ```swift
  /// override func didTurnIntoFault() { image = nil }
  /// ```
  open func didTurnIntoFault() {}

  /// Called after the values of the object were replaced at once, without setting its properties one by one: by undo,
  /// redo, a rollback, a refresh that keeps the object's changes, or a merge policy. Values that an override sets do
  /// not count as changes. If the object became a fault instead, ``awakeFromFetch()`` is called when it is read.
  ///
  /// ```swift
  /// override func awake(fromSnapshotEvents events: SnapshotEventType) { image = nil }
  /// ```
  open func awake(fromSnapshotEvents events: SnapshotEventType) {}

  /// Validates the value of an attribute. Called before the value is saved, and by ``validate(_:forKey:)``. An override
  /// throws an error if the value is not valid.
  ///
  /// The rules of the model are checked first. To check relationships, override ``validateForInsert()`` and
  /// ``validateForUpdate()``.
  ///
  /// ```swift
  /// override func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {
  ///   if key == "title", case .string(let title) = value, title.contains("\n") {
  ///     throw ManagedObjectError(.validation, "has several lines", objectID: objectID, key: key, value: value)
  ///   }
  /// }
  /// ```
  open func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {}

  /// Corrects the value of an attribute before it is validated. Called by ``validate(_:forKey:)``, and for each
  /// attribute of a changed object when it is saved. An override changes the value, or throws an error if the value is
  /// not valid.
  ///
  /// The rules of the model are checked after this method, so that it can satisfy them. In a save, a changed value is
  /// set, and not recorded for undo on its own.
  ///
  /// ```swift
  /// override func validateValue(_ value: inout AttributeValue, forKey key: String) throws(ManagedObjectError) {
  ///   if key == "rating", case .integer(let rating) = value { value = .integer(min(max(rating, 0), 5)) }
  /// }
  /// ```
  open func validateValue(_ value: inout AttributeValue, forKey key: String) throws(ManagedObjectError) {}

  /// Validates a new object before it is saved. An override must call `super`.
  ///
  /// ```swift
  /// override func validateForInsert() throws(ManagedObjectError) {
  ///   try super.validateForInsert()
  ///   if let end, end < start {
  ///     throw ManagedObjectError(.dateTooSoon, "ends before it starts", objectID: objectID, key: "end")
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: ``ManagedObjectError``; ``ManagedObjectError/Code/multipleErrors`` if there are several errors. The
  ///   errors are in the order of the properties in the entity's description. In a model that is made of classes, this
  ///   is the order of their declarations.
  open func validateForInsert() throws(ManagedObjectError) { try validateProperties() }

  /// Validates a changed object before it is saved. An override must call `super`.
  ///
  /// - Throws: the errors of ``validateForInsert()``.
  open func validateForUpdate() throws(ManagedObjectError) { try validateProperties() }

  /// Validates an object before its deletion is saved. An override must call `super`.
  ///
  /// - Throws: ``ManagedObjectError/Code/deleteDenied`` if a delete rule denies the deletion.
  open func validateForDelete() throws(ManagedObjectError) { try validateDeleteRules() }
}

/// Properties that describe the state of an object.
extension ManagedObject {
  /// The context of the object. It is nil if the object's deletion was saved by this context, or by another one and
  /// merged; if the object was new, and was deleted or rolled back, or its insertion was undone; or if the context was
  /// reset or released.
  public final var managedObjectContext: ManagedObjectContext? { status.contains(.detached) ? nil : shape.context }

  /// The entity of the object.
  public final var entity: ManagedObjectModel.Entity { shape.entity }

  /// The object ID. It is temporary until the object is saved.
  public final var objectID: ManagedObjectID {
    noteRead(.objectID)
    return ManagedObjectID(
      key, model: shape.entity.model, storeIdentifier: shape.coordinator?.store(key.store)?.identifier)
  }

  /// True if the object is new and not saved.
  public final var isInserted: Bool {
    noteRead(.isInserted)
    return status.isInserted
  }

  /// True if the object has unsaved changes and is neither new nor deleted.
  public final var isUpdated: Bool {
    noteRead(.isUpdated)
    return status.isUpdated
  }

  /// True if the next save deletes the object.
  public final var isDeleted: Bool {
    noteRead(.isDeleted)
    return status.isDeleted
  }

  /// True if the object is new, changed or deleted, and not saved.
  public final var hasChanges: Bool {
    noteRead(.hasChanges)
    return status.hasChanges
  }

  /// True for a new object, and if the value of a property that is not transient differs from the value that was last
  /// read or saved.
  public final var hasPersistentChangedValues: Bool {
    noteRead(.hasPersistentChangedValues)
    return differsFromCommitted
  }

  /// See ``hasPersistentChangedValues``.
  final var differsFromCommitted: Bool {
    guard let committed else { return status.isInserted }
    return values.indices.contains { shape.isPersistent[$0] && values[$0] != committed[$0] }
  }

  /// True if the object is deleted or inaccessible, so that no relationship can refer to it.
  final var isLost: Bool { !status.isDisjoint(with: [.deleted, .inaccessible]) }

  /// True if the object is a fault: no value has been accessed yet.
  public final var isFault: Bool { status.contains(.fault) }

  /// True if the object is not available: its row was missing or could not be read when a value was accessed; a
  /// refresh, a merge or a save found that the store no longer has it; or its context was reset. Values that had not
  /// been read are empty.
  public final var isInaccessible: Bool {
    noteRead(.isInaccessible)
    return status.isInaccessible
  }
}

/// Code that reads an object under `withObservationTracking`, or in `Observations`, is notified when a value that it
/// read changes, whatever changes it: the program, the inverse of a relationship, undo, a merge, a save or a refresh.
///
/// ```swift
/// withObservationTracking {
///   print(note.title, note.author?.name ?? "")
/// } onChange: {
///   print("the title or the author changed, or the name of the author")
/// }
/// ```
///
/// Attributes, relationships, fetched properties, values by key and key path, ``objectID``, ``changedValues()``,
/// ``committedValues(forKeys:)`` and the states of the object are tracked, except ``isFault`` and
/// ``managedObjectContext``. A fetched property is compared when ``ManagedObjectContext/processPendingChanges()`` is
/// called. A tracked object is read again as soon as it is refreshed, to find out if its values differ.
///
/// If the program sets an attribute, the notification comes before the change. Otherwise it comes at the end of the
/// operation, when both sides of each relationship agree.
///
/// Tracking ends with the first change, when the program no longer references the object or an object that leads to it
/// by tracked relationships, or when the context is released.
extension ManagedObject: Observable {}

/// Two objects are equal only if they are the same instance.
extension ManagedObject: Hashable {
  public static func == (first: ManagedObject, second: ManagedObject) -> Bool { first === second }

  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: CustomStringConvertible {
  /// The entity's name and the primary key, such as `Note/p12`. See ``ManagedObjectID/description``.
  public final var description: String { objectID.description }
}
