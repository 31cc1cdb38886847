public import ManagedObjects

/// What becomes of the objects of a store with another version of its model.
///
/// Without anything said, the two models tell it. A mapping model says it for all entities, and functions for some:
///
/// ```swift
/// let mapping = StoreMapping(entities: [
///   "Note": EntityMigrationPolicy { note, migration in
///     let new = try migration.makeDestination(for: note)
///     try new.setValue(.string(note.objectID.description), forKey: "title")
///   }
/// ])
/// ```
public struct StoreMapping: Sendable {
  /// The mappings of the entities; nil for those that the two models tell.
  public var model: MappingModel?
  /// What is done with the objects of an entity of the source, by its name.
  public var entityPolicies: [String: EntityMigrationPolicy]
  /// What is done by the classes that a mapping model names (``EntityMapping/migrationPolicyClassName``), by the name
  /// of the class, with or without its module.
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

  /// True if the models alone tell what is to be done.
  var isInferred: Bool { model == nil && entityPolicies.isEmpty && classPolicies.isEmpty }

  func classPolicy(_ name: String) -> EntityMigrationPolicy? {
    classPolicies[name] ?? name.split(separator: ".").last.flatMap { classPolicies[String($0)] }
  }
}

/// What a program does with the objects of an entity when a store gets another model.
///
/// Objects are of ``ManagedObject`` itself, as the classes of a program are those of one version.
public struct EntityMigrationPolicy: Sendable {
  /// Makes objects of the destination out of one of the source: one, several, or none. Relationships are set later.
  public typealias Creation = @Sendable (_ source: ManagedObject, EntityMigration) throws -> Void
  /// Sets the relationships of an object that came from one of the source.
  public typealias Relation =
    @Sendable (_ source: ManagedObject, _ destination: ManagedObject, EntityMigration) throws -> Void

  /// Makes the objects; nil to do as the mapping says.
  public var createDestinations: Creation?
  /// Sets the relationships; nil to do as the mapping says.
  public var createRelationships: Relation?

  /// A policy that makes objects.
  public init(_ createDestinations: @escaping Creation) { self.createDestinations = createDestinations }

  /// A policy.
  ///
  /// - Parameters:
  ///   - createDestinations: makes objects; nil to do as the mapping says.
  ///   - createRelationships: sets the relationships of each object; nil to do as the mapping says.
  public init(createDestinations: Creation? = nil, createRelationships: Relation? = nil) {
    self.createDestinations = createDestinations
    self.createRelationships = createRelationships
  }
}

/// How far a migration is.
public struct MigrationProgress: Hashable, Sendable {
  /// What is done with the objects.
  public enum Phase: Hashable, Sendable {
    /// Objects are made, with their attributes.
    case objects
    /// Relationships are set.
    case relationships
    /// Objects are checked by the rules of the model.
    case validation
  }

  /// The step through the versions of the model, from 0.
  public var step: Int
  /// The number of steps.
  public var stepCount: Int
  /// What is done with the objects.
  public var phase: Phase
  /// The name of the mapping; in the validation that of the entity.
  public var mappingName: String
  /// The number of objects of the mapping that are done.
  public var completedCount: Int
  /// The number of objects of the mapping.
  public var totalCount: Int
}
