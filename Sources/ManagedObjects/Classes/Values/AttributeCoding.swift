public import KeyedArchiving
internal import ObjectModels
public import Predicates

/// A type of attribute values: `@Attribute var price: Decimal?`.
///
/// Numbers, strings, dates and the other basic attribute types conform. Enumerations and structures with such raw
/// values can declare conformance without code. Values of a type that conforms to `SecureCoding` are archived in a
/// transformable attribute:
///
/// ```swift
/// struct Settings: Codable, SecureCoding, AttributeCoding { var volume: Double }
///
/// final class Player: ManagedObject {
///   @Attribute var settings: Settings?
/// }
/// ```
///
/// For a type that is stored in another form, implement the requirements:
///
/// ```swift
/// struct Temperature: AttributeCoding {
///   var celsius: Double
///
///   static var attributeType: AttributeType { .double }
///   var attributeValue: AttributeValue { .double(celsius + 273.15) }
/// }
///
/// extension Temperature {
///   init?(attributeValue: AttributeValue) {
///     guard case .double(let kelvin) = attributeValue else { return nil }
///     celsius = kelvin - 273.15
///   }
/// }
/// ```
///
/// To declare properties that are not optional, conform to ``AttributeConvertible``.
public protocol AttributeCoding {
  /// The type of the attribute.
  static var attributeType: AttributeType { get }

  /// The value in the form that objects and stores keep.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if the value cannot be stored.
  var attributeValue: AttributeValue { get throws(ManagedObjectError) }

  /// Creates a value from the form that objects and stores keep. Returns nil if the stored value is not of this type.
  init?(attributeValue: AttributeValue)
}

/// A type that an `@Attribute` property can have, optional or not. It has a ``missingValue``, which a property returns
/// if neither the object nor the model has a value.
///
/// ```swift
/// enum Priority: Int16, CaseIterable, AttributeConvertible { case low, normal, urgent }
///
/// final class Task: ManagedObject {
///   @Attribute var priority: Priority = .normal
/// }
/// ```
///
/// Enumerations that are `CaseIterable`, and option sets, need no code.
public protocol AttributeConvertible: AttributeCoding {
  /// The type without optionality: the wrapped type of an optional, or the type itself.
  associatedtype Base: AttributeCoding = Self

  /// The value of a property if neither the attribute nor the model's default has one, such as nil, 0 or an empty
  /// string.
  static var missingValue: Self { get }

  /// True if the attribute is optional in the model. The default is false; `Optional` returns true.
  static var isOptionalAttribute: Bool { get }
}

extension AttributeConvertible {
  public static var isOptionalAttribute: Bool { false }
}

/// A type of attribute values that are ordered, and so can have a minimum and a maximum.
public protocol OrderedAttributeValue: AttributeCoding, Comparable {}

extension Optional: AttributeCoding where Wrapped: AttributeCoding {
  public static var attributeType: AttributeType { Wrapped.attributeType }

  @inlinable
  public var attributeValue: AttributeValue { get throws(ManagedObjectError) { try self?.attributeValue ?? .null } }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    if case .null = attributeValue {
      self = .none
    } else if let value = Wrapped(attributeValue: attributeValue) {
      self = .some(value)
    } else {
      return nil
    }
  }
}

extension Optional: AttributeConvertible where Wrapped: AttributeCoding {
  public typealias Base = Wrapped

  @inlinable public static var missingValue: Wrapped? { nil }

  public static var isOptionalAttribute: Bool { true }
}

/// Types such as enumerations, whose raw values are stored.
extension AttributeCoding where Self: RawRepresentable, RawValue: AttributeCoding {
  public static var attributeType: AttributeType { RawValue.attributeType }

  @inlinable
  public var attributeValue: AttributeValue { get throws(ManagedObjectError) { try rawValue.attributeValue } }

  @inlinable
  public init?(attributeValue: AttributeValue) {
    guard let rawValue = RawValue(attributeValue: attributeValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}

extension AttributeConvertible where Self: RawRepresentable & CaseIterable {
  /// The first case of the enumeration.
  public static var missingValue: Self { allCases[allCases.startIndex] }
}

extension AttributeConvertible where Self: OptionSet {
  /// No options.
  public static var missingValue: Self { [] }
}

/// Types whose values are archived in a transformable attribute.
///
/// The archive is decoded on each access. If you read such a property often, keep the value in a variable.
extension AttributeCoding where Self: SecureCoding {
  public static var attributeType: AttributeType { .transformable }

  public var attributeValue: AttributeValue {
    get throws(ManagedObjectError) {
      do { return .data(try KeyedArchiver.archivedData(withRootObject: self)) } catch {
        throw ManagedObjectError(.invalidValue, "the value cannot be archived: \(error)")
      }
    }
  }

  public init?(attributeValue: AttributeValue) {
    guard case .data(let archive) = attributeValue,
      let value = try? KeyedUnarchiver.unarchivedObject(of: Self.self, from: archive)
    else { return nil }
    self = value
  }
}

/// Types with raw values that also conform to `SecureCoding`: the raw value is stored.
extension AttributeCoding where Self: RawRepresentable & SecureCoding, RawValue: AttributeCoding {
  public static var attributeType: AttributeType { RawValue.attributeType }

  public var attributeValue: AttributeValue { get throws(ManagedObjectError) { try rawValue.attributeValue } }

  public init?(attributeValue: AttributeValue) {
    guard let rawValue = RawValue(attributeValue: attributeValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}
