internal import ManagedObjects
internal import ObjectModels
internal import Predicates

/// The validation rules of an entity, as used by a check of a store.
struct ValueRules {
  private let rules: ValidationRules

  init(_ entity: ManagedObjectModel.Entity) { rules = ValidationRules(entity) }

  /// True if the model has conditions for the values of an attribute.
  func hasConditions(forSlot slot: Int) -> Bool {
    rules.attributes.contains { $0.slot == slot && !$0.conditions.isEmpty }
  }

  /// Returns the rule that a value violates; nil if it violates none. Values of another type are not checked here.
  func defect(of value: AttributeValue, inSlot slot: Int) -> String? {
    guard let rule = rules.attributes.first(where: { $0.slot == slot }), value != .null,
      let failure = rule.failure(value), failure.code != .invalidValue
    else { return nil }
    return "\(value): \(failure.message)"
  }
}

extension ManagedObjectModel.Entity {
  /// Returns the limits for the number of objects of a to-many relationship; nil if any number is allowed.
  static func allowedCounts(_ relationship: Relationship) -> (least: Int, most: Int, isMandatory: Bool)? {
    let definition = relationship.definition
    guard definition.isToMany else { return nil }
    let isMandatory = !definition.traits.isOptional
    let least = max(definition.minimumCount, 0)
    let most = definition.maximumCount > 0 ? definition.maximumCount : Int.max
    return least > (isMandatory ? 0 : 1) || most < Int.max ? (least, most, isMandatory) : nil
  }
}
