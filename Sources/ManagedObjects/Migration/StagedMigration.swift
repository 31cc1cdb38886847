public import FoundationEssentials
public import ObjectModels
internal import Predicates
internal import PropertyLists
internal import SystemFiles

/// A migration through the versions of a model, from the first to the last.
///
/// ```swift
/// let stages = try StagedMigration(contentsOf: URL(filePath: "Notes.momd"))
/// try SQLiteStore.migrate(file, through: stages)
/// ```
public struct StagedMigration: Sendable {
  /// A version of the model.
  public struct Stage: Sendable {
    /// The model of this version.
    public var model: ManagedObjectModel
    /// The mapping from the previous version; not used for the first stage.
    public var mapping: StoreMapping
    /// A function of the program that works on the objects of a store during a migration.
    public typealias Handler = @Sendable (ManagedObjectContext) throws -> Void
    /// The function that is called before the store is migrated from the previous version. Its context has the store
    /// and the previous version's model. Not used for the first stage.
    ///
    /// ```swift
    /// var stage = StagedMigration.Stage(second)
    /// stage.willMigrate = { context in
    ///   for note in try context.fetch(FetchRequest("Note", where: "title == ''")) { try context.delete(note) }
    /// }
    /// ```
    ///
    /// The saves of the context belong to the migration: if it fails later, the store stays as it was. Changes that the
    /// function does not save are saved when it returns. If it throws, the migration ends: a ``ManagedObjectError`` is
    /// rethrown, another error becomes the ``ManagedObjectError/underlyingError`` of
    /// ``ManagedObjectError/Code/migrationCancelled``.
    public var willMigrate: Handler?
    /// The function that is called after the store was migrated to this version. Its context has the store and this
    /// version's model. The rules of ``willMigrate`` apply. Not used for the first stage.
    public var didMigrate: Handler?

    /// Creates a stage. Without a mapping, the changes are inferred from the two models.
    public init(
      _ model: ManagedObjectModel, mapping: StoreMapping = StoreMapping(), willMigrate: Handler? = nil,
      didMigrate: Handler? = nil
    ) {
      self.model = model
      self.mapping = mapping
      self.willMigrate = willMigrate
      self.didMigrate = didMigrate
    }
  }

  /// The versions of the model, the oldest first.
  public var stages: [Stage]

  /// Creates a migration through the given versions, the oldest first.
  ///
  /// ```swift
  /// let stages = StagedMigration([.init(first), .init(second), .init(third, mapping: mapping)])
  /// try SQLiteStore.migrate(file, through: stages)
  /// ```
  public init(_ stages: [Stage]) { self.stages = stages }

  /// Creates a migration through the versions of a model.
  ///
  /// ```swift
  /// let versions = try VersionedModel(contentsOf: folder.appending(path: "Notes.momd"))
  /// let stages = try StagedMigration(versions, names: ["Notes", "Notes 2", "Notes 4"])
  /// ```
  ///
  /// - Parameters:
  ///   - versions: A model with its versions.
  ///   - names: The names of the versions, the oldest first. Nil for all versions up to the current one, sorted by
  ///     name, with `Notes 9` before `Notes 10`.
  ///   - mappings: Mapping models with version hashes. Each is used between the two successive versions that its hashes
  ///     match.
  ///   - classes: The policies for all mapping models: ``StoreMapping/classPolicies``.
  /// - Throws: ``ManagedObjectModelError`` if a name does not belong to a version.
  public init(
    _ versions: VersionedModel, names: [String]? = nil, mappings: [MappingModel] = [],
    classes: [String: EntityMigrationPolicy] = [:]
  ) throws(ManagedObjectModelError) {
    var order =
      names ?? versions.models.keys.sorted { $0.sortForm(.localizedStandard) < $1.sortForm(.localizedStandard) }
    if names == nil, let end = order.firstIndex(of: versions.currentName) { order.removeSubrange((end + 1)...) }
    stages = []
    for name in order {
      guard let model = versions.models[name] else {
        throw .invalid([ManagedObjectModelError.Defect(.unknownName, "the model has no version \(name.quoted)")]
        )
      }
      stages.append(Stage(model))
    }
    for index in stages.indices.dropFirst() {
      let found = mappings.first { mapping in
        mapping.isVersioned && mapping.defects(from: stages[index - 1].model, to: stages[index].model).isEmpty
      }
      if let found { stages[index].mapping = StoreMapping(found, classes: classes) }
    }
  }

  /// Creates a migration through the versions of a model in a folder. Uses the mapping models (`.cdm`) in the folder
  /// and in its parent folder.
  ///
  /// - Parameters:
  ///   - url: A folder `.momd` or `.xcdatamodeld`.
  ///   - names: The names of the versions, as in ``init(_:names:mappings:classes:)``.
  ///   - classes: The policies for all mapping models: ``StoreMapping/classPolicies``.
  /// - Throws: ``ManagedObjectModelError`` if a model or mapping model cannot be read, or a name does not belong to a
  ///   version.
  public init(
    contentsOf url: URL, names: [String]? = nil, classes: [String: EntityMigrationPolicy] = [:]
  ) throws(ManagedObjectModelError) {
    let versions = try VersionedModel(contentsOf: url)
    var mappings: [MappingModel] = []
    for folder in [url, url.deletingLastPathComponent()] where folder.isFileURL {
      for name in FileSystem.names(in: folder.path).sorted() where name.hasSuffix(".cdm") {
        mappings.append(try MappingModel(contentsOf: folder.appending(path: name)))
      }
    }
    try self.init(versions, names: names, mappings: mappings, classes: classes)
  }

  /// Returns the steps that migrate a store from its version to a later one.
  ///
  /// - Parameters:
  ///   - destination: The model of the version to end with; nil for the last version.
  ///   - path: The path of the store, for messages.
  ///   - sharesNumbers: True if all entities of the store share their primary keys.
  package func steps(
    from metadata: StoreMetadata, to destination: ManagedObjectModel?, _ path: String, _ configuration: String?,
    sharesNumbers: Bool
  ) throws(ManagedObjectError) -> (source: ManagedObjectModel, steps: [MigrationStep]) {
    var end = stages.count - 1
    if let destination {
      let hashes = destination.entityVersionHashesByName
      guard let found = stages.lastIndex(where: { $0.model.entityVersionHashesByName == hashes }) else {
        throw ManagedObjectError(.migration, "the destination model of \(path) is not a stage of the migration")
      }
      end = found
    }
    guard let start = stages.prefix(end + 1).lastIndex(where: { metadata.fits($0.model, configuration) }) else {
      throw ManagedObjectError(
        .incompatibleVersionHash,
        "\(path) does not match the model of any stage of the migration up to the destination model")
    }
    var steps: [MigrationStep] = []
    for index in stages.indices where index > start && index <= end {
      // The last step prefers the model that the caller passed to the equal model of the stage.
      let model = index == end ? destination ?? stages[index].model : stages[index].model
      steps.append(
        try MigrationStep(
          stages[index].mapping, from: stages[index - 1].model, to: model, sharesNumbers: sharesNumbers,
          willMigrate: stages[index].willMigrate, didMigrate: stages[index].didMigrate))
    }
    return (stages[start].model, steps)
  }
}

extension MappingModel {
  /// True if the mapping model has version hashes.
  fileprivate var isVersioned: Bool {
    entityMappings.contains { $0.sourceEntityVersionHash != nil || $0.destinationEntityVersionHash != nil }
  }
}

extension StoreMetadata {
  /// True if the store with this metadata has the version hashes of a model.
  package func fits(_ model: ManagedObjectModel, _ configuration: String?) -> Bool {
    guard values[StoreMetadataKey.versionHashes] != nil, model.entities(ofConfiguration: configuration) != nil else {
      return false
    }
    do {
      try check(model, configuration)
      return true
    } catch {
      return false
    }
  }
}
