public import FoundationEssentials
public import OrderedCollections
public import Predicates
public import PropertyLists

/// A description of the way in which objects of an entity become objects of an entity of another model.
public struct EntityMapping: Hashable, Sendable {
  /// The name, which is unique in a mapping model.
  public var name: String
  /// The effect on the objects.
  public var mappingType: MappingType
  /// The name of the entity in the source model; nil for entities that are added.
  public var sourceEntityName: String?
  /// The version hash of the source entity that the mapping was made for; nil if it was made for any.
  public var sourceEntityVersionHash: Data?
  /// The name of the entity in the destination model; nil for entities that are removed.
  public var destinationEntityName: String?
  /// The version hash of the destination entity that the mapping was made for; nil if it was made for any.
  public var destinationEntityVersionHash: Data?
  /// Finds the objects of the source: a ``ManagedExpression/fetch(request:context:countOnly:)`` in files.
  public var sourceExpression: ManagedExpression?
  /// The mappings of the attributes, in the order of the file.
  public var attributeMappings: [PropertyMapping] = []
  /// The mappings of the relationships, in the order of the file.
  public var relationshipMappings: [PropertyMapping] = []
  /// The name of the class that migrates the objects; nil for the one that does as the mapping says.
  public var migrationPolicyClassName: String?
  /// Data that programs keep with the mapping.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The values of a compiled mapping under unknown keys, by key. They are kept for writing.
  public var otherArchivedValues: OrderedDictionary<String, PredicateConstant> = [:]

  /// The fate of the objects of an entity. The raw values are those of `NSEntityMappingType`.
  public enum MappingType: Int, Hashable, Sendable, CaseIterable {
    /// The mapping does not say; the program that migrates decides.
    case undefined = 0
    /// A migration policy decides.
    case custom = 1
    /// The entity is new in the destination model.
    case add = 2
    /// The entity is in the source model only.
    case remove = 3
    /// The entity is the same in both models.
    case copy = 4
    /// The entity is another version in the destination model.
    case transform = 5
  }

  /// A mapping of an entity.
  public init(
    _ name: String, _ mappingType: MappingType, from sourceEntityName: String? = nil,
    to destinationEntityName: String? = nil
  ) {
    self.name = name
    self.mappingType = mappingType
    self.sourceEntityName = sourceEntityName
    self.destinationEntityName = destinationEntityName
  }
}

/// The origin of a property's value in objects of the destination.
public struct PropertyMapping: Hashable, Sendable {
  /// The name of the property in the destination entity.
  public var name: String
  /// The value, by variables such as `$source` and `$manager`; nil if the mapping says nothing, so that the property
  /// keeps its default value unless a migration policy sets it.
  public var valueExpression: ManagedExpression?
  /// Data that programs keep with the mapping.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The transforms of the property in a compiled mapping (`NSPropertyTransforms`). No file with any was found, so they
  /// are kept as they are and mean nothing here.
  public var transforms: [PredicateConstant] = []
  /// The values of a compiled mapping under unknown keys, by key. They are kept for writing.
  public var otherArchivedValues: OrderedDictionary<String, PredicateConstant> = [:]

  /// A mapping of a property.
  public init(_ name: String, valueExpression: ManagedExpression? = nil) {
    self.name = name
    self.valueExpression = valueExpression
  }
}
