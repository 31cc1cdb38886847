public import ManagedObjects

/// The changes of the objects of a store that gets another version of its model.
///
/// An empty mapping leaves them to the two models. A mapping model describes them for all entities, and functions for
/// some:
///
/// ```swift
/// let mapping = StoreMapping(entities: [
///   "Note": EntityMigrationPolicy { note, migration in
///     let new = try migration.createDestinationInstances(forSource: note)
///     try new.setValue(.string(note.objectID.description), forKey: "title")
///   }
/// ])
/// ```
public struct StoreMapping: Sendable {
  /// The mappings of the entities; nil for those that follow from the two models.
  public var model: MappingModel?
  /// The functions for the objects of an entity of the source, by its name.
  public var entityPolicies: [String: EntityMigrationPolicy]
  /// The functions that replace the classes that a mapping model names
  /// (``EntityMapping/migrationPolicyClassName``), by the name of the class, with or without its module.
  public var classPolicies: [String: EntityMigrationPolicy]

  /// A mapping.
  public init(
    _ model: MappingModel? = nil, entities: [String: EntityMigrationPolicy] = [:],
    classes: [String: EntityMigrationPolicy] = [:]
  ) {
    self.model = model
    entityPolicies = entities
    classPolicies = classes
  }

  /// True if the changes follow from the models alone.
  var isInferred: Bool { model == nil && entityPolicies.isEmpty && classPolicies.isEmpty }

  func classPolicy(_ name: String) -> EntityMigrationPolicy? {
    classPolicies[name] ?? name.split(separator: ".").last.flatMap { classPolicies[String($0)] }
  }
}

/// A program's functions for the objects of an entity when a store gets another model. It has the part of Core Data's
/// `NSEntityMigrationPolicy`.
///
/// Objects are of ``ManagedObject`` itself, as the classes of a program are those of one version.
public struct EntityMigrationPolicy: Sendable {
  /// Makes objects of the destination out of one of the source: one, several, or none. Relationships are set later.
  public typealias Creation = @Sendable (_ source: ManagedObject, EntityMigration) throws -> Void
  /// Sets the relationships of an object that came from one of the source.
  public typealias Relation =
    @Sendable (_ source: ManagedObject, _ destination: ManagedObject, EntityMigration) throws -> Void

  /// Makes the objects; nil to do as the mapping says.
  public var createDestinationInstances: Creation?
  /// Sets the relationships; nil to do as the mapping says.
  public var createRelationships: Relation?

  /// A policy that makes objects.
  public init(_ createDestinationInstances: @escaping Creation) {
    self.createDestinationInstances = createDestinationInstances
  }

  /// A policy.
  ///
  /// - Parameters:
  ///   - createDestinationInstances: makes objects; nil to do as the mapping says.
  ///   - createRelationships: sets the relationships of each object; nil to do as the mapping says.
  public init(createDestinationInstances: Creation? = nil, createRelationships: Relation? = nil) {
    self.createDestinationInstances = createDestinationInstances
    self.createRelationships = createRelationships
  }
}

/// The progress of a migration.
public struct MigrationProgress: Hashable, Sendable {
  /// The kinds of work that are done for the objects of a mapping, one after the other.
  public enum Phase: Hashable, Sendable {
    /// Objects are made, with their attributes.
    case objects
    /// Relationships are set.
    case relationships
    /// Objects are checked by the rules of the model. Steps without a mapping need no check.
    case validation
  }

  /// The step through the versions of the model, from 0.
  public var step: Int
  /// The number of steps.
  public var stepCount: Int
  /// The kind of work.
  public var phase: Phase
  /// The name of the mapping; in the validation that of the entity. In a step without a mapping, the name of the entity
  /// at the top of the hierarchy in a table.
  public var mappingName: String
  /// The number of objects of the mapping that are done.
  public var completedCount: Int
  /// The number of objects of the mapping.
  public var totalCount: Int
}
