public import OrderedCollections
public import Predicates
public import PropertyLists

/// An entity: what objects of one kind consist of.
///
/// ```swift
/// let note = EntityDescription(
///   "Note",
///   [.attribute("title", .string), .relationship("author", to: "Person", inverse: "notes")])
/// ```
///
/// Descriptions are values, and name each other. A ``ManagedObjectModel`` made of them checks that they fit.
public struct EntityDescription: Hashable, Sendable {
  /// The name, which is unique in a model.
  public var name: String
  /// The class of the objects; nil for ``ManagedObject`` itself.
  public var className: String?
  /// True if there are objects of sub-entities only.
  public var isAbstract = false
  /// The name of the entity that this one inherits from.
  public var superentity: String?
  /// The entity's own properties, without those it inherits.
  public var properties: [PropertyDescription]
  /// Lists of attributes and to-one relationships. No two objects may have the same values for all names of a list.
  public var uniquenessConstraints: [[String]] = []
  /// The indexes by which a store finds objects fast.
  public var fetchIndexes: [FetchIndexDescription] = []
  /// Lists of properties that have an index in common. Newer models have fetch indexes as well.
  public var compoundIndexes: [[String]] = []
  /// Data that programs keep with the entity.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The name of the entity in an earlier version of the model, if it was another.
  public var renamingIdentifier: String?
  /// Part of the version hash. A new value makes another version of an entity that looks the same.
  public var versionHashModifier: String?
  /// Attributes of a source file that only editors and code generators use, such as `codeGenerationType`.
  public var editorAttributes: OrderedDictionary<String, String> = [:]

  /// An entity.
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
  /// An attribute.
  public static func attribute(
    _ name: String, _ type: AttributeType, isOptional: Bool = true, defaultValue: AttributeValue = .null
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, type, isOptional: isOptional, defaultValue: defaultValue))
  }

  /// A relationship.
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

/// An index, by which a store finds objects fast by the values of properties.
public struct FetchIndexDescription: Hashable, Sendable {
  /// The name, which is unique in an entity.
  public var name: String
  /// The parts of the index, the most important first.
  public var elements: [Element]
  /// The condition for objects to be in the index; nil for all objects.
  public var partialPredicate: ManagedPredicate?

  /// A part of an index.
  public struct Element: Hashable, Sendable {
    /// The indexed property or expression.
    public var content: Content
    /// The kind of index.
    public var kind: Kind
    /// True if the least comes first.
    public var isAscending: Bool

    /// The content of a part of an index.
    public enum Content: Hashable, Sendable {
      /// The property of this name.
      case property(String)
      /// The result of an expression.
      case expression(ManagedExpression)
    }

    /// The kind of index of a part. The raw values are those of Core Data's files (`NSFetchIndexElementType`).
    public enum Kind: Int, Hashable, Sendable, CaseIterable {
      case binary = 0
      case rTree = 1
    }

    /// A part of an index.
    public init(_ content: Content, kind: Kind = .binary, isAscending: Bool = true) {
      self.content = content
      self.kind = kind
      self.isAscending = isAscending
    }
  }

  /// An index.
  public init(_ name: String, _ elements: [Element], partialPredicate: ManagedPredicate? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }
}
