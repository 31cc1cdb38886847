internal import ObjectModels

/// Functions that validate values by the rules of the model.
extension ManagedObject {
  /// Checks that a property can have a value: by the rules of the model and, for an attribute, by the two methods
  /// `validateValue(_:forKey:)`. The object keeps its value, even if one of these methods corrects the new one: see
  /// ``correctedValue(_:forKey:)``.
  ///
  /// ```swift
  /// do throws(ManagedObjectError) {
  ///   try note.validate(.attribute(.string("")), forKey: "title")
  /// } catch {
  ///   print(error.code, error.key ?? "")                   // stringTooShort title
  /// }
  /// ```
  ///
  /// - Throws: ``ManagedObjectError`` with the rule that failed; ``ManagedObjectError/Code/undefinedKey`` if the entity
  ///   has no such attribute or relationship.
  public final func validate(_ value: Value, forKey key: String) throws(ManagedObjectError) {
    _ = try correctedValue(value, forKey: key)
  }

  /// Returns the value that an attribute would have after validation: the given value, or its correction by
  /// `validateValue(_:forKey:)`. Checks the value like ``validate(_:forKey:)``, and does not set it.
  ///
  /// ```swift
  /// let rating = try note.correctedValue(7, forKey: "rating")      // .attribute(.integer(5))
  /// ```
  ///
  /// - Throws: the errors of ``validate(_:forKey:)``.
  public final func correctedValue(_ value: Value, forKey key: String) throws(ManagedObjectError) -> Value {
    if let rule = shape.rules.attributes.first(where: { $0.name == key }) {
      guard case .attribute(var value) = value else {
        throw located(
          ManagedObjectError(.invalidValue, "expected \(rule.type.name), found \(value.kindName)", key: key))
      }
      _ = try correct(&value, rule)
      if let failure = rule.failure(value) { throw located(failure) }
      try validateValue(value, forKey: key)
      return .attribute(value)
    }
    if let rule = shape.rules.relationships.first(where: { $0.name == key }) {
      if let failure = rule.failure(count: Self.count(value)) { throw located(failure) }
    } else {
      throw located(
        ManagedObjectError(
          .undefinedKey, "the entity \(shape.entity.name.quoted) has no property \(key.quoted)", key: key))
    }
    return value
  }

  /// Calls `validateValue(_:forKey:)` to correct the value of an attribute.
  ///
  /// - Returns: true if the value changed.
  @inline(__always)
  private final func correct(
    _ value: inout AttributeValue, _ rule: ValidationRules.AttributeRule
  ) throws(ManagedObjectError) -> Bool {
    let old = value
    try validateValue(&value, forKey: rule.name)
    if value == old { return false }
    do { value = try rule.normalized(value) } catch { throw located(error) }
    return value != old
  }

  private static func count(_ value: Value) -> Int {
    switch value {
    case .attribute(.null): 0
    case .array(let elements), .set(let elements): elements.count
    case .attribute, .object: 1
    }
  }

  /// Validates the values of all properties.
  ///
  /// - Throws: the error of the invalid property. If there are several errors, throws
  ///   ``ManagedObjectError/Code/multipleErrors`` with all of them, in the order in which the entity describes its
  ///   properties.
  final func validateProperties() throws(ManagedObjectError) {
    if status.contains(.fault) { fire() }
    let rules = shape.rules
    var errors = rules.defects
    if status.contains(.refusing) {
      let refusals = shape.context?.refusals[ObjectIdentifier(self)] ?? [:]
      errors += refusals.sorted { $0.key < $1.key }.map { (slot: $0.key, error: $0.value) }
    }
    // Rules are accessed by index, because a copy of each would count references.
    for index in rules.attributes.indices {
      // The methods of the class that are called below can turn the object into a fault.
      if status.contains(.fault) { fire() }
      let slot = rules.attributes[index].slot
      guard case .attribute(var value) = values[slot] else { continue }
      do {
        if try correct(&value, rules.attributes[index]) { storeCorrected(value, slot) }
      } catch {
        errors += (error.details.isEmpty ? [error] : error.details).map { (slot: slot, error: $0) }
        continue
      }
      if let failure = rules.attributes[index].failure(value) {
        // A stored value that does not fit the attribute's type is kept until it is replaced.
        if failure.code == .invalidValue, failure.predicate == nil, isUnchanged(slot) { continue }
        errors.append((slot, failure))
        continue
      }
      do { try validateValue(value, forKey: rules.attributes[index].name) } catch {
        errors += (error.details.isEmpty ? [error] : error.details).map { (slot: slot, error: $0) }
      }
    }
    if status.contains(.fault) { fire() }
    for index in rules.relationships.indices {
      let slot = rules.relationships[index].slot
      // A relationship that was not read has not changed, so it is not checked.
      if case .unread = values[slot] { continue }
      if let failure = rules.relationships[index].failure(count: values[slot].count) { errors.append((slot, failure)) }
    }
    if errors.isEmpty { return }
    if let error = ManagedObjectError(all: inOrder(errors).map { located($0) }) { throw error }
  }

  /// Sets the corrected value of an attribute. The correction is not recorded for undo, because undoing the change that
  /// it corrects restores the old value.
  private final func storeCorrected(_ value: AttributeValue, _ slot: Int) {
    guard let context = managedObjectContext else { return setAttribute(value, slot: slot) }
    context.withoutUndo { setAttribute(value, slot: slot) }
  }

  /// True if the value in a slot is the one that was last read or saved.
  private final func isUnchanged(_ slot: Int) -> Bool {
    !isInserted && committed.map { $0[slot] == values[slot] } ?? true
  }

  /// Returns errors in the entity's order of properties, those of superentities first.
  private final func inOrder(_ errors: [(slot: Int, error: ManagedObjectError)]) -> [ManagedObjectError] {
    if errors.count == 1 { return errors.map(\.error) }
    let ranks = shape.entity.declaredRanks
    let ranked = errors.enumerated().map { (rank: ranks[$1.slot], index: $0, error: $1.error) }
    return ranked.sorted { ($0.rank, $0.index) < ($1.rank, $1.index) }.map(\.error)
  }

  /// Returns an error with this object's ID added, unless the error already has the ID of an object.
  final func located(_ error: ManagedObjectError) -> ManagedObjectError {
    var error = error
    error.objectID = error.objectID ?? objectID
    return error
  }
}

extension ManagedObjectModel.Entity {
  /// For each slot, the position of its property in the description of the entity. The properties of the superentity
  /// come first.
  fileprivate var declaredRanks: [Int] {
    var lines: [[PropertyDescription]] = []
    var next: Self? = self
    while let entity = next {
      lines.append(entity.definition.properties)
      next = entity.superentity
    }
    var ranks = [Int](repeating: 0, count: slotCount)
    for (rank, property) in lines.reversed().joined().enumerated() {
      if let slot = self.property(named: property.traits.name)?.slot { ranks[slot] = rank }
    }
    return ranks
  }
}
