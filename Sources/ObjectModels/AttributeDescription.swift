public import Predicates

/// An attribute of an entity: a value that each object has.
///
/// ```swift
/// var title = AttributeDescription("title", .string)
/// title.isOptional = false
/// ```
@dynamicMemberLookup
public struct AttributeDescription: Hashable, Sendable {
  /// Name, user info and all else that every property has.
  public var traits: PropertyTraits
  /// The kind of value.
  public var type: AttributeType
  /// The value of new objects. For a transformable attribute it is the bytes of a keyed archive.
  ///
  /// Models made by Apple's software can have numbers of any kind here; ``ManagedObjectModel/Entity/Attribute`` has
  /// the value in the kind of the attribute.
  public var defaultValue: AttributeValue = .null
  /// The class of the values of a transformable attribute; of others, if it is not the class that goes with the type.
  public var valueClassName: String?
  /// The transformer of a transformable attribute; nil for a keyed archive.
  public var valueTransformerName: String?
  /// True if a store may keep large data in files beside it.
  public var allowsExternalBinaryDataStorage = false
  /// True if the history of changes keeps the value of a deleted object.
  public var preservesValueInHistoryOnDeletion = false
  /// True if values are encrypted in the cloud.
  public var allowsCloudEncryption = false
  /// The way in which a store computes the value; nil for an attribute that programs set.
  public var derivation: Derivation?
  /// The name of the group of attributes of which a composite attribute is made.
  public var compositeName: String?
  /// The attributes of which a composite attribute is made.
  public var elements: [AttributeDescription] = []
  /// Flags in Core Data's files that have no name here.
  var otherArchivedFlags = 0

  /// The way in which a store computes a derived attribute.
  public struct Derivation: Hashable, Sendable {
    /// The expression, such as `pages.@count`.
    public var expression: ManagedExpression
    /// The condition for objects to count; nil for all.
    public var filter: ManagedPredicate?

    /// A derivation.
    public init(_ expression: ManagedExpression, filter: ManagedPredicate? = nil) {
      self.expression = expression
      self.filter = filter
    }
  }

  /// An attribute.
  public init(_ name: String, _ type: AttributeType, isOptional: Bool = true, defaultValue: AttributeValue = .null) {
    traits = PropertyTraits(name: name, isOptional: isOptional)
    self.type = type
    self.defaultValue = defaultValue
  }

  /// One of the ``traits``.
  public subscript<Trait>(dynamicMember path: WritableKeyPath<PropertyTraits, Trait>) -> Trait {
    get { traits[keyPath: path] }
    set { traits[keyPath: path] = newValue }
  }

  /// True for an attribute whose values may be in files of their own.
  package var isExternal: Bool { type == .binary && allowsExternalBinaryDataStorage }
}
