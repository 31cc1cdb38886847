public import KeyedArchiving
internal import ObjectModels
public import Predicates

/// A type whose values can be those of an attribute: `@Attribute var price: Decimal?`.
///
/// Numbers, strings, dates and what else attributes have a type for conform, and so do enumerations and structures with
/// such raw values that say so. A type that conforms to `SecureCoding` is kept as an archive, in a transformable
/// attribute:
///
/// ```swift
/// struct Settings: Codable, SecureCoding, AttributeCoding { var volume: Double }
///
/// final class Player: ManagedObject {
///   @Attribute var settings: Settings?
/// }
/// ```
///
/// To declare properties that are not optional, conform to ``AttributeConvertible``.
public protocol AttributeCoding {
  /// The type of the attribute.
  static var attributeType: AttributeType { get }

  /// The value as objects and stores keep it.
  ///
  /// - Throws: ``ManagedObjectError/Code/invalidValue`` if it cannot be kept.
  var attributeValue: AttributeValue { get throws(ManagedObjectError) }

  /// The value out of what objects and stores keep; nil for what no value of this type is kept as.
  init?(attributeValue: AttributeValue)
}

/// A type that an attribute of a class can be declared with, because it has a value that stands for a missing one.
///
/// ```swift
/// enum Priority: Int16, CaseIterable, AttributeConvertible { case low, normal, urgent }
///
/// final class Task: ManagedObject {
///   @Attribute var priority: Priority = .normal
/// }
/// ```
///
/// Enumerations that are `CaseIterable` need no code, and neither do option sets.
public protocol AttributeConvertible: AttributeCoding {
  /// The type of the value if there is one: what is in an optional, or the type itself.
  associatedtype Base: AttributeCoding = Self

  /// The value of a property when the attribute has none, and the model no default for it: nil, 0, an empty string.
  static var missingValue: Self { get }

  /// True if ``missingValue`` means that there is no value.
  static var isOptionalAttribute: Bool { get }
}

extension AttributeConvertible {
  public static var isOptionalAttribute: Bool { false }
}

/// A type of attribute whose values have an order, so that there can be a least and a greatest.
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

/// A value that is kept as its raw value.
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
  /// The first case.
  public static var missingValue: Self { allCases[allCases.startIndex] }
}

extension AttributeConvertible where Self: OptionSet {
  /// No options.
  public static var missingValue: Self { [] }
}

/// A value that is kept as an archive, in a transformable attribute.
///
/// The archive is read each time that the property is. A program that reads such a property often keeps the value in a
/// variable of its own.
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

/// Of a type that could be kept either way, the raw value is kept.
extension AttributeCoding where Self: RawRepresentable & SecureCoding, RawValue: AttributeCoding {
  public static var attributeType: AttributeType { RawValue.attributeType }

  public var attributeValue: AttributeValue { get throws(ManagedObjectError) { try rawValue.attributeValue } }

  public init?(attributeValue: AttributeValue) {
    guard let rawValue = RawValue(attributeValue: attributeValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}
