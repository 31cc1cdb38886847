public import FoundationEssentials
internal import KeyedArchiving
public import OrderedCollections
public import Predicates

/// A description of the way in which the objects of a store become objects of another model: a mapping model of Xcode's
/// editor, which its compiler writes as a file `.cdm`.
///
/// ```swift
/// let mapping = try MappingModel(contentsOf: URL(filePath: "2to3.cdm"))
/// let defects = mapping.defects(from: second, to: third)
/// ```
///
/// A mapping model is a value: it is read, compared and written. Migrations of stores carry it out.
public struct MappingModel: Hashable, Sendable {
  /// The mappings of entities, in the order in which they are to be done.
  public var entityMappings: [EntityMapping]
  /// The values of a compiled mapping model under unknown keys, by key. They are kept for writing.
  public var otherArchivedValues: OrderedDictionary<String, PredicateConstant> = [:]

  /// A mapping model.
  public init(_ entityMappings: [EntityMapping] = []) { self.entityMappings = entityMappings }

  /// The mapping of a name, the first if there are several; nil if there is none.
  ///
  /// - Complexity: O(*n*) in the number of mappings.
  public subscript(name: String) -> EntityMapping? { entityMappings.first { $0.name == name } }

  /// Reads a compiled mapping model.
  ///
  /// Nothing of it is trusted: no object is made but of the classes of mapping models, expressions, predicates and
  /// Foundation. What it has under other keys is kept, objects of other classes as they are. What cannot be kept is an
  /// error.
  ///
  /// - Parameter data: a `.cdm` file.
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

  /// Reads a compiled mapping model from a file `.cdm`.
  ///
  /// - Throws: ``ManagedObjectModelError/file(_:)`` if it cannot be read, and as ``init(compiled:)``.
  public init(contentsOf url: URL) throws(ManagedObjectModelError) { try self.init(compiled: VersionedModel.read(url)) }

  /// The mapping model as a file `.cdm` has it.
  ///
  /// - Throws: ``ManagedObjectModelError/invalid(_:)`` if two mappings have one name, which files find them by;
  ///   ``ManagedObjectModelError/archive(_:)`` for expressions that no archive can have.
  /// - Complexity: O(*n*) in the number of mappings of properties.
  public func compiledData() throws(ManagedObjectModelError) -> Data {
    var names: Set<String> = []
    let repeated = entityMappings.filter { !names.insert($0.name).inserted }
    guard repeated.isEmpty else {
      throw .invalid(repeated.map { .init(.duplicateName, "two mappings of entities are called \($0.name.quoted)") })
    }
    do { return try KeyedArchiver.archivedData(withRootObject: ArchivedMappingModel(self)) } catch {
      throw ManagedObjectModelError(archive: error)
    }
  }

  /// The parts that do not fit two models: entities and properties that are not in them, and entities that are another
  /// version than the mapping was made for. None for a mapping model that was made for them.
  ///
  /// A mapping without a version hash is one for any version. Versions of entities whose hashes cannot be computed, see
  /// ``ManagedObjectModel/Entity/hasKnownVersionHash``, are not compared.
  ///
  /// - Parameters:
  ///   - source: the model that a store was made with.
  ///   - destination: the model that the store is to have.
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
        defects.append(Self.defect(entity, property, "is no attribute of the destination model", mapping))
      }
      for property in mapping.relationshipMappings where entity.relationship(named: property.name) == nil {
        defects.append(Self.defect(entity, property, "is no relationship of the destination model", mapping))
      }
    }
    return defects
  }

  private static func defect(
    _ entity: ManagedObjectModel.Entity, _ property: PropertyMapping, _ message: String, _ mapping: EntityMapping
  ) -> ManagedObjectModelError.Defect {
    .init(.unknownName, entity: entity.name, property: property.name, "\(message) (mapping \(mapping.name.quoted))")
  }

  /// One of the two models.
  private struct Side {
    let model: ManagedObjectModel
    let word: String
    let hashes: [String: Data]

    init(model: ManagedObjectModel, word: String) {
      self.model = model
      self.word = word
      hashes = model.entityVersionHashesByName
    }

    /// The entity of a name, if it is there; what does not fit is added to the defects.
    func entity(
      _ name: String?, _ hash: Data?, _ mapping: EntityMapping, _ defects: inout [ManagedObjectModelError.Defect]
    ) -> ManagedObjectModel.Entity? {
      guard let name else { return nil }
      guard let entity = model[name] else {
        defects.append(
          .init(.unknownName, entity: name, "is not in the \(word) model (mapping \(mapping.name.quoted))"))
        return nil
      }
      if let hash, entity.hasKnownVersionHash, hashes[name] != hash {
        defects.append(
          .init(
            .versionMismatch, entity: name,
            "the mapping \(mapping.name.quoted) is for another version than that of the \(word) model"))
      }
      return entity
    }
  }
}
