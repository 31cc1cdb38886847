public import ObjectModels
public import Predicates

/// A type whose values can be stored only with a value transformer, for example a type of another module.
///
/// ```swift
/// extension Color: TransformedAttributeValue {}
///
/// final class Note: ManagedObject {
///   @Attribute(.transformed(by: ColorToDataTransformer.self)) var color: Color?
/// }
/// ```
///
/// The initializer of a model throws if a property of such a type lacks the option `.transformed(by:)`. To declare
/// properties that are not optional, conform to ``AttributeConvertible``, too.
public protocol TransformedAttributeValue: AttributeCoding {}

extension TransformedAttributeValue {
  public static var attributeType: AttributeType { .transformable }

  /// Throws ``ManagedObjectError/Code/invalidValue``, because the value has no stored form without a transformer.
  public var attributeValue: AttributeValue {
    get throws(ManagedObjectError) {
      throw ManagedObjectError(.invalidValue, "values of type \(Self.self) need a value transformer")
    }
  }

  /// Returns nil, because the value has no stored form without a transformer.
  public init?(attributeValue: AttributeValue) { nil }
}
