public import OrderedCollections
public import Predicates
public import PropertyLists

/// The description of an entity: the properties of objects of one kind.
///
/// ```swift
/// let note = EntityDescription(
///   "Note",
///   [.attribute("title", .string), .relationship("author", to: "Person", inverse: "notes")])
/// ```
///
/// Descriptions are values, and refer to each other by name. A ``ManagedObjectModel`` created from them checks these
/// references.
public struct EntityDescription: Hashable, Sendable {
  /// The name, which is unique in a model.
  public var name: String
  /// The name of the class of the objects; nil for `ManagedObject` itself.
  public var className: String?
  /// True if only subentities have objects.
  public var isAbstract = false
  /// The name of the superentity.
  public var superentity: String?
  /// The entity's own properties, without those it inherits.
  public var properties: [PropertyDescription]
  /// Uniqueness constraints: lists of attributes and to-one relationships. Two objects must not have equal values for
  /// all properties of a list.
  ///
  /// ```swift
  /// contact.uniquenessConstraints = [["email"], ["firstName", "lastName", "birthday"]]
  /// ```
  public var uniquenessConstraints: [[String]] = []
  /// The indexes for fast lookups in a store.
  public var fetchIndexes: [FetchIndexDescription] = []
  /// Compound indexes: lists of properties that are indexed together. Newer models also have them as ``fetchIndexes``.
  public var compoundIndexes: [[String]] = []
  /// Custom data of the program for this entity.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The name of the entity in an earlier version of the model, if it was different.
  public var renamingIdentifier: String?
  /// A string that is part of the version hash. Change it to create a new version of an entity whose properties do not
  /// change.
  public var versionHashModifier: String?
  /// Attributes of the entity in a source file that only editors and code generators use, such as `codeGenerationType`.
  public var editorAttributes: OrderedDictionary<String, String> = [:]

  /// Creates an entity.
  public init(_ name: String, _ properties: [PropertyDescription] = []) {
    self.name = name
    self.properties = properties
  }

  /// The entity's own attributes.
  public var attributes: [AttributeDescription] {
    properties.compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
  }

  /// The entity's own relationships.
  public var relationships: [RelationshipDescription] {
    properties.compactMap { if case .relationship(let relationship) = $0 { relationship } else { nil } }
  }

  /// The entity's own fetched properties.
  public var fetchedProperties: [FetchedPropertyDescription] {
    properties.compactMap { if case .fetched(let property) = $0 { property } else { nil } }
  }
}

extension PropertyDescription {
  /// Returns the description of an attribute.
  public static func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, defaultValue: AttributeValue = .null
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, type, isOptional: isOptional, defaultValue: defaultValue))
  }

  /// Returns the description of a relationship.
  public static func relationship(
    _ name: String, to destination: String, inverse: String? = nil, isToMany: Bool = false, isOrdered: Bool = false,
    isOptional: Bool = true, deleteRule: RelationshipDescription.DeleteRule = .nullify
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name, to: destination, inverse: inverse, isToMany: isToMany, isOrdered: isOrdered, isOptional: isOptional,
        deleteRule: deleteRule))
  }
}

/// An index for fast lookups by the values of properties.
///
/// ```swift
/// let byDate = FetchIndexDescription(
///   "byDate", [.init(.property("date"), isAscending: false), .init(.property("title"))],
///   partialPredicate: try ManagedPredicate(format: "isArchived == NO"))
/// note.fetchIndexes.append(byDate)
/// ```
public struct FetchIndexDescription: Hashable, Sendable {
  /// The name, which is unique within an entity.
  public var name: String
  /// The parts of the index, the most significant first.
  public var elements: [Element]
  /// The condition that an object must meet to be in the index; nil for all objects.
  public var partialPredicate: ManagedPredicate?

  /// A part of an index.
  public struct Element: Hashable, Sendable {
    /// The indexed property or expression.
    public var content: Content
    /// The kind of index.
    public var kind: Kind
    /// True if the smallest value comes first.
    public var isAscending: Bool

    /// The property or expression that a part of an index contains.
    public enum Content: Hashable, Sendable {
      /// The property with this name.
      case property(String)
      /// The result of an expression.
      case expression(ManagedExpression)
    }

    /// The kind of an index. The raw values are those in Core Data's files (`NSFetchIndexElementType`).
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
      case binary = 0
      case rTree = 1
    }

    /// Creates a part of an index.
    public init(_ content: Content, kind: Kind = .binary, isAscending: Bool = true) {
      self.content = content
      self.kind = kind
      self.isAscending = isAscending
    }
  }

  /// Creates an index.
  public init(_ name: String, _ elements: [Element], partialPredicate: ManagedPredicate? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }
}
