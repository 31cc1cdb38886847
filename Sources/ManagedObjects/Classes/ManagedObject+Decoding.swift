internal import KeyedArchiving
internal import ObjectModels
internal import Predicates

/// Functions for stored values that do not have the type of their property, such as a raw value that an enumeration
/// does not have, or data that is not an archive. Objects keep such values, and saving does not overwrite them.
extension ManagedObjectClass {
  /// Returns the value of an attribute, or throws if it cannot be read. The property itself cannot throw: it returns
  /// its default instead, and the error is added to ``ManagedObjectContext/misuse``.
  ///
  /// ```swift
  /// do throws(ManagedObjectError) {
  ///   print(try task.decodedValue(of: \.priority))
  /// } catch {
  ///   print(error.code, error.value ?? .null)                // coderReadCorrupt 77
  /// }
  /// ```
  ///
  /// If the attribute has no value, the method returns the same value as the property: the model's default, or
  /// ``AttributeConvertible/missingValue``.
  ///
  /// - Parameter property: an `@Attribute` property, such as `\.priority`.
  /// - Throws: ``ManagedObjectError/Code/coderReadCorrupt`` if the stored value, or the default that is used instead of
  ///   a missing one, is not of the property's type; ``ManagedObjectError/Code/undefinedKey`` if the key path is not
  ///   that of an attribute, or if the value transformer is not registered with the model;
  ///   ``ManagedObjectError/Code/referentialIntegrity`` if the object is inaccessible; the errors of reading.
  public func decodedValue<Value: AttributeConvertible>(
    of property: KeyPath<Self, Value>
  ) throws(ManagedObjectError) -> Value {
    guard let slot = propertySlot(property), shape.relationships[slot] == nil else {
      throw ManagedObjectError(.undefinedKey, "\(property) is not the key path of an attribute", objectID: objectID)
    }
    guard case .attribute(let stored) = try readableValue(ofSlot: slot) else { return Value.missingValue }
    if let value: Value = decoded(stored, slot: slot) { return value }
    let (value, undecodable): (Value, AttributeValue?) = substitutes(for: stored, slot: slot)
    if let undecodable { throw decodingError(undecodable, slot, Value.Base.self) }
    return value
  }
}

extension ManagedObject {
  /// Returns the value that a property returns if `stored` is null, or is not a value of the property's type. In the
  /// second case, the error is added to ``ManagedObjectContext/misuse``.
  final func substitute<Value: AttributeConvertible>(for stored: AttributeValue, slot: Int) -> Value {
    let (value, undecodable): (Value, AttributeValue?) = substitutes(for: stored, slot: slot)
    if let undecodable, let context = shape.context, context.undecodableValues.insert(key, slot, undecodable) {
      context.note(decodingError(undecodable, slot, Value.Base.self))
    }
    return value
  }

  /// Returns the error for a stored value that is not a value of a type.
  fileprivate final func decodingError<Base: AttributeCoding>(
    _ stored: AttributeValue, _ slot: Int, _ type: Base.Type
  ) -> ManagedObjectError {
    var error = ManagedObjectError(
      .coderReadCorrupt, "expected \(Base.self), found \(stored)", objectID: objectID, key: propertyName(slot),
      value: stored)
    if shape.transformerNames[slot] != nil {
      do throws(ManagedObjectError) { _ = try reverseTransformed(stored, to: Base.self, slot: slot) } catch let cause {
        return cause
      }
    }
    guard case .data(let archive) = stored, Base.attributeType == .transformable,
      let type = Base.self as? any SecureCoding.Type
    else { return error }
    do { _ = try KeyedUnarchiver.unarchivedObject(of: type, from: archive) } catch let cause {
      error.message = "expected an archive of \(Base.self), found \(stored): \(cause)"
      error.underlyingError = cause
    }
    return error
  }

  /// Returns the value to use instead of a stored value that is null or cannot be decoded: the model's default, or
  /// `Value.missingValue` if the default is missing or cannot be decoded.
  ///
  /// - Returns: `value`, the substitute; `undecodable`, the stored value or else the default that could not be decoded,
  ///   nil if neither failed.
  fileprivate final func substitutes<Value: AttributeConvertible>(
    for stored: AttributeValue, slot: Int
  ) -> (value: Value, undecodable: AttributeValue?) {
    let undecodable = stored == .null ? nil : stored
    let initial = shape.initialValue(ofSlot: slot)
    if initial == .null { return (Value.missingValue, undecodable) }
    if let value: Value = decoded(initial, slot: slot) { return (value, undecodable) }
    return (Value.missingValue, undecodable ?? initial)
  }

  final func propertyName(_ slot: Int) -> String? {
    shape.entity.attributes.first { $0.slot == slot }?.definition.traits.name
  }
}
