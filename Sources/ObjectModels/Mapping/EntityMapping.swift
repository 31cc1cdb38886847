public import FoundationEssentials
public import OrderedCollections
public import Predicates
public import PropertyLists

/// A mapping of the objects of an entity to an entity of another model.
///
/// ```swift
/// var notes = EntityMapping("NoteToNote", .transform, from: "Note", to: "Note")
/// notes.attributeMappings = [
///   PropertyMapping("title", valueExpression: try ManagedExpression(format: "$source.headline")),
///   PropertyMapping("pages", valueExpression: try ManagedExpression(format: "$source.pages + 1")),
/// ]
/// let mapping = MappingModel([notes, EntityMapping("Tag", .add, to: "Tag")])
/// ```
public struct EntityMapping: Hashable, Sendable {
  /// The name, which is unique within a mapping model.
  public var name: String
  /// The effect of the mapping on the objects.
  public var mappingType: MappingType
  /// The name of the entity in the source model; nil for an added entity.
  public var sourceEntityName: String?
  /// The version hash of the source entity for which the mapping was made; nil for any version.
  public var sourceEntityVersionHash: Data?
  /// The name of the entity in the destination model; nil for a removed entity.
  public var destinationEntityName: String?
  /// The version hash of the destination entity for which the mapping was made; nil for any version.
  public var destinationEntityVersionHash: Data?
  /// The expression that fetches the source objects. In files, it is a
  /// ``ManagedExpression/fetch(request:context:countOnly:)``.
  public var sourceExpression: ManagedExpression?
  /// The mappings of the attributes, in the order of the file.
  public var attributeMappings: [PropertyMapping] = []
  /// The mappings of the relationships, in the order of the file.
  public var relationshipMappings: [PropertyMapping] = []
  /// The name of the class that migrates the objects; nil for the default policy, which follows the mapping.
  public var migrationPolicyClassName: String?
  /// Custom data of the program for this mapping.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The values of a compiled mapping whose keys this library does not know, by key. They are kept for writing.
  public var otherArchivedValues: OrderedDictionary<String, PredicateConstant> = [:]

  /// The effect of a mapping on the objects of an entity. The raw values are those of `NSEntityMappingType`.
  public enum MappingType: Int, Hashable, Sendable, CaseIterable {
    /// The effect is not specified. It depends on the program that migrates the objects.
    case undefined = 0
    /// The class with the name ``EntityMapping/migrationPolicyClassName`` migrates the objects.
    case custom = 1
    /// The entity is new in the destination model.
    case add = 2
    /// The entity exists only in the source model.
    case remove = 3
    /// The entity is the same in both models.
    case copy = 4
    /// The entity has another version in the destination model.
    case transform = 5
  }

  /// Creates a mapping of an entity.
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

/// The source of a property's value in destination objects. See ``EntityMapping`` for an example.
public struct PropertyMapping: Hashable, Sendable {
  /// The name of the property in the destination entity.
  public var name: String
  /// The expression for the value, with variables such as `$source` and `$manager`. If it is nil, the property keeps
  /// its default value, unless a migration policy sets another one.
  public var valueExpression: ManagedExpression?
  /// Custom data of the program for this mapping.
  public var userInfo: OrderedDictionary<String, PropertyList> = [:]
  /// The transforms of the property in a compiled mapping (`NSPropertyTransforms`). No file with transforms was found,
  /// so they are kept for writing and have no effect.
  public var transforms: [PredicateConstant] = []
  /// The values of a compiled mapping whose keys this library does not know, by key. They are kept for writing.
  public var otherArchivedValues: OrderedDictionary<String, PredicateConstant> = [:]

  /// Creates a mapping of a property.
  public init(_ name: String, valueExpression: ManagedExpression? = nil) {
    self.name = name
    self.valueExpression = valueExpression
  }
}
