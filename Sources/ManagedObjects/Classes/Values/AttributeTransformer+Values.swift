internal import FoundationEssentials
internal import ObjectModels
internal import Predicates

extension AttributeTransformer {
  /// Returns the stored form of a property's value; null for nil.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` with the cause if the value cannot be stored, or if it is not
  ///   of the transformer's type.
  static func stored<Property: AttributeConvertible>(
    _ value: Property
  ) throws(ManagedObjectError) -> AttributeValue {
    guard Value.self == Property.Base.self else { throw mismatch(Property.Base.self) }
    // The types are equal, so the cast fails only for nil.
    guard let value = value as? Value else { return .null }
    return try stored(any: value)
  }

  /// Returns the stored form of a value.
  ///
  /// - Throws: the errors of ``stored(_:)``.
  static func stored<Other>(any value: Other) throws(ManagedObjectError) -> AttributeValue {
    guard let value = value as? Value else { throw mismatch(Other.self) }
    do { return .data(try transformedValue(value)) } catch {
      var failure = ManagedObjectError(
        .invalidValue, "the value transformer \(transformerName.quoted) cannot store the value: \(error)")
      failure.underlyingError = error
      throw failure
    }
  }

  /// Returns the value for a stored form.
  ///
  /// - Throws: ``ManagedObjectError/Code/coderReadCorrupt`` with the cause if the stored form is not that of a value;
  ///   ``ManagedObjectError/Code/invalidValue`` if the transformer's values are not of the type.
  static func value<Other>(_ stored: AttributeValue, as type: Other.Type) throws(ManagedObjectError) -> Other {
    let value: Value
    do {
      guard case .data(let data) = stored else {
        throw ManagedObjectError(.coderReadCorrupt, "expected data, found \(stored.kindName)", value: stored)
      }
      value = try reverseTransformedValue(data)
    } catch {
      var failure = ManagedObjectError(
        .coderReadCorrupt,
        "the value transformer \(transformerName.quoted) cannot read the stored value \(stored): \(error)",
        value: stored)
      failure.underlyingError = error
      throw failure
    }
    guard let value = value as? Other else { throw mismatch(type) }
    return value
  }

  /// The type of the values.
  static var valueType: Any.Type { Value.self }

  private static func mismatch(_ type: Any.Type) -> ManagedObjectError {
    ManagedObjectError(
      .invalidValue, "the value transformer \(transformerName.quoted) has values of type \(Value.self), not \(type)")
  }
}
