internal import ObjectModels
internal import PropertyLists

/// The names of a model's entities and properties in an ``XMLStore`` file: entity names in upper case, property names
/// in lower case.
struct XMLNames: Sendable {
  /// The entities, by their index in the model.
  let entities: [Entity]
  private let indices: [String: Int]

  struct Entity: Sendable {
    let name: [UInt8]
    /// The properties that are written: attributes, then relationships, both sorted by name.
    let properties: [Property]
    fileprivate let propertyIndices: [String: Int]

    /// Returns the index of the property with a name in the file.
    func property(named name: String) -> Int? { propertyIndices[name] }
  }

  struct Property: Sendable {
    let name: [UInt8]
    let slot: Int
    let kind: Kind
    /// The entity index to use in the keys of deleted objects, because the file does not contain the entities of
    /// deleted objects. Nil unless the property is a to-one relationship that keeps references to deleted objects.
    let deletedEntity: Int?
    /// The bytes of the property's start tag, without the part that differs from object to object.
    let beginning: [UInt8]

    var isAttribute: Bool { if case .attribute = kind { true } else { false } }
  }

  enum Kind: Sendable {
    case attribute(AttributeType)
    case relationship(destination: Range<Int>, destinationName: [UInt8], isToMany: Bool, isOrdered: Bool)
  }

  /// Creates an instance without names, to read only the metadata of a file.
  init() { (entities, indices) = ([], [:]) }

  /// Creates the names of a model.
  ///
  /// - Throws: ``ManagedObjectError/Code/incompatibleSchema`` if two names become the same in the file, or if XML does
  ///   not allow a character of a name.
  init(_ model: ManagedObjectModel) throws(ManagedObjectError) {
    var entities: [Entity] = []
    var indices: [String: Int] = [:]
    for entity in model.entities {
      let name = entity.name.uppercased()
      for name in [name] + entity.properties.map(\.name)
      where !name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && XMLText.isAllowed($0.value) }) {
        throw ManagedObjectError(
          .incompatibleSchema, "the name \(name.quoted) contains characters that XML does not allow")
      }
      if let other = indices.updateValue(entity.index, forKey: name) {
        throw ManagedObjectError(
          .incompatibleSchema,
          "the entities \(model.entity(at: other).name.quoted) and \(entity.name.quoted) have the same name in XML")
      }
      entities.append(try Self.entity(entity, name))
    }
    self.entities = entities
    self.indices = indices
  }

  /// Returns the index of the entity with a name in the file.
  func entity(named name: String) -> Int? { indices[name] }

  private static func entity(_ entity: ManagedObjectModel.Entity, _ name: String) throws(ManagedObjectError) -> Entity {
    var properties: [Property] = []
    for attribute in entity.attributes where !attribute.isTransient { properties.append(Property(attribute)) }
    for relationship in entity.relationships where !relationship.isTransient {
      properties.append(Property(relationship, of: entity))
    }
    properties.sort { $0.isAttribute != $1.isAttribute ? $0.isAttribute : $0.name.lexicographicallyPrecedes($1.name) }
    let propertyNames = Dictionary(uniqueKeysWithValues: entity.properties.map { ($0.slot, $0.name) })
    var propertyIndices: [String: Int] = [:]
    for (index, property) in properties.enumerated() {
      let key = propertyNames[property.slot] ?? ""
      if let other = propertyIndices.updateValue(index, forKey: key.lowercased()) {
        let known = propertyNames[properties[other].slot] ?? ""
        throw ManagedObjectError(
          .incompatibleSchema,
          "the properties \(known.quoted) and \(key.quoted) of \(entity.name.quoted) have the same name in XML",
          key: key)
      }
    }
    return Entity(name: XMLStoreText.attribute(name), properties: properties, propertyIndices: propertyIndices)
  }
}

extension XMLNames.Property {
  fileprivate init(_ attribute: ManagedObjectModel.Entity.Attribute) {
    name = XMLStoreText.attribute(attribute.name.lowercased())
    slot = attribute.slot
    deletedEntity = nil
    let type = attribute.definition.type
    kind = .attribute(type)
    var tag = Array("\n        <attribute name=\"".utf8) + name + Array("\" type=\"".utf8)
    // If the attribute has no type, each value is written with its own type.
    if type != .undefined { tag += Array("\(XMLStoreText.typeName(type))\">".utf8) }
    beginning = tag
  }

  fileprivate init(_ relationship: ManagedObjectModel.Entity.Relationship, of entity: ManagedObjectModel.Entity) {
    let destination = entity.destination(of: relationship)
    name = XMLStoreText.attribute(relationship.name.lowercased())
    slot = relationship.slot
    deletedEntity = entity.keepsDeletedObjects(relationship) ? destination.firstConcreteEntity?.index : nil
    let destinationName = XMLStoreText.attribute(destination.name.uppercased())
    kind = .relationship(
      destination: destination.subtree, destinationName: destinationName,
      isToMany: relationship.definition.isToMany, isOrdered: relationship.definition.isToMany && relationship.isOrdered)
    let counts = "\(relationship.minimumCount)/\(relationship.maximumCount)"
    beginning =
      Array("\n        <relationship name=\"".utf8) + name + Array("\" type=\"\(counts)\" destination=\"".utf8)
      + destinationName + Array("\"".utf8)
  }
}
