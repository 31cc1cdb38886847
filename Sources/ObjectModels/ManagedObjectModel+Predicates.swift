internal import OrderedCollections
public import Predicates
internal import PropertyLists

/// The keys of an entity in predicates, as in `entity.name == "Employee"`.
package enum EntityPredicateKey: String, CaseIterable {
  /// The name of the entity.
  case name
  /// The user info, a dictionary.
  case userInfo
  /// The names of the entity and of all entities that it inherits from, beginning with its own.
  case kinds
}

/// An entity can be an argument of a predicate.
///
/// ```swift
/// let company = model["Company"]!
/// let predicate = try ManagedPredicate(format: "owner.entity == %@", company)
/// ```
///
/// It equals only the entity itself, and no entity that inherits from it.
extension ManagedObjectModel.Entity: PredicateArgument {
  /// An expression for the entity: a dictionary with the keys `name`, `userInfo` and `kinds`.
  public var predicateExpression: ManagedExpression { .constant(predicateConstant) }

  /// The entity as a constant of predicates.
  ///
  /// - Complexity: O(*n*) in the number of entities that it inherits from, and in the size of the user info.
  package var predicateConstant: PredicateConstant {
    var kinds: [PredicateConstant] = []
    var entity: Self? = self
    while let next = entity {
      kinds.append(.value(.string(next.name)))
      entity = next.superentity
    }
    let userInfo = definition.userInfo
    return .dictionary([
      EntityPredicateKey.name.rawValue: .value(.string(name)),
      EntityPredicateKey.userInfo.rawValue:
        userInfo.isEmpty ? .dictionary([:]) : PropertyList.dictionary(userInfo).predicateConstant ?? .null,
      EntityPredicateKey.kinds.rawValue: .array(kinds),
    ])
  }

  /// True if `entity` in a predicate means the entity of the object. False if an entity of the same inheritance tree
  /// has a property that is named `entity`. Only compiled models can have such a property.
  package var hasEntityKey: Bool {
    guard let slots = model.keySlots["entity"] else { return true }
    let family = root.subtree
    return !slots.contains { family.contains(Int($0.entities.lowerBound)) }
  }
}
