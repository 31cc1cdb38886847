package import ObjectModels
internal import PropertyLists

/// Functions that check relationships and their inverses.
extension InferredMapping {
  /// A relationship of the old model (`former`), and the indices of the new entities whose objects get their values
  /// from it (`entities`).
  package struct Origin {
    package let former: PropertyName
    package var entities: [Int]
  }

  /// Returns the relationships of the old model that contain the values of a relationship of the new model. The result
  /// is empty if the relationship is new. It has several elements if subentities get their values from different
  /// relationships.
  package func origins(of relationship: PropertyName) -> [Origin] {
    var origins: [Origin] = []
    for entity in relationship.owner(in: destination).selfAndDescendants {
      guard let old = sourceEntity(of: entity), let name = properties[entity.index][relationship.name] else { continue }
      let former = PropertyName(old, name)
      if let index = origins.firstIndex(where: { $0.former == former }) {
        origins[index].entities.append(entity.index)
      } else {
        origins.append(Origin(former: former, entities: [entity.index]))
      }
    }
    return origins
  }

  /// Returns the inverse of a relationship; nil if it is missing or transient.
  package func inverse(of name: PropertyName, _ model: ManagedObjectModel) -> PropertyName? {
    let entity = name.owner(in: model)
    guard let relationship = entity.relationship(named: name.name), let inverse = entity.inverse(of: relationship),
      !inverse.isTransient
    else { return nil }
    return PropertyName(entity.destination(of: relationship), inverse.name)
  }

  private func isToMany(_ name: PropertyName, _ model: ManagedObjectModel) -> Bool {
    name.owner(in: model).relationship(named: name.name)?.definition.isToMany ?? false
  }

  /// Checks the relationships that an entity of the new model declares. The mapping cannot be inferred if a
  /// relationship and its inverse come from two unrelated relationships, or if several objects can refer to the same
  /// object in the old model, but only one in the new model.
  mutating func checkInverses(of entity: ManagedObjectModel.Entity) {
    for relationship in entity.relationships.dropFirst(entity.superentity?.relationships.count ?? 0)
    where !relationship.isTransient {
      let name = PropertyName(entity, relationship.name)
      let origins = origins(of: name)
      if origins.isEmpty { continue }
      let inverse = inverse(of: name, destination)
      let back = inverse.map { self.origins(of: $0) } ?? []
      let shown = "\(entity.name).\(relationship.name)".quoted
      if let inverse, !back.isEmpty {
        let former = Set(origins.map { self.inverse(of: $0.former, source) })
        if former == Set(back.map { Optional($0.former) }) { continue }
        let other = "\(inverse.owner(in: destination).name).\(inverse.name)".quoted
        refuse(
          "\([shown, other].sorted().joined(separator: " and ")) are inverses of each other only in the new model",
          (origins + back).flatMap(\.entities), isOfRelationship: true)
        continue
      }
      let hasOneOwner = inverse.map { !isToMany($0, destination) } ?? relationship.definition.isToMany
      let hadSeveral =
        origins.count > 1
        || origins.contains { origin in
          self.inverse(of: origin.former, source).map { isToMany($0, source) } ?? !isToMany(origin.former, source)
        }
      if hasOneOwner, hadSeveral {
        refuse(
          "several objects can share an object in the relationship \(shown) in the old model, but not in the new one",
          origins.flatMap(\.entities), isOfRelationship: true)
      }
    }
  }
}
