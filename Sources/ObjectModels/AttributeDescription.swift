public import Predicates

/// The description of an attribute of an entity: a value that each object has.
///
/// ```swift
/// var title = AttributeDescription("title", .string)
/// title.isOptional = false
/// ```
@dynamicMemberLookup
public struct AttributeDescription: Hashable, Sendable {
  /// The name, the user info and the other traits that all properties have.
  public var traits: PropertyTraits
  /// The type of the values.
  public var type: AttributeType
  /// The value in new objects. For a transformable attribute, the bytes of a keyed archive.
  ///
  /// In models made by Apple's software, the value can be a number of another type than the attribute's.
  /// ``ManagedObjectModel/Entity/Attribute/initialValue`` is the value converted to that type.
  public var defaultValue: AttributeValue = .null
  /// The name of the values' Objective-C class, for a transformable attribute. For other attributes, it is nil if the
  /// class is the default one, ``AttributeType/valueClassName``.
  public var valueClassName: String?
  /// The name of the value transformer of a transformable attribute; nil if values are stored as keyed archives. See
  /// ``AttributeTransformer``.
  public var valueTransformerName: String?
  /// True if Core Data may keep large data in separate files next to an SQLite store. The stores of this package read
  /// such files, and write new values into the store itself.
  public var allowsExternalBinaryDataStorage = false
  /// True if the persistent history keeps the value of a deleted object.
  public var preservesValueInHistoryOnDeletion = false
  /// True if values are encrypted in iCloud.
  public var allowsCloudEncryption = false
  /// The rule by which a store computes the value; nil for an attribute that programs set. If a program sets the value
  /// of a derived attribute, the next save replaces it.
  public var derivation: Derivation?
  /// The name of the attribute group that defines a composite attribute.
  public var compositeName: String?
  /// The elements of a composite attribute.
  ///
  /// ```swift
  /// var address = AttributeDescription("address", .composite)
  /// address.elements = [AttributeDescription("city", .string), AttributeDescription("zip", .string)]
  /// ```
  public var elements: [AttributeDescription] = []
  /// Flags in Core Data's files that are unknown to this library. They are kept for writing.
  var otherArchivedFlags = 0

  /// The rule by which a store computes a derived attribute.
  ///
  /// ```swift
  /// var pageCount = AttributeDescription("pageCount", .integer32)
  /// pageCount.derivation = .init(try ManagedExpression(format: "pages.@count"))
  /// ```
  public struct Derivation: Hashable, Sendable {
    /// The expression, such as `pages.@count`.
    public var expression: ManagedExpression
    /// The condition that objects must meet to be used by the expression; nil for all objects.
    public var filter: ManagedPredicate?

    /// Creates a derivation.
    public init(_ expression: ManagedExpression, filter: ManagedPredicate? = nil) {
      self.expression = expression
      self.filter = filter
    }
  }

  /// Creates an attribute.
  public init(_ name: String, _ type: AttributeType, isOptional: Bool = true, defaultValue: AttributeValue = .null) {
    traits = PropertyTraits(name: name, isOptional: isOptional)
    self.type = type
    self.defaultValue = defaultValue
  }

  /// A trait of the property: see ``traits``.
  public subscript<Trait>(dynamicMember path: WritableKeyPath<PropertyTraits, Trait>) -> Trait {
    get { traits[keyPath: path] }
    set { traits[keyPath: path] = newValue }
  }

  /// True if values may be stored in external files.
  package var isExternal: Bool { type == .binary && allowsExternalBinaryDataStorage }
}
