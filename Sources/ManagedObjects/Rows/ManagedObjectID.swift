internal import ObjectModels
public import Predicates
internal import PropertyLists

/// An identifier of an object, valid as long as the object is in its store.
///
/// The ID of an object that was never saved is temporary. The first save replaces it with a permanent ID. To keep an ID
/// in a file, write its ``uriRepresentation``.
///
/// ```swift
/// let uri = note.objectID.uriRepresentation              // x-coredata://7B3C1D9A-…/Note/p12
/// let id = container.coordinator.objectID(forURI: uri)   // note.objectID
/// ```
public struct ManagedObjectID: Sendable {
  /// The entity of the object.
  public let entity: ManagedObjectModel.Entity
  /// The key that rows use to refer to the object.
  public let key: RowKey
  /// The identifier of the store (`NSStoreUUID`); nil for an object that was never saved.
  public let storeIdentifier: String?

  /// Creates the ID of an object.
  public init(_ key: RowKey, model: ManagedObjectModel, storeIdentifier: String?) {
    self.key = key
    entity = ManagedObjectModel.Entity(model: model, index: Int(key.entityIndex))
    self.storeIdentifier = storeIdentifier
  }

  /// True if the ID is temporary: the object was not saved when the ID was created.
  public var isTemporary: Bool { key.isTemporary }

  /// The ID as text: `x-coredata://STORE/Entity/p12`, or `x-coredata:///Entity/t3` for an object that was never saved.
  /// The second form is valid only in this process.
  ///
  /// For saved objects, the format is that of Core Data.
  public var uriRepresentation: String {
    ObjectURI(storeIdentifier: storeIdentifier, entityName: entity.name, number: key.number).text
  }
}

/// IDs are equal if they identify the same object, even if two coordinators have opened its store.
extension ManagedObjectID: Hashable {
  public static func == (first: ManagedObjectID, second: ManagedObjectID) -> Bool {
    first.key.number == second.key.number
      && (first.key == second.key
        || first.storeIdentifier == second.storeIdentifier && first.entity.name == second.entity.name)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(key.number) }
}

extension ManagedObjectID: CustomStringConvertible {
  /// The entity and the primary key: `Note/p12`, or `Note/t3` for an object that was never saved. Objects of different
  /// stores can have the same description; their ``uriRepresentation`` differs.
  public var description: String {
    "\(entity.name.printable(limit: 100))/\(isTemporary ? "t" : "p")\(key.number.magnitude)"
  }
}

/// Object IDs as arguments of predicates, which compare objects with them.
extension ManagedObjectID: PredicateArgument {
  public var predicateExpression: ManagedExpression { key.predicateExpression }
}
