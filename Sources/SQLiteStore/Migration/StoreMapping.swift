public import ManagedObjects

/// The changes to the objects of a store in a migration.
///
/// An empty mapping leaves all changes to inference from the two models. A mapping model describes the changes for all
/// entities, and functions handle single entities:
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
  /// The mappings of the entities; nil to infer them from the two models.
  public var model: MappingModel?
  /// The functions for the objects of source entities, by entity name.
  public var entityPolicies: [String: EntityMigrationPolicy]
  /// The functions that replace the classes named by a mapping model (``EntityMapping/migrationPolicyClassName``), by
  /// class name with or without the module.
  public var classPolicies: [String: EntityMigrationPolicy]

  /// Creates a mapping.
  public init(
    _ model: MappingModel? = nil, entities: [String: EntityMigrationPolicy] = [:],
    classes: [String: EntityMigrationPolicy] = [:]
  ) {
    self.model = model
    entityPolicies = entities
    classPolicies = classes
  }

  /// True if all changes are inferred from the models.
  var isInferred: Bool { model == nil && entityPolicies.isEmpty && classPolicies.isEmpty }

  func classPolicy(_ name: String) -> EntityMigrationPolicy? {
    classPolicies[name] ?? name.split(separator: ".").last.flatMap { classPolicies[String($0)] }
  }
}

/// Functions of a program that migrate the objects of an entity. It corresponds to Core Data's
/// `NSEntityMigrationPolicy`.
///
/// All objects have the class ``ManagedObject``, because the program's classes belong to one version of the model.
public struct EntityMigrationPolicy: Sendable {
  /// Creates one, several or no destination objects from a source object. Relationships are set later.
  public typealias Creation = @Sendable (_ source: ManagedObject, EntityMigration) throws -> Void
  /// Sets the relationships of a destination object.
  public typealias Relation =
    @Sendable (_ source: ManagedObject, _ destination: ManagedObject, EntityMigration) throws -> Void

  /// Creates the objects; nil to use the mapping.
  public var createDestinationInstances: Creation?
  /// Sets the relationships; nil to use the mapping.
  public var createRelationships: Relation?

  /// Creates a policy with a function that creates objects.
  public init(_ createDestinationInstances: @escaping Creation) {
    self.createDestinationInstances = createDestinationInstances
  }

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - createDestinationInstances: Creates the objects; nil to use the mapping.
  ///   - createRelationships: Sets the relationships of each object; nil to use the mapping.
  public init(createDestinationInstances: Creation? = nil, createRelationships: Relation? = nil) {
    self.createDestinationInstances = createDestinationInstances
    self.createRelationships = createRelationships
  }
}

/// The progress of a migration.
public struct MigrationProgress: Hashable, Sendable {
  /// The phases of a migration step, in order.
  public enum Phase: Hashable, Sendable {
    /// Objects are created with their attributes.
    case objects
    /// Relationships are set.
    case relationships
    /// Objects are validated. Steps without a mapping skip this phase.
    case validation
  }

  /// The index of the step through the model versions, from 0.
  public var step: Int
  /// The number of steps.
  public var stepCount: Int
  /// The current phase.
  public var phase: Phase
  /// The name of the mapping; in the validation phase, the name of the entity. In a step without a mapping, the name of
  /// the root entity of the table.
  public var mappingName: String
  /// The number of objects processed so far.
  public var completedCount: Int
  /// The total number of objects.
  public var totalCount: Int
}
