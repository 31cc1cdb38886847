public import ObjectModels

/// A description of how a migration creates the objects of the new model from those of the old model.
///
/// If the mapping is empty, all changes are inferred from the two models. A mapping model describes the changes for all
/// entities. Policies with functions of the program handle single entities:
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
  /// The mapping model, with the mappings of all entities; nil to infer these from the two models.
  public var model: MappingModel?
  /// The policies that migrate the objects of entities of the old model, by entity name.
  public var entityPolicies: [String: EntityMigrationPolicy]
  /// The policies to use for the classes that a mapping model names (``EntityMapping/migrationPolicyClassName``), by
  /// class name, with or without the module.
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

  /// True if all changes are inferred from the two models.
  var isInferred: Bool { model == nil && entityPolicies.isEmpty && classPolicies.isEmpty }

  func classPolicy(_ name: String) -> EntityMigrationPolicy? {
    classPolicies[name] ?? name.split(separator: ".").last.flatMap { classPolicies[String($0)] }
  }
}

/// A set of functions of the program that migrate the objects of an entity. It corresponds to Core Data's
/// `NSEntityMigrationPolicy`.
///
/// The functions receive objects of the class ``ManagedObject``, because the program's own classes belong to only one
/// version of the model.
///
/// ```swift
/// let policy = EntityMigrationPolicy(createRelationships: { folder, new, migration in
///   try migration.createRelationships(forDestination: new, source: folder)
///   // The new relationship "cover" gets the first object of the ordered relationship "notes".
///   if case .array(let notes)? = new["notes"], let first = notes.first { try new.setValue(first, forKey: "cover") }
/// })
/// ```
public struct EntityMigrationPolicy: Sendable {
  /// A function that creates one, several or no objects of the new model for a source object. It does not set
  /// relationships.
  public typealias Creation = @Sendable (_ source: ManagedObject, EntityMigration) throws -> Void
  /// A function that sets the relationships of an object of the new model.
  public typealias Relation =
    @Sendable (_ source: ManagedObject, _ destination: ManagedObject, EntityMigration) throws -> Void

  /// A function that is called once for each entity mapping. ``EntityMigration/destinationContext`` contains no objects
  /// before it, and is saved after it.
  public typealias Step = @Sendable (EntityMigration) throws -> Void

  /// The function that is called before the objects of the mapping are created.
  public var begin: Step?
  /// The function that creates the objects; nil to create them as the mapping describes.
  public var createDestinationInstances: Creation?
  /// The function that is called after all objects of the mapping have been created.
  ///
  /// ```swift
  /// policy.endInstanceCreation = { migration in
  ///   let inbox = try migration.destinationContext.insert("Folder")
  ///   try inbox.setValue(.string("Inbox"), forKey: "name")
  /// }
  /// ```
  public var endInstanceCreation: Step?
  /// The function that sets the relationships; nil to set them as the mapping describes.
  public var createRelationships: Relation?
  /// The function that is called after the relationships of all objects of the mapping have been set.
  public var endRelationshipCreation: Step?
  /// The function that checks the new objects, after the relationships of all mappings have been set. If it throws, the
  /// migration fails, and the store stays as it was.
  ///
  /// ```swift
  /// policy.performCustomValidation = { migration in
  ///   let count = try migration.destinationContext.count(for: FetchRequest("Note"))
  ///   let former = try migration.sourceContext.count(for: FetchRequest("Note"))
  ///   if count != former { throw ManagedObjectError(.entityMigrationPolicy, "\(former - count) notes are missing") }
  /// }
  /// ```
  public var performCustomValidation: Step?
  /// The function that is called last. The rules of the model are checked after it.
  public var end: Step?

  /// Creates a policy with a function that creates objects.
  public init(_ createDestinationInstances: @escaping Creation) {
    self.createDestinationInstances = createDestinationInstances
  }

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - createDestinationInstances: Creates the objects; nil to create them as the mapping describes.
  ///   - createRelationships: Sets the relationships of each object; nil to set them as the mapping describes.
  public init(createDestinationInstances: Creation? = nil, createRelationships: Relation? = nil) {
    self.createDestinationInstances = createDestinationInstances
    self.createRelationships = createRelationships
  }
}

/// The progress of a migration.
///
/// ```swift
/// try SQLiteStore.migrate(file, through: stages) { progress in
///   try Task.checkCancellation()
///   print("Step \(progress.step + 1) of \(progress.stepCount): \(progress.mappingName)")  // Step 1 of 2: Note
/// }
/// ```
public struct MigrationProgress: Hashable, Sendable {
  /// A phase of a migration step. The cases are in the order of the phases.
  public enum Phase: Hashable, Sendable {
    /// Objects are created with their attributes.
    case objects
    /// Relationships are set.
    case relationships
    /// Objects are validated. Steps without a mapping skip this phase, and so do entities without validation rules.
    case validation
  }

  /// The index of the current step, from 0. A migration through several versions has several steps.
  public var step: Int
  /// The number of steps.
  public var stepCount: Int
  /// The current phase.
  public var phase: Phase
  /// The name of the entity mapping that is performed. In the validation phase, and in a step without a mapping, the
  /// name of the entity. In a step without a mapping of an SQLite store, the name of the root entity whose table is
  /// changed.
  public var mappingName: String
  /// The number of objects that this phase has completed for the mapping.
  public var completedCount: Int
  /// The number of all objects that this phase processes for the mapping.
  public var totalCount: Int
}
