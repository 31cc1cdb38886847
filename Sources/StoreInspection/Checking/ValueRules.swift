internal import ManagedObjects
internal import ObjectModels
internal import Predicates

/// The rules of an entity for values, as a check of a store needs them.
struct ValueRules {
  private let rules: ValidationRules

  init(_ entity: ManagedObjectModel.Entity) { rules = ValidationRules(entity) }

  /// True if the model has a condition for values of an attribute.
  func hasConditions(forSlot slot: Int) -> Bool {
    rules.attributes.contains { $0.slot == slot && !$0.conditions.isEmpty }
  }

  /// The rule that a value does not fulfil; nil if it fulfils all. A value of another type breaks none.
  func defect(of value: AttributeValue, inSlot slot: Int) -> String? {
    guard let rule = rules.attributes.first(where: { $0.slot == slot }), value != .null,
      let failure = rule.failure(value), failure.code != .invalidValue
    else { return nil }
    return "\(value): \(failure.message)"
  }
}

extension ManagedObjectModel.Entity {
  /// The numbers of objects that a to-many relationship may have; nil if it may have any.
  static func allowedCounts(_ relationship: Relationship) -> (least: Int, most: Int, isMandatory: Bool)? {
    let definition = relationship.definition
    guard definition.isToMany else { return nil }
    let isMandatory = !definition.traits.isOptional
    let least = max(definition.minimumCount, 0)
    let most = definition.maximumCount > 0 ? definition.maximumCount : Int.max
    return least > (isMandatory ? 0 : 1) || most < Int.max ? (least, most, isMandatory) : nil
  }
}
