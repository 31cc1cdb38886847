internal import ObjectModels
public import Predicates
internal import PropertyLists

/// Names an object for as long as its store has it.
///
/// An object that was never saved has a temporary one; with the first save it gets another, which stays.
/// ``uriRepresentation`` can be kept in files.
public struct ManagedObjectID: Sendable {
  /// The entity of the object.
  public let entity: ManagedObjectModel.Entity
  /// The key by which rows refer to the object.
  public let key: RowKey
  /// The identifier of the store (`NSStoreUUID`); nil for an object that was never saved.
  public let storeIdentifier: String?

  /// The name of an object of a store.
  public init(_ key: RowKey, model: ManagedObjectModel, storeIdentifier: String?) {
    self.key = key
    entity = ManagedObjectModel.Entity(model: model, index: Int(key.entityIndex))
    self.storeIdentifier = storeIdentifier
  }

  /// True until the object is saved.
  public var isTemporary: Bool { key.isTemporary }

  /// The name as text: `x-coredata://STORE/Entity/p12`; of an object that was never saved,
  /// `x-coredata:///Entity/t3`, which means something only as long as this process runs.
  ///
  /// The form of a saved object's is that of files of Core Data.
  public var uriRepresentation: String {
    ObjectURI(storeIdentifier: storeIdentifier, entityName: entity.name, number: key.number).text
  }
}

/// Names are equal if they are of the same object, also if two coordinators opened its store.
extension ManagedObjectID: Hashable {
  public static func == (first: ManagedObjectID, second: ManagedObjectID) -> Bool {
    first.key.number == second.key.number
      && (first.key == second.key
        || first.storeIdentifier == second.storeIdentifier && first.entity.name == second.entity.name)
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(key.number) }
}

extension ManagedObjectID: CustomStringConvertible {
  /// The entity and the number: `Note/p12`; of an object that was never saved, `Note/t3`. Objects of several stores can
  /// have the same; ``uriRepresentation`` tells them from each other.
  public var description: String {
    "\(entity.name.printable(limit: 100))/\(isTemporary ? "t" : "p")\(key.number.magnitude)"
  }
}

/// The object of the name, in predicates.
extension ManagedObjectID: PredicateArgument {
  public var predicateExpression: ManagedExpression { key.predicateExpression }
}
