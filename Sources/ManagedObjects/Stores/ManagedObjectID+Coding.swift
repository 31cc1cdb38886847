internal import PropertyLists

/// IDs are encoded as their ``uriRepresentation``. Decoding one needs the coordinator of the store.
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
