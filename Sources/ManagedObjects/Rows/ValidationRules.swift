package import ObjectModels
package import Predicates

/// The validation rules of an entity, in a form that is fast to check for many objects.
package final class ValidationRules {
  /// The rules for the value of an attribute.
  package struct AttributeRule {
    package let name: String
    package let slot: Int
    package let type: AttributeType
    let isMandatory: Bool
    package let conditions: [Condition]
    /// True if a value only needs the type of the attribute: there are no conditions, and no elements to check.
    let isPlain: Bool
    /// The composite attribute, in an array of one element; empty for other attributes.
    let composite: [AttributeDescription]
  }

  /// A predicate that a value must satisfy, and the warning if it does not.
  package struct Condition {
    let predicate: PreparedPredicate
    let warning: PropertyValidation.Warning?
  }

  /// The rules for the number of objects in a relationship.
  package struct RelationshipRule {
    package let name: String
    package let slot: Int
    package let isToMany: Bool
    let isMandatory: Bool
    let minimumCount: Int
    let maximumCount: Int
  }

  package let attributes: [AttributeRule]
  package let relationships: [RelationshipRule]
  /// The attributes that have an invalid predicate: the slot of each, and the error. Only a model from a file can
  /// contain such attributes.
  let defects: [(slot: Int, error: ManagedObjectError)]

  package init(_ entity: ManagedObjectModel.Entity) {
    var attributes: [AttributeRule] = []
    var defects: [(slot: Int, error: ManagedObjectError)] = []
    for attribute in entity.attributes {
      let traits = attribute.definition.traits
      var conditions: [Condition] = []
      for validation in traits.validations {
        do {
          let predicate = try PreparedPredicate(validation.predicate)
          conditions.append(Condition(predicate: predicate, warning: validation.warning))
        } catch {
          var defect = ManagedObjectError(
            .validation, "a validation rule of the model is not valid: \(error.message)", key: traits.name)
          defect.predicate = validation.predicate
          defects.append((attribute.slot, defect))
        }
      }
      // Derived and transient attributes are never mandatory: the store computes derived values, and transient values
      // are not saved.
      let isMandatory = !traits.isOptional && !traits.isTransient && attribute.definition.derivation == nil
      attributes.append(
        AttributeRule(
          name: traits.name, slot: attribute.slot, type: attribute.definition.type, isMandatory: isMandatory,
          conditions: conditions, isPlain: conditions.isEmpty && attribute.definition.type != .composite,
          composite: attribute.definition.type == .composite ? [attribute.definition] : []))
    }
    self.attributes = attributes
    self.defects = defects
    relationships = entity.relationships.map {
      RelationshipRule(
        name: $0.definition.traits.name, slot: $0.slot, isToMany: $0.definition.isToMany,
        isMandatory: !$0.definition.traits.isOptional && !$0.isTransient,
        minimumCount: $0.definition.minimumCount, maximumCount: $0.definition.maximumCount)
    }
  }
}

extension ValidationRules.AttributeRule {
  /// Returns a value converted to the type of the attribute.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` for a value that the attribute cannot have.
  func normalized(_ value: AttributeValue) throws(ManagedObjectError) -> AttributeValue {
    if let attribute = composite.first { return try attribute.normalized(value) }
    if let normalized = type.normalized(value) { return normalized }
    throw ManagedObjectError(.invalidValue, "expected \(type.name), found \(value.kindName)", key: name, value: value)
  }

  /// Returns the error for a value; nil if the value is valid.
  @inline(__always)
  package func failure(_ value: AttributeValue) -> ManagedObjectError? {
    if case .null = value {
      return isMandatory ? ManagedObjectError(.missingMandatoryProperty, "a value is missing", key: name) : nil
    }
    if isPlain, type.admits(value) { return nil }
    return closerFailure(value)
  }

  @inline(never)
  private func closerFailure(_ value: AttributeValue) -> ManagedObjectError? {
    if !type.admits(value) {
      return ManagedObjectError(
        .invalidValue, "expected \(type.name), found \(value.kindName)", key: name, value: value)
    }
    for attribute in composite {
      do { _ = try attribute.normalized(value) } catch { return error }
      if let failure = attribute.missingElement(in: value) { return failure }
    }
    for condition in conditions {
      var failure: ManagedObjectError?
      do {
        if try !condition.predicate.evaluate(with: value) { failure = self.failure(of: condition, value) }
      } catch {
        failure = ManagedObjectError(.validation, error.message, key: name, value: value)
      }
      failure?.predicate = condition.predicate.predicate
      if let failure { return failure }
    }
    return nil
  }

  private func failure(of condition: ValidationRules.Condition, _ value: AttributeValue) -> ManagedObjectError {
    let rule = (try? condition.predicate.predicate.formatText()) ?? "the rule of the model"
    let message = "the value does not satisfy \(rule)"
    return switch condition.warning {
    case .code(let number):
      ManagedObjectError(
        ManagedObjectError.Code(rawValue: number) ?? .validation,
        Self.meaning(number).map { "\($0): it does not satisfy \(rule)" } ?? message, key: name, value: value)
    case .text(let text): ManagedObjectError(.validation, text, key: name, value: value)
    case nil: ManagedObjectError(.validation, message, key: name, value: value)
    }
  }

  /// Returns a message for the error code of a validation warning; nil for codes that do not concern values.
  private static func meaning(_ code: Int) -> String? {
    switch ManagedObjectError.Code(rawValue: code) {
    case .numberTooLarge: "the number is too large"
    case .numberTooSmall: "the number is too small"
    case .dateTooLate: "the date is too late"
    case .dateTooSoon: "the date is too early"
    case .stringTooLong: "the text is too long"
    case .stringTooShort: "the text is too short"
    case .stringPatternMismatch: "the text does not match the pattern"
    default: nil
    }
  }
}

extension ValidationRules.RelationshipRule {
  /// Returns the error for a relationship with a number of objects; nil if the number is valid.
  package func failure(count: Int) -> ManagedObjectError? {
    if count == 0 {
      guard isMandatory else { return nil }
      if !isToMany {
        return ManagedObjectError(
          .missingMandatoryProperty, "the relationship is required, but has no object", key: name)
      }
      // A mandatory to-many relationship may be empty if it has no minimum count, as arrays in SwiftData may.
      guard minimumCount > 0 else { return nil }
      return ManagedObjectError(
        .relationshipLacksMinimumCount, "the relationship has no objects; the minimum count is \(minimumCount)",
        key: name)
    }
    guard isToMany else { return nil }
    if count < minimumCount {
      return ManagedObjectError(
        .relationshipLacksMinimumCount,
        "the relationship has \(count) objects; the minimum count is \(minimumCount)", key: name)
    }
    if maximumCount > 0, count > maximumCount {
      return ManagedObjectError(
        .relationshipExceedsMaximumCount,
        "the relationship has \(count) objects; the maximum count is \(maximumCount)", key: name)
    }
    return nil
  }
}
