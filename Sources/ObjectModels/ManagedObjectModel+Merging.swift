internal import OrderedCollections

extension ManagedObjectModel {
  /// One model of several. What two models have alike is there once.
  ///
  /// - Throws: ``ManagedObjectModelError/conflicts(_:)`` with all entities and templates that two models have
  ///   different, ``ManagedObjectModelError/invalid(_:)`` if the parts do not fit.
  public static func merging(
    _ models: some Sequence<ManagedObjectModel>
  ) throws(ManagedObjectModelError) -> ManagedObjectModel {
    var entities: OrderedDictionary<String, EntityDescription> = [:]
    var merged = Contents(entities: [])
    var conflicts: OrderedSet<ManagedObjectModelError.Conflict> = []
    for model in models {
      merged.classes.merge(model.contents.classes) { first, _ in first }
      for entity in model.entityDescriptions {
        if let known = entities[entity.name], !known.isSame(as: entity) { conflicts.append(.entity(entity.name)) }
        if entities[entity.name] == nil { entities[entity.name] = entity }
      }
      for (name, members) in model.configurations {
        merged.configurations[name] = Array(OrderedSet(merged.configurations[name] ?? []).union(members))
      }
      for (name, request) in model.fetchRequestTemplates {
        if let known = merged.fetchRequestTemplates[name], known != request {
          conflicts.append(.fetchRequestTemplate(name))
        }
        if merged.fetchRequestTemplates[name] == nil { merged.fetchRequestTemplates[name] = request }
      }
      for identifier in model.versionIdentifiers where !merged.versionIdentifiers.contains(identifier) {
        merged.versionIdentifiers.append(identifier)
      }
    }
    if !conflicts.isEmpty { throw .conflicts(Array(conflicts)) }
    merged.entities = Array(entities.values)
    merged.allowsReservedNames = true
    return try ManagedObjectModel(merged)
  }

  /// One model of this and another.
  ///
  /// - Throws: as ``merging(_:)-swift.type.method``.
  public func merging(_ other: ManagedObjectModel) throws(ManagedObjectModelError) -> ManagedObjectModel {
    try Self.merging([self, other])
  }
}

extension EntityDescription {
  /// Returns true if nothing but the order of the properties, and what only editors use, is different.
  fileprivate func isSame(as other: EntityDescription) -> Bool { comparable == other.comparable }

  private var comparable: EntityDescription {
    var entity = self
    entity.editorAttributes = [:]
    for index in entity.properties.indices { entity.properties[index].editorAttributes = [:] }
    entity.properties.sort { $0.name.precedes($1.name) }
    return entity
  }
}
