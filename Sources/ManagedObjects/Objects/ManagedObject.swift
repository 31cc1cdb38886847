internal import ObjectModels
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
/// the object, its values are empty and ``isInaccessible`` is true.
///
/// A context retains the objects that have changes. Other objects are released when your program no longer references
/// them. Relationships do not retain their objects.
///
/// The `deinit` of a class must not change the object or follow its relationships: they can lead back to the object,
/// and the program would crash. Clean up in ``willTurnIntoFault()`` or ``prepareForDeletion()``.
open class ManagedObject {
  /// The values that a context creates an object from.
  public struct Creation {
    let shape: EntityShape
    let key: RowKey
  }

  final let shape: EntityShape
  final var key: RowKey
  /// The version of the row that the values come from; 0 for an object that was never saved.
  final var version: Int64 = 0
  /// The values by slot. Empty for a fault whose row was not read.
  final var values: [RowValue] = []
  /// The values as they were read or saved; nil while nothing is changed.
  final var committed: [RowValue]?
  final var status: Status = .fault

  struct Status: OptionSet {
    let rawValue: UInt16
    static let inserted = Status(rawValue: 1)
    static let updated = Status(rawValue: 2)
    static let deleted = Status(rawValue: 4)
    /// No value has been accessed yet.
    static let fault = Status(rawValue: 8)
    /// The row does not exist in the store (any more), or could not be read.
    static let inaccessible = Status(rawValue: 16)
    /// Not in a context: deleted and saved, or released by a reset.
    static let detached = Status(rawValue: 32)
    /// Not an object of a context: describes the properties of its class.
    static let prototype = Status(rawValue: 64)
    /// In the context's list of changed objects.
    static let listed = Status(rawValue: 128)
    /// Changed since the context last reported changes.
    static let pending = Status(rawValue: 256)
    /// `willSave` has been called in the current save.
    static let announced = Status(rawValue: 512)
    /// A property was set to a value that it cannot have.
    static let refusing = Status(rawValue: 1024)
    /// `prepareForDeletion` is being called.
    static let leaving = Status(rawValue: 2048)
    /// `awakeFromFetch` or `willTurnIntoFault` is being called.
    static let turning = Status(rawValue: 4096)

    /// New in the context since its last report of changes.
    static let unreported = Status(rawValue: 8192)

    /// The states whose objects the context retains.
    static let changed: Status = [.inserted, .updated, .deleted]
  }

  /// Creates an object. Called by contexts. An override must call it.
  public required init(_ creation: Creation) {
    shape = creation.shape
    key = creation.key
  }

  deinit {
    if !status.contains(.detached) { shape.state?.registered.remove(key) }
  }

  /// The name of the class's entity in a model that is made of classes. By default, the name of the class. An override
  /// must return a different name for each subclass.
  open class var entityName: String { String(describing: self) }

  /// Changes the entity of a class in a model that is made of classes: its constraints, indexes, user info, renaming
  /// identifier, and whether it is abstract.
  ///
  /// ```swift
  /// override class func describe(_ entity: inout EntityDescription) {
  ///   entity.uniquenessConstraints.append(["owner", "title"])
  /// }
  /// ```
  ///
  /// If a subclass does not override this method, the settings apply to the superclass's entity only.
  open class func describe(_ entity: inout EntityDescription) {}

  /// Called once, when the object is inserted into a context. Set initial values here.
  open func awakeFromInsert() {}

  /// Called after the values of the object were read. Values that you set here do not count as changes.
  open func awakeFromFetch() {}

  /// Called at the beginning of a save that includes changes of the object. It may change objects, but must not call
  /// `save()`.
  open func willSave() {}

  /// Called after changes of the object were saved.
  open func didSave() {}

  /// Called before the object is deleted.
  open func prepareForDeletion() {}

  /// Called before the object becomes a fault. Changes that it makes to the object itself are lost.
  open func willTurnIntoFault() {}

  /// Called before the value of an attribute is saved, and by ``validate(_:forKey:)``. Throws if the value is not
  /// valid.
  ///
  /// The rules of the model are checked first. To check relationships, override ``validateForInsert()`` and
  /// ``validateForUpdate()``.
  open func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {}

  /// Validates a new object before it is saved. An override must call it.
  ///
  /// - Throws: ``ManagedObjectError``; ``ManagedObjectError/Code/multipleErrors`` if there are several errors. They
  ///   have the order of the properties in the description of the entity, which is the order in the class for a model
  ///   made of classes.
  open func validateForInsert() throws(ManagedObjectError) { try validateProperties() }

  /// Validates a changed object before it is saved. An override must call it.
  ///
  /// - Throws: the errors of ``validateForInsert()``.
  open func validateForUpdate() throws(ManagedObjectError) { try validateProperties() }

  /// Validates an object before its deletion is saved. An override must call it.
  ///
  /// - Throws: ``ManagedObjectError/Code/deleteDenied``.
  open func validateForDelete() throws(ManagedObjectError) { try validateDeleteRules() }
}

/// The state of an object.
extension ManagedObject {
  /// The context of the object. It is nil if the object's deletion was saved, its insertion was undone, or the context
  /// was reset or released.
  public final var managedObjectContext: ManagedObjectContext? { status.contains(.detached) ? nil : shape.context }

  /// The entity of the object.
  public final var entity: ManagedObjectModel.Entity { shape.entity }

  /// The object ID. It is temporary until the object is saved.
  public final var objectID: ManagedObjectID {
    ManagedObjectID(key, model: shape.entity.model, storeIdentifier: shape.coordinator?.store(key.store)?.identifier)
  }

  /// True if the object is new and not saved.
  public final var isInserted: Bool { status.contains(.inserted) }

  /// True if the object has unsaved changes and is neither new nor deleted.
  public final var isUpdated: Bool { status.contains(.updated) && status.isDisjoint(with: [.inserted, .deleted]) }

  /// True if the next save deletes the object.
  public final var isDeleted: Bool { status.contains(.deleted) }

  /// True if the object is new, changed or deleted, and not saved.
  public final var hasChanges: Bool { !status.isDisjoint(with: .changed) }

  /// True if the value of a property that a store keeps differs from the one that was read or saved.
  public final var hasPersistentChangedValues: Bool {
    guard let committed else { return isInserted }
    return values.indices.contains { shape.isPersistent[$0] && values[$0] != committed[$0] }
  }

  /// True if no relationship can refer to the object.
  final var isLost: Bool { !status.isDisjoint(with: [.deleted, .inaccessible]) }

  /// True until a value is accessed.
  public final var isFault: Bool { status.contains(.fault) }

  /// True if the object's row was missing or could not be read when its values were accessed. Its values are empty
  /// then.
  public final var isInaccessible: Bool { status.contains(.inaccessible) }
}

/// Objects are equal if they are identical.
extension ManagedObject: Hashable {
  public static func == (first: ManagedObject, second: ManagedObject) -> Bool { first === second }

  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: CustomStringConvertible {
  /// The entity's name and the object's number: ``ManagedObjectID/description``.
  public final var description: String { objectID.description }
}
