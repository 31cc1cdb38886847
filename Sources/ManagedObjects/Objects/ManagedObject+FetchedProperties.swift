internal import ObjectModels
internal import OrderedCollections
internal import Predicates
internal import PropertyLists

/// Functions that fetch the objects of fetched properties.
extension ManagedObject {
  /// Fetches the objects of a fetched property. Returns no objects if this object has no context.
  ///
  /// ```swift
  /// let fellows = try note.fetchedObjects(named: "fellows")
  /// ```
  ///
  /// In the predicate of the property, `$FETCH_SOURCE` is this object. `$FETCHED_PROPERTY` is the description of the
  /// property, with the keys `name`, `userInfo`, `renamingIdentifier`, `versionHashModifier`, `optional`, `transient`,
  /// and `entity`, whose keys are `name`, `userInfo` and `kinds`: `pages >= $FETCHED_PROPERTY.userInfo.minimum`. A key
  /// that the user info does not have is null.
  ///
  /// - Throws: ``ManagedObjectError/Code/undefinedKey`` if the entity has no such fetched property, or if the predicate
  ///   uses a key that the description does not have; the errors of ``ManagedObjectContext/fetch(_:)``.
  public final func fetchedObjects(named name: String) throws(ManagedObjectError) -> [ManagedObject] {
    noteRead(.fetched(name))
    return try fetchObjects(named: name)
  }

  /// See ``fetchedObjects(named:)``.
  final func fetchObjects(named name: String) throws(ManagedObjectError) -> [ManagedObject] {
    guard let property = shape.entity.fetchedProperty(named: name) else { throw undefined(name) }
    guard let context = managedObjectContext else { return [] }
    var request = property.request
    let description = FetchedPropertyConstant(property, of: shape.entity)
    var unknownKey: String?
    request.predicate = request.predicate?.withoutDeepRows.replacing(
      PredicateReplacement(
        variables: ["FETCH_SOURCE": .constant(.object(key)), "FETCHED_PROPERTY": .constant(description.constant)],
        keyPath: { variable, path in
          guard variable == "FETCHED_PROPERTY" else { return nil }
          if let key = description.unknownKey(in: path) { unknownKey = key }
          return description.value(at: path)
        }))
    if let unknownKey {
      throw ManagedObjectError(
        .undefinedKey, "$FETCHED_PROPERTY has no key \(unknownKey.quoted)", objectID: objectID, key: name)
    }
    return try context.fetch(request)
  }
}

/// The description of a fetched property as a constant of predicates.
private struct FetchedPropertyConstant {
  private let entries: [String: PredicateConstant]

  init(_ property: FetchedPropertyDescription, of entity: ManagedObjectModel.Entity) {
    let traits = property.traits
    func text(_ text: String?) -> PredicateConstant { text.map { .value(.string($0)) } ?? .null }
    entries = [
      "name": text(traits.name), "userInfo": Self.dictionary(traits.userInfo),
      "renamingIdentifier": text(traits.renamingIdentifier), "versionHashModifier": text(traits.versionHashModifier),
      "optional": .value(.boolean(traits.isOptional)), "transient": .value(.boolean(traits.isTransient)),
      "entity": entity.predicateConstant,
    ]
  }

  private static func dictionary(_ entries: OrderedDictionary<String, PropertyList>) -> PredicateConstant {
    PropertyList.dictionary(entries).predicateConstant ?? .null
  }

  var constant: PredicateConstant { .dictionary(entries) }

  /// Returns the first key of a path that the description or its entity does not have; nil if they have all keys.
  func unknownKey(in path: PredicateKeyPath) -> String? {
    guard let value = entries[path.keys[0]] else { return path.keys[0] }
    if path.keys[0] == "entity", path.keys.count > 1, case .dictionary(let entity) = value, entity[path.keys[1]] == nil
    {
      return path.description
    }
    return nil
  }

  /// Returns the value at a key path, so that stores receive a constant instead of a dictionary. The expression keeps
  /// keys that the description does not have, such as `length` of a string.
  func value(at path: PredicateKeyPath) -> ManagedExpression {
    var value = constant
    for (index, key) in path.keys.enumerated() {
      if case .dictionary(let entries) = value {
        value = entries[key] ?? .null
      } else if value == .null {
        return .constant(.null)
      } else if let rest = PredicateKeyPath(keys: Array(path.keys[index...])) {
        return .keyPath(rest, of: .constant(value))
      }
    }
    return .constant(value)
  }
}
