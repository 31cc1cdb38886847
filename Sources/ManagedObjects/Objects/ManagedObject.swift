internal import ObjectModels
public import Predicates

/// An object of a context: values of attributes, and relationships to other objects.
///
/// Objects are made, fetched and kept by a ``ManagedObjectContext``, which has one for each row of a store. They can be
/// of this class, or of a class of the program:
///
/// ```swift
/// final class Note: ManagedObject {
///   @Attribute var date: Date
///   @Attribute var content: String?
///   @Relationship(inverse: \Person.notes) var author: Person?
/// }
/// ```
///
/// An object can be a fault: what it has is read from the store when it is first asked for. An object that its store
/// does not have any more has the values of an object without any, and ``isInaccessible`` says so.
///
/// A context keeps the objects that have changes. Others are gone when the program has no reference to them; what they
/// refer to does not keep them.
///
/// The `deinit` of a class must neither change the object nor follow relationships, which could lead back to it: the
/// program would end. What is to be done when values go is done in ``willTurnIntoFault()`` or
/// ``prepareForDeletion()``.
open class ManagedObject {
  /// What a context makes an object of.
  public struct Creation {
    let shape: EntityShape
    let key: RowKey
  }

  final let shape: EntityShape
  final var key: RowKey
  /// The version of the row that the values come from; 0 for an object that was never saved.
  final var version: Int64 = 0
  /// A value for each slot. Empty for a fault whose row was not read.
  final var values: [RowValue] = []
  /// The values as they were read or saved; nil as long as nothing was changed.
  final var committed: [RowValue]?
  final var status: Status = .fault

  struct Status: OptionSet {
    let rawValue: UInt16
    static let inserted = Status(rawValue: 1)
    static let updated = Status(rawValue: 2)
    static let deleted = Status(rawValue: 4)
    /// Nothing was asked for yet.
    static let fault = Status(rawValue: 8)
    /// The store has no row (any more).
    static let inaccessible = Status(rawValue: 16)
    /// Without a context: deleted and saved, or forgotten.
    static let detached = Status(rawValue: 32)
    /// No object of a context: it shows what properties its class has.
    static let prototype = Status(rawValue: 64)
    /// In the context's list of changed objects.
    static let listed = Status(rawValue: 128)
    /// Changed since the context last told of changes.
    static let pending = Status(rawValue: 256)
    /// Told of the save that is going on.
    static let announced = Status(rawValue: 512)
    /// With properties that were given what they cannot keep.
    static let refusing = Status(rawValue: 1024)
    /// `prepareForDeletion` is being called.
    static let leaving = Status(rawValue: 2048)
    /// `awakeFromFetch` or `willTurnIntoFault` is being called.
    static let turning = Status(rawValue: 4096)

    /// New in the context since its last report of changes.
    static let unreported = Status(rawValue: 8192)

    /// What makes a context keep an object.
    static let changed: Status = [.inserted, .updated, .deleted]
  }

  /// Called by contexts. A class that overrides it calls it.
  public required init(_ creation: Creation) {
    shape = creation.shape
    key = creation.key
  }

  deinit {
    if !status.contains(.detached) { shape.state?.registered.remove(key) }
  }

  /// The name of the entity of a class, in a model that is made of classes: the name of the class. A class that
  /// overrides it has to return another name for each class that inherits from it.
  open class var entityName: String { String(describing: self) }

  /// Changes the entity of a class, in a model that is made of classes: constraints, indexes, user info, renaming, and
  /// whether it is abstract.
  ///
  /// ```swift
  /// override class func describe(_ entity: inout EntityDescription) {
  ///   entity.uniquenessConstraints.append(["owner", "title"])
  /// }
  /// ```
  ///
  /// What a class inherits is not said again for its entity.
  open class func describe(_ entity: inout EntityDescription) {}

  /// Called once, when the object is inserted into a context. Values that are set here are the object's first.
  open func awakeFromInsert() {}

  /// Called when the values of the object were read. What is set here is no change.
  open func awakeFromFetch() {}

  /// Called at the beginning of a save that has changes of the object. It can change objects; `save()` cannot be
  /// called.
  open func willSave() {}

  /// Called when changes of the object were saved.
  open func didSave() {}

  /// Called before the object is deleted.
  open func prepareForDeletion() {}

  /// Called before the object becomes a fault. What it changes in itself then is lost.
  open func willTurnIntoFault() {}

  /// Called when the value of an attribute is about to be saved, or by ``validate(_:forKey:)``. Throws if it is not
  /// valid.
  ///
  /// The rules of the model are checked before. Relationships are checked by those who override
  /// ``validateForInsert()`` and ``validateForUpdate()``.
  open func validateValue(_ value: AttributeValue, forKey key: String) throws(ManagedObjectError) {}

  /// Checks a new object before it is saved. A class that overrides it calls it.
  ///
  /// - Throws: ``ManagedObjectError``; ``ManagedObjectError/Code/multipleErrors`` if several things are wrong, in the
  ///   order of the properties in the description of the entity. For a model made of classes that is the order in the
  ///   class.
  open func validateForInsert() throws(ManagedObjectError) { try validateProperties() }

  /// Checks a changed object before it is saved. A class that overrides it calls it.
  ///
  /// - Throws: as ``validateForInsert()``.
  open func validateForUpdate() throws(ManagedObjectError) { try validateProperties() }

  /// Checks an object before its deletion is saved. A class that overrides it calls it.
  ///
  /// - Throws: ``ManagedObjectError/Code/deleteDenied``.
  open func validateForDelete() throws(ManagedObjectError) { try validateDeleteRules() }
}

/// State.
extension ManagedObject {
  /// The context; nil for an object that was deleted and saved, whose insertion was undone, or whose context was reset
  /// or is gone.
  public final var managedObjectContext: ManagedObjectContext? { status.contains(.detached) ? nil : shape.context }

  /// The entity.
  public final var entity: ManagedObjectModel.Entity { shape.entity }

  /// The name of the object. It is temporary until the object is saved.
  public final var objectID: ManagedObjectID {
    ManagedObjectID(key, model: shape.entity.model, storeIdentifier: shape.coordinator?.store(key.store)?.identifier)
  }

  /// True for a new object that is not saved.
  public final var isInserted: Bool { status.contains(.inserted) }

  /// True for an object with changes that are not saved, unless it is new or deleted.
  public final var isUpdated: Bool { status.contains(.updated) && status.isDisjoint(with: [.inserted, .deleted]) }

  /// True for an object that the next save deletes.
  public final var isDeleted: Bool { status.contains(.deleted) }

  /// True for an object that is new, changed or deleted, and not saved.
  public final var hasChanges: Bool { !status.isDisjoint(with: .changed) }

  /// True if a value differs from what was read or saved, of a property that a store keeps.
  public final var hasPersistentChangedValues: Bool {
    guard let committed else { return isInserted }
    return values.indices.contains { shape.isPersistent[$0] && values[$0] != committed[$0] }
  }

  /// True for an object that no relationship can lead to.
  final var isLost: Bool { !status.isDisjoint(with: [.deleted, .inaccessible]) }

  /// True until a value is asked for.
  public final var isFault: Bool { status.contains(.fault) }

  /// True if the store did not have the object when its values were asked for. They are those of an object without any.
  public final var isInaccessible: Bool { status.contains(.inaccessible) }
}

/// Objects are equal if they are the same.
extension ManagedObject: Hashable {
  public static func == (first: ManagedObject, second: ManagedObject) -> Bool { first === second }

  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ManagedObject: CustomStringConvertible {
  /// The entity and the number: ``ManagedObjectID/description``.
  public final var description: String { objectID.description }
}
