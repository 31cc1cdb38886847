internal import ManagedObjects
internal import ObjectModels
internal import Predicates

/// The validation rules that the model has for the attributes of an entity.
struct ValueRules {
  private let rules: ValidationRules

  init(_ entity: ManagedObjectModel.Entity) { rules = ValidationRules(entity) }

  /// True if the model has rules for the values of an attribute.
  func hasConditions(forSlot slot: Int) -> Bool {
    rules.attributes.contains { $0.slot == slot && !$0.conditions.isEmpty }
  }

  /// Returns a message with the value and the rule that the value violates; nil if the value violates no rule. Does not
  /// check the type of the value.
  func defect(of value: AttributeValue, inSlot slot: Int) -> String? {
    guard let rule = rules.attributes.first(where: { $0.slot == slot }), value != .null,
      let failure = rule.failure(value), failure.code != .invalidValue
    else { return nil }
    return "\(value): \(failure.message)"
  }
}

extension ManagedObjectModel.Entity {
  /// Returns the minimum and maximum number of objects in a to-many relationship; nil if any number is allowed. If the
  /// relationship is not mandatory, it may also be empty.
  static func allowedCounts(_ relationship: Relationship) -> (least: Int, most: Int, isMandatory: Bool)? {
    let definition = relationship.definition
    guard definition.isToMany else { return nil }
    let isMandatory = !definition.traits.isOptional
    let least = max(definition.minimumCount, 0)
    let most = definition.maximumCount > 0 ? definition.maximumCount : Int.max
    return least > (isMandatory ? 0 : 1) || most < Int.max ? (least, most, isMandatory) : nil
  }
}
