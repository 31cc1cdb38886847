public import OrderedCollections
public import Predicates
public import PropertyLists

/// The traits that all attributes, relationships and fetched properties have. Each kind of description also has them as
/// its own properties:
///
/// ```swift
/// var title = AttributeDescription("title", .string)
/// title.isOptional = false               // the same as title.traits.isOptional
/// title.renamingIdentifier = "headline"
/// ```
public struct PropertyTraits: Hashable, Sendable {
  /// The name, which is unique among the entity's own and inherited properties.
  public var name: String
  /// True if an object is valid without a value.
  public var isOptional: Bool
  /// True if the value is not saved in a store.
  public var isTransient = false
  /// True if only the framework sets the value.
  public var isReadOnly = false
  /// True if a store should index the values. Newer models use fetch indexes instead.
  public var isIndexed = false
  /// True if Spotlight can find objects by the value.
  public var isIndexedBySpotlight = false
  /// The conditions that a value must meet.
  public var validations: [PropertyValidation] = []
  /// Custom data of the program for this property.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The name of the property in an earlier version of the model, if it was different.
  public var renamingIdentifier: String?
  /// A string that is part of the version hash. Change it to create a new version of a property that does not change
  /// otherwise.
  public var versionHashModifier: String?
  /// Attributes of the property in a source file that only editors and code generators use, such as `syncable`.
  public var editorAttributes: OrderedDictionary<String, String> = [:]

  /// Creates the traits of a property.
  public init(name: String, isOptional: Bool = true) {
    self.name = name
    self.isOptional = isOptional
  }
}

/// A condition that a value must meet, and the message if it does not.
///
/// ```swift
/// seats.validations = [
///   PropertyValidation(try ManagedPredicate(format: "SELF >= 1"), warning: .text("at least one seat is needed"))
/// ]
/// ```
public struct PropertyValidation: Hashable, Sendable {
  /// The condition. A missing value is not tested.
  public var predicate: ManagedPredicate
  /// The message if the condition is false.
  public var warning: Warning?

  /// The message for an invalid value.
  public enum Warning: Hashable, Sendable {
    /// A sentence for users, or the key of a localized one.
    case text(String)
    /// A Cocoa error code, such as 1620 for a number that is too small.
    case code(Int)
  }

  /// Creates a validation.
  public init(_ predicate: ManagedPredicate, warning: Warning? = nil) {
    self.predicate = predicate
    self.warning = warning
  }
}

/// A property of an entity: an attribute, a relationship or a fetched property.
@dynamicMemberLookup
public enum PropertyDescription: Hashable, Sendable {
  case attribute(AttributeDescription)
  case relationship(RelationshipDescription)
  case fetched(FetchedPropertyDescription)

  /// The traits that all properties have.
  public var traits: PropertyTraits {
    get {
      switch self {
      case .attribute(let attribute): attribute.traits
      case .relationship(let relationship): relationship.traits
      case .fetched(let property): property.traits
      }
    }
    set {
      switch self {
      case .attribute(var attribute):
        attribute.traits = newValue
        self = .attribute(attribute)
      case .relationship(var relationship):
        relationship.traits = newValue
        self = .relationship(relationship)
      case .fetched(var property):
        property.traits = newValue
        self = .fetched(property)
      }
    }
  }

  /// A trait of the property: see ``traits``.
  public subscript<Trait>(dynamicMember path: WritableKeyPath<PropertyTraits, Trait>) -> Trait {
    get { traits[keyPath: path] }
    set { traits[keyPath: path] = newValue }
  }
}
