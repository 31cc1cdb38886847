public import FoundationEssentials
internal import KeyedArchiving
public import OrderedCollections
public import Predicates

/// A mapping of the entities of one model to those of another one, for the migration of stores. Xcode's compiler writes
/// mapping models as `.cdm` files.
///
/// ```swift
/// let mapping = try MappingModel(contentsOf: URL(filePath: "2to3.cdm"))
/// for entity in mapping.entityMappings { print(entity.name, entity.mappingType) }   // NoteToNote transform
/// ```
///
/// A mapping model is a value that can be read, compared and written. Migrations of stores apply it.
public struct MappingModel: Hashable, Sendable {
  /// The mappings of entities, in the order they are applied.
  public var entityMappings: [EntityMapping]
  /// The values of a compiled mapping model whose keys this library does not know, by key. They are kept for writing.
  public var otherArchivedValues: OrderedDictionary<String, PredicateConstant> = [:]

  /// Creates a mapping model.
  public init(_ entityMappings: [EntityMapping] = []) { self.entityMappings = entityMappings }

  /// The first mapping with a name, or nil if the mapping model does not contain it.
  ///
  /// - Complexity: O(*n*) in the number of mappings.
  public subscript(name: String) -> EntityMapping? { entityMappings.first { $0.name == name } }

  /// Reads a compiled mapping model.
  ///
  /// The data can come from an untrusted source: only the classes of mapping models, expressions, predicates and
  /// Foundation are instantiated. Values under unknown keys are kept, with objects of other classes as opaque objects.
  /// A value that cannot be kept is an error.
  ///
  /// - Parameter data: The contents of a `.cdm` file.
  /// - Throws: ``ManagedObjectModelError/archive(_:)``.
  /// - Complexity: O(*n*) in the size of the archive.
  public init(compiled data: Data) throws(ManagedObjectModelError) {
    do {
      let coder = try KeyedUnarchiver(forReadingFrom: data)
      try coder.allowOpaqueObjects(in: data, except: ArchivedMappingModel.knows)
      self = try coder.decode(ArchivedMappingModel.self, forKey: KeyedArchiver.rootObjectKey).model
    } catch {
      throw ManagedObjectModelError(archive: error)
    }
  }

  /// Reads a compiled mapping model from a `.cdm` file.
  ///
  /// - Throws: ``ManagedObjectModelError/file(_:)`` if the file cannot be read, and the errors of ``init(compiled:)``.
  public init(contentsOf url: URL) throws(ManagedObjectModelError) { try self.init(compiled: VersionedModel.read(url)) }

  /// Returns the contents of a `.cdm` file for this mapping model.
  ///
  /// ```swift
  /// try mapping.compiledData().write(to: URL(filePath: "1to2.cdm"), options: .atomic)
  /// ```
  ///
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` if two mappings have the same name, because files identify
  ///   mappings by name; ``ManagedObjectModelError/archive(_:)`` for expressions that have no archived form.
  /// - Complexity: O(*n*) in the number of mappings of properties.
  public func compiledData() throws(ManagedObjectModelError) -> Data {
    var names: Set<String> = []
    let repeated = entityMappings.filter { !names.insert($0.name).inserted }
    guard repeated.isEmpty else {
      throw .invalid(repeated.map { .init(.duplicateName, "two entity mappings have the name \($0.name.quoted)") })
    }
    do { return try KeyedArchiver.archivedData(withRootObject: ArchivedMappingModel(self)) } catch {
      throw ManagedObjectModelError(archive: error)
    }
  }

  /// Returns the parts of the mapping model that do not match two models: entities and properties that are not in the
  /// models, and entities with another version. Returns an empty array if the mapping model was made for the two
  /// models.
  ///
  /// ```swift
  /// for defect in mapping.defects(from: oldModel, to: newModel) { print(defect) }
  /// // Note.pages: the destination model has no such attribute (mapping "NoteToNote")
  /// ```
  ///
  /// A mapping without a version hash matches any version. Entities whose version hash cannot be computed, or is
  /// inferred, are not compared: see ``ManagedObjectModel/Entity/hasKnownVersionHash``.
  ///
  /// - Parameters:
  ///   - source: The model of the store before migration.
  ///   - destination: The model of the store after migration.
  /// - Complexity: O(*n*) in the number of properties of the models and of the mappings.
  public func defects(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) -> [ManagedObjectModelError.Defect] {
    let old = Side(model: source, word: "source")
    let new = Side(model: destination, word: "destination")
    var defects: [ManagedObjectModelError.Defect] = []
    for mapping in entityMappings {
      _ = old.entity(mapping.sourceEntityName, mapping.sourceEntityVersionHash, mapping, &defects)
      let entity = new.entity(mapping.destinationEntityName, mapping.destinationEntityVersionHash, mapping, &defects)
      guard let entity else { continue }
      for property in mapping.attributeMappings where entity.attribute(named: property.name) == nil {
        defects.append(Self.defect(entity, property, "the destination model has no such attribute", mapping))
      }
      for property in mapping.relationshipMappings where entity.relationship(named: property.name) == nil {
        defects.append(Self.defect(entity, property, "the destination model has no such relationship", mapping))
      }
    }
    return defects
  }

  private static func defect(
    _ entity: ManagedObjectModel.Entity, _ property: PropertyMapping, _ message: String, _ mapping: EntityMapping
  ) -> ManagedObjectModelError.Defect {
    .init(.unknownName, entity: entity.name, property: property.name, "\(message) (mapping \(mapping.name.quoted))")
  }

  /// The source model or the destination model, with its version hashes.
  private struct Side {
    let model: ManagedObjectModel
    let word: String
    let hashes: [String: Data]

    init(model: ManagedObjectModel, word: String) {
      self.model = model
      self.word = word
      hashes = model.entityVersionHashesByName
    }

    /// Returns the entity with a name. Adds a defect if it is missing or has another version.
    func entity(
      _ name: String?, _ hash: Data?, _ mapping: EntityMapping, _ defects: inout [ManagedObjectModelError.Defect]
    ) -> ManagedObjectModel.Entity? {
      guard let name else { return nil }
      guard let entity = model[name] else {
        defects.append(
          .init(.unknownName, entity: name, "the \(word) model has no such entity (mapping \(mapping.name.quoted))"))
        return nil
      }
      if let hash, entity.hasCertainVersionHash, hashes[name] != hash {
        defects.append(
          .init(
            .versionMismatch, entity: name,
            "the mapping \(mapping.name.quoted) was made for another version of the entity in the \(word) model"))
      }
      return entity
    }
  }
}
