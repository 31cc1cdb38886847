internal import ObjectModels
internal import Predicates

/// A derived attribute of a model, prepared for computing its values from rows.
struct DerivationRule: Sendable {
  /// The entity that declares the attribute, and its subentities.
  let entities: Range<Int>
  let name: String
  let slot: Int
  /// The computation of the value; an error if the derivation does not fit the entity.
  let computation: Result<Computation, ManagedObjectError>
  /// The objects that the expression reads.
  let reach: RequestReach
  /// True if the expression reads derived attributes.
  private(set) var readsDerived = false
  private let names: Set<String>
  /// True if the expression reads no property of the object, such as `now()`.
  var readsNothing: Bool { names.isEmpty }

  enum Computation: Sendable {
    /// The number of objects in a to-many relationship, by slot.
    case count(Int)
    case expression(BatchAssignment, Filter?)
  }

  /// A condition for the objects of a to-many relationship. Others are left out.
  struct Filter: Sendable {
    let slot: Int
    let predicate: PreparedPredicate
  }

  /// Returns the rules for all derived attributes of a model. Empty for most models.
  static func all(_ model: ManagedObjectModel) -> [DerivationRule] {
    var rules: [DerivationRule] = []
    for entity in model.entities {
      for attribute in entity.attributes.dropFirst(entity.superentity?.attributes.count ?? 0) {
        guard let derivation = attribute.definition.derivation, !attribute.isTransient else { continue }
        rules.append(DerivationRule(derivation, attribute, entity))
      }
    }
    let derived = Set(rules.map(\.name))
    for index in rules.indices { rules[index].readsDerived = !rules[index].names.isDisjoint(with: derived) }
    return rules
  }

  private init(
    _ derivation: AttributeDescription.Derivation, _ attribute: ManagedObjectModel.Entity.Attribute,
    _ entity: ManagedObjectModel.Entity
  ) {
    entities = entity.subtree
    name = attribute.name
    slot = attribute.slot
    let expression = derivation.expression
    var request = FetchRequest(entity.name)
    request.predicate = .comparing(expression, .equal, .value(.null))
    reach = RequestReach(request, of: entity)
    let prepared = Result { () throws(ManagedPredicateError) in
      try PreparedExpression(expression, PreparationContext(entity.model))
    }
    names = Set((try? prepared.get().keys) ?? [])
    computation = Result { () throws(ManagedObjectError) in
      if derivation.filter == nil, let path = derivation.countedPath,
        let relationship = entity.relationship(named: path), relationship.definition.isToMany
      {
        return .count(relationship.slot)
      }
      let assignment = try BatchAssignment(expression, to: attribute, entity)
      return .expression(assignment, try Self.filter(derivation, prepared, entity))
    }
  }

  /// Returns the filter of a derivation, which applies to the first relationship of the expression.
  private static func filter(
    _ derivation: AttributeDescription.Derivation, _ prepared: Result<PreparedExpression, ManagedPredicateError>,
    _ entity: ManagedObjectModel.Entity
  ) throws(ManagedObjectError) -> Filter? {
    guard let filter = derivation.filter else { return nil }
    guard let first = try? prepared.get().keys.first, let relationship = entity.relationship(named: first),
      relationship.definition.isToMany
    else {
      throw ManagedObjectError(
        .unsupportedRequest, "the filter of a derivation needs a to-many relationship at the start of the expression")
    }
    let destination = entity.destination(of: relationship)
    var request = FetchRequest(destination.name)
    request.predicate = filter
    try request.check(for: destination)
    do {
      return Filter(
        slot: relationship.slot, predicate: try PreparedPredicate(filter, PreparationContext(entity.model)))
    } catch {
      throw ManagedObjectError(error)
    }
  }
}
