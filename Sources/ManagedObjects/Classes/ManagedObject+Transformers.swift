internal import KeyedArchiving
internal import ObjectModels
internal import Predicates

/// Functions that read and set the values of transformable attributes. ``value(forKey:)`` returns their stored form.
extension ManagedObject {
  /// Returns the value of a transformable attribute. The attribute's value transformer creates it from the stored form.
  /// Returns nil if the attribute has no value.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(contentsOf: url).registering(ColorToDataTransformer.self)
  /// let color = try note.transformedValue(Color.self, forKey: "color")
  /// ```
  ///
  /// If the attribute has no transformer of its own, the stored form is a keyed archive, and the type must conform to
  /// `SecureCoding`. Only objects of this type are created.
  ///
  /// - Throws: ``ManagedObjectError/Code/coderReadCorrupt`` with the cause if the stored form is not that of a value;
  ///   ``ManagedObjectError/Code/invalidValue`` if the attribute has values of another type, or is not transformable;
  ///   ``ManagedObjectError/Code/undefinedKey`` if the entity has no attribute with the name, or if the transformer is
  ///   not registered with the model.
  public final func transformedValue<Value>(
    _ type: Value.Type = Value.self, forKey key: String
  ) throws(ManagedObjectError) -> Value? {
    let attribute = try transformableAttribute(key)
    noteRead(.value(attribute.slot))
    guard case .attribute(let stored) = value(ofSlot: attribute.slot), stored != .null else { return nil }
    if shape.transformerNames[attribute.slot] != nil {
      return try reverseTransformed(stored, to: type, slot: attribute.slot)
    }
    guard let archived = type as? any SecureCoding.Type, case .data(let archive) = stored else {
      throw noTransformer(type, key)
    }
    do { return try KeyedUnarchiver.unarchivedObject(of: archived, from: archive) as? Value } catch {
      var failure = ManagedObjectError(
        .coderReadCorrupt, "expected an archive of \(type), found \(stored): \(error)", objectID: objectID, key: key,
        value: stored)
      failure.underlyingError = error
      throw failure
    }
  }

  /// Sets the value of a transformable attribute. Its value transformer converts the value to the stored form. Without
  /// a transformer, the value is archived, and must conform to `SecureCoding`.
  ///
  /// ```swift
  /// try note.setTransformedValue(Color(red: 255, green: 0, blue: 0), forKey: "color")
  /// ```
  ///
  /// - Parameters:
  ///   - value: the value; nil to set null.
  ///   - key: the name of the attribute.
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` with the cause if the value cannot be stored, or if the
  ///   attribute has values of another type, or is not transformable; ``ManagedObjectError/Code/undefinedKey`` if the
  ///   entity has no attribute with the name, or if the transformer is not registered with the model; the errors of
  ///   ``setValue(_:forKey:)-(AttributeValue,_)``.
  public final func setTransformedValue<Value>(_ value: Value?, forKey key: String) throws(ManagedObjectError) {
    let attribute = try transformableAttribute(key)
    guard let value else { return try setValue(AttributeValue.null, forKey: key) }
    if let transformer = try transformer(attribute.slot) {
      let stored = try located(attribute.slot) { () throws(ManagedObjectError) in try transformer.stored(any: value) }
      return try setValue(stored, forKey: key)
    }
    guard let archived = value as? any SecureCoding else { throw noTransformer(Value.self, key) }
    let archive: AttributeValue
    do { archive = .data(try KeyedArchiver.archivedData(withRootObject: archived)) } catch {
      var failure = ManagedObjectError(
        .invalidValue, "the value cannot be archived: \(error)", objectID: objectID, key: key)
      failure.underlyingError = error
      throw failure
    }
    try setValue(archive, forKey: key)
  }

  private final func transformableAttribute(
    _ key: String
  ) throws(ManagedObjectError) -> ManagedObjectModel.Entity.Attribute {
    guard let attribute = shape.entity.attribute(named: key) else { throw undefined(key) }
    guard attribute.definition.type == .transformable else {
      throw ManagedObjectError(
        .invalidValue, "expected a transformable attribute, found one of type \(attribute.definition.type.name)",
        objectID: objectID, key: key)
    }
    return attribute
  }

  private final func noTransformer(_ type: Any.Type, _ key: String) -> ManagedObjectError {
    ManagedObjectError(
      .invalidValue, "the attribute has no value transformer, and \(type) does not conform to SecureCoding",
      objectID: objectID, key: key)
  }
}

/// Functions that convert the values of properties whose attributes have value transformers.
extension ManagedObject {
  /// Returns a property's value, decoded from its stored form; nil if it cannot be decoded.
  final func decoded<Value: AttributeConvertible>(_ stored: AttributeValue, slot: Int) -> Value? {
    if shape.transformerNames[slot] == nil || stored == .null { return Value(attributeValue: stored) }
    guard let value = try? reverseTransformed(stored, to: Value.Base.self, slot: slot) else { return nil }
    return value as? Value
  }

  /// Returns the stored form of a property's value; nil if the attribute has no transformer.
  final func transformed<Value: AttributeConvertible>(
    _ value: Value, slot: Int
  ) throws(ManagedObjectError) -> AttributeValue? {
    guard let transformer = try transformer(slot) else { return nil }
    return try located(slot) { () throws(ManagedObjectError) in try transformer.stored(value) }
  }

  /// Returns the value that the attribute's transformer makes from a stored form.
  final func reverseTransformed<Value>(
    _ stored: AttributeValue, to type: Value.Type, slot: Int
  ) throws(ManagedObjectError) -> Value {
    guard let transformer = try transformer(slot) else {
      throw ManagedObjectError(.invalidState, "the attribute has no value transformer", objectID: objectID)
    }
    return try located(slot) { () throws(ManagedObjectError) in try transformer.value(stored, as: type) }
  }

  /// Returns the transformer of an attribute; nil if it has none.
  private final func transformer(_ slot: Int) throws(ManagedObjectError) -> (any AttributeTransformer.Type)? {
    guard let name = shape.transformerNames[slot] else { return nil }
    if let transformer = shape.entity.model.transformers[name] { return transformer }
    throw ManagedObjectError(
      .undefinedKey, "the value transformer \(name.quoted) is not registered with the model", objectID: objectID,
      key: propertyName(slot))
  }

  /// Runs a function, and adds the object and the attribute to the error that it throws.
  private final func located<Result>(
    _ slot: Int, _ body: () throws(ManagedObjectError) -> Result
  ) throws(ManagedObjectError) -> Result {
    do { return try body() } catch {
      var failure = error
      failure.objectID = objectID
      failure.key = propertyName(slot)
      throw failure
    }
  }
}
