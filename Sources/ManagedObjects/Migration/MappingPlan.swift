package import ObjectModels
internal import Predicates
internal import PropertyLists

/// A mapping that has been checked against the old model (the source) and the new model (the destination), and can be
/// performed.
package struct MappingPlan {
  package let source: ManagedObjectModel
  package let destination: ManagedObjectModel
  let entities: [Entity]
  /// For each new root entity, the index of the old root entity whose objects can keep their primary keys. Objects of
  /// other old hierarchies get new keys. New root entities without old objects are left out.
  package let numbering: [Int: Int]
  /// The mapping that is inferred from the two models; nil if the caller passed a mapping model.
  package let inferred: InferredMapping?
  /// The names of the source entities that have a policy with functions of the program.
  package let handledEntities: Set<String>

  /// The checked mapping of an entity.
  struct Entity {
    let mapping: EntityMapping
    let source: ManagedObjectModel.Entity?
    let destination: ManagedObjectModel.Entity?
    /// The predicate that selects the source objects; nil for all objects.
    var predicate: ManagedPredicate?
    var attributes: [(name: String, expression: MappingExpression)] = []
    var relationships: [(name: String, expression: MappingExpression)] = []
    /// The origins of the elements of composite attributes that are copied from an old attribute, by name.
    var elements: [String: [ElementMapping]] = [:]
    var policy: EntityMigrationPolicy?
    /// True if the new object keeps the primary key of its source object.
    var keepsNumbers = false

    /// True if objects are created for source objects.
    var makesObjects: Bool { source != nil && (destination != nil || policy?.createDestinationInstances != nil) }
    /// True if relationships of the created objects are set.
    var relates: Bool { makesObjects && (!relationships.isEmpty || policy?.createRelationships != nil) }
  }

  /// Checks a mapping.
  ///
  /// - Parameter sharesNumbers: True if all entities of the store share one series of primary keys, as in an XML or
  ///   binary store. False if each root entity has its own.
  /// - Throws: ``ManagedObjectError`` with all reasons why the mapping cannot be performed.
  init(
    _ mapping: StoreMapping, from source: ManagedObjectModel, to destination: ManagedObjectModel, sharesNumbers: Bool
  ) throws(ManagedObjectError) {
    let inferred = InferredMapping(from: source, to: destination)
    if mapping.model == nil {
      try inferred.check { reason in
        reason.entities.allSatisfy { index in
          guard let former = inferred.entities[index] else { return true }
          let policy = mapping.entityPolicies[source.entities[former].name]
          // A reason about a relationship does not matter if a function of the program sets relationships. Other
          // reasons do not matter if a function creates the objects.
          if reason.isOfRelationship { return policy?.createRelationships != nil }
          return policy?.createDestinationInstances != nil
        }
      }
    }
    var maker = PlanMaker(
      mapping: mapping, inferred: inferred, model: mapping.model ?? inferred.mappingModel, source: source,
      destination: destination, sharesNumbers: sharesNumbers)
    maker.make()
    if let error = ManagedObjectError(all: maker.errors) { throw error }
    self.source = source
    self.destination = destination
    self.inferred = mapping.model == nil ? inferred : nil
    handledEntities = Set(mapping.entityPolicies.keys)
    entities = maker.entities
    numbering = maker.numbering
  }
}

private struct PlanMaker {
  let mapping: StoreMapping
  let inferred: InferredMapping
  let model: MappingModel
  let source: ManagedObjectModel
  let destination: ManagedObjectModel
  let sharesNumbers: Bool
  private(set) var errors: [ManagedObjectError] = []
  private(set) var entities: [MappingPlan.Entity] = []
  private(set) var numbering: [Int: Int] = [:]
  /// The indices of the source entities whose objects keep their primary keys, by the index of the new root entity. If
  /// all entities share their primary keys, the index is 0.
  var numbered: [Int: Set<Int>] = [:]

  private mutating func refuse(_ message: String, _ code: ManagedObjectError.Code = .migration) {
    errors.append(ManagedObjectError(code, message))
  }

  mutating func make() {
    let defects = model.defects(from: source, to: destination)
    for defect in defects { refuse("the mapping does not fit the models: \(defect)") }
    for name in mapping.entityPolicies.keys.sorted() where source[name] == nil {
      refuse("there is a policy for the entity \(name.quoted), which the model of the store does not have")
    }
    var names: Set<String> = []
    for entity in model.entityMappings {
      if mapping.model != nil, !names.insert(entity.name).inserted {
        refuse("two entity mappings have the name \(entity.name.quoted)")
      }
      // If the mapping does not fit the models, that has been reported above.
      if defects.isEmpty { add(entity) }
    }
  }

  private mutating func add(_ mapping: EntityMapping) {
    var entity = MappingPlan.Entity(
      mapping: mapping, source: mapping.sourceEntityName.flatMap { source[$0] },
      destination: mapping.destinationEntityName.flatMap { destination[$0] })
    entity.policy = policy(mapping)
    if let from = entity.source, entity.makesObjects {
      entity.predicate = predicate(mapping, from)
      if let to = entity.destination {
        addProperties(to: &entity, from, to)
        entity.keepsNumbers = keepsNumbers(from, to)
      }
    }
    entities.append(entity)
  }

  private mutating func policy(_ mapping: EntityMapping) -> EntityMigrationPolicy? {
    if let policy = mapping.sourceEntityName.flatMap({ self.mapping.entityPolicies[$0] }) { return policy }
    if let name = mapping.migrationPolicyClassName {
      if let policy = self.mapping.classPolicy(name) { return policy }
      refuse(
        "the mapping \(mapping.name.quoted) needs a policy for the class \(name.quoted)",
        .entityMigrationPolicy)
    } else if mapping.mappingType == .custom {
      refuse(
        "the custom mapping \(mapping.name.quoted) does not name its policy class; use a policy for the entity "
          + (mapping.sourceEntityName ?? "").quoted, .entityMigrationPolicy)
    }
    return nil
  }

  private static let sourceRequest = "fetchRequestForSourceEntityNamed:predicateString:"

  /// Returns the predicate that selects the source objects of a mapping; nil for all objects.
  private mutating func predicate(_ mapping: EntityMapping, _ entity: ManagedObjectModel.Entity) -> ManagedPredicate? {
    guard let expression = mapping.sourceExpression else { return nil }
    guard case .fetch(let request, _, countOnly: false) = expression,
      case .method(Self.sourceRequest, of: .variable("manager"), let arguments) = request,
      arguments.count == 2, case .constant(.value(.string(let name))) = arguments[0],
      case .constant(.value(.string(let text))) = arguments[1], name == entity.name
    else {
      refuse("the source expression of the mapping \(mapping.name.quoted) cannot be evaluated")
      return nil
    }
    do {
      let predicate = try ManagedPredicate(format: text)
      if predicate == .constant(true) { return nil }
      try FetchRequest(entity.name, where: predicate).check(against: source)
      return predicate
    } catch {
      refuse("the mapping \(mapping.name.quoted) has the invalid predicate \(text.quoted): \(error)")
      return nil
    }
  }

  private mutating func addProperties(
    to entity: inout MappingPlan.Entity, _ from: ManagedObjectModel.Entity, _ to: ManagedObjectModel.Entity
  ) {
    var (attributes, relationships) = (entity.mapping.attributeMappings, entity.mapping.relationshipMappings)
    // If a copy mapping lists no properties, all inferred ones are copied.
    if entity.mapping.mappingType == .copy, attributes.isEmpty, relationships.isEmpty {
      (attributes, relationships) = inferred.propertyMappings(to, from)
    }
    for property in attributes {
      guard let attribute = to.attribute(named: property.name), !attribute.isTransient else { continue }
      if let expression = expression(property, .attribute(attribute), from, entity.mapping) {
        entity.attributes.append((property.name, expression))
        entity.elements[property.name] = elements(property, from, to)
      }
    }
    for property in relationships {
      guard let relationship = to.relationship(named: property.name), !relationship.isTransient else { continue }
      if let expression = expression(property, .relationship(relationship), from, entity.mapping),
        expression.result != .value
      {
        entity.relationships.append((property.name, expression))
      }
    }
  }

  /// Returns the origins of the elements of a composite attribute if its mapping copies the old attribute that the
  /// inferred mapping finds; otherwise nil.
  private func elements(
    _ property: PropertyMapping, _ from: ManagedObjectModel.Entity, _ to: ManagedObjectModel.Entity
  ) -> [ElementMapping]? {
    guard inferred.entities[to.index] == from.index, let elements = inferred.elements[to.index][property.name] else {
      return nil
    }
    let copies = inferred.propertyMappings(to, from).attributes
    return copies.contains { $0.name == property.name && $0.valueExpression == property.valueExpression }
      ? elements : nil
  }

  private mutating func expression(
    _ property: PropertyMapping, _ destination: ManagedObjectModel.Entity.Property, _ from: ManagedObjectModel.Entity,
    _ mapping: EntityMapping
  ) -> MappingExpression? {
    guard let expression = property.valueExpression else { return nil }
    let location = "the value of \(property.name.quoted) in the mapping \(mapping.name.quoted)"
    do {
      let made = try MappingExpression(expression, of: from, for: destination)
      if case .destinations(let name?) = made.result, model[name] == nil {
        refuse("\(location): the mapping model has no mapping \(name.quoted)")
      }
      return made
    } catch {
      refuse("\(location): \(error)")
      return nil
    }
  }

  /// Returns true if new objects can keep the primary keys of their source objects, because no other objects of the new
  /// hierarchy get the same keys.
  private mutating func keepsNumbers(_ from: ManagedObjectModel.Entity, _ to: ManagedObjectModel.Entity) -> Bool {
    if sharesNumbers { return numbered[0, default: []].insert(from.index).inserted }
    let root = numbering[to.root.index] ?? from.root.index
    numbering[to.root.index] = root
    return root == from.root.index && numbered[to.root.index, default: []].insert(from.index).inserted
  }
}

extension InferredMapping {
  /// A mapping model with the inferred mapping.
  var mappingModel: MappingModel {
    var mappings: [EntityMapping] = []
    for entity in destination.entities {
      guard let old = sourceEntity(of: entity) else {
        mappings.append(EntityMapping(entity.name, .add, to: entity.name))
        continue
      }
      var mapping = EntityMapping("\(old.name)To\(entity.name)", .transform, from: old.name, to: entity.name)
      (mapping.attributeMappings, mapping.relationshipMappings) = propertyMappings(entity, old)
      mappings.append(mapping)
    }
    for entity in source.entities where destination(of: entity.index) == nil {
      mappings.append(EntityMapping(entity.name, .remove, from: entity.name))
    }
    return MappingModel(mappings)
  }

  /// Returns the property mappings that copy values, for all properties of an entity that come from an old property.
  func propertyMappings(
    _ entity: ManagedObjectModel.Entity, _ old: ManagedObjectModel.Entity
  ) -> (attributes: [PropertyMapping], relationships: [PropertyMapping]) {
    func value(_ name: String) -> ManagedExpression? {
      PredicateKeyPath(keys: [name]).map { .keyPath($0, of: .variable("source")) }
    }
    let attributes = entity.attributes.compactMap { attribute -> PropertyMapping? in
      guard let name = properties[entity.index][attribute.name],
        old.attribute(named: name)?.definition.type == attribute.definition.type
      else { return nil }
      return PropertyMapping(attribute.name, valueExpression: value(name))
    }
    let relationships = entity.relationships.compactMap { relationship -> PropertyMapping? in
      guard let name = properties[entity.index][relationship.name], let former = old.relationship(named: name),
        relationship.definition.isToMany || !former.definition.isToMany, let value = value(name)
      else { return nil }
      return PropertyMapping(
        relationship.name,
        valueExpression: .method(
          MappingExpression.Method.byRelationship, of: .variable("manager"),
          arguments: [.value(.string(name)), value]))
    }
    return (attributes, relationships)
  }
}
