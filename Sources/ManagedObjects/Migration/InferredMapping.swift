package import ObjectModels
internal import Predicates
internal import PropertyLists

/// A mapping that is inferred from two versions of a model. It has the entity or property of the old model (the source)
/// that each entity and property of the new model (the destination) comes from.
///
/// Entities and properties are matched by renaming identifiers, then by names. If one has no renaming identifier, its
/// name is used as the identifier.
package struct InferredMapping {
  package let source: ManagedObjectModel
  package let destination: ManagedObjectModel
  /// For each entity of the new model, the index of the entity of the old model that it comes from; nil for an added
  /// entity.
  package private(set) var entities: [Int?]
  /// For each entity of the new model, the name of the old property that a new property comes from, by the name of the
  /// new property.
  package private(set) var properties: [[String: String]]
  /// For each entity of the new model, the origins of the elements of a composite attribute that comes from an old one,
  /// by the name of the attribute.
  package private(set) var elements: [[String: [ElementMapping]]]
  /// The reasons why the mapping cannot be inferred. Empty if it can be inferred.
  package private(set) var reasons: [Reason] = []

  package struct Reason: Hashable {
    let message: String
    /// The indices of the entities of the new model whose objects are affected.
    let entities: [Int]
    /// True if the reason concerns a relationship, false if it concerns attributes or entities.
    var isOfRelationship = false
    /// True if the reason concerns an attribute that SQL cannot migrate. Migrations of rows in memory ignore it.
    var isOfSQL = false
  }

  package init(from source: ManagedObjectModel, to destination: ManagedObjectModel) {
    self.source = source
    self.destination = destination
    entities = Array(repeating: nil, count: destination.entities.count)
    properties = Array(repeating: [:], count: destination.entities.count)
    elements = Array(repeating: [:], count: destination.entities.count)
    mapEntities()
    for entity in destination.entities { mapProperties(of: entity) }
    for entity in destination.entities { checkProperties(of: entity) }
    for entity in destination.entities { checkInverses(of: entity) }
    checkHierarchies()
  }

  /// Throws if the mapping cannot be inferred.
  ///
  /// - Parameter isSettled: A function that returns true if a reason is ignored, because a function of the program
  ///   handles the objects.
  /// - Throws: ``ManagedObjectError/Code/inferredMapping`` with the reason, or
  ///   ``ManagedObjectError/Code/multipleErrors`` if several reasons are not ignored.
  package func check(except isSettled: (Reason) -> Bool = { _ in false }) throws(ManagedObjectError) {
    var messages: Set<String> = []
    let errors = reasons.filter { !isSettled($0) && messages.insert($0.message).inserted }
      .map { ManagedObjectError(.inferredMapping, $0.message) }
    if let error = ManagedObjectError(all: errors) { throw error }
  }

  /// Returns the index of the new entity that comes from an old entity; nil if the entity was removed.
  package func destination(of sourceIndex: Int) -> Int? { entities.firstIndex(of: sourceIndex) }

  package func sourceEntity(of entity: ManagedObjectModel.Entity) -> ManagedObjectModel.Entity? {
    entities[entity.index].map { ManagedObjectModel.Entity(model: source, index: $0) }
  }

  mutating func refuse(
    _ message: String, _ entities: [Int], isOfRelationship: Bool = false, isOfSQL: Bool = false
  ) {
    reasons.append(
      Reason(message: message, entities: entities, isOfRelationship: isOfRelationship, isOfSQL: isOfSQL))
  }

  private mutating func mapEntities() {
    let match = Match(
      destination.entities.map { ($0.name, $0.definition.renamingIdentifier) },
      source.entities.map { ($0.name, $0.definition.renamingIdentifier) })
    entities = match.formers
    for (first, second, former) in match.rivals {
      refuse(
        "the entities \(destination.entities[first].name.quoted) and \(destination.entities[second].name.quoted) both "
          + "come from \(source.entities[former].name.quoted)", [first, second])
    }
  }

  private mutating func mapProperties(of entity: ManagedObjectModel.Entity) {
    guard let old = sourceEntity(of: entity) else { return }
    let new = entity.properties
    let former = old.properties
    let match = Match(
      new.map { ($0.name, $0.traits.renamingIdentifier) }, former.map { ($0.name, $0.traits.renamingIdentifier) })
    for (first, second, formerIndex) in match.rivals {
      refuse(
        "\("\(entity.name).\(new[first].name)".quoted) and \("\(entity.name).\(new[second].name)".quoted) both come "
          + "from \("\(old.name).\(former[formerIndex].name)".quoted)", [entity.index])
    }
    for (property, formerIndex) in zip(new, match.formers) {
      guard let formerIndex, !property.traits.isTransient, !former[formerIndex].traits.isTransient else { continue }
      let name = "\(declaring(property.name, entity).name).\(property.name)".quoted
      switch (property, former[formerIndex]) {
      case (.attribute, .attribute), (.relationship, .relationship):
        properties[entity.index][property.name] = former[formerIndex].name
      case (.attribute, .relationship): refuse("\(name) changes from a relationship to an attribute", [entity.index])
      case (.relationship, .attribute): refuse("\(name) changes from an attribute to a relationship", [entity.index])
      }
    }
  }

  /// Returns the entity that declares a property.
  private func declaring(_ name: String, _ entity: ManagedObjectModel.Entity) -> ManagedObjectModel.Entity {
    PropertyName(entity, name).owner(in: destination)
  }

  private mutating func checkProperties(of entity: ManagedObjectModel.Entity) {
    let old = sourceEntity(of: entity)
    for attribute in entity.attributes where !attribute.isTransient {
      // The values of a derived attribute are computed again, whatever the old attribute was.
      guard let old, attribute.definition.derivation == nil else { continue }
      let name = "\(declaring(attribute.name, entity).name).\(attribute.name)".quoted
      if let former = properties[entity.index][attribute.name].flatMap({ old.attribute(named: $0) }) {
        check(attribute, former, name, entity)
      } else if !attribute.isOptional, attribute.initialValue == .null, !entity.isAbstract {
        refuse("the attribute \(name) is new and required, but has no default value", [entity.index])
      }
    }
    for relationship in entity.relationships where !relationship.isTransient {
      guard let old, let former = properties[entity.index][relationship.name].flatMap({ old.relationship(named: $0) })
      else { continue }
      let name = "\(declaring(relationship.name, entity).name).\(relationship.name)".quoted
      if former.definition.isToMany, !relationship.definition.isToMany {
        refuse(
          "the relationship \(name) changes from to-many to to-one", [entity.index],
          isOfRelationship: true)
      }
      checkDestination(of: relationship, entity, former, old, name)
    }
  }

  private mutating func check(
    _ attribute: ManagedObjectModel.Entity.Attribute, _ former: ManagedObjectModel.Entity.Attribute, _ name: String,
    _ entity: ManagedObjectModel.Entity
  ) {
    if attribute.definition.type != former.definition.type {
      refuse(
        "the attribute \(name) changes from \(former.definition.type.name) to \(attribute.definition.type.name)",
        [entity.index])
    }
    if attribute.definition.type == .composite, former.definition.type == .composite {
      let path = "\(declaring(attribute.name, entity).name).\(attribute.name)"
      elements[entity.index][attribute.name] = mapElements(
        attribute.definition.elements, former.definition.elements, path, entity.index)
    }
    if former.isOptional, !attribute.isOptional, attribute.initialValue == .null, !entity.isAbstract {
      refuse("the attribute \(name) becomes required, but has no default value", [entity.index])
    }
  }

  /// Checks that the destination entity of the new relationship allows all objects that the old relationship can refer
  /// to.
  private mutating func checkDestination(
    of relationship: ManagedObjectModel.Entity.Relationship, _ entity: ManagedObjectModel.Entity,
    _ former: ManagedObjectModel.Entity.Relationship, _ old: ManagedObjectModel.Entity, _ name: String
  ) {
    let allowed = entity.destination(of: relationship).subtree
    for index in old.destination(of: former).subtree {
      guard let new = destination(of: index), !allowed.contains(new) else { continue }
      refuse(
        "the relationship \(name) can have objects of \(destination.entities[new].name.quoted) in the old model, but "
          + "not in the new one", [entity.index], isOfRelationship: true)
      return
    }
  }

  /// Checks that the entities of each hierarchy in the new model come from a single hierarchy in the old model. A
  /// hierarchy has one table, and objects from two tables could have the same primary key.
  private mutating func checkHierarchies() {
    for root in destination.entities where root.superentity == nil {
      var members: [String: [Int]] = [:]
      for entity in root.selfAndDescendants {
        if let old = sourceEntity(of: entity) { members[old.root.name, default: []].append(entity.index) }
      }
      guard members.count > 1 else { continue }
      refuse(
        "\(root.name.quoted) and the entities that inherit from it come from several root entities: "
          + members.keys.sorted().map(\.quoted).joined(separator: ", "), members.values.flatMap(\.self).sorted())
    }
  }
}

/// Matches new entities or properties with old ones: first by renaming identifier, then by name if they are not matched
/// yet.
struct Match {
  /// For each new entity or property, the index of the old one that it comes from; nil if it was added.
  private(set) var formers: [Int?]
  /// The errors: pairs of new entities or properties that have the renaming identifier of the same old one (`former`).
  private(set) var rivals: [(first: Int, second: Int, former: Int)] = []

  init(_ new: [(name: String, identifier: String?)], _ old: [(name: String, identifier: String?)]) {
    formers = Array(repeating: nil, count: new.count)
    var owners: [Int: Int] = [:]
    var identifiers: [String: Int] = [:]
    var names: [String: Int] = [:]
    for (index, one) in old.enumerated() {
      identifiers[one.identifier ?? one.name] = index
      names[one.name] = index
    }
    for (index, one) in new.enumerated() {
      guard let found = identifiers[one.identifier ?? one.name] else { continue }
      if let owner = owners[found] { rivals.append((owner, index, found)) }
      owners[found] = index
      formers[index] = found
    }
    for wish in [new.map { $0.identifier ?? $0.name }, new.map(\.name)] {
      for (index, name) in wish.enumerated() where formers[index] == nil {
        guard let found = names[name], owners[found] == nil else { continue }
        owners[found] = index
        formers[index] = found
      }
    }
  }
}

extension ManagedObjectModel.Entity.Property {
  var traits: PropertyTraits {
    switch self {
    case .attribute(let attribute): attribute.definition.traits
    case .relationship(let relationship): relationship.definition.traits
    }
  }
}
