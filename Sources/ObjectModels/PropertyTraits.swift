public import OrderedCollections
public import Predicates
public import PropertyLists

/// The traits that attributes, relationships and fetched properties have in common.
public struct PropertyTraits: Hashable, Sendable {
  /// The name, which is unique in an entity and those it inherits from.
  public var name: String
  /// True if an object is valid without a value.
  public var isOptional: Bool
  /// True if no store keeps the value.
  public var isTransient = false
  /// True if only the framework sets the value.
  public var isReadOnly = false
  /// True if a store is to look up values fast. Models of today have fetch indexes instead.
  public var isIndexed = false
  /// True if the system's search finds objects by the value.
  public var isIndexedBySpotlight = false
  /// The conditions that a value has to meet.
  public var validations: [PropertyValidation] = []
  /// Data that programs keep with the property.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The name of the property in an earlier version of the model, if it was another.
  public var renamingIdentifier: String?
  /// Part of the version hash. A new value makes another version of a property that looks the same.
  public var versionHashModifier: String?
  /// Attributes of a source file that only editors and code generators use, such as `syncable`.
  public var editorAttributes: OrderedDictionary<String, String> = [:]

  /// Traits of a property.
  public init(name: String, isOptional: Bool = true) {
    self.name = name
    self.isOptional = isOptional
  }
}

/// A condition that a value has to fulfil, and what is said if it does not.
public struct PropertyValidation: Hashable, Sendable {
  /// The condition that a value has to meet. It is not tested with a missing value.
  public var predicate: ManagedPredicate
  /// The message if it is false.
  public var warning: Warning?

  /// The message about a value that is not valid.
  public enum Warning: Hashable, Sendable {
    /// A sentence for people, or the key of one in a localisation.
    case text(String)
    /// A code of Cocoa's errors, such as 1620 for a number that is too small.
    case code(Int)
  }

  /// A condition.
  public init(_ predicate: ManagedPredicate, warning: Warning? = nil) {
    self.predicate = predicate
    self.warning = warning
  }
}

/// A property of an entity.
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

  /// One of the ``traits``.
  public subscript<Trait>(dynamicMember path: WritableKeyPath<PropertyTraits, Trait>) -> Trait {
    get { traits[keyPath: path] }
    set { traits[keyPath: path] = newValue }
  }
}
