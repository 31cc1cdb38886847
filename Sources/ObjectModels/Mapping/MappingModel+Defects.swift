internal import FoundationEssentials

extension MappingModel {
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
