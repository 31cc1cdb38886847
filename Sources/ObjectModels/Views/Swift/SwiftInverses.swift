/// The pairs of relationships that are each other's inverses.
///
/// Only one wrapper of a pair names the other property, because the compiler rejects key paths in both. Wrappers cannot
/// express a relationship that is its own inverse, one that is the inverse of relationships of several entities, or one
/// whose key path cannot be written.
struct SwiftInverses {
  private struct Key: Hashable {
    /// The index of the entity that declares the relationship.
    let entity: Int
    let name: String
  }

  /// The relationships whose wrappers name their inverses.
  private var named: Set<Key> = []
  /// The relationships that are the inverses of those in ``named``.
  private var implied: Set<Key> = []

  init(_ model: ManagedObjectModel, _ names: SwiftNames) {
    var claims: [Key: [Key]] = [:]
    var order: [(key: Key, inverse: Key)] = []
    for entity in model.entities {
      for relationship in entity.definition.relationships {
        let key = Key(entity: entity.index, name: relationship.name)
        guard let name = relationship.inverse, let destination = model[relationship.destination],
          let inverse = Self.declaration(of: name, destination)
        else { continue }
        claims[inverse, default: []].append(key)
        order.append((key, inverse))
      }
    }
    for (key, inverse) in order where !implied.contains(key) && key != inverse {
      // Each side of a pair must be the inverse of the other one only.
      let entity = model.entity(at: key.entity)
      let other = model.entity(at: inverse.entity)
      guard claims[inverse] == [key], claims[key] == [inverse],
        other.definition[relationship: inverse.name]?.destination == entity.name,
        SwiftNames.reasonAgainst(key.name, of: entity) == nil,
        SwiftNames.reasonAgainst(inverse.name, of: other) == nil,
        SwiftNames.isKeyPathComponent(inverse.name),
        // A property with the name of the class would hide it in the key path.
        !entity.allPropertyDescriptions.contains(where: { $0.name == names.classes[other.index] })
      else { continue }
      named.insert(key)
      implied.insert(inverse)
    }
  }

  private static func declaration(of name: String, _ entity: ManagedObjectModel.Entity) -> Key? {
    var next: ManagedObjectModel.Entity? = entity
    while let entity = next {
      if entity.definition[relationship: name] != nil { return Key(entity: entity.index, name: name) }
      next = entity.superentity
    }
    return nil
  }

  /// Returns true if the wrapper of a relationship names the inverse.
  func isNamed(_ name: String, _ entity: ManagedObjectModel.Entity) -> Bool {
    named.contains(Key(entity: entity.index, name: name))
  }

  /// Returns true if the wrapper of a relationship's inverse names the relationship.
  func isImplied(_ name: String, _ entity: ManagedObjectModel.Entity) -> Bool {
    implied.contains(Key(entity: entity.index, name: name))
  }
}
