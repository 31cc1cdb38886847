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

/// IDs in the files and messages of a program. The encoded value is the ``uriRepresentation``, so it needs the
/// coordinator of the store to become an ID again.
///
/// ```swift
/// struct Bookmark: Codable {
///   var note: ManagedObjectID
/// }
///
/// let data = try JSONEncoder().encode(Bookmark(note: note.objectID))
/// let decoder = JSONDecoder()
/// decoder.userInfo[.persistentStoreCoordinator] = container.coordinator
/// let bookmark = try decoder.decode(Bookmark.self, from: data)
/// ```
extension ManagedObjectID: Codable {
  /// Encodes the URI of the object.
  ///
  /// - Throws: `EncodingError` for a temporary ID, which is valid only in this process.
  public func encode(to encoder: any Encoder) throws {
    guard !isTemporary else {
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: "\(self) is temporary: save the object before its ID"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(uriRepresentation)
  }

  /// Decodes the URI of an object. The `userInfo` of the decoder must contain the coordinator of the object's store
  /// under the key `persistentStoreCoordinator`.
  ///
  /// - Throws: `DecodingError` if the coordinator is missing, if the text is not the URI of an object, or if the
  ///   coordinator does not have its store or entity.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let uri = try container.decode(String.self)
    guard let coordinator = decoder.userInfo[.persistentStoreCoordinator] as? PersistentStoreCoordinator else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "an object ID needs the coordinator in userInfo[.persistentStoreCoordinator] of the decoder")
    }
    guard let id = coordinator.objectID(forURI: uri) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "expected the URI of an object in a store of the coordinator, found \(uri.quoted)")
    }
    self = id
  }
}

extension CodingUserInfoKey {
  /// The key of the ``PersistentStoreCoordinator`` that a decoder needs for a ``ManagedObjectID``.
  public static let persistentStoreCoordinator = CodingUserInfoKey(rawValue: "persistentStoreCoordinator")!
}

/// Object IDs as arguments of predicates, which compare objects with them.
extension ManagedObjectID: PredicateArgument {
  public var predicateExpression: ManagedExpression { key.predicateExpression }
}
