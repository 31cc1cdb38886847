internal import ManagedObjects
internal import PropertyLists

/// The entities and properties of one version of a model that those of another come from.
///
/// They are found by renaming identifiers, and by names. The identifier of an entity or property without one is its
/// name.
struct InferredMapping {
  let source: ManagedObjectModel
  let destination: ManagedObjectModel
  /// The entity that each entity of the destination comes from, by its place in the model; nil for a new one.
  private(set) var entities: [Int?]
  /// The name of the property that each property comes from, by its entity's place and its own name.
  private(set) var properties: [[String: String]]
  private var reasons: [String] = []

  /// - Throws: ``ManagedObjectError/Code/inferredMapping`` with all that nobody can tell from the models alone.
  init(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws(ManagedObjectError) {
    self.source = source
    self.destination = destination
    entities = Array(repeating: nil, count: destination.entities.count)
    properties = Array(repeating: [:], count: destination.entities.count)
    mapEntities()
    for entity in destination.entities { mapProperties(of: entity) }
    checkHierarchies()
    let errors = reasons.map { ManagedObjectError(.inferredMapping, $0) }
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  /// The entity of the destination that an entity of the source becomes; nil if it is gone.
  func destination(of sourceIndex: Int) -> Int? { entities.firstIndex(of: sourceIndex) }

  func sourceEntity(of entity: ManagedObjectModel.Entity) -> ManagedObjectModel.Entity? {
    entities[entity.index].map { ManagedObjectModel.Entity(model: source, index: $0) }
  }
}

extension InferredMapping {
  private mutating func mapEntities() {
    var sources: [String: Int] = [:]
    for entity in source.entities { sources[entity.definition.renamingIdentifier ?? entity.name] = entity.index }
    for entity in source.entities where sources[entity.name] == nil { sources[entity.name] = entity.index }
    var owners: [Int: String] = [:]
    for entity in destination.entities {
      let identifier = entity.definition.renamingIdentifier ?? entity.name
      guard let found = sources[identifier] ?? source.entity(named: entity.name)?.index else { continue }
      if let owner = owners.updateValue(entity.name, forKey: found) {
        reasons.append(
          "the entities \(owner.quoted) and \(entity.name.quoted) both come from \(source.entities[found].name.quoted)")
      }
      entities[entity.index] = found
    }
  }

  private mutating func mapProperties(of entity: ManagedObjectModel.Entity) {
    let old = sourceEntity(of: entity)
    for attribute in entity.attributes where !attribute.isTransient {
      let name = "\(entity.name).\(attribute.name)"
      let count = reasons.count
      // What is wrong with an inherited property is said once.
      defer { if !isOwn(attribute.name, of: entity) { reasons.removeLast(reasons.count - count) } }
      if attribute.definition.derivation != nil || attribute.definition.type == .composite {
        reasons.append("the attribute \(name.quoted) is one that the store computes, or consists of others")
      }
      let found = old.flatMap { Self.property(attribute.definition.traits, of: $0) }
      switch found {
      case .attribute(let former)? where !former.isTransient:
        properties[entity.index][attribute.name] = former.name
        check(attribute, former, name)
      case .relationship?: reasons.append("\(name.quoted) was a relationship")
      default:
        if !attribute.isOptional, attribute.initialValue == .null, old != nil, !entity.isAbstract {
          reasons.append("the attribute \(name.quoted) is new, must have a value, and has no default")
        }
      }
    }
    for relationship in entity.relationships where !relationship.isTransient {
      let name = "\(entity.name).\(relationship.name)"
      let count = reasons.count
      defer { if !isOwn(relationship.name, of: entity) { reasons.removeLast(reasons.count - count) } }
      guard let old, let found = Self.property(relationship.definition.traits, of: old) else { continue }
      guard case .relationship(let former) = found else {
        reasons.append("\(name.quoted) was an attribute")
        continue
      }
      if former.isTransient { continue }
      properties[entity.index][relationship.name] = former.name
      if former.definition.isToMany, !relationship.definition.isToMany {
        reasons.append("the relationship \(name.quoted) referred to many objects, and is to refer to one")
      }
      checkDestination(of: relationship, entity, former, old, name)
    }
  }

  /// True for a property of the entity itself, and for one whose superentity is new or comes from another one.
  private func isOwn(_ name: String, of entity: ManagedObjectModel.Entity) -> Bool {
    guard let superentity = entity.superentity, superentity.property(named: name) != nil else { return true }
    return sourceEntity(of: superentity) != sourceEntity(of: entity)?.superentity
  }

  /// The property of an entity that another comes from.
  private static func property(
    _ traits: PropertyTraits, of entity: ManagedObjectModel.Entity
  ) -> ManagedObjectModel.Entity.Property? {
    let identifier = traits.renamingIdentifier ?? traits.name
    return entity.properties.first { $0.identifier == identifier } ?? entity.property(named: identifier)
      ?? entity.property(named: traits.name)
  }

  private mutating func check(
    _ attribute: ManagedObjectModel.Entity.Attribute, _ former: ManagedObjectModel.Entity.Attribute, _ name: String
  ) {
    if attribute.definition.type != former.definition.type {
      reasons.append(
        "the attribute \(name.quoted) was \(former.definition.type.name), and is to be \(attribute.definition.type.name)"
      )
    }
    if former.isOptional, !attribute.isOptional, attribute.initialValue == .null {
      reasons.append("the attribute \(name.quoted) must have a value from now on, and has no default")
    }
    if former.definition.allowsExternalBinaryDataStorage, !attribute.definition.allowsExternalBinaryDataStorage {
      reasons.append("the attribute \(name.quoted) may have values in files of their own, and is not to")
    }
  }

  /// All objects that a relationship may have must still be such that it may have them.
  private mutating func checkDestination(
    of relationship: ManagedObjectModel.Entity.Relationship, _ entity: ManagedObjectModel.Entity,
    _ former: ManagedObjectModel.Entity.Relationship, _ old: ManagedObjectModel.Entity, _ name: String
  ) {
    let allowed = entity.destination(of: relationship).subtree
    for index in old.destination(of: former).subtree {
      guard let new = destination(of: index), !allowed.contains(new) else { continue }
      reasons.append(
        "the relationship \(name.quoted) may refer to objects of \(destination.entities[new].name.quoted), "
          + "and is not to")
      return
    }
  }

  /// Objects of different tables cannot come into one, since they can have the same numbers.
  private mutating func checkHierarchies() {
    for root in destination.entities where root.superentity == nil {
      let roots = Set(root.selfAndDescendants.compactMap { sourceEntity(of: $0)?.root.name }).sorted()
      if roots.count > 1 {
        reasons.append(
          "the entities that inherit from \(root.name.quoted) come from some that had nothing in common: "
            + roots.map(\.quoted).joined(separator: ", "))
      }
    }
  }
}

extension ManagedObjectModel.Entity.Property {
  /// The renaming identifier, or the name.
  fileprivate var identifier: String {
    switch self {
    case .attribute(let attribute): attribute.definition.traits.renamingIdentifier ?? attribute.name
    case .relationship(let relationship): relationship.definition.traits.renamingIdentifier ?? relationship.name
    }
  }
}
